import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../http/schemas.ts'
import { BotSignalStatus } from '../signals/schemas.ts'
import type { BotSignal } from './records.ts'

export const BotSignalRecord = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  signal_id: Type.Integer(),
  action: Nullable(Type.Enum(['LONG', 'SHORT', 'EXIT'])),
  symbol: Type.String(),
  status: BotSignalStatus,
  reason: Nullable(
    Type.String({
      description: 'Why the bot ignored or refused the signal, or why it failed, with the figures.',
    }),
  ),
  queued_at: Timestamp,
  due_at: Nullable({
    ...Timestamp,
    description:
      'When the delay of the bot (`delay_seconds`) is over; null for a signal that it did not delay.',
  }),
  finished_at: Nullable(Timestamp),
})

export function presentBotSignal(signal: BotSignal): Static<typeof BotSignalRecord> {
  return {
    id: signal.id,
    bot_id: signal.botId,
    signal_id: signal.signalId,
    action: signal.action,
    symbol: signal.symbol,
    status: signal.status,
    reason: signal.reason,
    queued_at: signal.queuedAt.toISOString(),
    due_at: signal.dueAt?.toISOString() ?? null,
    finished_at: signal.finishedAt?.toISOString() ?? null,
  }
}
