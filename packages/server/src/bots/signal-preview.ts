import { setTimeout as sleep } from 'node:timers/promises'
import { and, asc, desc, eq } from 'drizzle-orm'
import { decimal } from '../base/decimals.ts'
import { readablePrice } from '../base/readable.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import type { Catalogue, CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Database } from '../db/database.ts'
import { bots, exchangeConnections, type SignalOptions } from '../db/schema.ts'
import type { Market } from '../market/market.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { type BotPlan, mostPlans } from '../signals/bot-plans.ts'
import { whyNoLimits } from '../trading/live/dialects/index.ts'
import { rulesOfBot } from '../trading/paper-rules.ts'
import { type Rehearsal, rehearse } from '../trading/rehearsal.ts'
import type { Action, OrderRequest, TradeSignal, Venue } from '../trading/types.ts'
import { DatabaseBooks } from './database-books.ts'
import { isDemo } from './demo.ts'
import { notTraded } from './follower.ts'
import { type KnownWorth, knownWorth } from './known-worth.ts'
import { disabledReason, switchedOff } from './venues.ts'

export type SignalPreviewerParts = {
  database: Database
  catalogue: Pick<Catalogue, 'find'>
  market: Pick<Market, 'price' | 'rules'>
  /** Why no bot in this mode may place an order of this purpose now, as a sentence; `null` if one may. */
  whyHalted(mode: 'paper' | 'live', purpose: OrderRequest['purpose']): string | null | Promise<string | null>
}

/** A signal that is explained. It has one symbol. */
export type ExplainedSignal = { action: Action; symbol: string; options: SignalOptions }

/** A flood of explanations must not keep the database busy: each follows a signal through up to ten bots. */
const perSecond = 2
const atOnce = 10

/** Says what a signal would make the bots of a bot webhook do, by the code that follows signals. */
export class SignalPreviewer {
  #parts: SignalPreviewerParts
  #pace = new TokenBuckets(perSecond, atOnce)

  constructor(parts: SignalPreviewerParts) {
    this.#parts = parts
  }

