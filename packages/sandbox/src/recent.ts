/**
 * The entries that were added last. It forgets in the order in which they were added, so two of them that get the same
 * entries in the same order always hold the same: parent and executor rely on that.
 */
export class Recent<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** Adds a key that it does not hold. */
  add(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size > this.#most) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
