import { type Candle, type CandleRequest, type PackedCandles, packCandles } from '@tickwright/sandbox'
import { latestUsed } from '../../base/latest-used.ts'
import { keepPace, TokenBuckets } from '../../base/token-buckets.ts'
import type { Catalogue, CatalogueExchange } from '../../catalogue/catalogue.ts'
import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Market } from '../market.ts'
import { NoSuchMarket, type Quote, VenueUnreachable } from '../price-source.ts'
import type { ListedMarket } from './candle-source.ts'
import type { CandleRange, Candles } from './candles.ts'

/** Prices that an account may ask for: this many a second, and this many after a pause. Each watches a symbol for a while. */
const pricesPerSecond = 5
const pricesAtOnce = 50

/** How many strategies the node remembers, and the different series that each asked for last. */
const rememberedStrategies = 20_000
const rememberedSeries = 5

/** No exchange has this name. The message says so, for a person. */
export class NoSuchExchange extends Error {
  override name = 'NoSuchExchange'
  field: 'exchange' | 'service'

  constructor(field: NoSuchExchange['field'], message: string) {
    super(message)
    this.field = field
  }
}

/** An exchange by its id, its identifier or its member of `$.Exchange`; without a service, spot comes before futures. */
export type VenueName = { exchange: string; service?: string | undefined }

/** Whose code asks, and the exchange of the strategy. `strategyId` is `null` in a test run. */
export type CandleCaller = { userId: number; strategyId: number | null; exchangeId: number | null }

type Parts = {
  candles: Candles
  market: Pick<Market, 'price' | 'resolve'>
  catalogue: Pick<Catalogue, 'find' | 'servicesOf' | 'withRates'>
}

type Series = { symbol: string; interval: string }

/** What code asked for. */
type Asked = { userId: number; exchangeId: number | null; request: CandleRequest }

/** What a venue answered. `symbol` is its name for the symbol. */
type Found<T> = { venue: CatalogueExchange; symbol: string; found: T }
export type FoundCandles = Found<readonly Candle[]>

