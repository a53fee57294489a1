import type {
  ApprovalStatus,
  approvals,
  botSignals,
  bots,
  botWebhookDeliveries,
  deliveries,
  fills,
  orders,
  runs,
  StrategyType,
  signals,
  strategies,
} from '../db/schema.ts'

/** The rows that a trace is made of. */

export type DeliveryRow = Pick<typeof deliveries.$inferSelect, 'id' | 'receivedAt' | 'storedAt'>

/** A post to a bot webhook. It has the id of its signal. */
export type SignalDeliveryRow = Pick<
  typeof botWebhookDeliveries.$inferSelect,
  'id' | 'webhookId' | 'receivedAt' | 'storedAt' | 'bots'
> & { signal: SignalRow }

export type RunRow = {
  run: Omit<typeof runs.$inferSelect, 'seen' | 'clock'>
  strategy: { name: string; type: StrategyType }
  delivery: DeliveryRow | null
  signal: SignalRow | null
  approval: ApprovalRow | null
  /** The conversation with the model, as JSON. */
  transcript: string | null
  /** Until when this run suspended the strategy; `null` if it did not, or if a later run suspended it again. */
  suspendedUntil: Date | null
}

export type SignalRow = Pick<
  typeof signals.$inferSelect,
  'id' | 'action' | 'symbols' | 'price' | 'reason' | 'createdAt'
>

export type ApprovalRow = Pick<
  typeof approvals.$inferSelect,
  'id' | 'action' | 'symbols' | 'createdAt' | 'expiresAt' | 'decidedAt'
> & { status: ApprovalStatus }

/** A change of a strategy that the model of a run made or asked for. `turned`: the new status; `null` for new code. */
export type ChangeRow = Pick<
  typeof approvals.$inferSelect,
  'id' | 'runId' | 'createdAt' | 'expiresAt' | 'decidedAt'
> & { status: ApprovalStatus; targetId: number; targetName: string; turned: 'ACTIVE' | 'INACTIVE' | null }

/** A signal for one bot and symbol, with one of its orders and one fill of that, if there are any. */
export type BotRow = {
  botSignal: Omit<typeof botSignals.$inferSelect, 'userId'>
  bot: Pick<typeof bots.$inferSelect, 'name' | 'mode'>
  order: OrderRow | null
  fill: FillRow | null
}

export type OrderRow = Pick<
  typeof orders.$inferSelect,
  | 'id'
  | 'symbol'
  | 'side'
  | 'purpose'
  | 'size'
  | 'filledSize'
  | 'averagePrice'
  | 'status'
  | 'reason'
  | 'createdAt'
  | 'sentAt'
  | 'acknowledgedAt'
  | 'updatedAt'
>

export type FillRow = Pick<
  typeof fills.$inferSelect,
  'id' | 'size' | 'price' | 'fee' | 'feeAsset' | 'filledAt' | 'bookedAt'
>

/** A reaction that is attached to the webhook of a delivery. */
export type ReactionRow = Pick<
  typeof strategies.$inferSelect,
  'id' | 'status' | 'updatedAt' | 'createdAt'
> & {
  suspendedUntil: Date | null
  lastViolationAt: Date | null
}