  /**
   * The plans of the user's own bots that have this webhook: the first ten, `ACTIVE` ones first. Each counts with the
   * books and the price of this moment; signals that the bot has yet to follow are left out.
   * @param patienceMs after this long, what is not known yet is `UNKNOWN`
   * @returns `null` if the user has asked too often
   */
  async plans(
    of: { webhookId: number; userId: number },
    signal: ExplainedSignal,
    patienceMs: number,
  ): Promise<BotPlan[] | null> {
    if (this.#pace.take(of.userId, Date.now()) > 0) return null
    const over = AbortSignal.timeout(patienceMs)
    const found = await this.#attached(of)
    return Promise.all(found.map((bot) => this.#inTime(bot, signal, over)))
  }

  #attached({ webhookId, userId }: { webhookId: number; userId: number }) {
    return this.#parts.database.db
      .select({ bot: bots, connectionStatus: exchangeConnections.status, isDemo })
      .from(bots)
      .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
      .where(and(eq(bots.webhookId, webhookId), eq(bots.userId, userId)))
      .orderBy(desc(eq(bots.status, 'ACTIVE')), asc(bots.id))
      .limit(mostPlans)
  }

  async #inTime(attached: Attached, signal: ExplainedSignal, over: AbortSignal): Promise<BotPlan> {
    const late = sleepUntil(over).then(() => unknown(attached, 'It could not be worked out in time.'))
    return Promise.race([late, this.#planOf(attached, signal, over)])
  }

  async #planOf(attached: Attached, signal: ExplainedSignal, over: AbortSignal): Promise<BotPlan> {
    const { bot } = attached
    if (bot.status !== 'ACTIVE') {
      return planned(attached, 'IGNORED', 'The bot is INACTIVE, so it does not get the signal.')
    }
    const place = this.#parts.catalogue.find(bot.exchangeId)
    if (place === undefined) return unknown(attached, 'The exchange of the bot is not in the catalogue.')
    try {
      const reason = await this.#whyNotTraded(place, bot.settings.symbols, signal)
      if (reason !== null) return planned(attached, 'IGNORED', reason)
      const { outcome, orders } = await this.#rehearsal(attached, place, signal, over)
      return { ...planned(attached, outcome.status, outcome.reason), orders: ordersOf(orders) }
    } catch (error) {
      if (error instanceof VenueUnreachable || over.aborted)
        return unknown(attached, (error as Error).message)
      throw error
    }
  }

  /** Whether the setting `symbol` of the bot includes the symbol. An EXIT can always close. */
  async #whyNotTraded(place: CatalogueExchange, traded: string[], { action, symbol }: ExplainedSignal) {
    if (traded.length === 0 || action === 'EXIT') return null
    const nameOf = async (spelling: string) => {
      try {
        return (await this.#parts.market.rules(place, spelling)).symbol
      } catch (error) {
        if (error instanceof NoSuchMarket) return spelling
        throw error
      }
    }
    const [name, ...names] = await Promise.all([symbol, ...traded].map(nameOf))
    return names.includes(name!) ? null : notTraded(symbol)
  }

  #rehearsal(
    { bot, connectionStatus }: Attached,
    place: CatalogueExchange,
    { action, symbol, options }: ExplainedSignal,
    stop: AbortSignal,
  ): Promise<Rehearsal> {
    const { database, whyHalted } = this.#parts
    const { settings, mode } = bot
    const signal: TradeSignal = { botSignalId: 0, action, symbol, price: null, options, at: Date.now() }
    return rehearse({
      ...{ signal, settings, mode, stop, now: Date.now, market: this.#marketOf(place, bot) },
      books: new DatabaseBooks({
        database,
        // It only reads.
        nodeId: '',
        bot: { id: bot.id, userId: bot.userId, startBalance: settings.startBalance },
        markPrice: () => null,
      }),
      others: () => this.#othersOf(bot),
      whyHalted: async (purpose) =>
        disabledReason(place) ??
        (mode === 'live' ? whyClosed(connectionStatus) : null) ??
        (await whyHalted(mode, purpose)),
    })
  }

  /** What the owner's other bots hold in the account. */
  async #othersOf({ id, userId, exchangeId, connectionId }: Attached['bot']): Promise<KnownWorth['held']> {
    if (connectionId === null) return []
    const worth = await knownWorth(this.#parts.database.db, { userId, exchangeId, connectionId })
    return (worth?.held ?? []).filter(({ botId }) => botId !== id)
  }

  #marketOf(place: CatalogueExchange, bot: Attached['bot']): Pick<Venue, 'rules' | 'price' | 'whyNoLimits'> {
    const { market } = this.#parts
    return {
      rules: async (symbol) => rulesOfBot(bot, await market.rules(place, symbol)),
      whyNoLimits: whyNoLimits(place),
      price: async (symbol) => {
        const found = await market.price(place, symbol)
        if ('quote' in found) return String(found.quote.price)
        throw found.isUnknown ? new NoSuchMarket(found.reason) : new VenueUnreachable(found.reason)
      },
    }
  }
}

type Attached = {
  bot: typeof bots.$inferSelect
  connectionStatus: 'ACTIVE' | 'INACTIVE' | null
  isDemo: boolean | null
}

function whyClosed(status: Attached['connectionStatus']): string | null {
  if (status === null) return 'The bot has no exchange connection.'
  return status === 'ACTIVE' ? null : switchedOff
}

function planned({ bot, isDemo }: Attached, status: BotPlan['status'], reason: string | null): BotPlan {
  return {
    ...{ bot_id: bot.id, bot_name: bot.name, mode: bot.mode, demo: isDemo === true },
    ...{ status, reason, delay_seconds: bot.settings.delaySeconds, orders: [] },
  }
}

function unknown(attached: Attached, reason: string): BotPlan {
  return planned(attached, 'UNKNOWN', reason)
}

function ordersOf(orders: Rehearsal['orders']): BotPlan['orders'] {
  return orders.flatMap(({ purpose, side, symbol, size, price, limit }) => {
    const at = price ?? limit?.price
    return at === undefined ? [] : [{ purpose, side, symbol, size, price: readablePrice(decimal(at)) }]
  })
}

async function sleepUntil(over: AbortSignal): Promise<void> {
  await sleep(2 ** 30, undefined, { signal: over, ref: false }).catch(() => undefined)
}