/** Candles, markets and prices of exchanges by name, for the API and for code. */
export class MarketCandles {
  #parts: Parts
  #prices = new TokenBuckets(pricesPerSecond, pricesAtOnce)
  #packed = new WeakMap<readonly Candle[], PackedCandles>()
  /** The longest unused is first. */
  #asked = latestUsed<number, Map<string, Asked>>(rememberedStrategies)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The latest candles, oldest first.
   * @throws {NoSuchExchange}
   * @throws whatever `Candles.latest` throws
   */
  async latest(ownerId: number, name: VenueName, series: Series, count: number): Promise<FoundCandles> {
    return this.#onFirst(this.#venuesOf(name), series.symbol, (venue) =>
      this.#parts.candles.latest(venue, { ownerId, ...series }, count),
    )
  }

  /** Candles of the past, oldest first. `rangeAt` gets the time on the clock of the market. Rejects as `latest` does. */
  async range(
    ownerId: number,
    name: VenueName,
    series: Series,
    rangeAt: (now: number) => CandleRange,
  ): Promise<FoundCandles> {
    const { candles } = this.#parts
    return this.#onFirst(this.#venuesOf(name), series.symbol, (venue) =>
      candles.range(venue, { ownerId, ...series }, rangeAt(candles.timeOf(venue))),
    )
  }

  /**
   * The venue that has candles of a series from a moment on, or without an interval the symbol, and its name for the symbol.
   * Rejects as `latest` does.
   */
  async named(
    ownerId: number,
    name: VenueName,
    series: { symbol: string; interval?: string },
    fromMs: number,
  ) {
    const { venue, found } = await this.#onFirst(this.#venuesOf(name), series.symbol, (each) =>
      this.#parts.candles.named(each, { ownerId, ...series }, fromMs),
    )
    return { venue, symbol: found }
  }

  /**
   * The markets of one service.
   * @throws {NoSuchExchange}
   * @throws {NoSuchMarket} if it has no prices
   * @throws {VenueUnreachable}
   */
  async markets(ownerId: number, name: VenueName) {
    const [venue] = this.#venuesOf(name)
    const markets: readonly ListedMarket[] = await this.#parts.candles.markets(venue!, ownerId)
    return { venue: venue!, markets }
  }

  /** The current price. Rejects as `latest` does. */
  async price(ownerId: number, name: VenueName, symbol: string): Promise<Found<Quote>> {
    const venues = this.#venuesOf(name)
    keepPace(this.#prices, ownerId, `Your account may ask for ${pricesPerSecond} prices a second.`)
    return this.#onFirst(venues, symbol, async (each) => {
      const answer = await this.#parts.market.price(each, symbol)
      if ('quote' in answer) return answer.quote
      throw answer.isUnknown ? new NoSuchMarket(answer.reason) : new VenueUnreachable(answer.reason)
    })
  }

  /** The latest candles for code, packed once for all who ask for them. Rejects with an `Error` that has the reason. */
  async forCode(
    { userId, strategyId, exchangeId }: CandleCaller,
    request: CandleRequest,
  ): Promise<PackedCandles> {
    if (strategyId !== null) this.#remember(strategyId, { userId, exchangeId, request })
    const candles = await this.#latestFor(userId, exchangeId, request).catch((error: Error) => {
      // Code sees the name of an error. Those of this service mean nothing to it.
      throw new Error(error.message, { cause: error })
    })
    let packed = this.#packed.get(candles)
    if (packed === undefined) {
      packed = packCandles(candles)
      this.#packed.set(candles, packed)
    }
    return packed
  }

  /** Loads what strategies asked for last time, if it is not ready. Never rejects. */
  prepare(strategyIds: readonly number[]): void {
    for (const strategyId of strategyIds) {
      for (const { userId, exchangeId, request } of this.#asked.get(strategyId)?.values() ?? []) {
        // The run will ask again, and get the reason.
        this.#latestFor(userId, exchangeId, request).catch(() => undefined)
      }
    }
  }

  /** The strategies that have asked for candles on this node. */
  get remembered(): number[] {
    return [...this.#asked.keys()]
  }

  async #latestFor(userId: number, exchangeId: number | null, request: CandleRequest) {
    const { symbol, interval, count, exchange, service } = request
    const venues =
      exchange === null
        ? [this.#ownVenue(exchangeId, service)]
        : this.#venuesOf({ exchange, service: service ?? undefined })
    const { found } = await this.#onFirst(venues, symbol, (venue) =>
      this.#parts.candles.latest(venue, { ownerId: userId, symbol, interval }, count),
    )
    return found
  }

  #remember(strategyId: number, asked: Asked): void {
    const { symbol, interval, count, exchange, service } = asked.request
    const key = `${exchange} ${service} ${symbol} ${interval} ${count}`
    const series: Map<string, Asked> = this.#asked.get(strategyId) ?? new Map()
    series.delete(key)
    series.set(key, asked)
    if (series.size > rememberedSeries) series.delete(series.keys().next().value!)
    this.#asked.set(strategyId, series)
  }

  #ownVenue(exchangeId: number | null, service: string | null): CatalogueExchange {
    const own = exchangeId === null ? undefined : this.#parts.catalogue.find(exchangeId)
    if (own === undefined) {
      throw new NoSuchExchange(
        'exchange',
        'Name an exchange: $.candles(symbol, interval, count, { exchange: $.Exchange.BINANCE }). Only a strategy with an exchange_id has one of its own.',
      )
    }
    if (service !== null && service !== own.service)
      return this.#venuesOf({ exchange: own.exchange, service })[0]!
    return enabled([own])[0]!
  }

  /** The venues that a name can mean, in the order in which they are tried; at least one. */
  #venuesOf({ exchange: text, service }: VenueName): CatalogueExchange[] {
    const { catalogue } = this.#parts
    const name = text.trim()
    const upper = name.toUpperCase()
    const byId = /^\d{1,9}$/.test(name) ? catalogue.find(Number(name)) : undefined
    const venues =
      byId !== undefined
        ? [byId]
        : isRateExchange(upper)
          ? catalogue.withRates(upper)
          : catalogue.servicesOf(name.toLowerCase())
    if (venues.length === 0) {
      throw new NoSuchExchange(
        'exchange',
        `There is no exchange "${name.slice(0, 50)}". GET /api/v2/exchange lists all.`,
      )
    }
    const served = service === undefined ? venues : venues.filter((each) => each.service === service)
    if (served.length === 0) {
      const names = venues.map((each) => each.service).join(' and ')
      throw new NoSuchExchange(
        'service',
        `${venues[0]!.name} has no "${service?.slice(0, 50)}", only ${names}.`,
      )
    }
    return enabled(served)
  }

  /** Asks the venues in turn until one knows the symbol. If none does, the reason is that of the first. */
  async #onFirst<T>(
    venues: readonly CatalogueExchange[],
    symbol: string,
    ask: (venue: CatalogueExchange) => Promise<T>,
  ): Promise<Found<T>> {
    let first: NoSuchMarket | undefined
    for (const venue of venues) {
      try {
        const found = await ask(venue)
        return { venue, symbol: await this.#parts.market.resolve(venue, symbol), found }
      } catch (error) {
        if (!(error instanceof NoSuchMarket)) throw error
        first ??= error
      }
    }
    throw first
  }
}

/** The enabled ones of these venues. */
function enabled(venues: CatalogueExchange[]): CatalogueExchange[] {
  const usable = venues.filter((venue) => venue.enabled)
  if (usable.length > 0) return usable
  throw new NoSuchExchange('exchange', `${venues[0]!.name} is not enabled on this installation.`)
}

function isRateExchange(name: string): name is keyof typeof rateExchanges {
  return Object.hasOwn(rateExchanges, name)
}
