/** Books with fills, and whether the trades made from them add up to what the books say. */
import { eq, sql } from 'drizzle-orm'
import { type Decimal, decimal, plain, zero } from '../src/base/decimals.ts'
import { FillWalks } from '../src/bots/statistics/fill-walk.ts'
import { Trades, type WholeTrade } from '../src/bots/statistics/trades.ts'
import type { Database } from '../src/db/database.ts'
import { type FillKind, fills, positions } from '../src/db/schema.ts'
import { applyExecution, flatPosition } from '../src/trading/ledger.ts'
import { baseOf, isContract, quoteOf } from '../src/trading/symbols.ts'
import type { Position, Side } from '../src/trading/types.ts'

export type Filled = {
  side: Side
  size: string
  price: string
  at: Date
  symbol?: string
  fee?: string
  feeAsset?: string
  orderId?: number | null
  kind?: FillKind
}

const rowsAtOnce = 2_000

type Owner = { userId: number; botId: number }

/** Books fills of a new bot as the service does: each with what the ledger realises, and the positions after all. */
export function bookFills(database: Database, owner: Owner, filled: readonly Filled[]): Promise<void> {
  return bookTogether(database, [{ owner, filled }])
}

/** The same for several bots at once: first the first fill of each, then the second of each, and so on. */
export async function bookTogether(
  { db }: Database,
  books: readonly { owner: Owner; filled: readonly Filled[] }[],
): Promise<void> {
  const booked = books.map(({ owner, filled }) => booksOf(owner, filled))
  const turns = Math.max(0, ...booked.map(({ rows }) => rows.length))
  const rows = Array.from({ length: turns }, (_, turn) =>
    booked.flatMap(({ rows }) => rows[turn] ?? []),
  ).flat()
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await db.insert(fills).values(rows.slice(from, from + rowsAtOnce))
  }
  const held = booked.flatMap(({ held }) => held)
  if (held.length > 0) await db.insert(positions).values(held)
}

function booksOf(owner: Owner, filled: readonly Filled[]) {
  const books = new Map<string, Position>()
  const rows = filled.map((fill, index) => {
    const { side, size, price, at, symbol = 'BTC/USDT', fee = '0', feeAsset = 'USDT' } = fill
    const { orderId = null, kind = 'external' } = fill
    const terms = {
      ...{ base: baseOf(symbol)!, quote: quoteOf(symbol)!, feeRates: { BNB: '612.4' } },
      service: isContract(symbol) ? ('futures' as const) : ('spot' as const),
    }
    const execution = { tradeId: `trade-${index}`, size, price, fee, feeAsset, filledAt: at.getTime() }
    const applied = applyExecution(books.get(symbol) ?? flatPosition(), execution, side, terms)
    books.set(symbol, applied.position)
    const values = { orderId, kind, symbol, side, size, price, fee, feeAsset, tradeId: execution.tradeId }
    return { ...owner, ...values, realised: applied.realised, filledAt: at }
  })
  const held = [...books].map(([symbol, { openedAt, lastLossAt, ...position }]) => {
    const [opened, lastLoss] = [openedAt, lastLossAt].map((at) => (at === null ? null : new Date(at)))
    const times = { openedAt: opened!, lastLossAt: lastLoss!, updatedAt: new Date() }
    return { ...owner, symbol, ...position, ...times }
  })
  return { rows, held }
}

/** Adds a payment to the books, as the service does. */
export async function bookPayment(
  { db }: Database,
  { userId, botId }: { userId: number; botId: number },
  { symbol, value, at }: { symbol: string; value: string; at: Date },
): Promise<void> {
  await db.execute(sql`
    insert into payments (bot_id, user_id, symbol, kind, payment_id, asset, amount, value, paid_at)
    values (${botId}, ${userId}, ${symbol}, 'funding', ${`${symbol} ${at.toISOString()}`}, 'USDT', ${value}, ${value}, ${at.toISOString()})`)
  await db.execute(sql`
    update positions set realised = realised + ${value}::numeric, funding = funding + ${value}::numeric
    where bot_id = ${botId} and symbol = ${symbol}`)
}

/** All trades of a bot, the newest first. */
export function allTrades(database: Database, bot: { id: number; userId: number }): Promise<WholeTrade[]> {
  const trades = new Trades(database, new FillWalks(database), { latest: () => null })
  return trades.window(bot, { limit: 1_000_000 })
}

/** @returns sentences about what the trades of a bot and its books disagree on, to the last digit; none if they agree */
export async function disagreements(
  database: Database,
  bot: { id: number; userId: number },
): Promise<string[]> {
  const trades = await allTrades(database, bot)
  const booked = await database.db.select().from(positions).where(eq(positions.botId, bot.id))
  const symbols = new Set([...booked, ...trades.map(({ trade }) => trade)].map(({ symbol }) => symbol))
  return [...symbols].flatMap((symbol) => {
    const own = trades.filter(({ trade }) => trade.symbol === symbol)
    const row = booked.find((position) => position.symbol === symbol)
    const sum = (of: (one: WholeTrade) => Decimal) => plain(own.reduce((all, one) => all.plus(of(one)), zero))
    const last = own[0]?.trade
    const pairs = [
      ['profit', sum(({ realised }) => realised), row?.realised],
      ['fees', sum(({ trade }) => trade.fees), row?.fees],
      ['funding', sum(({ funding }) => funding), row?.funding],
      ['size', plain(last?.rest ?? zero), row?.size],
    ] as const
    return pairs
      .filter(([, ofTrades, ofBooks]) => !decimal(ofTrades).eq(decimal(ofBooks ?? '0')))
      .map(
        ([what, ofTrades, ofBooks]) =>
          `${symbol}: the ${what} of the trades is ${ofTrades}, of the books ${ofBooks}.`,
      )
  })
}
