import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { decimal } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import type { Database, Db } from '../db/database.ts'
import { type BotSettings, bots } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import { storeNotification } from '../notifications/store.ts'
import { type AmountRate, conversionOf } from '../trading/amounts.ts'
import { flatPosition } from '../trading/ledger.ts'
import { dayOf, lossReached, openLosses } from '../trading/risk.ts'
import { quoteOf } from '../trading/symbols.ts'
import type { ReachedLimit } from '../trading/types.ts'
import { BotWatch } from './bot-watch.ts'
import { namedBot } from './demo.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import { announceSignal, queueCloses } from './queued-closes.ts'
import { heldSymbols, openingSymbols } from './taken-symbols.ts'
import { currentPrice, type PriceLookUp } from './valuation.ts'

export type LimitParts = {
  database: Database
  /** Get the event `limit.reached`. */
  subscribers?: OrderSubscribers | undefined
  /** Announces bots for which closes are queued. */
  announce?: ((botIds: number[]) => void) | undefined
  /** Tells live streams of the signal of the closes. */
  onChange?: Announce | undefined
}

/** What looks at all bots with a limit, without waiting for a signal. */
export type LimitWatchParts = LimitParts & {
  prices: PriceLookUp
  onError(error: unknown): void
  sweepMs?: number
}

/**
 * The active bots with a limit that they have not reached today, and with a position that is open or changed today:
 * all others have lost nothing today.
 */
const candidatesSql = `
select json_build_object('id', b.id, 'exchangeId', b.exchange_id, 'settings', b.settings, 'symbol', h.symbol,
  'held', h.held, 'realised', (
    coalesce((select sum(f.realised) from fills f where f.bot_id = b.id and f.filled_at >= $1::timestamptz), 0)
    + coalesce((select sum(p.value) from payments p where p.bot_id = b.id and p.paid_at >= $1::timestamptz), 0)
  )::text)
from bots b
cross join lateral (
  select min(p.symbol) as symbol, json_agg(json_build_object('symbol', p.symbol, 'side', p.side,
    'size', p.size::text, 'entryPrice', p.entry_price::text)) filter (where p.side is not null) as held
  from positions p
  where p.bot_id = b.id and (p.side is not null or p.updated_at >= $1::timestamptz)
) h
where b.status = 'ACTIVE' and b.settings ->> 'maxDailyLoss' is not null and h.symbol is not null
  and (b.limit_reached_at is null or b.limit_reached_at < $1::timestamptz)`

type Candidate = {
  id: number
  exchangeId: number
  settings: BotSettings
  /** Any symbol of its positions. Books are in one quote currency. */
  symbol: string
  held: HeldRow[] | null
  /** Since midnight. */
  realised: string
}

/**
 * Watches the losses of all bots without waiting for a signal. Every node may do this: only one of them reaches the
 * limit of a bot.
 */
export class LossLimits extends BotWatch<Candidate> {
  constructor(parts: LimitWatchParts) {
    const candidates = parts.database.prepare('bots_with_loss_limits', candidatesSql)
    super({
      ...parts,
      candidates: (now) => candidates([new Date(dayOf(now)).toISOString()]),
      judge: async (bot, now) => {
        const reached = judge(parts.prices, bot, now)
        if (reached !== null) await reachLimit(parts, bot.id, reached)
      },
    })
  }
}

/** Without some of the prices, the rest of the loss may already reach the limit. */
function judge(
  prices: PriceLookUp,
  { settings, held, realised, exchangeId, symbol }: Candidate,
  now: number,
): ReachedLimit | null {
  const priceOf = (priceSymbol: string) => currentPrice(prices, exchangeId, priceSymbol)
  const rate = rateOf(settings, symbol, priceOf)
  if (rate === undefined) return null
  const day = { realised, limitReachedAt: null, ...openLosses(heldNow(held, priceOf)) }
  return lossReached({ settings, now, rate, day })
}

/** Positions that a statement returned as JSON, with their prices. */
export type HeldRow = { symbol: string; side: 'long' | 'short'; size: string; entryPrice: string | null }

