/** What is told once a second, and the second that it was told last. */
type Told = { secondMs: number | undefined }

/**
 * Tells each of its items once in each second of a clock, as soon as the second begins, from one timer for all;
 * an item that is added, also of the second under way. Seconds that the process slept through are left out.
 */
export class EverySecond<Item extends object> {
  #clockMs: () => number
  #tell: (item: Item, secondMs: number) => void
  #items = new Map<Item, Told>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * @param clockMs the time in milliseconds; it may be moved while this runs
   * @param tell given the beginning of the second on that clock
   */
  constructor(clockMs: () => number, tell: (item: Item, secondMs: number) => void) {
    this.#clockMs = clockMs
    this.#tell = tell
  }

  /** Tells an item, first after the caller's own turn, until what this returns is called. */
  add(item: Item): () => void {
    if (this.#closed) return () => {}
    this.#items.set(item, { secondMs: undefined })
    if (this.#timer === undefined) this.#arm()
    queueMicrotask(() => this.#tellOf(item, this.#secondMs()))
    return () => {
      this.#items.delete(item)
      if (this.#items.size === 0) this.#disarm()
    }
  }

  /** Nothing is told any more. */
  close(): void {
    this.#closed = true
    this.#items.clear()
    this.#disarm()
  }

  #arm(): void {
    // From the clock each time, so that late timers do not add up.
    const untilNextMs = 1000 - (this.#clockMs() - this.#secondMs())
    this.#timer = setTimeout(() => this.#beat(), untilNextMs)
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    this.#arm()
    const secondMs = this.#secondMs()
    // What is told may add and remove items.
    for (const item of [...this.#items.keys()]) this.#tellOf(item, secondMs)
  }

  /** A timer may be a moment early: then the second under way has been told already. */
  #tellOf(item: Item, secondMs: number): void {
    const told = this.#items.get(item)
    if (told === undefined || told.secondMs === secondMs) return
    told.secondMs = secondMs
    this.#tell(item, secondMs)
  }

  #secondMs(): number {
    return Math.floor(this.#clockMs() / 1000) * 1000
  }
}
