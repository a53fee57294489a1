import type { Logger } from 'pino'
import { readRegistrations } from '../../catalogue/facts/ids.ts'
import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import type { CandleClock, CandleSource, CandleWindow, ListedMarket } from '../candles/candle-source.ts'
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
import { VenueCandles } from './venue-candles.ts'
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
  candles: VenueCandles
  /** The number of look-ups and other questions in progress. */
  asking: number
  idle: NodeJS.Timeout | undefined
}

/** An exchange may finish a candle a moment after its end, and its clock may be a little behind. */
const candleGraceMs = 2_000
/** An unfinished candle is current for a thirtieth of its duration, within these limits. */
const freshLimitsMs = [2_000, 10_000] as const

/** Prices and candles directly from the exchanges, through ccxt: spot and futures of every exchange that it supports. */
export class LivePrices implements PriceSource, CandleSource {
  readonly kind = 'live'
  #options: LivePricesOptions
  #pace: Pace
  #clock: CandleClock
  #venues = new Map<string, OpenVenue>()
  #labels = new Map(
    readRegistrations().map(({ exchange, service, name }) => [`${exchange} ${service}`, name]),
  )
  #closed: Promise<void> | undefined

  constructor(options: LivePricesOptions) {
    this.#options = options
    this.#clock = { now: options.now ?? Date.now, graceMs: candleGraceMs, freshMs: freshMsOf }
    this.#pace = { ...defaultPace, ...options.pace }
  }

  /** In lower case: the name in `$.Exchange` if the exchange is a member of it, otherwise its identifier. */
  nameOf({ exchange }: MarketVenue): string {
    const member = Object.entries(rateExchanges).find(([, exchanges]) =>
      exchanges.some((id) => id === exchange),
    )
    return (member?.[0] ?? exchange).toLowerCase()
  }

  resolve(venue: MarketVenue, spelling: string): Promise<string> {
    return this.#ask(venue, ({ markets }) => markets.resolve(spelling))
  }

  rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    return this.#ask(venue, async ({ markets }) => {
      const market = (await markets.exchange()).markets?.[symbol]
      if (market === undefined) throw new NoSuchMarket(`There is no ${symbol}.`)
      return rulesOf(market as CcxtTradedMarket)
    })
  }

  clockOf(): CandleClock {
    return this.#clock
  }

  isOpen({ exchange, service }: MarketVenue): boolean {
    return this.#venues.get(`${exchange} ${service}`)?.markets.isOpen === true
  }

  intervals(venue: MarketVenue) {
    return this.#ask(venue, ({ candles }) => candles.intervals())
  }

  markets(venue: MarketVenue): Promise<readonly ListedMarket[]> {
    return this.#ask(venue, ({ markets }) => markets.list())
  }

  candles(venue: MarketVenue, symbol: string, window: CandleWindow) {
    return this.#ask(venue, ({ candles }) => candles.load(symbol, window))
  }

  funding(venue: MarketVenue, symbol: string, span: { since: number; until: number }) {
    return this.#ask(venue, ({ candles }) => candles.funding(symbol, span))
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

  /** The venue stays open while it is asked. */
  async #ask<T>(venue: MarketVenue, question: (open: OpenVenue) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new VenueUnreachable('The prices are closed.')
    const open = this.#venue(venue)
    open.asking += 1
    try {
      return await question(open)
    } finally {
      open.asking -= 1
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
    const pausedMs = () => feed.pausedMs
    const candles = new VenueCandles({ ...venue, label, markets, log, pace, pausedMs })
    const open: OpenVenue = { markets, feed, candles, asking: 0, idle: undefined }
    this.#venues.set(key, open)
    return open
  }

  /** Closes an exchange without watched symbols after a while: its instance takes tens of megabytes. */
  #closeWhenIdle(open: OpenVenue): void {
    clearTimeout(open.idle)
    if (this.#closed !== undefined || open.feed.size > 0) return
    open.idle = setTimeout(() => {
      if (open.feed.size > 0 || open.asking > 0) return
      open.feed.disconnect()
      open.markets.shut().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'an exchange could not be closed')
      })
    }, this.#pace.idleMs).unref()
  }
}

function freshMsOf(durationMs: number): number {
  const [least, most] = freshLimitsMs
  return Math.min(most, Math.max(least, durationMs / 30))
}
