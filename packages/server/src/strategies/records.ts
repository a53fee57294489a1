/** How the API reads and shows the strategies of each kind. */

import { Type } from 'typebox'
import { orNull, wholeNumber } from './fields.ts'
import type { StrategyKind } from './kinds.ts'
import { nextRun } from './next-run.ts'
import { currentStatus, currentSuspension } from './status.ts'
import type { ListedStrategy, Strategy, StrategySettings } from './strategy.ts'

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

/** The settings of every kind. */
export const settable = {
  name: Type.String({ maxLength: 255 }),
  folder_id: orNull(Type.Integer(wholeNumber)),
  visibility: Type.Union([Type.Literal('PRIVATE'), Type.Literal('PUBLIC')], {
    description: '`PUBLIC`: every user can read and copy the code or the prompt.',
  }),
  send_signal: Type.Boolean({
    description: "'Send signal': gives code `$.Strategy.action`, and a model its actions.",
  }),
  webhook_id: orNull(
    Type.Integer({ ...wholeNumber, description: 'The bot webhook that receives its signals.' }),
  ),
  symbol: orNull(Type.String({ maxLength: 1000, description: 'Signal symbols, separated by commas.' })),
}

const CommonSettings = Type.Partial(Type.Object(settable))

const runState = {
  last_trigger: Type.Object({
    action: orNull(Type.String()),
    price: orNull(Type.Number()),
    at: orNull(Timestamp),
  }),
  last_run_at: orNull(Timestamp),
  next_run_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'When its schedule fires next. A time that has just passed: the run is about to be queued.',
    }),
  ),
  next_run_reason: orNull(
    Type.Union(
      [
        Type.Literal('no_schedule'),
        Type.Literal('inactive'),
        Type.Literal('suspended'),
        Type.Literal('tick'),
        Type.Literal('never_fires'),
      ],
      {
        description:
          'Why `next_run_at` is null: it is `inactive`, `suspended` until `suspended_until`, a reaction has `no_schedule`, each price (`tick`) triggers it, or it `never_fires` because this system does not know its time zone.',
      },
    ),
  ),
  suspended_until: orNull(Timestamp),
  suspension_reason: orNull(
    Type.Object({
      run_id: Type.Integer(),
      rule: Type.String(),
      limit: Type.Number(),
      actual: Type.Number(),
    }),
  ),
}

/** Why somebody saves. */
export const Reason = Type.Optional(
  Type.String({
    maxLength: 500,
    description: 'Why you save, in your own words. The version that the save makes keeps it.',
  }),
)

export type StrategyRecords = ReturnType<typeof recordsOf>

/** The schemas of one kind: the settings and resets that a request can contain, and the records in responses. */
export function recordsOf(kind: StrategyKind) {
  const { name, folder_id, ...others } = settable
  const listed = {
    id: Type.Integer(),
    type: Type.Literal(kind.type),
    name,
    folder_id,
    status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE'), Type.Literal('SUSPENDED')]),
    ...others,
    ...kind.fields,
    ...runState,
    created_at: Timestamp,
    updated_at: Timestamp,
  }
  const storage = Type.Unknown({ description: 'The stored value, or null.' })
  const saved = Type.Object({ ...settable, ...kind.fields, ...kind.text, reason: Reason })
  return {
    NewSettings: Type.Partial(saved, { examples: [kind.examples.create] }),
    ChangedSettings: Type.Partial(saved, { examples: [kind.examples.change] }),
    Reset: Type.Partial(Type.Object(kind.resets), { examples: [kind.examples.reset] }),
    Listed: Type.Object(listed),
    Complete: Type.Object({ ...listed, ...kind.text, ...kind.results, storage }),
  }
}

export function readSettings(kind: StrategyKind, body: Type.Static<typeof CommonSettings>): StrategySettings {
  const settings = kind.read(body)
  if (body.name !== undefined) settings.name = body.name
  if (body.folder_id !== undefined) settings.folderId = body.folder_id
  if (body.visibility !== undefined) settings.isPublic = body.visibility === 'PUBLIC'
  if (body.send_signal !== undefined) settings.sendSignal = body.send_signal
  if (body.webhook_id !== undefined) settings.webhookId = body.webhook_id
  if (body.symbol !== undefined) settings.symbol = body.symbol
  return settings
}

export function presentListed(kind: StrategyKind, strategy: ListedStrategy) {
  const now = new Date()
  const suspension = currentSuspension(strategy, now)
  const { state } = strategy
  const next = nextRun(strategy, now)
  return {
    id: strategy.id,
    type: kind.type,
    name: strategy.name,
    folder_id: strategy.folderId,
    status: currentStatus(strategy, now),
    visibility: strategy.isPublic ? ('PUBLIC' as const) : ('PRIVATE' as const),
    send_signal: strategy.sendSignal,
    webhook_id: strategy.webhookId,
    symbol: strategy.symbol,
    ...kind.present(strategy),
    last_trigger: {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.toISOString() ?? null,
    },
    last_run_at: state.lastRunAt?.toISOString() ?? null,
    next_run_at: next.at?.toISOString() ?? null,
    next_run_reason: next.reason,
    suspended_until: suspension?.until.toISOString() ?? null,
    suspension_reason: suspension?.reason ?? null,
    created_at: strategy.createdAt.toISOString(),
    updated_at: strategy.updatedAt.toISOString(),
  }
}

export function presentComplete(kind: StrategyKind, strategy: Strategy) {
  const { storage } = strategy.state
  return {
    ...presentListed(kind, strategy),
    ...kind.presentText(strategy),
    storage: storage === null ? null : (JSON.parse(storage) as unknown),
  }
}
