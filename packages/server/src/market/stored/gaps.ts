/** Where candles are missing. Nothing fills them: a gap is a market without a price. */
import type { CandleInterval } from '@tickwright/sandbox'

/** From the end of a candle to the next opening, in Unix ms. */
export type Gap = { fromMs: number; toMs: number }

/** Finds the gaps between candles whose openings come in order of time, in any number of pieces. */
export class GapFinder {
  readonly gaps: Gap[] = []
  count = 0
  missingMs = 0
  #duration: CandleInterval
  #most: number
  #endMs: number | undefined

  /** @param most how many gaps it lists; it counts all */
  constructor(duration: CandleInterval, most: number) {
    this.#duration = duration
    this.#most = most
  }

  add(times: ArrayLike<number>): void {
    for (let row = 0; row < times.length; row++) {
      const time = times[row]!
      if (this.#endMs !== undefined && time > this.#endMs) {
        this.count++
        this.missingMs += time - this.#endMs
        if (this.gaps.length < this.#most) this.gaps.push({ fromMs: this.#endMs, toMs: time })
      }
      this.#endMs = endOf(this.#duration, time)
    }
  }
}

/** When a candle ends. A month ends at the same day and hour of a later one, whatever hour the exchange begins it at. */
export function endOf({ ms, months }: CandleInterval, time: number): number {
  if (months === 0) return time + ms
  const date = new Date(time)
  return date.setUTCMonth(date.getUTCMonth() + months)
}
