import { LRUCache } from 'lru-cache'
import {
  type MarketVenue,
  NoSuchMarket,
  type PriceSource,
  type Quote,
  type Trouble,
  VenueUnreachable,
} from './price-source.ts'
import type { MarketRules } from './rules.ts'
import { Watch } from './watch.ts'

/** As long as a strategy waits for an answer from the world outside. */
const defaultPatienceMs = 1_750
/** How long a symbol stays watched after somebody asked for its price: the next run finds it at hand. */
const defaultLingerMs = 90_000
/** Symbols watched at once only because somebody asked for their price. */
const askedAtMost = 5_000
const spellingsRemembered = 20_000
/** How soon what could not be found out is tried again, for those who follow a symbol. */
const defaultRetryMs = 5_000

export type MarketOptions = {
  source: PriceSource
  /** Told of what the source failed with, other than that there is no such symbol. */
  onError(error: unknown): void
  lingerMs?: number
  patienceMs?: number
  retryMs?: number
}

/** A current price, or why there is none. `isUnknown`: the venue has no such symbol. */
export type PriceAnswer = { quote: Quote } | (Trouble & { isUnknown: boolean })

/**
 * The prices that this process looks at. A symbol is watched once, however many want it and however they spell
 * it: while somebody follows it, and for a while after somebody has asked for it.
 */
export class Market {
  #source: PriceSource
  #options: Required<Omit<MarketOptions, 'source'>>
  #resolved = new LRUCache<string, string>({ max: spellingsRemembered })
  #resolving = new Map<string, Promise<string>>()
  /** Spellings whose look-up failed unexpectedly. Those who follow one ask again and again; `onError` is told once. */
  #reported = new LRUCache<string, true>({ max: spellingsRemembered })
  #watches = new Map<string, Watch>()
  #timer: NodeJS.Timeout
  #closed = false

