import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Outage } from '../../base/outage.ts'
import type { MarketVenue } from '../price-source.ts'

/** The parts of a venue that can fail, each with the log messages for its failure and its recovery. */
const messages = {
  stream: ['its price stream was lost', 'its price stream is back'],
  requests: ['it does not answer requests for prices', 'it answers requests for prices again'],
  candles: ['it does not answer requests for candles', 'it answers requests for candles again'],
  markets: ['its markets cannot be loaded', 'its markets can be loaded again'],
} as const

type Part = keyof typeof messages
const parts = Object.keys(messages) as Part[]

/** A part that fails this soon after the price stream belongs to the same outage: together they get one line. */
const sameOutageMs = 60_000
const rememberedSymbols = 1_000

type Failing = {
  outage: Outage
  /** Whether the log has a line of its own about this failure. */
  isLogged: boolean
  /** The part that failed first, whose line stands for both. */
  coveredBy: Failing | undefined
}

/**
 * Logs the outages of a venue: one line when it is lost and one when it is back, however often the service tries
 * meanwhile. If several parts of it fail together, the first one to fail gets the lines.
 */
export class VenueLog {
  #logger: Logger
  #label: string
  #failing = new Map<Part, Failing>(
    parts.map((part) => [part, { outage: new Outage(), isLogged: false, coveredBy: undefined }]),
  )
  /** Symbols that had unusable prices. */
  #unusable = new LRUCache<string, Outage>({ max: rememberedSymbols })

  constructor(logger: Logger, { exchange, service }: MarketVenue, label: string) {
    this.#logger = logger.child({ exchange, service })
    this.#label = label
  }

  /** Call it for each failure; a second one in a row adds nothing to the log. */
  lost(part: Part, reason: string): void {
    const failing = this.#failing.get(part)!
    if (failing.outage.failed()) failing.coveredBy = this.#coverOf(part)
    if (failing.isLogged || failing.coveredBy?.outage.isOn === true) return
    failing.isLogged = true
    this.#logger.warn({ reason }, `${this.#label}: ${messages[part][0]}`)
  }

  /** Call it whenever a part works. */
  back(part: Part): void {
    const failing = this.#failing.get(part)!
    const { lastedMs } = failing.outage
    if (!failing.outage.worked()) return
    if (failing.isLogged) {
      const seconds = Math.round(lastedMs / 1000)
      this.#logger.info({ seconds }, `${this.#label}: ${messages[part][1]}`)
    }
    failing.isLogged = false
  }

  /** Call it for each price of a symbol that cannot be one. */
  unusable(symbol: string): void {
    let outage = this.#unusable.get(symbol)
    if (outage === undefined) {
      outage = new Outage()
      this.#unusable.set(symbol, outage)
    }
    if (outage.failed()) this.#logger.warn({ symbol }, `${this.#label}: it sends unusable prices`)
  }

  /** Call it for each usable price of a symbol. */
  usable(symbol: string): void {
    if (this.#unusable.size === 0) return
    if (this.#unusable.get(symbol)?.worked() === true) {
      this.#logger.info({ symbol }, `${this.#label}: it sends usable prices again`)
    }
  }

  /**
   * Without requests or markets there are no prices: whatever fails then belongs to the same outage. Candles say nothing
   * about prices: nobody may ask for them again for a long time.
   */
  #coverOf(part: Part): Failing | undefined {
    for (const other of parts) {
      const failing = this.#failing.get(other)!
      if (other === part || other === 'candles' || !failing.outage.isOn) continue
      if (other !== 'stream' || failing.outage.lastedMs < sameOutageMs) {
        return failing.isLogged ? failing : failing.coveredBy
      }
    }
    return undefined
  }
}
