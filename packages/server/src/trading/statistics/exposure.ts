/** Measures for how long at least one of several positions was open within a span of time. */
export class Exposure {
  #span: { since: number; until: number }
  #open = new Set<string>()
  #from = 0
  #ms = 0
  /** Exchanges report fills late, too. Time only goes on. */
  #now = Number.NEGATIVE_INFINITY

  /** @param span Unix milliseconds */
  constructor(span: { since: number; until: number }) {
    this.#span = span
  }

  /** A position is open or closed from a time on. */
  change(symbol: string, isOpen: boolean, at: number): void {
    this.#now = Math.max(this.#now, at)
    if (this.#open.has(symbol) === isOpen) return
    if (isOpen) {
      if (this.#open.size === 0) this.#from = this.#now
      this.#open.add(symbol)
      return
    }
    this.#open.delete(symbol)
    if (this.#open.size === 0) this.#ms += this.#within(this.#from, this.#now)
  }

  /** The time until now, with what is still open. */
  total(): number {
    const still = this.#open.size > 0 ? this.#within(this.#from, this.#span.until) : 0
    return this.#ms + still
  }

  #within(from: number, to: number): number {
    return Math.max(0, Math.min(to, this.#span.until) - Math.max(from, this.#span.since))
  }
}
