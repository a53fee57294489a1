/** The candles of a stored series as the service sees them: it knows when each opens, and reads prices only where it must. */
import { AppError } from '../../base/errors.ts'
import { Turns } from '../../base/turns.ts'
import type { CandleStore, Series, Span as StoredSpan } from '../../market/stored/candle-store.ts'
import { type OutlinePart, OutlineTimes } from '../../market/stored/outline.ts'
import { MarketTimes, type Span } from '../market-times.ts'

type Prices = { highs: Float64Array; lows: Float64Array; closes: Float64Array }

/** What is copied for a backtest: whole parts of a series, of which its candles are `count` rows after the first `skip`. */
export type CopiedSeries = {
  seriesId: number
  firstPart: number
  lastPart: number
  checksum: string
  skip: number
  count: number
}

/** The series has other candles than when its times were read. */
export class SeriesChanged extends Error {
  override name = 'SeriesChanged'
}

/** Names the candles by what they are. */
export function contentsOf({ checksum, skip, count }: CopiedSeries, periodMs: number): string {
  return `${checksum} ${skip} ${count} ${periodMs}`
}

/** A download adds rows now and then. */
const mostTries = 5

/**
 * Does it again if a series has changed meanwhile. Rejects as `work` does.
 * @throws {AppError} 409 if the series changes all the time
 */
export async function unlessSeriesChange<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SeriesChanged)) throw error
      if (tries < mostTries) continue
      const message =
        'The series of candles changes all the time: something adds to it. Try again afterwards.'
      throw new AppError('resource_conflict', message)
    }
  }
}

/** A million candles take some hundred kilobytes here. */
export class StoredMarket extends MarketTimes {
  readonly periodMs: number
  readonly length: number
  readonly #store: CandleStore
  readonly #series: Series
  readonly #checksum: string
  readonly #parts: readonly OutlinePart[]
  readonly #times: OutlineTimes
  /** The row of candle 0. */
  readonly #skip: number
  #held = new Map<number, Prices>()

  /** @param span the candles of the parts that count */
  constructor(
    symbol: string,
    store: CandleStore,
    {
      series,
      periodMs,
      outline: { parts, checksum },
      span: { fromMs, toMs },
    }: {
      series: Series
      periodMs: number
      outline: { parts: OutlinePart[]; checksum: string }
      span: StoredSpan
    },
  ) {
    super(symbol)
    this.periodMs = periodMs
    this.#store = store
    this.#series = series
    this.#checksum = checksum
    this.#parts = parts
    this.#times = new OutlineTimes(parts)
    this.#skip = fromMs === undefined ? 0 : this.#times.lastUntil(fromMs - 1) + 1
    const end = toMs === undefined ? this.#times.length : this.#times.lastUntil(toMs - 1) + 1
    this.length = Math.max(0, end - this.#skip)
  }

  get copied(): CopiedSeries {
    return {
      seriesId: this.#series.id,
      firstPart: this.#parts[0]!.part,
      lastPart: this.#parts.at(-1)!.part,
      checksum: this.#checksum,
      skip: this.#skip,
      count: this.length,
    }
  }

  timeOf(index: number): number {
    return index < this.length ? this.#times.at(this.#skip + index) : Number.POSITIVE_INFINITY
  }

  protected stretchFrom(index: number) {
    return this.#times.stretchFrom(this.#skip + index)
  }

  lastOpenedBy(ms: number): number {
    return Math.max(-1, Math.min(this.length - 1, this.#times.lastUntil(ms) - this.#skip))
  }

  closeOf(index: number): number {
    const { prices, row } = this.#pricesOf(index)
    return prices.closes[row]!
  }

  reaches(index: number, price: number): boolean {
    const { prices, row } = this.#pricesOf(index)
    return price >= prices.lows[row]! && price <= prices.highs[row]!
  }

  #pricesOf(index: number): { prices: Prices; row: number } {
    const row = this.#skip + index
    const { part, first } = this.#times.partOf(row)
    const prices = this.#held.get(part)
    if (prices === undefined) throw new Error(`The prices of candle ${index} are not held.`)
    return { prices, row: row - first }
  }

  override async hold(spans: readonly Span[]): Promise<void> {
    const needed = new Set(spans.flatMap((span) => this.#partsOf(span)))
    const held = new Map<number, Prices>()
    for (const part of needed) held.set(part, this.#held.get(part) ?? (await this.#readPrices(part)))
    this.#held = held
  }

  /** Those with the candles of this time, and with the two before: the price of a moment is that of a candle before. */
  #partsOf({ fromMs, toMs }: Span): number[] {
    if (this.length === 0) return []
    const partOf = (index: number) => this.#times.partOf(this.#skip + Math.max(0, index)).part
    const [first, last] = [partOf(this.lastOpenedBy(fromMs) - 2), partOf(this.lastOpenedBy(toMs))]
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  async #readPrices(part: number): Promise<Prices> {
    const { firstMs, lastMs, rows } = this.#parts[part]!
    for await (const { times, highs, lows, closes } of this.#store.read(this.#series, {
      fromMs: firstMs,
      toMs: lastMs + 1,
    })) {
      if (times.length === rows) return { highs, lows, closes }
    }
    throw new SeriesChanged()
  }

  async hasVolume(): Promise<boolean> {
    const turns = new Turns()
    const span = { fromMs: this.timeOf(0), toMs: this.timeOf(this.length - 1) + 1 }
    for await (const { volumes } of this.#store.read(this.#series, span)) {
      if (volumes.some((volume) => volume > 0)) return true
      if (turns.isOver) await turns.rest()
    }
    return false
  }
}
