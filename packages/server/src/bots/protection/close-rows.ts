import type { Db } from '../../db/database.ts'
import {
  type BotSignalStatus,
  botSignals,
  type ProtectiveOrigin,
  type SignalOptions,
  signals,
} from '../../db/schema.ts'

/** A close that was stored. */
export type StoredClose = { signalId: number; botSignalId: number }

export type CloseRows = {
  botId: number
  userId: number
  symbol: string
  origin: ProtectiveOrigin
  /** In quote currency; `null`: there is none. */
  price: number | null
  at: Date
  options?: SignalOptions
  status?: BotSignalStatus
}

/**
 * Stores a close that the protection of a position wants, as a signal of its bot. The caller has locked the bot.
 * Announce the bot after the commit.
 */
export async function storeClose(
  tx: Db,
  { botId, userId, symbol, origin, price, at, options = {}, status = 'QUEUED' }: CloseRows,
): Promise<StoredClose> {
  const [signal] = await tx
    .insert(signals)
    .values({
      ...{ userId, origin, action: 'EXIT', symbols: [symbol], options },
      ...{ createdAt: at, price, delivered: true },
    })
    .returning({ id: signals.id })
  const [close] = await tx
    .insert(botSignals)
    .values({ botId, userId, signalId: signal!.id, symbol, status, queuedAt: at })
    .returning({ id: botSignals.id })
  return { signalId: signal!.id, botSignalId: close!.id }
}

/** The pause after the first close in a row that did not close what it should, the second, and so on. */
export const pausesMs: readonly number[] = [5_000, 10_000, 30_000, 60_000, 300_000]

/** When the next close may follow. @param attempts how many came in a row, with the one that is stored `at` this moment */
export function nextCloseAt(at: number, attempts: number): Date {
  return new Date(at + pausesMs[Math.min(attempts, pausesMs.length) - 1]!)
}
