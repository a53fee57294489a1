import { and, asc, eq, gte, inArray, sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import { fills, type PositionMargin, reconciliationEvents, reconciliations } from '../../db/schema.ts'
import type { Announce } from '../../live/changes.ts'
import { storeNotification } from '../../notifications/store.ts'
import { storable } from '../../runs/journal-statement.ts'
import type { BookingTerms, Position } from '../../trading/types.ts'
import { namedBot } from '../demo.ts'
import { writeEquityPoint } from '../equity-point.ts'
import { lockHeld } from '../held-bot.ts'
import type { HeldBot } from '../inbox.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { type BookedOutside, bookOutside, outsideClose } from '../outside-fills.ts'
import { readPosition, writeMargin } from '../position-rows.ts'
import { exactly } from '../shown-figures.ts'
import { tellOfTrades } from '../trade-news/tell.ts'
import { tellOfLateStop } from './late-stops.ts'
import { type Event, keyOf, type Reconciliation } from './store.ts'

/** The result of a comparison, to be written as a whole or not at all. */
export type Result = {
  symbol: string
  /** The books before the executions, signed. If they have changed since, nothing is written. */
  booksSize: string
  executions: readonly BookedOutside[]
  terms: BookingTerms
  row: Pick<
    Reconciliation,
    | 'status'
    | 'accountSize'
    | 'ignoredSize'
    | 'openOrders'
    | 'unknownOrders'
    | 'knownUntil'
    | 'reason'
    | 'differsSince'
  >
  event?: { type: Event['type']; text: string }
  /** Whether the owner has to hear that the books differ. */
  isNewDifference?: boolean
}

export type WritingParts = {
  database: Database
  nodeId: string
  markPrice(bot: HeldBot, symbol: string): string | null
  subscribers?: OrderSubscribers
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
}

/** The first comparison books the funding of so much time before it. */
const dayMs = 86_400_000

type BotKey = Pick<HeldBot, 'id' | 'userId'>

/** Writes results of comparisons, each in one transaction with what it books. */
export class ReconciliationWriting {
  #parts: WritingParts

  constructor(parts: WritingParts) {
    this.#parts = parts
  }

  /**
   * @returns `false` if the books have changed since the comparison: then it writes nothing
   * @throws {BotLost} if another node holds the bot
   */
  async write(held: HeldBot, result: Result): Promise<boolean> {
    const { nodeId, subscribers } = this.#parts
    const { id, userId } = held
    let isNotified = false
    let fillIds: number[] = []
    const isWritten = await this.transaction(async (tx) => {
      isNotified = false
      const bot = await lockHeld(tx, id, nodeId)
      const before = await readPosition(tx, id, result.symbol)
      if (!decimal(signedSize(before)).eq(decimal(result.booksSize))) return false
      const { after, booked, ids } = await bookOutside(tx, { botId: id, userId }, before, result)
      fillIds = ids
      const last = booked.at(-1)
      if (last !== undefined) {
        const markPrice = (symbol: string) => this.#parts.markPrice(held, symbol)
        const of = { botId: id, startBalance: bot.settings.startBalance, markPrice }
        await writeEquityPoint(tx, of, last.filledAt, { [result.symbol]: last.price })
      }
      await upsert(tx, { id, userId }, { ...result, booksSize: signedSize(after) })
      if (result.event !== undefined) await addEvent(tx, { id, userId }, result.symbol, result.event)
      if (subscribers?.hears(userId) !== true) return true
      const closed = outsideClose(before, after, booked)
      if (closed !== undefined || result.isNewDifference === true) {
        const named = { ...(await namedBot(tx, id)), symbol: result.symbol }
        if (closed !== undefined)
          await storeNotification(tx, userId, closed.type, { ...named, ...closed.data })
        if (result.isNewDifference)
          await storeNotification(tx, userId, 'books.differ', { ...named, ...differs(result) })
      }
      const change = { botId: id, userId, symbol: result.symbol, isWorking: false }
      const told = ids.length === 0 ? 0 : await tellOfTrades(tx, { ...change, firstNew: ids[0]! })
      isNotified = closed !== undefined || result.isNewDifference === true || told > 0
      return true
    })
    if (isNotified) subscribers?.onTold()
    if (isWritten && fillIds.length > 0) this.#announce(held, result.symbol, fillIds)
    return isWritten
  }

  #announce({ id, userId }: HeldBot, symbol: string, fillIds: number[]): void {
    const { onChange } = this.#parts
    for (const fillId of fillIds) onChange?.({ kind: 'fill', id: fillId, userId })
    onChange?.({ kind: 'position', id, userId, part: symbol })
  }

  /** Tests end it between two statements. */
  protected transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.#parts.database.db.transaction(work)
  }

  /**
   * Stores what the exchange says about the margin of an open position, and tells the owner if it would liquidate the
   * position before its stop is reached.
   * @param size of the books, negative for a short: what the account says is about such a position
   */
  async noteMargin(
    held: Pick<HeldBot, 'id' | 'userId'>,
    symbol: string,
    size: string,
    margin: PositionMargin,
  ): Promise<void> {
    const { subscribers, database } = this.#parts
    const { id: botId, userId } = held
    const isTold = await database.db.transaction(async (tx) => {
      const before = await writeMargin(tx, { botId, symbol, size: plain(decimal(size).abs()) }, margin)
      if (before === undefined || subscribers?.hears(userId) !== true) return false
      return tellOfLateStop(tx, { botId, userId, symbol }, { before, now: margin })
    })
    if (isTold) subscribers?.onTold()
  }

  /** Stores that the account could not be read for symbols that were compared before. */
  async noteUnreachable({ id }: BotKey, symbols: readonly string[], reason: string): Promise<void> {
    await this.#parts.database.db
      .update(reconciliations)
      .set({ status: 'UNREACHABLE', reason: storable(reason), checkedAt: sql`clock_timestamp()` })
      .where(and(eq(reconciliations.botId, id), inArray(reconciliations.symbol, [...symbols])))
  }
}

