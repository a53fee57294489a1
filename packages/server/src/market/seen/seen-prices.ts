/** Keeps the prices that strategies have seen, as candles of one minute on which backtests can run. */
import { AppError } from '../../base/errors.ts'
import { Outage } from '../../base/outage.ts'
import { type Sweeper, steadySweeper } from '../../base/sweeper.ts'
import type { Database } from '../../db/database.ts'
import type { MarketVenue, Quote } from '../price-source.ts'
import { addRows } from '../stored/add-rows.ts'
import type { CandleStore } from '../stored/candle-store.ts'
import type { Rows } from '../stored/codec.ts'
import { exactly } from '../stored/exact.ts'
import { MinuteCandles, minuteMs, type SeenCandle } from './minute-candles.ts'
import { keepWithin, makeRoomForSeries, mostSeenSeries } from './seen-room.ts'

/** Prices of a minute still arrive for so long after its end. */
const lateMs = 2_000
/** Each market takes some milliseconds of the database. The others wait for the next minute. */
const mostAtOnce = 50
/** Candles of a market that wait for the database at most: those of four hours. */
const mostWaiting = 240
/** A node that stops takes at most so long to store what it has. */
const stopMs = 3_000

export type SeenPricesParts = {
  database: Database
  store: Pick<CandleStore, 'shared'>
  /** Candles that the installation keeps at most. */
  most: number
  /** Whether prices of this venue are worth keeping. */
  isKept(venue: MarketVenue): boolean
  /** Called when storing begins to fail, and when candles begin to have no room. */
  onError(error: unknown): void
  now?: () => number
}

type SeenMarket = {
  venue: MarketVenue
  symbol: string
  minutes: MinuteCandles
  /** By their time: a clock that was set back can bring a minute twice. */
  waiting: Map<number, SeenCandle>
  seriesId?: number
}

/**
 * The prices of this node. They are in memory until their minute is over, and then in the database within a minute, or
 * later if there are more than fifty markets. Nothing is written for a single price.
 *
 * Each node adds what it has seen. A minute that another node has stored already stays as it is, so several nodes need no
 * agreement, and what one of them loses in a crash is there if another has seen it.
 */
export class SeenPrices {
  #parts: SeenPricesParts
  #markets = new Map<string, SeenMarket>()
  #sweeper: Sweeper
  #noRoom = new Outage()

  constructor(parts: SeenPricesParts) {
    this.#parts = parts
    this.#sweeper = steadySweeper({ work: () => this.save(), everyMs: minuteMs, onError: parts.onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  /** Stores what is complete. The minute that is going on is lost. */
  async stop(): Promise<void> {
    await this.#sweeper.stop()
    const endMs = performance.now() + stopMs
    try {
      while ((await this.#saveSome()) && performance.now() < endMs);
    } catch (error) {
      this.#parts.onError(error)
    }
  }

  /** Takes a price that a strategy has seen. @param symbol as the venue names it */
  see(venue: MarketVenue, symbol: string, quote: Quote): void {
    const key = `${venue.exchange} ${venue.service} ${symbol}`
    let market = this.#markets.get(key)
    if (market === undefined) {
      if (this.#markets.size >= mostSeenSeries || !this.#parts.isKept(venue)) return
      market = { venue, symbol, minutes: new MinuteCandles(), waiting: new Map() }
      this.#markets.set(key, market)
    }
    keep(market, market.minutes.see(quote))
  }

  /** Stores the minutes that are over. */
  async save(): Promise<void> {
    await this.#saveSome()
    await keepWithin(this.#parts.database, this.#parts.most)
  }

  /** @returns whether there is more to store */
  async #saveSome(): Promise<boolean> {
    const now = (this.#parts.now ?? Date.now)()
    const full: SeenMarket[] = []
    for (const [key, market] of this.#markets) {
      keep(market, market.minutes.endBy(now - lateMs))
      if (market.waiting.size > 0) full.push(market)
      else if (market.minutes.isIdle) this.#markets.delete(key)
    }
    full.sort((one, other) => firstOf(one) - firstOf(other))
    let refusal: AppError | undefined
    for (const market of full.slice(0, mostAtOnce)) refusal = (await this.#store(market)) ?? refusal
    if (refusal === undefined) this.#noRoom.worked()
    else if (this.#noRoom.failed()) this.#parts.onError(refusal)
    return full.length > mostAtOnce
  }

  /** @returns why its candles have no room. They are forgotten, so that their number stays small */
  async #store(market: SeenMarket): Promise<AppError | undefined> {
    const { database } = this.#parts
    let refusal: AppError | undefined
    const taken = [...market.waiting.values()].sort((one, other) => one.time - other.time)
    try {
      market.seriesId ??= await this.#seriesOf(market)
      const id = market.seriesId
      // What another node has stored stays: it is no change of history.
      await database.db.transaction((tx) => addRows(tx, id, rowsOf(taken), () => []))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Somebody has deleted the series. The next attempt makes it again.
      if (error.code === 'resource_not_found') {
        delete market.seriesId
        return undefined
      }
      refusal = error
    }
    for (const { time } of taken) market.waiting.delete(time)
    return refusal
  }

  async #seriesOf({ venue: { exchange, service }, symbol }: SeenMarket): Promise<number> {
    const market = { source: 'seen', kind: 'candles', exchange, service, symbol, interval: '1m' } as const
    await makeRoomForSeries(this.#parts.database, market)
    return (await this.#parts.store.shared(market)).id
  }
}

function keep({ waiting }: SeenMarket, candle: SeenCandle | undefined): void {
  if (candle === undefined || waiting.has(candle.time)) return
  if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value!)
  waiting.set(candle.time, candle)
}

function firstOf({ waiting }: SeenMarket): number {
  return waiting.keys().next().value!
}

/** Nobody knows how much was traded, so the volume is 0, as for an import without one. */
function rowsOf(candles: readonly SeenCandle[]): Rows {
  const rows: Rows = { times: [], figures: [[], [], [], [], []] }
  for (const { time, open, high, low, close } of candles) {
    const figures = [open, high, low, close, 0].map((figure) => exactly(String(figure)))
    // A price with more than 40 decimals is none.
    if (figures.includes(undefined)) continue
    rows.times.push(time)
    for (const [column, figure] of figures.entries()) rows.figures[column]!.push(figure!)
  }
  return rows
}
