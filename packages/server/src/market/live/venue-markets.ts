import type { Config } from '../../config.ts'
import type { ListedMarket } from '../candles/candle-source.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import { Backoff } from './backoff.ts'
import { createExchange } from './ccxt-exchange.ts'
import type { CcxtExchange } from './ccxt-types.ts'
import { ownConnections, refuseConnections } from './connections.ts'
import { isRateLimit, reasonOf } from './failure-reasons.ts'
import type { Pace } from './pace.ts'
import { Symbols } from './symbols.ts'
import type { VenueLog } from './venue-log.ts'

export type VenueMarketsOptions = {
  venue: MarketVenue
  label: string
  names: readonly string[]
  endpoints: Config['exchangeEndpoints']
  log: VenueLog
  pace: Pace
}

/** The ccxt exchange of a venue, which is opened when it is needed, and its markets by name. */
export class VenueMarkets {
  #options: VenueMarketsOptions
  #opening: Promise<CcxtExchange> | undefined
  #exchange: CcxtExchange | undefined
  #symbols: Symbols | undefined
  #readMs = Number.NEGATIVE_INFINITY
  #triedMs = Number.NEGATIVE_INFINITY
  #rereading: Promise<void> | undefined
  #backoff: Backoff
  #failure: Error | undefined
  #closed = false

  constructor(options: VenueMarketsOptions) {
    this.#options = options
    this.#backoff = new Backoff({ ...options.pace, firstPauseMs: options.pace.pollMs })
  }

  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  /**
   * The exchange with its markets loaded. Concurrent callers share one attempt. After a failure, there is a pause before
   * the next attempt, and calls during the pause fail with the same error.
   * @throws {VenueUnreachable}
   * @throws {NoSuchMarket} if the venue has no prices at all
   */
  exchange(): Promise<CcxtExchange> {
    if (this.#closed) return Promise.reject(new VenueUnreachable('The prices are closed.'))
    if (this.#opening !== undefined) return this.#opening
    if (this.#failure !== undefined && this.#backoff.waitMs > 0) return Promise.reject(this.#failure)
    const opening = this.#open()
    this.#opening = opening
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined
    })
    return opening
  }

  /**
   * @returns the venue's unified symbol
   * @throws {NoSuchMarket}
   * @throws {VenueUnreachable}
   */
  async resolve(spelling: string): Promise<string> {
    if (this.#symbols === undefined) await this.exchange()
    const { marketsMs, marketsAgainMs } = this.#options.pace
    try {
      const symbol = this.#known.resolve(spelling)
      if (performance.now() - this.#triedMs >= marketsMs) this.#reread().catch(() => undefined)
      return symbol
    } catch (error) {
      if (!(error instanceof NoSuchMarket) || performance.now() - this.#triedMs < marketsAgainMs) throw error
      // It may be a new market. If the list cannot be read again, the old one still counts.
      await this.#reread().catch(() => undefined)
      return this.#known.resolve(spelling)
    }
  }

  /**
   * The markets of the service, in order of their symbols.
   * @throws {VenueUnreachable}
   */
  async list(): Promise<readonly ListedMarket[]> {
    if (this.#symbols === undefined) await this.exchange()
    return this.#known.list()
  }

  /** Ends all connections and the work in progress. The names of the markets are kept. */
  async shut(): Promise<void> {
    const opening = this.#opening
    const exchange = this.#exchange
    this.#opening = undefined
    this.#exchange = undefined
    // First end the requests: an attempt to open waits for its response.
    if (exchange !== undefined) await end(exchange)
    const opened = await opening?.catch(() => undefined)
    if (opened !== undefined && opened !== exchange) await end(opened)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.shut()
  }

  get #known(): Symbols {
    if (this.#symbols === undefined) throw new VenueUnreachable(`${this.#options.label} is closed.`)
    return this.#symbols
  }

  async #open(): Promise<CcxtExchange> {
    const { venue, endpoints, label, log } = this.#options
    const exchange = await createExchange(venue, endpoints).catch(() => {
      throw new NoSuchMarket(`There are no prices from ${label}.`)
    })
    this.#exchange = exchange
    ownConnections(exchange)
    try {
      if (this.#closed) throw new VenueUnreachable('The prices are closed.')
      await this.#read(exchange, false)
      log.back('markets')
      return exchange
    } catch (error) {
      await end(exchange)
      throw this.#failed(error)
    }
  }

  #failed(error: unknown): Error {
    const { label, log, pace } = this.#options
    if (error instanceof VenueUnreachable || error instanceof NoSuchMarket) return error
    this.#backoff.failed(isRateLimit(error) ? pace.rateLimitPauseMs : 0)
    const reason = reasonOf(error)
    if (!this.#closed) log.lost('markets', reason)
    this.#failure = new VenueUnreachable(`${label} cannot be reached: ${reason}.`, {
      cause: excerptOf(error),
    })
    return this.#failure
  }

  async #read(exchange: CcxtExchange, again: boolean): Promise<void> {
    this.#triedMs = performance.now()
    const markets = await exchange.loadMarkets(again)
    const { venue, label, names } = this.#options
    const { commonCurrencies } = exchange
    this.#symbols = new Symbols(Object.values(markets), {
      service: venue.service,
      label,
      names,
      commonCurrencies,
    })
    this.#readMs = performance.now()
    this.#backoff.reset()
  }

  /** Reads the markets again. Concurrent calls share one read. */
  #reread(): Promise<void> {
    this.#rereading ??= this.exchange()
      .then(async (exchange) => {
        // If the exchange was opened for this, they were read just now.
        if (performance.now() - this.#readMs >= this.#options.pace.marketsAgainMs)
          await this.#read(exchange, true)
      })
      .finally(() => {
        this.#rereading = undefined
      })
    return this.#rereading
  }
}

async function end(exchange: CcxtExchange): Promise<void> {
  refuseConnections(exchange)
  await exchange.close()
}

/** ccxt's messages contain the whole response, which may be a page of HTML. */
function excerptOf(error: unknown): string {
  return String(error).slice(0, 200)
}
