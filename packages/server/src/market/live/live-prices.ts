import type { Logger } from 'pino'
import { readRegistrations } from '../../catalogue/facts/ids.ts'
import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import {
  type MarketVenue,
  NoSuchMarket,
  type PriceSource,
  type QuoteListener,
  VenueUnreachable,
} from '../price-source.ts'
import type { MarketRules } from '../rules.ts'
import type { CcxtTradedMarket } from './ccxt-trading.ts'
import { rulesOf } from './market-rules.ts'
import { defaultPace, type Pace } from './pace.ts'
import { VenueFeed } from './venue-feed.ts'
import { VenueLog } from './venue-log.ts'
import { VenueMarkets } from './venue-markets.ts'

export type LivePricesOptions = {
  endpoints: Config['exchangeEndpoints']
  logger: Logger
  /** Unix milliseconds. */
  now?: () => number
  /** Changes to the default pace. */
  pace?: Partial<Pace>
}

type OpenVenue = {
  markets: VenueMarkets
  feed: VenueFeed
  /** The number of look-ups in progress. */
  resolving: number
  idle: NodeJS.Timeout | undefined
}

/** Prices directly from the exchanges, through ccxt: spot and futures of every exchange that it supports. */
export class LivePrices implements PriceSource {
  readonly kind = 'live'
  #options: LivePricesOptions
  #pace: Pace
  #venues = new Map<string, OpenVenue>()
  #labels = new Map(
    readRegistrations().map(({ exchange, service, name }) => [`${exchange} ${service}`, name]),
  )
  #closed: Promise<void> | undefined

  constructor(options: LivePricesOptions) {
    this.#options = options
    this.#pace = { ...defaultPace, ...options.pace }
  }

  /** In lower case: the name in `$.Exchange` if the exchange is a member of it, otherwise its identifier. */
  nameOf({ exchange }: MarketVenue): string {
    const member = Object.entries(rateExchanges).find(([, exchanges]) =>
      exchanges.some((id) => id === exchange),
    )
    return (member?.[0] ?? exchange).toLowerCase()
  }

  async resolve(venue: MarketVenue, spelling: string): Promise<string> {
    if (this.#closed !== undefined) throw new VenueUnreachable('The prices are closed.')
    const open = this.#venue(venue)
    open.resolving += 1
    try {
      return await open.markets.resolve(spelling)
    } finally {
      open.resolving -= 1
      this.#closeWhenIdle(open)
    }
  }

  async rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    if (this.#closed !== undefined) throw new VenueUnreachable('The prices are closed.')
    const open = this.#venue(venue)
    const exchange = open.markets.exchange().finally(() => this.#closeWhenIdle(open))
    const market = (await exchange).markets?.[symbol]
    if (market === undefined) throw new NoSuchMarket(`There is no ${symbol}.`)
    return rulesOf(market as CcxtTradedMarket)
  }

  watch(venue: MarketVenue, symbol: string, listener: QuoteListener): () => void {
    if (this.#closed !== undefined) return () => undefined
    const open = this.#venue(venue)
    const stop = open.feed.watch(symbol, listener)
    clearTimeout(open.idle)
    return () => {
      stop()
      this.#closeWhenIdle(open)
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const venues = [...this.#venues.values()]
    this.#venues.clear()
    for (const { feed, idle } of venues) {
      clearTimeout(idle)
      feed.close()
    }
    await Promise.allSettled(venues.map(({ markets }) => markets.close()))
  }

  #venue(venue: MarketVenue): OpenVenue {
    const key = `${venue.exchange} ${venue.service}`
    const known = this.#venues.get(key)
    if (known !== undefined) return known
    const { endpoints, logger, now = Date.now } = this.#options
    const label = `${this.#labels.get(key) ?? venue.exchange} ${venue.service}`
    const log = new VenueLog(logger, venue, label)
    const names = [venue.exchange, this.nameOf(venue)]
    const pace = this.#pace
    const markets = new VenueMarkets({ venue, label, names, endpoints, log, pace })
    const onError = (error: unknown) => logger.error({ err: error }, 'a listener of a price failed')
    const feed = new VenueFeed({ label, markets, log, pace, now, onError })
    const open: OpenVenue = { markets, feed, resolving: 0, idle: undefined }
    this.#venues.set(key, open)
    return open
  }

  /** Closes an exchange without watched symbols after a while: its instance takes tens of megabytes. */
  #closeWhenIdle(open: OpenVenue): void {
    clearTimeout(open.idle)
    if (this.#closed !== undefined || open.feed.size > 0) return
    open.idle = setTimeout(() => {
      if (open.feed.size > 0 || open.resolving > 0) return
      open.feed.disconnect()
      open.markets.shut().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'an exchange could not be closed')
      })
    }, this.#pace.idleMs).unref()
  }
}
