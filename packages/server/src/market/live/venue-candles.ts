import { type Candle, endingOf, readInterval } from '@tickwright/sandbox'
import type { CandleWindow, FundingRate } from '../candles/candle-source.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import { Backoff } from './backoff.ts'
import { CandleBudget } from './candle-budget.ts'
import { type CcxtCandle, type CcxtExchange, isCcxtError } from './ccxt-types.ts'
import { isRateLimit, reasonOf } from './failure-reasons.ts'
import type { Pace } from './pace.ts'
import { rateLimitPauseMs } from './rate-limit-pause.ts'
import { askForRates, OnlyLatestRates, readRates } from './venue-funding.ts'
import type { VenueLog } from './venue-log.ts'
import type { VenueMarkets } from './venue-markets.ts'

/** Requests for candles of a venue that may wait, and how long. Then the service refuses more. */
const mostWaiting = 500
const longestWaitMs = 30_000
/** The size of a page if ccxt does not know it. Every exchange sends this many. */
const usualPage = 100

/**
 * Exchanges that keep only their latest candles, whatever one asks for. Kraken: "returns up to 720 of the most recent
 * entries (older data cannot be retrieved)" (docs.kraken.com/api, Get OHLC Data). Hyperliquid: "only the most recent
 * 5000 candles are available" (hyperliquid.gitbook.io, Candle snapshot). Gate: "Maximum 10000 points recently are
 * allowed", its answer to a request for older ones.
 */
const keptCandles: Record<string, number> = { kraken: 720, hyperliquid: 5_000, gate: 10_000 }

export type VenueCandlesOptions = {
  exchange: string
  /** The venue's name in messages, such as `Binance spot`. */
  label: string
  markets: VenueMarkets
  log: VenueLog
  pace: Pace
  /** How long the feed of prices sends no requests, because the exchange wants fewer, in ms. */
  pausedMs(): number
}

/** The candles of one venue, by REST. Its requests have a budget of their own, so that prices never wait for them. */
export class VenueCandles {
  #options: VenueCandlesOptions
  #budgets = new WeakMap<CcxtExchange, CandleBudget>()
  #backoff: Backoff
  #failure = ''
  #waiting = 0

  constructor(options: VenueCandlesOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.pace)
  }

  /**
   * The intervals of the exchange, shortest first, and how many candles of each it keeps.
   * @throws {NoSuchMarket} if it has no candles
   * @throws {VenueUnreachable}
   */
  async intervals(): Promise<{ names: string[]; kept: number }> {
    const { exchange, label, markets } = this.#options
    const { has, timeframes = {} } = await markets.exchange()
    const known = Object.keys(timeframes).flatMap((name) => {
      const interval = readInterval(name)
      return interval === undefined ? [] : [{ name, ms: interval.ms }]
    })
    if (has.fetchOHLCV !== true || known.length === 0) throw new NoSuchMarket(`${label} has no candles.`)
    const names = known.sort((a, b) => a.ms - b.ms).map(({ name }) => name)
    return { names, kept: keptCandles[exchange] ?? Number.POSITIVE_INFINITY }
  }

  /** @throws {VenueUnreachable} */
  load(symbol: string, window: CandleWindow): Promise<Candle[]> {
    return this.#ask(`candles of ${symbol}`, (exchange) => readPages(exchange, symbol, window))
  }

  /**
   * The funding rates of a span, in order of time.
   * @throws {NoSuchMarket} if the exchange has none of this symbol, or does not give those of the span
   * @throws {VenueUnreachable}
   */
  async funding(symbol: string, span: { since: number; until: number }): Promise<FundingRate[]> {
    const { exchange: id, label, markets } = this.#options
    const { has, markets: known } = await markets.exchange()
    if (has.fetchFundingRateHistory !== true || known?.[symbol]?.swap !== true) {
      throw new NoSuchMarket(`${label} has no history of funding rates of ${symbol}.`)
    }
    const ask = (part: { since: number; until: number }) =>
      this.#ask(`funding rates of ${symbol}`, (exchange) => askForRates(exchange, id, symbol, part))
    try {
      return await readRates(ask, span)
    } catch (error) {
      if (!(error instanceof OnlyLatestRates)) throw error
      const from = new Date(error.fromMs).toISOString()
      throw new NoSuchMarket(`${label} gives funding rates of ${symbol} only from ${from} on. Ask for those.`)
    }
  }

  async #ask<T>(what: string, request: (exchange: CcxtExchange) => Promise<T>): Promise<T> {
    const { label, log, markets, pace } = this.#options
    const exchange = await markets.exchange()
    const budget = this.#budgetOf(exchange)
    this.#refuseWhilePaused()
    if (this.#waiting >= mostWaiting || budget.waitMs > longestWaitMs) {
      throw new VenueUnreachable(
        `${label} is already asked for as many candles as it allows. Ask again later.`,
      )
    }
    this.#waiting += 1
    try {
      const answer = await budget.spend(() => request(exchange))
      this.#backoff.reset()
      log.back('candles')
      return answer
    } catch (error) {
      const reason = isCcxtError(error, 'BadRequest') ? 'it refuses the request' : reasonOf(error)
      const isSpecific = isCcxtError(error, 'BaseError') && !isCcxtError(error, 'OperationFailed')
      if (!isSpecific || isRateLimit(error)) {
        this.#backoff.failed(isRateLimit(error) ? rateLimitPauseMs(exchange, pace) : 0)
        this.#failure = reason
        log.lost('candles', reason)
      }
      throw new VenueUnreachable(`${label} gives no ${what}: ${reason}.`)
    } finally {
      this.#waiting -= 1
    }
  }

  #refuseWhilePaused(): void {
    const { label, pausedMs } = this.#options
    if (this.#backoff.waitMs > 0) throw new VenueUnreachable(`${label} gives no candles: ${this.#failure}.`)
    if (pausedMs() > 0) throw new VenueUnreachable(`${label} gives no candles: it asks for fewer requests.`)
  }

  #budgetOf(exchange: CcxtExchange): CandleBudget {
    let budget = this.#budgets.get(exchange)
    if (budget === undefined) {
      budget = new CandleBudget(exchange)
      this.#budgets.set(exchange, budget)
    }
    return budget
  }
}

