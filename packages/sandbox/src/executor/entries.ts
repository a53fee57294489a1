/**
 * How many guests are inside their isolates at once.
 *
 * isolated-vm runs each entry on a thread of a small pool and, when that is full, on a new thread for each; a burst
 * of thousands would be a burst of thousands of threads. So short entries share a few places, and one that lasts
 * gives its place free and goes on beside them: a strategy that computes for seconds competes for the processor as
 * any thread does, but holds nobody up.
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

  /** Takes the places of entries that have lasted. */
  #setAside(): void {
    this.#timer = undefined
    const longSince = performance.now() - longEntryMs
    for (const entry of this.#short) if (entry.since <= longSince) this.#short.delete(entry)
    this.#fill()
  }
}
