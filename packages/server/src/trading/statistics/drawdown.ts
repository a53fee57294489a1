import type { Decimal } from '../../base/decimals.ts'

/** A fall of the equity from a peak to its lowest point before the next peak. */
export type Fall = { amount: Decimal; percent: Decimal | null; peakAt: number; lowestAt: number }

/** The largest falls, in money and in percent of the peak: they may be different ones. `null` without any fall. */
export type Drawdowns = { largest: Fall | null; steepest: Fall | null }

/** Finds the largest drawdown over all points of an equity curve, which are added in the order of time. */
export class Drawdown {
  #peak: { value: Decimal; at: number } | null = null
  /** The lowest point since the peak; `null` right after it. */
  #lowest: Decimal | null = null
  #latest: { value: Decimal; at: number } | null = null
  #largest: Fall | null = null
  #steepest: Fall | null = null

  add(at: number, equity: Decimal): void {
    this.#latest = { value: equity, at }
    if (this.#peak === null || equity.gte(this.#peak.value)) {
      this.#peak = { value: equity, at }
      this.#lowest = null
      return
    }
    // A fall only counts at its lowest point. Most points are above it.
    if (this.#lowest !== null && equity.gte(this.#lowest)) return
    this.#lowest = equity
    const peak = this.#peak
    const amount = peak.value.minus(equity)
    const isLargest = this.#largest === null || amount.gt(this.#largest.amount)
    // Of a peak that is not above zero, no fall is a percentage. The division rounds, so products decide.
    const hasPercent = peak.value.gt('0')
    if (!isLargest && !hasPercent) return
    const fall = { amount, percent: null, peakAt: peak.at, lowestAt: at }
    if (isLargest) this.#largest = hasPercent ? { ...fall, percent: percentOf(amount, peak.value) } : fall
    if (hasPercent && this.#isSteepest(amount, peak.value)) {
      this.#steepestPeak = peak.value
      this.#steepest = { ...fall, percent: percentOf(amount, peak.value) }
    }
  }

  drawdowns(): Drawdowns {
    return { largest: this.#largest, steepest: this.#steepest }
  }

  /** How far the latest point is below the last peak; `null` at a peak. `lowestAt` is the time of the latest point. */
  current(): Fall | null {
    if (this.#peak === null || this.#latest === null || this.#lowest === null) return null
    const { value, at: peakAt } = this.#peak
    const amount = value.minus(this.#latest.value)
    const percent = value.gt('0') ? percentOf(amount, value) : null
    return { amount, percent, peakAt, lowestAt: this.#latest.at }
  }

  #steepestPeak: Decimal | null = null

  #isSteepest(amount: Decimal, peak: Decimal): boolean {
    if (this.#steepest === null || this.#steepestPeak === null) return true
    return amount.times(this.#steepestPeak).gt(this.#steepest.amount.times(peak))
  }
}

/** How many percent of a whole, which is not zero, a part is. */
export function percentOf(part: Decimal, whole: Decimal): Decimal {
  return part.times('100').div(whole)
}
