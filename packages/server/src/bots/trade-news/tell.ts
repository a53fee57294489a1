import { and, asc, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { decimal } from '../../base/decimals.ts'
import { Turns } from '../../base/turns.ts'
import type { Db } from '../../db/database.ts'
import { botSignals, fills, orders, payments, signals, toldTrades } from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import { netOf, type PastTrade } from '../../trading/statistics/trades.ts'
import { type NamedBot, namedBot } from '../demo.ts'
import { presentTrade } from '../statistics/trade-record.ts'
import { TradeWatch } from './news.ts'
import { readBooks, storedBooks } from './stored-books.ts'

const fillsAtOnce = 500

/**
 * Something was booked for a bot in a symbol. `firstNew` is the id of the first fill that the transaction has written;
 * `null` if an order ended without one. `isWorking`: an order of the symbol may still reduce the position.
 */
export type BookedChange = {
  botId: number
  userId: number
  symbol: string
  firstNew: number | null
  isWorking: boolean
}

/**
 * Stores `position.opened` and `position.closed` in the transaction of the fills that open and close, whatever caused
 * them. The bot must be locked, so that its fills come one after another.
 *
 * It counts only the fills since the last time. After the first endpoint of a user, that is the whole history of the
 * symbol, once.
 * @returns how many it stored
 */
export async function tellOfTrades(tx: Db, change: BookedChange): Promise<number> {
  const { botId, userId, symbol, firstNew, isWorking } = change
  const isIt = and(eq(toldTrades.botId, botId), eq(toldTrades.symbol, symbol))
  const [known] = await tx.select().from(toldTrades).where(isIt)
  const watch = new TradeWatch(readBooks(known?.books), known ?? { openedId: null, closedId: null })
  const fillId = await countSince(tx, change, known?.fillId ?? 0, (fill, id) =>
    watch.count(fill, firstNew !== null && id >= firstNew),
  )
  const news = watch.news(isWorking)
  const state = { fillId, books: storedBooks(watch.books), ...watch.told }
  await tx
    .insert(toldTrades)
    .values({ botId, symbol, ...state })
    .onConflictDoUpdate({ target: [toldTrades.botId, toldTrades.symbol], set: state })
  if (news.length === 0) return 0
  const named = await namedBot(tx, botId)
  for (const { what, of } of news) {
    const data = what === 'opened' ? openedData(of, named) : await closedData(tx, of, named)
    await storeNotification(tx, userId, `position.${what}`, data)
  }
  return news.length
}

type Fill = Parameters<TradeWatch['count']>[0]

/** @returns the id of the latest fill of the symbol */
async function countSince(
  tx: Db,
  { botId, symbol }: BookedChange,
  since: number,
  count: (fill: Fill, id: number) => void,
): Promise<number> {
  const turns = new Turns()
  for (let last = since; ; ) {
    const rows = await tx
      .select()
      .from(fills)
      .where(and(eq(fills.botId, botId), eq(fills.symbol, symbol), gt(fills.id, last)))
      .orderBy(asc(fills.id))
      .limit(fillsAtOnce)
    for (const row of rows) {
      count({ ...row, filledAt: row.filledAt.getTime() }, row.id)
      last = row.id
      if (turns.isOver) await turns.rest()
    }
    if (rows.length < fillsAtOnce) return last
  }
}

function openedData({ trade }: PastTrade, named: NamedBot) {
  const shown = shownTrade(trade, named, '0')
  const { id, symbol, currency, side, quantity, entry_price, opened_at } = shown
  const { kind } = trade.latestEntry
  return { id, ...named, symbol, currency, side, quantity, entry_price, kind, opened_at }
}

async function closedData(tx: Db, { trade, paidUntil }: PastTrade, named: NamedBot) {
  const funding = await paid(tx, named.bot_id, trade, paidUntil)
  const shown = shownTrade(trade, named, funding)
  const { id, symbol, currency, side, quantity, entry_price, exit_price, opened_at, closed_at } = shown
  const { profit_before_costs, fees, uncounted_fees, realised } = shown
  const last = trade.exits.at(-1) ?? trade.latestEntry
  return {
    ...{ id, ...named, symbol, currency, side, quantity, entry_price, exit_price },
    ...{ profit_before_costs, fees, uncounted_fees, funding: shown.funding, realised },
    ...{ kind: last.kind, origin: await originOf(tx, last.orderId), opened_at, closed_at },
  }
}

function shownTrade(trade: PastTrade['trade'], { bot_id: botId, demo }: NamedBot, funding: string) {
  const paidFor = decimal(funding)
  const whole = { funding: paidFor, realised: netOf(trade).plus(paidFor) }
  return presentTrade({
    ...{ botId, trade, ...whole, unprotectedMs: null, signals: new Map() },
    ...{ isDemo: demo, price: null },
  })
}

/** The funding of a trade so far. */
async function paid(
  tx: Db,
  botId: number,
  { symbol, paidFrom }: PastTrade['trade'],
  paidUntil: number,
): Promise<string> {
  const [row] = await tx
    .select({ sum: sql<string | null>`sum(${payments.value})` })
    .from(payments)
    .where(
      and(
        ...[eq(payments.botId, botId), eq(payments.symbol, symbol)],
        paidFrom === null ? undefined : gte(payments.paidAt, new Date(paidFrom)),
        Number.isFinite(paidUntil) ? lt(payments.paidAt, new Date(paidUntil)) : undefined,
      ),
    )
  return row?.sum ?? '0'
}

/** What closed with the order: `null` for a signal of a strategy or a webhook, and without an order. */
async function originOf(tx: Db, orderId: number | null): Promise<string | null> {
  if (orderId === null) return null
  const [row] = await tx
    .select({ origin: signals.origin })
    .from(orders)
    .innerJoin(botSignals, eq(botSignals.id, orders.botSignalId))
    .innerJoin(signals, eq(signals.id, botSignals.signalId))
    .where(eq(orders.id, orderId))
  return row?.origin ?? null
}
