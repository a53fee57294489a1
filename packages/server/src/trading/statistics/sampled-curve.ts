import { type Decimal, zero } from '../../base/decimals.ts'
import { percentOf } from './drawdown.ts'

/**
 * An equity at a moment. `fall`: how far it was below the highest before, at the deepest place since the previous point.
 * `percent`: of that highest; `null` if that is not above zero.
 */
export type CurvePoint = { at: number; equity: Decimal; fall: Decimal; percent: Decimal | null }

type Depth = { fall: Decimal; peak: Decimal }

/**
 * A few evenly spaced points of an equity curve with any number of points, which are added in the order of time. An equity
 * holds until the next one. No fall is lost between two points.
 */
export class SampledCurve {
  #since: number
  #until: number
  #count: number
  #points: CurvePoint[] = []
  #latest: { equity: Decimal; depth: Depth } | null = null
  #deepest: Depth | null = null

  /** @param count how many points, the first at `since` and the last at `until` (Unix milliseconds); at least 2 */
  constructor(since: number, until: number, count: number) {
    this.#since = since
    this.#until = until
    this.#count = count
  }

  /** What is later than the end counts at the end. */
  add(at: number, equity: Decimal): void {
    this.#reach(Math.min(at, this.#until))
    const former = this.#latest?.depth.peak
    const peak = former === undefined || equity.gt(former) ? equity : former
    const depth = { peak, fall: peak.minus(equity) }
    this.#latest = { equity, depth }
    if (this.#deepest === null || depth.fall.gt(this.#deepest.fall)) this.#deepest = depth
  }

  /** @returns all points; none if nothing was added */
  end(): CurvePoint[] {
    this.#reach(Number.POSITIVE_INFINITY)
    return this.#points
  }

  /** Makes the points before this moment: nothing that is added from now on belongs to them. */
  #reach(at: number): void {
    if (this.#latest === null) return
    while (this.#points.length < this.#count && this.#next() < at) {
      const { fall, peak } = this.#deepest ?? this.#latest.depth
      const percent = peak.gt(zero) ? percentOf(fall, peak) : null
      this.#points.push({ at: this.#next(), equity: this.#latest.equity, fall, percent })
      // The next part begins as deep as this one ends.
      this.#deepest = this.#latest.depth
    }
  }

  #next(): number {
    const part = this.#points.length / (this.#count - 1)
    return Math.round(this.#since + (this.#until - this.#since) * part)
  }
}
