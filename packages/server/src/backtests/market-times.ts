/** When the candles of a market open and end, and what is known at each moment. */
import { Turns } from '../base/turns.ts'

/** A stretch without candles, longer than the duration of one. Times in Unix ms: the end of a candle, and the next opening. */
export type Gap = { fromMs: number; toMs: number }

/** Times in Unix ms, both included. */
export type Span = { fromMs: number; toMs: number }

/** Where the candles are kept is up to what extends this. They have numbers from 0 on, in order of time. */
export abstract class MarketTimes {
  readonly symbol: string
  /** The duration of a candle. */
  abstract readonly periodMs: number
  /** How many candles there are. */
  abstract readonly length: number

  constructor(symbol: string) {
    this.symbol = symbol
  }

  /** When a candle opens, in Unix ms. `Infinity` after the last one. */
  abstract timeOf(index: number): number

  /** The last candle that has opened by a time, in Unix ms; -1: none. */
  abstract lastOpenedBy(ms: number): number

  /** The close of a candle, in quote currency. Needs {@link hold}. */
  abstract closeOf(index: number): number

  /** Whether a price is between the low and the high of a candle. Needs {@link hold}. */
  abstract reaches(index: number, price: number): boolean

  /** Whether any candle has a volume. */
  abstract hasVolume(): Promise<boolean>

  /** Gets the prices of these times, and lets go of others. */
  async hold(_spans: readonly Span[]): Promise<void> {}

  /** When a candle ends. Calendar months differ in length, so none is longer than until the next one opens. */
  endOf(index: number): number {
    return Math.min(this.timeOf(index) + this.periodMs, this.timeOf(index + 1))
  }

  /** The first candle that opens at or after a time, in Unix ms. */
  firstFrom(ms: number): number {
    return this.lastOpenedBy(ms - 1) + 1
  }

  /** The end of the candles that end at or before a time, in Unix ms: the index after the last of them. */
  endAt(ms: number): number {
    const end = this.lastOpenedBy(ms) + 1
    return end > 0 && this.endOf(end - 1) > ms ? end - 1 : end
  }

  /**
   * The last price that is known at a time, in Unix ms: the close of a candle, from its end until that of the next one.
   * `null` in a gap, and until a candle after it has ended: the price before it says nothing any more. Needs {@link hold}.
   */
  priceAt(ms: number): number | null {
    const priced = this.#pricedAt(ms)
    return priced === null ? null : this.closeOf(priced)
  }

  /** Whether {@link priceAt} knows a price. */
  isPricedAt(ms: number): boolean {
    return this.#pricedAt(ms) !== null
  }

  #pricedAt(ms: number): number | null {
    const ended = this.endAt(ms) - 1
    if (ended < 0) return null
    const endMs = this.endOf(ended)
    return ms === endMs || this.timeOf(ended + 1) === endMs ? ended : null
  }

  /** Where candles are missing, between `first` and before `end`. */
  gaps(first: number, end: number): Gap[] {
    const gaps: Gap[] = []
    for (let index = first; index + 1 < end; index++) {
      const gap = this.#gapAfter(index)
      if (gap !== null) gaps.push(gap)
    }
    return gaps
  }

  /** How many gaps there are between `first` and before `end`, and how long the longest is. */
  async countGaps(first: number, end: number): Promise<{ count: number; longestMs: number }> {
    let [count, longestMs] = [0, 0]
    const turns = new Turns()
    const note = (ms: number) => {
      if (ms > 0) [count, longestMs] = [count + 1, Math.max(longestMs, ms)]
    }
    for (let index = first; index + 1 < end; index++) {
      // Five million candles are looked at in their columns, because a call for each would take seconds.
      const { times, at } = this.stretchFrom(index)
      const last = Math.min(at + end - 1 - index, times.length - 1)
      for (let row = at; row < last; row++) note(times[row + 1]! - times[row]! - this.periodMs)
      index += last - at
      if (index + 1 < end) note(this.timeOf(index + 1) - this.endOf(index))
      if (turns.isOver) await turns.rest()
    }
    return { count, longestMs }
  }

  /** Opening times, of which `at` is the place of a candle: as many of those that follow as are at hand. */
  protected abstract stretchFrom(index: number): { times: Float64Array; at: number }

  #gapAfter(index: number): Gap | null {
    const [fromMs, toMs] = [this.endOf(index), this.timeOf(index + 1)]
    return toMs > fromMs ? { fromMs, toMs } : null
  }

  /** Whether code that names a symbol in some spelling means this one: `BTCUSDT`, `btc/usdt`. */
  isSymbol(spelling: string): boolean {
    const asked = lettersOf(spelling)
    return asked === lettersOf(this.symbol) || asked === lettersOf(this.symbol.split(':')[0]!)
  }
}

function lettersOf(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
