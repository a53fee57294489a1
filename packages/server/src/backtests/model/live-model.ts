/** A model that a backtest asks about what has no recorded decision. */
import type { Violation } from '@tickwright/sandbox'
import type { Answer } from '../../ai/answer.ts'
import type { FailureKind } from '../../ai/provider-failure.ts'
import type { ModelAccess, Question } from '../../ai/providers.ts'
import type { Policy } from '../../ai/tools.ts'
import type { ChartSettings } from '../../market/chart/chart-settings.ts'
import type { Decided } from '../host.ts'
import type { RecordedRun, UnaskedReason } from './missing.ts'

/** The settings of an AI reaction at the time of the request. */
export type LiveSettings = {
  connectionId: number
  fallbackId: number | null
  policy: Policy
  chart: ChartSettings | null
  /** The most actions on a day (UTC) of the backtest. */
  actionsPerDay: number
}

/** The same for the process of a backtest, which gets no key. */
export type LiveModel = LiveSettings & { connection: ModelAccess; fallback: ModelAccess | null }

/** A run on a delivery, with what its model decided. */
export type RecordedDecision = RecordedRun & {
  signal: (Pick<Decided, 'action' | 'atMs' | 'options'> & { price: number | null }) | null
  violation: Violation | null
}

/** A delivery, and the runs on it whose question was the same. */
export type EventRecord = { deliveryId: number; runs: RecordedDecision[] }

/** `deliveryId`: what it is about. */
export type ModelQuestion = { deliveryId: number; isFallback: boolean; question: Question }

/** `tokens`: what the backtest has used until then, or has reserved. */
export type ModelReply = { tokens: number } & (
  | { answer: Answer }
  | { failure: { kind: FailureKind; message: string; mayHaveCost: boolean; status: number | undefined } }
  | { refused: UnaskedReason }
)

/** Asks through the service, which has the key and the budget. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<ModelReply>

/** What became of the events until now. `asked`: the model was asked about so many, and has decided. */
export type ModelCounts = { recorded: number; asked: number; missing: Record<string, number>; tokens: number }

/** What else is needed to go on. `pending`: actions whose time, because they waited, is after that of the next event. */
export type ModelArrival = {
  pending: Decided[]
  actions: { day: string; count: number }
  /** Events in a row for which the provider had no answer. */
  unanswered: number
  /** Why the model is not asked any more. */
  over: UnaskedReason | null
}
