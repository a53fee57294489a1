import { and, asc, eq, exists, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Note } from '../accounts/audit-log.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { bareSymbol, botSignals, bots, orders, positions, signals } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import { isProtective } from './inbox-rows.ts'
import { callOff } from './protection/called-off.ts'
import { announceSignal, openStatuses, queueCloses } from './queued-closes.ts'
import { symbolMeant } from './symbol-names.ts'

export type ClosesParts = {
  database: Database
  /** Called after the commit, with bots that have signals to follow. */
  onBots(botIds: number[]): void
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
}

/** A close in the list of signals of a bot. */
export type QueuedClose = Pick<
  typeof botSignals.$inferSelect,
  'id' | 'botId' | 'signalId' | 'symbol' | 'status'
>

/** A bot that was switched off, or whose positions are being closed. */
export type PanickedBot = { id: number; name: string; closes: QueuedClose[] }

const droppedReason = 'The owner of the bot dropped it.'

/**
 * What owners decide about the positions and closes of their bots. All of it becomes signals, which the bots follow as
 * any other signal: nothing here trades.
 */
export class Closes {
  #parts: ClosesParts

  constructor(parts: ClosesParts) {
    this.#parts = parts
  }

  /**
   * Queues closes of a bot's positions. Positions that an opening in progress may still create count too.
   * @param symbol in any spelling; default: all symbols
   * @throws {AppError} 404 if the user has no such bot; 409 if it holds nothing in that symbol, or if several symbols fit
   */
  async close(userId: number, botId: number, symbol: string | undefined, note: Note): Promise<QueuedClose[]> {
    const closes = await this.#db.transaction(async (tx) => {
      const [bot] = await lockBots(tx, and(eq(bots.userId, userId), eq(bots.id, botId)))
      if (bot === undefined) throw notFound('bot', botId)
      const fitting = (await heldSymbols(tx, [botId], symbol)).get(botId) ?? []
      const held = symbol === undefined ? fitting : symbolMeant(fitting, symbol)
      if (held.length === 0) {
        const what = symbol === undefined ? 'no position' : `no position in ${symbol}`
        throw new AppError('resource_conflict', `Bot ${botId} has ${what} to close.`)
      }
      const queued = await queueOwn(tx, userId, botId, held)
      await note(tx, { id: botId, positions: queued.length })
      return queued
    })
    this.#parts.onBots([botId])
    this.#announce(closes)
    return closes
  }

  /**
   * Switches off all bots of a user, which stops their openings, and queues closes of all their positions.
   * @returns the bots for which there was something to do
   */
  async panic(userId: number, note: Note): Promise<PanickedBot[]> {
    const panicked = await this.#db.transaction(async (tx) => {
      const own = await lockBots(tx, eq(bots.userId, userId))
      const ids = own.map(({ id }) => id)
      if (ids.length === 0) return []
      await tx
        .update(bots)
        .set({ status: 'INACTIVE', version: sql`${bots.version} + 1`, updatedAt: sql`now()` })
        .where(and(inArray(bots.id, ids), eq(bots.status, 'ACTIVE')))
      const held = await heldSymbols(tx, ids)
      const all: PanickedBot[] = []
      for (const { id, name, status } of own) {
        const symbols = held.get(id) ?? []
        if (status === 'INACTIVE' && symbols.length === 0) continue
        all.push({ id, name, closes: await queueOwn(tx, userId, id, symbols) })
      }
      const positions = all.reduce((sum, { closes }) => sum + closes.length, 0)
      await note(tx, { bots: all.length, positions })
      return all
    })
    this.#parts.onBots(panicked.map(({ id }) => id))
    for (const { id, closes } of panicked) {
      this.#parts.onChange?.({ kind: 'status', id, part: 'bot' })
      this.#announce(closes)
    }
    return panicked
  }

  /**
   * Lets a close that waits proceed. It keeps its place and its age.
   * @throws {AppError} 404 if the bot has no such signal, and 409 if it has ended or its bot is switched off
   */
  async proceed(userId: number, botId: number, id: number, note: Note): Promise<QueuedClose> {
    const close = await this.#db.transaction(async (tx) => {
      const { bot, signal, origin, hasOrders } = await this.#lockSignal(tx, userId, botId, id)
      if (openStatuses.some((status) => status === signal.status)) return signal
      if (signal.status === 'DELAYED') {
        const why = 'The bot follows it when the delay is over, unless you drop it.'
        throw new AppError('resource_conflict', `Signal ${id} is DELAYED, and no close that waits. ${why}`)
      }
      if (signal.status !== 'WAITING') throw hasEnded(signal)
      if (bot.status !== 'ACTIVE' && origin !== 'owner' && !isProtective(origin)) {
        const how = `Activate it first, or close the position with POST /api/v2/bot/signal/cex/${botId}/close.`
        throw new AppError(
          'resource_conflict',
          `Bot ${botId} is switched off, so signal ${id} keeps waiting. ${how}`,
        )
      }
      // A flip that has begun is not refused as a new signal would be.
      const changed = await update(tx, id, { status: hasOrders ? 'CLOSING' : 'QUEUED', reason: null })
      await note(tx, { id: botId, signal_id: id, symbol: signal.symbol })
      return changed
    })
    this.#parts.onBots([botId])
    this.#parts.onChange?.({ kind: 'bot_signal', id })
    return close
  }

  /**
   * Calls off a close that waits, or that the bot tries again and again, or a signal that the bot delays.
   * @throws {AppError} 404 if the bot has no such signal, and 409 if it has ended or has an order at the exchange now
   */
  async drop(userId: number, botId: number, id: number, note: Note): Promise<QueuedClose> {
    const close = await this.#db.transaction(async (tx) => {
      const { signal, origin, hasUnsettled } = await this.#lockSignal(tx, userId, botId, id)
      if (signal.status === 'IGNORED' && signal.reason === droppedReason) return signal
      if (!['DELAYED', 'WAITING', ...openStatuses].includes(signal.status)) throw hasEnded(signal)
      if (signal.status === 'QUEUED' || signal.status === 'WORKING') {
        const why = 'Only a close that is WAITING or CLOSING, or a signal that is DELAYED, can be dropped.'
        throw new AppError(
          'resource_conflict',
          `The bot is following signal ${id} now (${signal.status}). ${why}`,
        )
      }
      if (hasUnsettled) {
        const why = 'An order of it is at the exchange now. Try again when the order has ended.'
        throw new AppError('resource_conflict', `Signal ${id} cannot be dropped. ${why}`)
      }
      const finishedAt = new Date()
      const changed = await update(tx, id, { status: 'IGNORED', reason: droppedReason, finishedAt })
      if (isProtective(origin)) await callOff(tx, id, origin)
      await note(tx, { id: botId, signal_id: id, symbol: signal.symbol })
      return changed
    })
    this.#parts.onBots([botId])
    this.#parts.onChange?.({ kind: 'bot_signal', id })
    return close
  }

  #announce(closes: readonly QueuedClose[]): void {
    for (const id of new Set(closes.map(({ signalId }) => signalId))) {
      announceSignal(this.#parts.onChange, id)
    }
  }

  /** With the bot locked, no order can be planned for the signal. */
  async #lockSignal(tx: Db, userId: number, botId: number, id: number) {
    const [bot] = await lockBots(tx, and(eq(bots.userId, userId), eq(bots.id, botId)))
    if (bot === undefined) throw notFound('bot', botId)
    const ordersOf = (where?: SQL) =>
      exists(
        tx
          .select({ id: orders.id })
          .from(orders)
          .where(and(eq(orders.botSignalId, id), where)),
      )
    const [found] = await tx
      .select({
        signal: botSignals,
        origin: signals.origin,
        hasOrders: sql<boolean>`${ordersOf()}`,
        hasUnsettled: sql<boolean>`${ordersOf(isUnsettled)}`,
      })
      .from(botSignals)
      .leftJoin(signals, eq(signals.id, botSignals.signalId))
      .where(and(eq(botSignals.botId, botId), eq(botSignals.id, id)))
      .for('update', { of: botSignals })
    if (found === undefined) throw notFound('signal', id)
    return { bot, ...found }
  }

  get #db(): Db {
    return this.#parts.database.db
  }
}

