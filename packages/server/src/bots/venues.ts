import { given } from '../base/given.ts'
import type { Catalogue, CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import { type ExchangeConnections, UnreadableCredentials } from '../connections/exchange-connections.ts'
import type { Database } from '../db/database.ts'
import type { Market } from '../market/market.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { LiveVenue } from '../trading/live/live-venue.ts'
import { rulesOfBot } from '../trading/paper-rules.ts'
import {
  type PaperBooks,
  type PaperMarket,
  PaperVenue,
  type PriceRange,
  rangeOf,
} from '../trading/paper-venue.ts'
import type { Venue } from '../trading/types.ts'
import type { ClosableVenue } from './closable-venue.ts'
import type { HeldBot } from './inbox.ts'
import { candlesSince, type MissedCandles } from './missed-candles.ts'
import { type MinuteCandles, PaperVolume } from './paper/volume.ts'

export type BotVenuesParts = {
  database: Pick<Database, 'db'>
  market: Pick<Market, 'price' | 'rules' | 'follow'>
  /**
   * For what nobody watched, because no process ran, and for what others trade; `null`: a market whose time is not that of
   * this machine.
   */
  candles: (MissedCandles & MinuteCandles) | null
  catalogue: Pick<Catalogue, 'find'>
  connections: Pick<ExchangeConnections, 'openFor' | 'noteFacts'>
  endpoints: Config['exchangeEndpoints']
}

/** A live venue, shared by all bots of one connection: some exchanges accept the requests of a key only in order. */
type Shared = {
  venue: LiveVenue
  users: number
  idle: NodeJS.Timeout | undefined
  /** When this process last asked what the account is like, in Unix milliseconds. */
  askedAt: number
}

/** The paper venue of a bot, shared by all its symbols: one balance covers their orders. `bot`: as it is now. */
type SharedPaper = { venue: PaperVenue; bot: HeldBot; users: number }

/** An unused venue stays open for this long, because opening it again means reading all markets of the exchange. */
const idleMs = 600_000
/** How often the exchange is asked what the account is like and what its key may do, while bots use it. */
const factsMs = 3_600_000

/** Why a bot places no order. */
export const switchedOff = 'The exchange connection of the bot is switched off.'

function unreachable(error: unknown): never {
  throw error instanceof UnreadableCredentials ? new VenueUnreachable(error.message) : error
}

function unreadable(error: unknown): never {
  throw new VenueUnreachable(error instanceof Error ? error.message : 'The candles cannot be read.')
}

/** Opens the venues of bots. */
export class BotVenues {
  #parts: BotVenuesParts
  #live = new Map<number, Shared>()
  #asking = new Set<Promise<void>>()
  /** By bot and exchange. */
  #paper = new Map<string, SharedPaper>()
  #volume: PaperVolume

  constructor(parts: BotVenuesParts) {
    this.#parts = parts
    this.#volume = new PaperVolume(parts)
  }

  /**
   * Opens the venue of a bot. It has a `closedReason` if the exchange or the connection is switched off: then it still
   * looks up earlier orders but accepts no new ones.
   * @throws {VenueUnreachable} if the bot's settings do not even allow that, with the reason
   */
  async open(bot: HeldBot, books: PaperBooks): Promise<ClosableVenue> {
    const place = this.#parts.catalogue.find(bot.exchangeId)
    if (place === undefined) throw new VenueUnreachable('The exchange of the bot is not in the catalogue.')
    const price = (symbol: string) => this.#price(place, symbol)
    if (bot.mode === 'live') return this.#openLive(bot, place, price)
    return this.#openPaper(bot, place, books)
  }

  /** @param botNow its settings may change while orders are in progress */
  #marketOf(botNow: () => HeldBot, place: CatalogueExchange): PaperMarket {
    const { market } = this.#parts
    const rules = async (symbol: string) => rulesOfBot(botNow(), await market.rules(place, symbol))
    return {
      rules,
      price: (symbol) => this.#price(place, symbol),
      follow: (symbol, onPrice) => market.follow(place, symbol, (quote) => onPrice(String(quote.price))),
      rangeSince: (symbol, since) => this.#rangeSince(botNow(), symbol, since),
      take: async (order) => this.#volume.take(botNow(), order, await rules(order.symbol)),
    }
  }

  async #rangeSince(bot: HeldBot, symbol: string, since: number): Promise<PriceRange | null> {
    const { candles } = this.#parts
    if (candles === null) return null
    const found = await candlesSince(candles, { ...bot, symbol }, since, Date.now()).catch(unreadable)
    return rangeOf(found)
  }

  #openPaper(bot: HeldBot, place: CatalogueExchange, books: PaperBooks): ClosableVenue {
    const { settings } = bot
    const key = `${bot.id} ${bot.exchangeId}`
    const open = (): SharedPaper => {
      const market = this.#marketOf(() => opened.bot, place)
      const opened = { venue: new PaperVenue({ settings, market, books, now: Date.now }), bot, users: 0 }
      return opened
    }
    const shared = this.#paper.get(key) ?? open()
    this.#paper.set(key, shared)
    shared.users += 1
    shared.bot = bot
    const { venue } = shared
    venue.settings = settings
    return {
      ...methodsOf(venue),
      reached: (order) => venue.reached(order),
      closedReason: this.#disabled(bot),
      close: async () => {
        shared.users -= 1
        if (shared.users > 0) return
        this.#paper.delete(key)
        venue.stopFollowing()
      },
    }
  }

  /** Closes all live venues. */
  async close(): Promise<void> {
    const open = [...this.#live.values()]
    this.#live.clear()
    for (const { idle } of open) clearTimeout(idle)
    await Promise.allSettled(open.map(({ venue }) => venue.close()))
    await Promise.all(this.#asking)
  }

  async #openLive(bot: HeldBot, place: MarketVenue, price: Venue['price']): Promise<ClosableVenue> {
    const { id, credentials, isActive, isDemo, factsAt } = await this.#connectionOf(bot)
    const { endpoints } = this.#parts
    const open = () => new LiveVenue({ venue: place, credentials, isDemo, endpoints, price })
    const shared = this.#share(id, factsAt?.getTime() ?? 0, open)
    return {
      ...shared,
      closedReason: this.#disabled(bot) ?? (isActive ? null : switchedOff),
      // The exchange or the connection may have been switched off since, for example during a flip.
      place: async (order, whyNotNow) => {
        const reason = await this.#closedReasonNow(bot).catch(() => undefined)
        if (reason === undefined)
          return { status: 'busy', reason: "The bot's exchange connection cannot be read now." }
        return reason === null ? shared.place(order, whyNotNow) : { status: 'refused', reason }
      },
    }
  }

  async #closedReasonNow(bot: HeldBot): Promise<string | null> {
    try {
      const { isActive } = await this.#connectionOf(bot)
      return this.#disabled(bot) ?? (isActive ? null : switchedOff)
    } catch (error) {
      if (error instanceof VenueUnreachable) return error.message
      throw error
    }
  }

  /** @throws {VenueUnreachable} */
  async #connectionOf({ connectionId, userId, exchangeId }: HeldBot) {
    const id = connectionId
    const connection = id === null ? undefined : await this.#parts.connections.openFor(id).catch(unreachable)
    if (id === null || connection === undefined || connection.userId !== userId) {
      throw new VenueUnreachable('The bot has no exchange connection.')
    }
    if (connection.exchangeId !== exchangeId) {
      throw new VenueUnreachable("The bot's exchange connection is for another exchange.")
    }
    return { id, ...connection }
  }

  #disabled({ exchangeId }: HeldBot): string | null {
    return disabledReason(this.#parts.catalogue.find(exchangeId))
  }

  #share(connectionId: number, factsAt: number, open: () => LiveVenue): ClosableVenue {
    const known = this.#live.get(connectionId)
    const shared = known ?? { venue: open(), users: 0, idle: undefined, askedAt: 0 }
    this.#live.set(connectionId, shared)
    clearTimeout(shared.idle)
    shared.users += 1
    const { venue } = shared
    return {
      ...methodsOf(venue),
      account: venue.account,
      legs: venue.legs,
      close: async () => {
        shared.users -= 1
        this.#refreshFacts(connectionId, shared, factsAt)
        if (shared.users > 0) return
        shared.idle = setTimeout(() => this.#end(connectionId, shared), idleMs).unref()
      },
    }
  }

  /** Only after use, so that no order waits for the answer. */
  #refreshFacts(connectionId: number, shared: Shared, factsAt: number): void {
    // Absolute, because the clock may have been set back.
    const isRecent = (at: number) => Math.abs(Date.now() - at) < factsMs
    if (isRecent(factsAt) || isRecent(shared.askedAt)) return
    shared.askedAt = Date.now()
    const asking = shared.venue.account
      .facts()
      .then((facts) => this.#parts.connections.noteFacts(connectionId, facts))
      // The next attempt is in an hour.
      .catch(() => undefined)
      .finally(() => this.#asking.delete(asking))
    this.#asking.add(asking)
  }

  #end(connectionId: number, shared: Shared): void {
    if (shared.users > 0) return
    this.#live.delete(connectionId)
    // No bot uses the venue now, so its errors do not matter.
    shared.venue.close().catch(() => undefined)
  }

  /** @throws {NoSuchMarket} @throws {VenueUnreachable} */
  async #price(place: MarketVenue, symbol: string): Promise<string> {
    const answer = await this.#parts.market.price(place, symbol)
    if ('quote' in answer) return String(answer.quote.price)
    throw answer.isUnknown ? new NoSuchMarket(answer.reason) : new VenueUnreachable(answer.reason)
  }
}

/** Why no order may be placed on an exchange of the catalogue; `null` if one may. */
export function disabledReason(
  place: Pick<CatalogueExchange, 'enabled' | 'name'> | undefined,
): string | null {
  return place?.enabled === true ? null : `${place?.name} is not enabled on this installation.`
}

function methodsOf(venue: Venue): Venue {
  return {
    kind: venue.kind,
    rules: (symbol) => venue.rules(symbol),
    price: (symbol) => venue.price(symbol),
    place: (order, whyNotNow) => venue.place(order, whyNotNow),
    lookUp: (order) => venue.lookUp(order),
    cancel: (order) => venue.cancel(order),
    ...given({ whyNoLimits: venue.whyNoLimits, bestPrices: venue.bestPrices?.bind(venue) }),
    ...given({ marginOf: venue.marginOf?.bind(venue) }),
  }
}
