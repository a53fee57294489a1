import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { AppError, type ErrorCode, type ErrorDetail } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { botSignals, bots, fills, orders, positions } from '../db/schema.ts'

/** As many of each kind are named in a refusal. */
const namedAtMost = 20

/** What a bot has on its hands: as long as there is any, its account and its exchange have to stay. */
export type Holdings = {
  positions: { symbol: string; side: string; size: string }[]
  /** Of which it is not known for certain that nothing more becomes of them. */
  orders: { id: number; symbol: string; status: string }[]
  /** That orders may come of at any moment. */
  signals: { id: number; symbol: string }[]
}

/** In one statement, so that nothing gets from one kind to the other between two looks. */
export async function holdingsOf(tx: Db, botId: number): Promise<Holdings> {
  const rows = await positionsHeld(tx, botId)
    .unionAll(ordersUnsettled(tx, botId))
    .unionAll(signalsAtWork(tx, botId))
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    positions: of('position').map(({ symbol, state, size }) => ({ symbol, side: state, size: size! })),
    orders: of('order').map(({ id, symbol, state }) => ({ id, symbol, status: state })),
    signals: of('signal').map(({ id, symbol }) => ({ id, symbol })),
  }
}

function positionsHeld(tx: Db, botId: number) {
  const { symbol, side, size } = positions
  return tx
    .select({
      kind: sql<string>`'position'::text`.as('kind'),
      // It has none; but how the first of a union is read, the others are too.
      id: sql<number>`0::bigint`.mapWith(Number).as('id'),
      symbol,
      state: sql<string>`${side}`.as('state'),
      size: sql<string | null>`trim_scale(${size})::text`.as('size'),
    })
    .from(positions)
    .where(and(eq(positions.botId, botId), isNotNull(side)))
    .limit(namedAtMost)
}

function ordersUnsettled(tx: Db, botId: number) {
  const { symbol, status } = orders
  return tx
    .select({
      kind: sql<string>`'order'::text`.as('kind'),
      id: sql<number>`${orders.id}`.as('id'),
      symbol,
      state: sql<string>`${status}`.as('state'),
      size: sql<string | null>`null::text`.as('size'),
    })
    .from(orders)
    .where(and(eq(orders.botId, botId), inArray(status, ['PLANNED', 'OPEN', 'UNKNOWN'])))
    .limit(namedAtMost)
}

function signalsAtWork(tx: Db, botId: number) {
  const { symbol, status, signalId } = botSignals
  return tx
    .select({
      kind: sql<string>`'signal'::text`.as('kind'),
      id: sql<number>`${signalId}`.as('id'),
      symbol,
      state: sql<string>`${status}`.as('state'),
      size: sql<string | null>`null::text`.as('size'),
    })
    .from(botSignals)
    .where(and(eq(botSignals.botId, botId), eq(status, 'WORKING')))
    .limit(namedAtMost)
}

/**
 * @param what cannot be done, such as `Bot 3 cannot be deleted`
 * @throws {AppError} 409 naming what the bot has on its hands, if there is anything
 */
export function demandNothingHeld(holdings: Holdings, code: ErrorCode, what: string): void {
  const details: ErrorDetail[] = [
    ...holdings.positions.map((position) => ({
      message: `it holds ${wordsFor(position)}`,
      symbol: position.symbol,
    })),
    ...holdings.orders.map(({ id, symbol, status }) => ({
      message: `order ${id} of ${symbol} is not settled (${status})`,
      id,
      symbol,
    })),
    ...holdings.signals.map(({ id, symbol }) => ({
      message: `it is working on signal ${id} for ${symbol}`,
      id,
      symbol,
    })),
  ]
  if (details.length === 0) return
  const why = details.map(({ message }) => message).join('; ')
  throw new AppError(code, `${what}: ${why}.`, { details })
}

/** Such as `long 0.5 BTC/USDT`. */
export function wordsFor({ side, size, symbol }: Holdings['positions'][number]): string {
  return `${side} ${size} ${symbol}`
}

/** Whether there is anything in the bot's books yet. */
export async function hasTraded(tx: Db, botId: number): Promise<boolean> {
  const found = await tx.select({ id: fills.id }).from(fills).where(eq(fills.botId, botId)).limit(1)
  return found.length > 0
}

/** @throws {AppError} 409 naming what a live bot of this user holds, or what a bot is working on */
export async function demandBotsAreFree(tx: Db, userId: number): Promise<void> {
  const own = await tx
    .select({ id: bots.id, mode: bots.mode })
    .from(bots)
    .where(eq(bots.userId, userId))
    .orderBy(asc(bots.id))
    .for('update')
  for (const { id, mode } of own) {
    const { positions, ...underWay } = await holdingsOf(tx, id)
    // What was never at an exchange is missed by nobody.
    const holdings = { ...underWay, positions: mode === 'live' ? positions : [] }
    demandNothingHeld(holdings, 'resource_in_use', `User ${userId} cannot be deleted: bot ${id} is not done`)
  }
}
