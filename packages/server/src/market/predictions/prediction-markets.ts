import type { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { AppError } from '../../base/errors.ts'
import { latestUsed } from '../../base/latest-used.ts'
import { Outage } from '../../base/outage.ts'
import { keepPace, TokenBuckets } from '../../base/token-buckets.ts'
import type { Config } from '../../config.ts'
import { Backoff } from '../live/backoff.ts'
import { type CcxtExchange, createExchange } from '../live/ccxt-exchange.ts'
import { isRateLimit, isUnknownName, reasonOf } from '../live/failure-reasons.ts'
import { defaultPace, type Pace } from '../live/pace.ts'
import { rateLimitPauseMs } from '../live/rate-limit-pause.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import { UnreadableMarket } from './fields.ts'
import { type MarketReader, marketReaders, type ReadMarket, whyUnread } from './readers.ts'

/** What was read is current for this long. */
const freshMs = 5_000
const rememberedMarkets = 1_000

/** Markets that an account may have read: this many a second, and this many after a pause. */
const marketsPerSecond = 2
const marketsAtOnce = 20

/** Requests that may wait for one exchange. */
const mostWaiting = 50

/** The names of markets at all exchanges have only these characters. Others could lead to another address. */
const slugForm = /^[a-z0-9][\w.-]*$/i

/** A prediction exchange of the catalogue. */
export type PredictionVenue = { id: number; exchange: string; name: string }

export type PredictionMarket = ReadMarket & {
  exchange_id: number
  /** The exchange's name for people. */
  exchange: string
  /** Whether it is traded at the moment. */
  active: boolean
  /** When the service asked the exchange, in ISO 8601. */
  read_at: string
}

export type PredictionMarketsOptions = {
  endpoints: Config['exchangeEndpoints']
  logger: Logger
  /** Unix milliseconds. */
  now?: () => number
  /** Changes to the default pace. */
  pace?: Partial<Pace>
}

type OpenVenue = {
  exchange: Promise<CcxtExchange>
  asking: number
  idle: NodeJS.Timeout | undefined
}

type Asked = { venue: PredictionVenue; reader: MarketReader; slug: string; health: Health }

/** What remains known of an exchange while it is closed. */
type Health = { backoff: Backoff; failure: VenueUnreachable | undefined; outage: Outage }

/**
 * Markets of prediction exchanges, one by one, as the exchanges tell everyone about them. All who ask for the same
 * market share one request, and its answer for a few seconds.
 */
export class PredictionMarkets {
  #options: PredictionMarketsOptions
  #pace: Pace
  #known: LRUCache<string, Promise<PredictionMarket>> = latestUsed(rememberedMarkets, freshMs)
  #asked = new TokenBuckets(marketsPerSecond, marketsAtOnce)
  #open = new Map<string, OpenVenue>()
  #health = new Map<string, Health>()
  #isClosed = false

  constructor(options: PredictionMarketsOptions) {
    this.#options = options
    this.#pace = { ...defaultPace, ...options.pace }
  }

  /**
   * @throws {AppError} 409 if the exchange tells only account holders about its markets, or has no slugs; 429
   * @throws {NoSuchMarket}
   * @throws {VenueUnreachable}
   */
  async read(userId: number, venue: PredictionVenue, slug: string): Promise<PredictionMarket> {
    const reader = marketReaders.get(venue.exchange)
    if (reader === undefined) throw unread(venue)
    if (!slugForm.test(slug)) throw unknown(venue, slug)
    const key = `${venue.exchange} ${reader.normal(slug)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    keepPace(this.#asked, userId, `Your account may read ${marketsPerSecond} markets a second.`)
    const asked = this.#ask(venue, reader, reader.normal(slug))
    this.#known.set(key, asked)
    return asked.catch((error: unknown) => {
      // That there is no such market is an answer too.
      if (!(error instanceof NoSuchMarket) && this.#known.peek(key) === asked) this.#known.delete(key)
      throw error
    })
  }

  /** Ends all connections and the requests in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { idle } of open) clearTimeout(idle)
    await Promise.allSettled(open.map(async ({ exchange }) => (await exchange).close()))
  }

  async #ask(venue: PredictionVenue, reader: MarketReader, slug: string): Promise<PredictionMarket> {
    if (this.#isClosed) throw new VenueUnreachable('The service is stopping.')
    const health = this.#healthOf(venue)
    if (health.failure !== undefined && health.backoff.waitMs > 0) throw health.failure
    const open = this.#opened(venue)
    if (open.asking >= mostWaiting) {
      throw new VenueUnreachable(`${venue.name} has ${mostWaiting} requests of the service to answer first.`)
    }
    open.asking += 1
    try {
      return await this.#answerOf(await open.exchange, { venue, reader, slug, health })
    } finally {
      open.asking -= 1
      this.#closeWhenIdle(venue, open)
    }
  }

  async #answerOf(exchange: CcxtExchange, { venue, reader, slug, health }: Asked): Promise<PredictionMarket> {
    const { now = Date.now } = this.#options
    const readAt = new Date(now()).toISOString()
    const answer = await reader.ask(exchange, slug).catch((error: unknown) => {
      if (!isUnknownName(error)) throw this.#failed(venue, health, exchange, error)
      this.#works(venue, health)
      throw unknown(venue, slug)
    })
    this.#works(venue, health)
    const market = readWith(reader, answer, venue)
    return {
      ...{ exchange_id: venue.id, exchange: venue.name, ...market },
      ...{ active: market.status === 'OPEN', read_at: readAt },
    }
  }

  #failed(venue: PredictionVenue, health: Health, exchange: CcxtExchange, error: unknown): VenueUnreachable {
    health.backoff.failed(isRateLimit(error) ? rateLimitPauseMs(exchange, this.#pace) : 0)
    const reason = reasonOf(error)
    health.failure = new VenueUnreachable(`${venue.name} cannot be reached: ${reason}.`, {
      // ccxt's messages contain the whole response, which may be a page of HTML.
      cause: String(error).slice(0, 200),
    })
    if (health.outage.failed() && !this.#isClosed) {
      const { exchange: name } = venue
      this.#options.logger.warn({ exchange: name, reason }, `${venue.name}: its markets cannot be read`)
    }
    return health.failure
  }

  #works({ exchange, name }: PredictionVenue, health: Health): void {
    health.backoff.worked()
    health.failure = undefined
    if (health.outage.worked()) {
      this.#options.logger.info({ exchange }, `${name}: its markets can be read again`)
    }
  }

  #healthOf({ exchange }: PredictionVenue): Health {
    let health = this.#health.get(exchange)
    if (health === undefined) {
      health = { backoff: new Backoff(this.#pace), failure: undefined, outage: new Outage() }
      this.#health.set(exchange, health)
    }
    return health
  }

  #opened({ exchange }: PredictionVenue): OpenVenue {
    const known = this.#open.get(exchange)
    if (known !== undefined) {
      clearTimeout(known.idle)
      return known
    }
    const opening = createExchange({ exchange, service: 'prediction' }, this.#options.endpoints)
    const open: OpenVenue = { exchange: opening, asking: 0, idle: undefined }
    this.#open.set(exchange, open)
    opening.catch(() => this.#open.delete(exchange))
    return open
  }

  /** An exchange that nobody asks keeps no connections open. */
  #closeWhenIdle({ exchange, name }: PredictionVenue, open: OpenVenue): void {
    if (this.#isClosed || open.asking > 0) return
    clearTimeout(open.idle)
    open.idle = setTimeout(() => {
      if (this.#open.get(exchange) === open) this.#open.delete(exchange)
      open.exchange
        .then((opened) => opened.close())
        .catch((error: unknown) => {
          this.#options.logger.warn({ err: error }, `${name} could not be closed`)
        })
    }, this.#pace.idleMs).unref()
  }
}

/** One market that cannot be read says nothing about the others of the exchange. */
function readWith(reader: MarketReader, answer: unknown, { name }: PredictionVenue): ReadMarket {
  try {
    return reader.read(answer)
  } catch (error) {
    if (!(error instanceof UnreadableMarket)) throw error
    throw new VenueUnreachable(`The answer of ${name} could not be read.`, { cause: error })
  }
}

function unread({ exchange, name }: PredictionVenue): AppError {
  const why = whyUnread.get(exchange) ?? 'the service does not know how'
  return new AppError('resource_conflict', `The service cannot read markets of ${name}: ${why}.`)
}

function unknown({ name }: PredictionVenue, slug: string): NoSuchMarket {
  return new NoSuchMarket(`${name} has no market "${slug.slice(0, 100)}".`)
}
