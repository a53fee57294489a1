/**
 * Limits how many guests run in their isolates at a time.
 *
 * isolated-vm runs each entry on a thread of a small pool and, if the pool is full, on a new thread. A burst of thousands
 * of entries would start thousands of threads. So short entries share a few places. An entry that takes longer gives its
 * place to another and continues: a strategy that computes for seconds competes for the processor like any thread, but
 * blocks nobody.
 */

const longEntryMs = 10

export class Entries {
  readonly #places: number
  readonly #waiting: (() => Promise<unknown>)[] = []
  readonly #short = new Set<{ since: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(places: number) {
    this.#places = places
  }

  /** Runs `enter` as soon as there is a place. `enter` handles its own failures. */
  add(enter: () => Promise<unknown>): void {
    this.#waiting.push(enter)
    this.#fill()
  }

  #fill(): void {
    while (this.#short.size < this.#places) {
      const enter = this.#waiting.shift()
      if (enter === undefined) return
      const entry = { since: performance.now() }
      this.#short.add(entry)
      void enter().then(() => {
        if (this.#short.delete(entry)) this.#fill()
      })
    }
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#setAside(), longEntryMs)
  }

  /** Frees the places of long entries. */
  #setAside(): void {
    this.#timer = undefined
    const longSince = performance.now() - longEntryMs
    for (const entry of this.#short) if (entry.since <= longSince) this.#short.delete(entry)
    this.#fill()
  }
}
