import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { StrategyType } from '../db/schema.ts'
import type { ListedStrategy, StrategyWish } from './strategy.ts'

/** The strategies of one type: where their routes are, what texts call them, and which fields they alone have. */
export type StrategyKind = {
  type: StrategyType
  /** Under `/api/v2`. */
  path: string
  /** In the reference of the API. */
  tag: string
  one: string
  many: string
  fields: TProperties
  /** @param body that the schema of `fields` has passed, each of which may be left out */
  read(body: object): StrategyWish
  present(strategy: ListedStrategy): Record<string, unknown>
}

const wholeNumber = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

export const codeStrategies = kind({
  type: 'code-strategy',
  path: '/strategy/code',
  tag: 'Code strategies',
  one: 'code strategy',
  many: 'code strategies',
  fields: {
    cron_interval: Type.String({
      maxLength: 255,
      description:
        'When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once a second. Default `1M`.',
    }),
    timezone: Type.String({
      maxLength: 100,
      description: 'The IANA time zone that a cron expression is read in. Default `UTC`.',
    }),
  },
  read: ({ cron_interval: cronInterval, timezone }) => ({
    ...(cronInterval === undefined ? {} : { cronInterval }),
    ...(timezone === undefined ? {} : { timezone }),
  }),
  present: ({ cronInterval, timezone }) => ({ cron_interval: cronInterval!, timezone: timezone! }),
})

export const codeReactions = kind({
  type: 'code-reaction',
  path: '/strategy/reaction/code',
  tag: 'Code reactions',
  one: 'code reaction',
  many: 'code reactions',
  fields: {
    data_webhook_id: Type.Union([Type.Integer(wholeNumber), Type.Null()], {
      description: 'The data webhook whose deliveries it runs for.',
    }),
    delay: Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Null()], {
      description: 'At most that many runs a second.',
    }),
  },
  read: ({ data_webhook_id: dataWebhookId, delay }) => ({
    ...(dataWebhookId === undefined ? {} : { dataWebhookId }),
    ...(delay === undefined ? {} : { delay }),
  }),
  present: ({ dataWebhookId, delay }) => ({ data_webhook_id: dataWebhookId, delay }),
})

export const strategyKinds: readonly StrategyKind[] = [codeStrategies, codeReactions]

/** Holds `read` and `present` against the schemas that stand beside them. */
function kind<Fields extends TProperties>(
  kind: Omit<StrategyKind, 'fields' | 'read' | 'present'> & {
    fields: Fields
    read(body: Partial<Static<TObject<Fields>>>): StrategyWish
    present(strategy: ListedStrategy): Static<TObject<Fields>>
  },
): StrategyKind {
  return kind as StrategyKind
}