export function heldNow(held: readonly HeldRow[] | null, priceOf: (symbol: string) => string | null) {
  return (held ?? []).map(({ symbol, ...position }) => ({
    symbol,
    position: { ...flatPosition(), ...position },
    price: priceOf(symbol),
  }))
}

/** Converts the currency of the books; `undefined` if nothing does, or there is no price now. */
function rateOf(
  settings: BotSettings,
  symbol: string,
  priceOf: (symbol: string) => string | null,
): AmountRate | null | undefined {
  const conversion = conversionOf(settings, { symbol, quote: quoteOf(symbol) ?? settings.amountCurrency })
  if (conversion === null) return null
  if ('reason' in conversion) return undefined
  const price = priceOf(conversion.market)
  return price === null || Number(price) === 0 ? undefined : { ...conversion, price }
}

/**
 * Stores that a bot has reached its limit, once a day: notifies its owner and, if the bot is set so, queues closes. All
 * of this is one transaction.
 * @returns whether this call was the first today
 */
export async function reachLimit(
  parts: LimitParts,
  botId: number,
  { at, loss }: ReachedLimit,
): Promise<boolean> {
  const now = new Date(at)
  const today = new Date(dayOf(at))
  return storeLimit(parts, async (tx) => {
    // No opening is planned while this lock is held, and none after it. So the closes below miss none.
    const [bot] = await tx
      .update(bots)
      .set({ limitReachedAt: now })
      .where(and(eq(bots.id, botId), or(isNull(bots.limitReachedAt), lt(bots.limitReachedAt, today))))
      .returning()
    if (bot === undefined) return undefined
    const closes =
      bot.settings.onLimit === 'close'
        ? await queueLimitCloses(tx, bot, now)
        : { symbols: [], signalId: null }
    return { bot, closes, event: eventOf(bot, loss, closes.symbols) }
  })
}

/** A limit that was just reached. `event` is the data of `limit.reached`, without what names the bot. */
export type StoredLimit = {
  bot: typeof bots.$inferSelect
  closes: { symbols: string[]; signalId: number | null }
  event: Record<string, unknown>
}

/**
 * Stores in one transaction that a bot has reached a limit, with the notification, and announces the closes.
 * @param store returns `undefined` if the limit was reached before
 * @returns whether this call stored it
 */
export async function storeLimit(
  { database, subscribers, announce, onChange }: LimitParts,
  store: (tx: Db) => Promise<StoredLimit | undefined>,
): Promise<boolean> {
  const done = await database.db.transaction(async (tx) => {
    const stored = await store(tx)
    if (stored === undefined) return undefined
    const { userId, id } = stored.bot
    const isNotified = subscribers?.hears(userId) === true
    if (isNotified) {
      const data = { ...(await namedBot(tx, id)), ...stored.event }
      await storeNotification(tx, userId, 'limit.reached', data)
    }
    return { ...stored, isNotified }
  })
  if (done === undefined) return false
  const { bot, closes, isNotified } = done
  if (isNotified) subscribers?.onTold()
  if (closes.symbols.length > 0) announce?.([bot.id])
  if (closes.signalId !== null) announceSignal(onChange, closes.signalId)
  onChange?.({ kind: 'status', id: bot.id, part: 'bot' })
  return true
}

/**
 * Queues a close for everything that a bot holds or may still open. Announce the bot after the commit.
 * @returns the symbols, and the new signal, if there is one
 */
export async function queueLimitCloses(
  tx: Db,
  { id: botId, userId }: { id: number; userId: number },
  now: Date,
): Promise<{ symbols: string[]; signalId: number | null }> {
  const symbols = [...new Set([...(await heldSymbols(tx, botId)), ...(await openingSymbols(tx, botId))])]
  if (symbols.length === 0) return { symbols, signalId: null }
  const { signalId } = await queueCloses(tx, { userId, botId, symbols, origin: 'limit', now })
  return { symbols, signalId }
}

function eventOf({ settings }: typeof bots.$inferSelect, loss: string, closing: string[]) {
  return {
    limit: 'max_daily_loss',
    loss: readableMoney(decimal(loss)),
    max_daily_loss: settings.maxDailyLoss,
    amount_currency: settings.amountCurrency,
    on_limit: settings.onLimit,
    closing,
  }
}
