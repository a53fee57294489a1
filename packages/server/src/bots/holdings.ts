import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { AppError, type ErrorCode, type ErrorDetail } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import {
  type BotSignalStatus,
  botSignals,
  bots,
  fills,
  orders,
  positions,
  protectionLegs,
} from '../db/schema.ts'
import { liveLegStatuses } from './legs/rows.ts'

/** Why signals of a deleted bot end. */
export const deletedReason = 'The bot was deleted before it followed the signal.'

/** A refusal names at most this many of each kind. */
const namedAtMost = 20

/** What a bot holds and what is in progress. While there is any, the bot must keep its exchange and connection. */
export type Holdings = {
  positions: { symbol: string; side: string; size: string }[]
  /** Orders that are not settled: they are planned, open, or their outcome is unknown. */
  orders: { id: number; symbol: string; status: string }[]
  /** Signals in progress, for which the bot may place orders at any moment. */
  signals: { id: number; symbol: string }[]
  /** Stops that rest, or may rest, at the exchange. */
  legs: { symbol: string }[]
  /** Closes that wait until the owner lets them proceed or drops them. */
  waiting: { id: number; symbol: string }[]
}

/** Reads all of them in one statement. Between two statements, an order could become a position and be missed. */
export async function holdingsOf(tx: Db, botId: number): Promise<Holdings> {
  const rows = await openPositions(tx, botId)
    .unionAll(unsettledOrders(tx, botId))
    .unionAll(signalsOf(tx, botId, 'signal', ['WORKING', 'CLOSING']))
    .unionAll(signalsOf(tx, botId, 'waiting', ['WAITING']))
    .unionAll(liveLegs(tx, botId))
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    positions: of('position').map(({ symbol, state, size }) => ({ symbol, side: state, size: size! })),
    orders: of('order').map(({ id, symbol, state }) => ({ id, symbol, status: state })),
    signals: of('signal').map(({ id, symbol }) => ({ id, symbol })),
    waiting: of('waiting').map(({ id, symbol }) => ({ id, symbol })),
    legs: of('leg').map(({ symbol }) => ({ symbol })),
  }
}

function openPositions(tx: Db, botId: number) {
  const { symbol, side, size } = positions
  return tx
    .select({
      kind: sql<string>`'position'::text`.as('kind'),
      // A position has no id. But the driver reads all parts of a union as it reads the first one.
      id: sql<number>`0::bigint`.mapWith(Number).as('id'),
      symbol,
      state: sql<string>`${side}`.as('state'),
      size: sql<string | null>`trim_scale(${size})::text`.as('size'),
    })
    .from(positions)
    .where(and(eq(positions.botId, botId), isNotNull(side)))
    .limit(namedAtMost)
}

function unsettledOrders(tx: Db, botId: number) {
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

function liveLegs(tx: Db, botId: number) {
  const { id, symbol, status } = protectionLegs
  return tx
    .select({
      kind: sql<string>`'leg'::text`.as('kind'),
      id: sql<number>`${id}`.as('id'),
      symbol,
      state: sql<string>`${status}`.as('state'),
      size: sql<string | null>`null::text`.as('size'),
    })
    .from(protectionLegs)
    .where(and(eq(protectionLegs.botId, botId), inArray(status, [...liveLegStatuses])))
    .limit(namedAtMost)
}

function signalsOf(tx: Db, botId: number, kind: 'signal' | 'waiting', statuses: BotSignalStatus[]) {
  const { symbol, status, signalId } = botSignals
  return tx
    .select({
      kind: sql<string>`${kind}::text`.as('kind'),
      id: sql<number>`${signalId}`.as('id'),
      symbol,
      state: sql<string>`${status}`.as('state'),
      size: sql<string | null>`null::text`.as('size'),
    })
    .from(botSignals)
    .where(and(eq(botSignals.botId, botId), inArray(status, statuses)))
    .limit(namedAtMost)
}

/**
 * @param what is refused, such as `Bot 3 cannot be deleted`
 * @throws {AppError} 409 that names what the bot holds and what is in progress, if there is any
 */
export function demandNothingHeld(holdings: Holdings, code: ErrorCode, what: string): void {
  const details: ErrorDetail[] = [
    ...holdings.positions.map((position) => ({
      message: `it holds ${describePosition(position)}`,
      symbol: position.symbol,
    })),
    ...holdings.orders.map(({ id, symbol, status }) => ({
      message: `order ${id} of ${symbol} is not settled (${status})`,
      id,
      symbol,
    })),
    ...holdings.signals.map(({ id, symbol }) => ({
      message: `it is still following signal ${id} for ${symbol}`,
      id,
      symbol,
    })),
    ...holdings.waiting.map(({ id, symbol }) => ({
      message: `the close of signal ${id} for ${symbol} waits until you let it proceed or drop it`,
      id,
      symbol,
    })),
    ...holdings.legs.map(({ symbol }) => ({
      message: `its stop or a target of ${symbol} is still at the exchange`,
      symbol,
    })),
  ]
  if (details.length === 0) return
  const why = details.map(({ message }) => message).join('; ')
  throw new AppError(code, `${what}: ${why}.`, { details })
}

/** For example `long 0.5 BTC/USDT`. */
export function describePosition({ side, size, symbol }: Holdings['positions'][number]): string {
  return `${side} ${size} ${symbol}`
}

/** Whether the bot has any fill. */
export async function hasTraded(tx: Db, botId: number): Promise<boolean> {
  const found = await tx.select({ id: fills.id }).from(fills).where(eq(fills.botId, botId)).limit(1)
  return found.length > 0
}

/** @throws {AppError} 409 that names what a live bot of the user holds, or what is in progress in any bot */
export async function demandBotsAreFree(tx: Db, userId: number): Promise<void> {
  const own = await tx
    .select({ id: bots.id, mode: bots.mode })
    .from(bots)
    .where(eq(bots.userId, userId))
    .orderBy(asc(bots.id))
    .for('update')
  for (const { id, mode } of own) {
    const { orders, signals, ...held } = await holdingsOf(tx, id)
    // Paper positions exist nowhere else, so the user can lose them.
    const holdings = {
      ...{ orders, signals },
      ...(mode === 'live' ? held : { positions: [], waiting: [], legs: [] }),
    }
    demandNothingHeld(
      holdings,
      'resource_in_use',
      `User ${userId} cannot be deleted: bot ${id} is still busy`,
    )
  }
}
