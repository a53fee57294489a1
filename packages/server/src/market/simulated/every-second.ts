/** The last second in which an item was called. */
type LastCall = { secondMs: number | undefined }

/**
 * Makes a call for each of its items at the start of every second of a clock, with one timer for all. An item that is
 * added gets a call for the current second, too. Seconds that the process slept through are skipped.
 */
export class EverySecond<Item extends object> {
  #clockMs: () => number
  #call: (item: Item, secondMs: number) => void
  #items = new Map<Item, LastCall>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * @param clockMs the time in milliseconds; the clock may be set while this runs
   * @param call receives the start of the second on that clock
   */
  constructor(clockMs: () => number, call: (item: Item, secondMs: number) => void) {
    this.#clockMs = clockMs
    this.#call = call
  }

  /** Adds an item until the returned function is called. Its first call comes in a microtask. */
  add(item: Item): () => void {
    if (this.#closed) return () => {}
    this.#items.set(item, { secondMs: undefined })
    if (this.#timer === undefined) this.#arm()
    queueMicrotask(() => this.#callOnce(item, this.#secondMs()))
    return () => {
      this.#items.delete(item)
      if (this.#items.size === 0) this.#disarm()
    }
  }

  /** Makes the calls of the current second now, because the clock was moved. */
  callNow(): void {
    const secondMs = this.#secondMs()
    // A call may add and remove items.
    for (const item of [...this.#items.keys()]) this.#callOnce(item, secondMs)
  }

  /** Makes no more calls. */
  close(): void {
    this.#closed = true
    this.#items.clear()
    this.#disarm()
  }

  #arm(): void {
    // Calculated from the clock each time, so that late timers do not add up.
    const untilNextMs = 1000 - (this.#clockMs() - this.#secondMs())
    this.#timer = setTimeout(() => this.#beat(), untilNextMs)
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    this.#arm()
    this.callNow()
  }

  /** A timer may fire a moment early: then this second has had its call. */
  #callOnce(item: Item, secondMs: number): void {
    const last = this.#items.get(item)
    if (last === undefined || last.secondMs === secondMs) return
    last.secondMs = secondMs
    this.#call(item, secondMs)
  }

  #secondMs(): number {
    return Math.floor(this.#clockMs() / 1000) * 1000
  }
}