type CandleOptions = Partial<
  Record<'spot' | 'swap', { maxLimitPerTimeframe?: Record<string, number | undefined> }>
>

/** One request: at most `limit` candles, from `from` on or else the latest. */
type ReadPage = (from: number | undefined, limit: number) => Promise<Candle[]>

/** Reads a window in as many pages as the exchange needs. */
async function readPages(exchange: CcxtExchange, symbol: string, window: CandleWindow): Promise<Candle[]> {
  const { interval, since } = window
  const page = pageOf(exchange, symbol, interval)
  const read: ReadPage = async (from, limit) =>
    readable(await exchange.fetchOHLCV(symbol, interval, from, limit))
  return since === undefined ? readBackwards(read, page, window) : readForwards(read, page, since, window)
}

/** How many candles an answer holds. Those of Bitget hold fewer of long intervals: contracts have 90 days at most. */
function pageOf(exchange: CcxtExchange, symbol: string, interval: string): number {
  const known = Number(exchange.featureValue(symbol, 'fetchOHLCV', 'limit'))
  const options = exchange.options.fetchOHLCV as CandleOptions | undefined
  const kind = exchange.markets?.[symbol]?.spot === true ? 'spot' : 'swap'
  const ofInterval = options?.[kind]?.maxLimitPerTimeframe?.[interval] ?? Number.POSITIVE_INFINITY
  return Math.min(known > 0 ? known : usualPage, ofInterval)
}

/** The latest candles. Where nothing was traded, an exchange may leave candles out, so that older ones are needed. */
async function readBackwards(
  read: ReadPage,
  page: number,
  { interval, count }: CandleWindow,
): Promise<Candle[]> {
  const duration = readInterval(interval)!
  const mostPages = 2 * Math.ceil(count / page)
  let candles = await read(undefined, Math.min(count, page))
  for (let pages = 1; candles.length > 0 && candles.length < count && pages < mostPages; pages++) {
    const oldest = candles[0]!.time
    const limit = Math.min(count - candles.length, page)
    const older = await read(endingOf(duration, oldest, -limit), limit)
    const before = older.filter(({ time }) => time < oldest)
    if (before.length === 0) break
    candles = [...before, ...candles]
  }
  return candles.slice(-count)
}

async function readForwards(
  read: ReadPage,
  page: number,
  since: number,
  { interval, count, at }: CandleWindow,
): Promise<Candle[]> {
  const duration = readInterval(interval)!
  const candles: Candle[] = []
  const end = endingOf(duration, since, count)
  let from = since
  const mostPages = 4 * Math.ceil(count / page)
  for (let pages = 0; from < end && from <= at; pages++) {
    if (pages === mostPages) throw new Error('It sends only a few candles at once.')
    const limit = Math.min(page, Math.ceil((end - from) / duration.ms))
    const found = await read(from, limit)
    const begin = from
    candles.push(...found.filter(({ time }) => time >= begin && time < end))
    // A stretch without trades may be longer than a page. After candles, it goes on right behind the last one: the answer
    // may hold fewer than were asked for.
    const last = candles.at(-1)?.time ?? Number.NEGATIVE_INFINITY
    from = last >= begin ? endingOf(duration, last) : endingOf(duration, from, limit)
  }
  return candles
}

/** Candles with usable values, in order of time, each once. A candle without trades has no volume. */
function readable(rows: CcxtCandle[]): Candle[] {
  const candles: Candle[] = []
  for (const [time, open, high, low, last, amount] of rows) {
    if (
      time === undefined ||
      !Number.isSafeInteger(time) ||
      !isAboveZero(open) ||
      !isAboveZero(high) ||
      !isAboveZero(low) ||
      !isAboveZero(last)
    )
      continue
    if (candles.length > 0 && time <= candles.at(-1)!.time) continue
    const volume = isAboveZero(amount) ? amount : 0
    candles.push({ time, open, high, low, last, volume, done: false })
  }
  return candles
}

function isAboveZero(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0
}
