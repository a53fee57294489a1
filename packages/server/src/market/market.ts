import { latestUsed } from '../base/latest-used.ts'
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

/** Strategies wait this long for any answer from outside. */
const defaultPatienceMs = 1_750
/** How long a symbol stays watched after a request for its price, so that the next run finds the price ready. */
const defaultLingerMs = 90_000
/** At most this many symbols are watched because of a request for their price. */
const maxAsked = 5_000
const maxSpellings = 20_000
/** How soon a failed look-up of a followed symbol is tried again. */
const defaultRetryMs = 5_000

export type MarketOptions = {
  source: PriceSource
  /** Called when a look-up fails unexpectedly: not because the symbol does not exist or the venue is unreachable. */
  onError(error: unknown): void
  lingerMs?: number
  patienceMs?: number
  retryMs?: number
}

/** A current price, or why there is none. `isUnknown`: the venue has no such symbol. */
export type PriceAnswer = { quote: Quote } | (Trouble & { isUnknown: boolean })

/**
 * The prices that this process watches. It watches each symbol once, however many callers want it and however they
 * spell it: while anyone follows it, and for a while after the last request for its price.
 */
export class Market {
  #source: PriceSource
  #options: Required<Omit<MarketOptions, 'source'>>
  #resolved = latestUsed<string, string>(maxSpellings)
  #resolving = new Map<string, Promise<string>>()
  /** Spellings whose look-up failed unexpectedly. Followers retry it again and again; `onError` is called once. */
  #reported = latestUsed<string, true>(maxSpellings)
  #watches = new Map<string, Watch>()
  #seen: ((venue: MarketVenue, symbol: string, quote: Quote) => void) | undefined
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

  /** The number of watched symbols. */
  get watched(): number {
    return this.#watches.size
  }

  /** The name that strategies see as the exchange of this venue's prices. */
  nameOf(venue: MarketVenue): string {
    return this.#source.nameOf(venue)
  }

  /** The current price of a symbol in any spelling. If it is not ready, this waits for it for a while. */
  async price(
    venue: MarketVenue,
    spelling: string,
    patienceMs = this.#options.patienceMs,
  ): Promise<PriceAnswer> {
    const known = this.latest(venue, spelling)
    if (known !== undefined) return { quote: known }
    const patience = AbortSignal.timeout(patienceMs)
    const late = new Promise<PriceAnswer>((resolve) => {
      patience.addEventListener('abort', () => resolve(this.#noPrice(venue, spelling)))
    })
    return Promise.race([this.#firstPrice(venue, spelling, patience), late])
  }

  /**
   * The rules for orders of a symbol in any spelling.
   * @throws {NoSuchMarket}
   * @throws {VenueUnreachable}
   */
  async rules(venue: MarketVenue, spelling: string): Promise<MarketRules> {
    return this.#source.rules(venue, await this.resolve(venue, spelling))
  }

  /**
   * The venue's name for a symbol in any spelling. Callers at the same time share one look-up.
   * @throws {NoSuchMarket}
   * @throws {VenueUnreachable}
   */
  resolve(venue: MarketVenue, spelling: string): Promise<string> {
    const key = keyOf(venue, spelling)
    const known = this.#resolved.get(key)
    if (known !== undefined) return Promise.resolve(known)
    let resolving = this.#resolving.get(key)
    if (resolving === undefined) {
      resolving = this.#lookUp(venue, spelling, key)
      this.#resolving.set(key, resolving)
    }
    return resolving
  }

  /** The current price, if it is ready. If not, the symbol is watched from now on. */
  latest(venue: MarketVenue, spelling: string): Quote | undefined {
    const symbol = this.#resolved.get(keyOf(venue, spelling))
    if (symbol !== undefined) return this.#watch(venue, symbol).ask()
    // A caller that does not wait does not learn why there is no price.
    this.resolve(venue, spelling).catch(() => undefined)
    return undefined
  }

  /**
   * Has `take` called with the prices that strategies see, from now on: each that a strategy was given, and those that
   * arrive in the 90 s after it. `symbol` is the venue's name.
   */
  onSeen(take: (venue: MarketVenue, symbol: string, quote: Quote) => void): void {
    this.#seen = take
  }

  /** Notes that a strategy was given the price of a symbol. */
  noteUse(venue: MarketVenue, spelling: string): void {
    if (this.#seen === undefined) return
    const symbol = this.#resolved.get(keyOf(venue, spelling))
    if (symbol !== undefined) this.#watches.get(keyOf(venue, symbol))?.noteUse()
  }

  /**
   * Calls `onUpdate` with every new price of a symbol. If the look-up of the symbol fails, it is tried again and again.
   * @returns a function that ends this
   */
  follow(venue: MarketVenue, spelling: string, onUpdate: (quote: Quote) => void): () => void {
    const ended = new AbortController()
    const begin = async () => {
      const symbol = await this.resolve(venue, spelling)
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

  /** Stops watching and closes the source. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    for (const watch of this.#watches.values()) watch.close()
    this.#watches.clear()
    await this.#source.close()
  }

  async #firstPrice(venue: MarketVenue, spelling: string, patience: AbortSignal): Promise<PriceAnswer> {
    try {
      const symbol = await this.resolve(venue, spelling)
      if (patience.aborted || this.#closed) return this.#noPrice(venue, spelling)
      const watch = this.#watch(venue, symbol)
      // No caller waits for an exchange that is known to be unreachable.
      if (watch.ask() === undefined && watch.trouble !== undefined) return this.#noPrice(venue, spelling)
      return { quote: await watch.next(patience) }
    } catch (error) {
      if (error instanceof NoSuchMarket) return { reason: error.message, scope: 'symbol', isUnknown: true }
      if (error instanceof VenueUnreachable) {
        return { reason: error.message, scope: 'venue', isUnknown: false }
      }
      return this.#noPrice(venue, spelling)
    }
  }

  async #lookUp(venue: MarketVenue, spelling: string, key: string): Promise<string> {
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
      if (this.#watches.size >= maxAsked) this.#dropLongestUnasked()
      watch = new Watch((listener) => this.#source.watch(venue, symbol, listener), {
        lastsMs: this.#options.lingerMs,
        take: (quote) => this.#seen?.(venue, symbol, quote),
      })
      this.#watches.set(key, watch)
    }
    return watch
  }

  #noPrice(venue: MarketVenue, spelling: string): PriceAnswer {
    const symbol = this.#resolved.get(keyOf(venue, spelling))
    const watch = symbol === undefined ? undefined : this.#watches.get(keyOf(venue, symbol))
    const where = `${this.nameOf(venue)} ${venue.service}`
    const reason = `There is no price of ${spelling.trim()} on ${where} from the last ten seconds.`
    // The symbol is still being looked up. If that fails, the source logs it.
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