const isUnsettled = inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN'])

/** In order of id, so that two calls at once do not wait for each other. */
function lockBots(tx: Db, where: SQL | undefined) {
  return tx
    .select({ id: bots.id, name: bots.name, status: bots.status })
    .from(bots)
    .where(where)
    .orderBy(asc(bots.id))
    .for('update')
}

/** By bot: the symbols in which it has a position, or an unsettled order that may create one. */
async function heldSymbols(tx: Db, botIds: number[], symbol?: string): Promise<Map<number, string[]>> {
  const isWanted = (column: typeof positions.symbol | typeof orders.symbol) =>
    symbol === undefined ? undefined : eq(bareSymbol(column), bareSymbol(sql`${symbol}::text`))
  const rows = await tx
    .select({ botId: positions.botId, symbol: positions.symbol })
    .from(positions)
    .where(and(inArray(positions.botId, botIds), isNotNull(positions.side), isWanted(positions.symbol)))
    .union(
      tx
        .select({ botId: orders.botId, symbol: orders.symbol })
        .from(orders)
        .where(and(inArray(orders.botId, botIds), isUnsettled, isWanted(orders.symbol))),
    )
  const held = new Map<number, string[]>()
  for (const row of rows) held.set(row.botId, [...(held.get(row.botId) ?? []), row.symbol].sort())
  return held
}

async function queueOwn(tx: Db, userId: number, botId: number, symbols: string[]): Promise<QueuedClose[]> {
  if (symbols.length === 0) return []
  const { botSignalIds } = await queueCloses(tx, { userId, botId, symbols, origin: 'owner', now: new Date() })
  return tx.select().from(botSignals).where(inArray(botSignals.id, botSignalIds)).orderBy(asc(botSignals.id))
}

async function update(
  tx: Db,
  id: number,
  values: Partial<typeof botSignals.$inferInsert>,
): Promise<typeof botSignals.$inferSelect> {
  const [row] = await tx.update(botSignals).set(values).where(eq(botSignals.id, id)).returning()
  return row!
}

function hasEnded({ id, status }: { id: number; status: string }): AppError {
  return new AppError('resource_conflict', `Signal ${id} has ended (${status}).`)
}
