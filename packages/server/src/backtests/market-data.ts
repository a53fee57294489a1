/** The candles of a backtest, and what code may see of them at each moment. */
import {
  type Candle,
  type CandleRequest,
  endingOf,
  joinCandles,
  openingOf,
  readInterval,
} from '@tickwright/sandbox'
import type { Candles } from '../market/simulated/candle-file.ts'
import { replayedIntervals } from '../market/simulated/replayed-candles.ts'
import { indexAt } from '../market/simulated/replayed-price.ts'
import { FileCandle } from '../trading/replay.ts'
import type { ReplayCandle } from '../trading/replay-bot.ts'
import type { CandleColumns } from './traded.ts'

/** A stretch without candles, longer than the duration of one. Times in Unix ms: the end of a candle, and the next opening. */
export type Gap = { fromMs: number; toMs: number }

export class MarketData {
  readonly symbol: string
  readonly candles: Candles

  constructor(symbol: string, candles: Candles) {
    this.symbol = symbol
    this.candles = candles
  }

  get length(): number {
    return this.candles.times.length
  }

  /** The same without the last candles. */
  without(last: number): MarketData {
    const { candles } = this
    const cut = (column: Float64Array) => column.subarray(0, column.length - last)
    return new MarketData(this.symbol, {
      ...candles,
      times: cut(candles.times),
      opens: cut(candles.opens),
      highs: cut(candles.highs),
      lows: cut(candles.lows),
      closes: cut(candles.closes),
      volumes: cut(candles.volumes),
    })
  }

  /** When a candle ends. Calendar months differ in length, so none is longer than until the next one opens. */
  endOf(index: number): number {
    const { times, periodMs } = this.candles
    return Math.min(times[index]! + periodMs, times[index + 1] ?? Infinity)
  }

  /** A candle for the books, with its prices as decimal strings. */
  replayCandle(index: number): ReplayCandle {
    return new FileCandle(this.candles, index, this.endOf(index))
  }

  /** The payload of the run at the end of a candle. `time` is when it opened, in Unix ms; `last` is its close. */
  payloadOf(index: number): string {
    const { times, opens, highs, lows, closes, volumes } = this.candles
    return JSON.stringify({
      time: times[index],
      open: opens[index],
      high: highs[index],
      low: lows[index],
      close: closes[index],
      last: closes[index],
      volume: volumes[index],
      symbol: this.symbol,
    })
  }

  /** The first candle that opens at or after a time, in Unix ms. */
  firstFrom(ms: number): number {
    return indexAt(this.candles.times, ms - 1) + 1
  }

  /** The end of the candles that end at or before a time, in Unix ms: the index after the last of them. */
  endAt(ms: number): number {
    const end = indexAt(this.candles.times, ms) + 1
    return end > 0 && this.endOf(end - 1) > ms ? end - 1 : end
  }

  /**
   * The last price that is known at a time, in Unix ms: the close of a candle, from its end until that of the next one.
   * `null` in a gap, and until a candle after it has ended: the price before it says nothing any more.
   */
  priceAt(ms: number): number | null {
    const ended = this.endAt(ms) - 1
    if (ended < 0) return null
    const endMs = this.endOf(ended)
    return ms === endMs || this.candles.times[ended + 1] === endMs ? this.candles.closes[ended]! : null
  }

  /** Where candles are missing, between `first` and before `end`. */
  gaps(first: number, end: number): Gap[] {
    const gaps: Gap[] = []
    for (let index = first; index + 1 < end; index++) {
      const [fromMs, toMs] = [this.endOf(index), this.candles.times[index + 1]!]
      if (toMs > fromMs) gaps.push({ fromMs, toMs })
    }
    return gaps
  }

  /** Candles for a report, which share their memory with these. */
  columns(first: number, end: number): CandleColumns {
    const { times, opens, highs, lows, closes } = this.candles
    const column = (values: Float64Array) => values.subarray(first, end)
    return {
      symbol: this.symbol,
      timeMs: column(times),
      open: column(opens),
      high: column(highs),
      low: column(lows),
      close: column(closes),
    }
  }

  /** Whether code that names a symbol in some spelling means this one: `BTCUSDT`, `btc/usdt`. */
  isSymbol(spelling: string): boolean {
    const asked = lettersOf(spelling)
    return asked === lettersOf(this.symbol) || asked === lettersOf(this.symbol.split(':')[0]!)
  }

  /**
   * The answer of `$.candles` at the end of a candle: only what has happened by then.
   * @throws {Error} with the reason, for code
   */
  candlesAt(index: number, { symbol, interval, count }: CandleRequest): Candle[] {
    if (!this.isSymbol(symbol)) {
      throw new Error(`This backtest has candles of ${this.symbol} only, not of "${symbol.slice(0, 50)}".`)
    }
    const names = replayedIntervals(this.candles)
    const duration = readInterval(interval)
    if (duration === undefined || !names.includes(interval)) {
      throw new Error(
        `This backtest has no candles of "${interval.slice(0, 20)}". Its intervals are ${names.join(', ')}.`,
      )
    }
    // Before the end of the first one.
    if (index < 0) return []
    const { times, periodMs } = this.candles
    if (duration.ms === periodMs) return [...this.#parts(Math.max(0, index + 1 - count), index)]
    const opening = endingOf(duration, openingOf(duration, times[index]!), 1 - count)
    const parts = this.#parts(indexAt(times, opening - 1) + 1, index)
    return joinCandles(parts, duration, periodMs).slice(-count)
  }

  *#parts(from: number, to: number): Generator<Candle> {
    const { times, opens, highs, lows, closes, volumes } = this.candles
    for (let index = from; index <= to; index++) {
      yield {
        time: times[index]!,
        open: opens[index]!,
        high: highs[index]!,
        low: lows[index]!,
        last: closes[index]!,
        volume: volumes[index]!,
        done: true,
      }
    }
  }
}

function lettersOf(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