  constructor({ source, ...options }: MarketOptions) {
    this.#source = source
    this.#options = {
      lingerMs: defaultLingerMs,
      patienceMs: defaultPatienceMs,
      retryMs: defaultRetryMs,
      ...options,
    }
    this.#timer = setInterval(() => this.#dropUnwanted(), Math.min(5_000, this.#options.lingerMs)).unref()
  }

  get kind(): PriceSource['kind'] {
    return this.#source.kind
  }

  /** Symbols that are being watched. */
  get watched(): number {
    return this.#watches.size
  }

  /** What strategies see as the exchange of a price of this venue. */
  nameOf(venue: MarketVenue): string {
    return this.#source.nameOf(venue)
  }

  /** The current price of a symbol in any spelling. Waits a while for one that nobody has asked for yet. */
  async price(
    venue: MarketVenue,
    spelling: string,
    patienceMs = this.#options.patienceMs,
  ): Promise<PriceAnswer> {
    const known = this.latest(venue, spelling)
    if (known !== undefined) return { quote: known }
    const patience = AbortSignal.timeout(patienceMs)
    const late = new Promise<PriceAnswer>((resolve) => {
      patience.addEventListener('abort', () => resolve(this.#none(venue, spelling)))
    })
    return Promise.race([this.#firstPrice(venue, spelling, patience), late])
  }

  /**
   * What orders for a symbol in any spelling have to be like.
   * @throws {NoSuchMarket} @throws {VenueUnreachable}
   */
  async rules(venue: MarketVenue, spelling: string): Promise<MarketRules> {
    return this.#source.rules(venue, await this.#resolve(venue, spelling))
  }

  /** The current price, if it is at hand. A symbol that is asked for is watched from then on. */
  latest(venue: MarketVenue, spelling: string): Quote | undefined {
    const symbol = this.#resolved.get(keyOf(venue, spelling))
    if (symbol !== undefined) return this.#watch(venue, symbol).ask()
    // Whoever does not wait is not told why there is none.
    this.#resolve(venue, spelling).catch(() => undefined)
    return undefined
  }

  /**
   * Tells of every new price of a symbol until what this returns is called. A symbol that does not exist, or
   * cannot be found out about, is looked for again and again.
   */
  follow(venue: MarketVenue, spelling: string, onUpdate: (quote: Quote) => void): () => void {
    const ended = new AbortController()
    const begin = async () => {
      const symbol = await this.#resolve(venue, spelling)
      if (ended.signal.aborted || this.#closed) return
      const unfollow = this.#watch(venue, symbol).follow(onUpdate)
      ended.signal.addEventListener('abort', unfollow)
    }
    const tryAgain = () => {
      if (ended.signal.aborted || this.#closed) return
      begin().catch(() => setTimeout(tryAgain, this.#options.retryMs).unref())
    }
    tryAgain()
    return () => ended.abort()
  }

  /** Watches nothing any more; closes the source. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    for (const watch of this.#watches.values()) watch.close()
    this.#watches.clear()
    await this.#source.close()
  }

  async #firstPrice(venue: MarketVenue, spelling: string, patience: AbortSignal): Promise<PriceAnswer> {
    try {
      const symbol = await this.#resolve(venue, spelling)
      if (patience.aborted || this.#closed) return this.#none(venue, spelling)
      const watch = this.#watch(venue, symbol)
      // An exchange that is known to be out of reach holds nobody up.
      if (watch.ask() === undefined && watch.trouble !== undefined) return this.#none(venue, spelling)
      return { quote: await watch.next(patience) }
    } catch (error) {
      if (error instanceof NoSuchMarket) return { reason: error.message, scope: 'symbol', isUnknown: true }
      if (error instanceof VenueUnreachable) {
        return { reason: error.message, scope: 'venue', isUnknown: false }
      }
      return this.#none(venue, spelling)
    }
  }

  #resolve(venue: MarketVenue, spelling: string): Promise<string> {
    const key = keyOf(venue, spelling)
    const known = this.#resolved.get(key)
    if (known !== undefined) return Promise.resolve(known)
    let resolving = this.#resolving.get(key)
    if (resolving === undefined) {
      resolving = this.#ask(venue, spelling, key)
      this.#resolving.set(key, resolving)
    }
    return resolving
  }

  async #ask(venue: MarketVenue, spelling: string, key: string): Promise<string> {
    try {
      const symbol = await this.#source.resolve(venue, spelling)
      this.#resolved.set(key, symbol)
      this.#reported.delete(key)
      return symbol
    } catch (error) {
      const isExpected = error instanceof NoSuchMarket || error instanceof VenueUnreachable
      if (!isExpected && !this.#reported.has(key)) {
        this.#reported.set(key, true)
        this.#options.onError(error)
      }
      throw error
    } finally {
      this.#resolving.delete(key)
    }
  }

  #watch(venue: MarketVenue, symbol: string): Watch {
    const key = keyOf(venue, symbol)
    let watch = this.#watches.get(key)
    if (watch === undefined) {
      if (this.#watches.size >= askedAtMost) this.#dropLongestUnasked()
      watch = new Watch((listener) => this.#source.watch(venue, symbol, listener))
      this.#watches.set(key, watch)
    }
    return watch
  }

  #none(venue: MarketVenue, spelling: string): PriceAnswer {
    const symbol = this.#resolved.get(keyOf(venue, spelling))
    const watch = symbol === undefined ? undefined : this.#watches.get(keyOf(venue, symbol))
    const where = `${this.nameOf(venue)} ${venue.service}`
    const reason = `There is no price of ${spelling.trim()} on ${where} from the last ten seconds.`
    // While a symbol is looked up, its venue is being asked, and the source logs it if that fails.
    const scope = symbol === undefined ? 'venue' : 'symbol'
    return { ...(watch?.trouble ?? { reason, scope }), isUnknown: false }
  }

  #dropUnwanted(): void {
    for (const [key, watch] of this.#watches) {
      if (watch.isFollowed || watch.unaskedMs < this.#options.lingerMs) continue
      watch.close()
      this.#watches.delete(key)
    }
  }

  #dropLongestUnasked(): void {
    let longest: [key: string, watch: Watch] | undefined
    for (const entry of this.#watches) {
      if (entry[1].isFollowed) continue
      if (longest === undefined || entry[1].unaskedMs > longest[1].unaskedMs) longest = entry
    }
    if (longest === undefined) return
    longest[1].close()
    this.#watches.delete(longest[0])
  }
}

function keyOf({ exchange, service }: MarketVenue, symbol: string): string {
  return `${exchange} ${service} ${symbol}`
}
