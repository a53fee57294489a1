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
import { MarketTimes } from './market-times.ts'
import type { CandleColumns } from './traded.ts'

export class MarketData extends MarketTimes {
  readonly candles: Candles

  constructor(symbol: string, candles: Candles) {
    super(symbol)
    this.candles = candles
  }

  get periodMs(): number {
    return this.candles.periodMs
  }

  get length(): number {
    return this.candles.times.length
  }

  timeOf(index: number): number {
    return this.candles.times[index] ?? Number.POSITIVE_INFINITY
  }

  protected stretchFrom(index: number) {
    return { times: this.candles.times, at: index }
  }

  lastOpenedBy(ms: number): number {
    return indexAt(this.candles.times, ms)
  }

  closeOf(index: number): number {
    return this.candles.closes[index]!
  }

  reaches(index: number, price: number): boolean {
    const { lows, highs } = this.candles
    return price >= lows[index]! && price <= highs[index]!
  }

  async hasVolume(): Promise<boolean> {
    return this.candles.volumes.some((volume) => volume > 0)
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
