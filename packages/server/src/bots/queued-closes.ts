import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { botSignals, bots, signals } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'

/** The statuses of a signal that a bot will follow, or is following. */
export const openStatuses = ['QUEUED', 'WORKING', 'CLOSING'] as const

export type CloseRequest = {
  userId: number
  botId: number
  /** As the books name them. */
  symbols: readonly string[]
  /** Who wants the positions closed: the owner of the bot, or its `onLimit` setting. */
  origin: 'owner' | 'limit'
  now: Date
}

/** `signalId`: of the new signal; `null` if no symbol needed one. `botSignalIds`: in the order of `symbols`. */
export type QueuedCloses = { signalId: number | null; botSignalIds: number[] }

/**
 * Queues an EXIT for each symbol, for the one path by which the bot follows signals. A symbol for which an EXIT of the
 * same origin is still open gets no second one. Announce the bot after the commit.
 */
export async function queueCloses(tx: Db, request: CloseRequest): Promise<QueuedCloses> {
  const { userId, botId, origin, now } = request
  const symbols = [...new Set(request.symbols)]
  // Two calls at once must not queue a symbol twice.
  await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, botId)).for('update')
  const queued = await openCloses(tx, botId, symbols, origin)
  const missing = symbols.filter((symbol) => !queued.has(symbol))
  let signalId: number | null = null
  if (missing.length > 0) {
    const values = { userId, origin, action: 'EXIT' as const, symbols: missing, options: {}, createdAt: now }
    const [signal] = await tx
      .insert(signals)
      .values({ ...values, delivered: true })
      .returning({ id: signals.id })
    signalId = signal!.id
    const rows = missing.map((symbol) => ({ botId, userId, signalId: signal!.id, symbol, queuedAt: now }))
    const added = await tx
      .insert(botSignals)
      .values(rows)
      .returning({ id: botSignals.id, symbol: botSignals.symbol })
    for (const { id, symbol } of added) queued.set(symbol, id)
  }
  return { signalId, botSignalIds: symbols.map((symbol) => queued.get(symbol)!) }
}

/** Tells live streams of a new signal, and of the bots that got it. */
export function announceSignal(onChange: Announce | undefined, id: number): void {
  onChange?.({ kind: 'signal', id })
  onChange?.({ kind: 'bot_signal', id, part: 'signal' })
}

/** The open closes of an origin: the id of the bot's signal by symbol. */
async function openCloses(
  tx: Db,
  botId: number,
  symbols: string[],
  origin: CloseRequest['origin'],
): Promise<Map<string, number>> {
  if (symbols.length === 0) return new Map()
  const rows = await tx
    .select({ id: botSignals.id, symbol: botSignals.symbol })
    .from(botSignals)
    .innerJoin(signals, eq(signals.id, botSignals.signalId))
    .where(
      and(
        eq(botSignals.botId, botId),
        inArray(botSignals.status, [...openStatuses]),
        inArray(botSignals.symbol, symbols),
        eq(signals.origin, origin),
      ),
    )
  return new Map(rows.map(({ id, symbol }) => [symbol, id]))
}