async function upsert(tx: Db, { id, userId }: BotKey, { symbol, booksSize, row }: Result): Promise<void> {
  const reason = row.reason === null ? null : storable(row.reason)
  const values = { ...row, reason, booksSize, checkedAt: new Date() }
  const known = await tx
    .update(reconciliations)
    .set(values)
    .where(keyOf(id, symbol))
    .returning({ symbol: reconciliations.symbol })
  if (known.length > 0) return
  const fundingUntil = (await firstFillAt(tx, id, symbol)) ?? row.knownUntil
  await tx.insert(reconciliations).values({ ...values, botId: id, symbol, userId, fundingUntil })
}

/** Before the first comparison, positions may have been paid funding and closed again. `null` without recent fills. */
async function firstFillAt(tx: Db, botId: number, symbol: string): Promise<Date | null> {
  const since = new Date(Date.now() - dayMs)
  const [first] = await tx
    .select({ at: fills.filledAt })
    .from(fills)
    .where(and(eq(fills.botId, botId), eq(fills.symbol, symbol), gte(fills.filledAt, since)))
    .orderBy(asc(fills.filledAt))
    .limit(1)
  return first?.at ?? null
}

export async function addEvent(
  tx: Db,
  { id, userId }: BotKey,
  symbol: string,
  { type, text }: { type: Event['type']; text: string },
): Promise<void> {
  await tx
    .insert(reconciliationEvents)
    .values({ botId: id, userId, symbol, type, text: storable(text), at: new Date() })
}

/** Above zero for a long, below zero for a short. */
export function signedSize({ side, size }: Pick<Position, 'side' | 'size'>): string {
  return side === 'short' ? `-${size}` : size
}

function differs({ booksSize, row }: Result) {
  return {
    books_size: exactly(booksSize),
    account_size: row.accountSize === null ? null : exactly(row.accountSize),
    ignored_size: exactly(row.ignoredSize),
    reason: row.reason,
    at: new Date().toISOString(),
  }
}
