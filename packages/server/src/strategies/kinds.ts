import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { StrategyType } from '../db/schema.ts'
import { Code, codeFields, orNull, reactionFields, readCodeFields, readReactionFields } from './fields.ts'
import { llmFields, Prompt, presentLlm, readLlmFields } from './llm-fields.ts'
import type { ListedStrategy, Strategy, StrategyWish } from './strategy.ts'

/** What a reset may forget. */
export type Reset = { triggers: boolean; storage: boolean; response?: boolean }

/** The strategies of one type: where their routes are, what texts call them, and which fields they alone have. */
export type StrategyKind = {
  type: StrategyType
  /** Under `/api/v2`. */
  path: string
  /** In the reference of the API. */
  tag: string
  one: string
  many: string
  /** What its owner sets; the fields of `text` are in no list. */
  fields: TProperties
  text: TProperties
  /** What cannot be set, and is in no list either. */
  left: TProperties
  /** What a request for a reset may name. */
  forgets: TProperties
  /** @param body that the schema of `fields` and `text` has passed, each of which may be left out */
  read(body: object): StrategyWish
  readReset(body: object): Reset
  /** The `fields`. */
  present(strategy: ListedStrategy): Record<string, unknown>
  /** `text` and `left`. */
  presentText(strategy: Strategy): Record<string, unknown>
}

const code = {
  text: {
    code: Code('The body of an async function; at most 256 KB.'),
  },
  left: {},
  forgets: { resetTriggers: Type.Boolean(), resetStore: Type.Boolean() },
  readReset: ({ resetTriggers = false, resetStore = false }: Flags<'resetTriggers' | 'resetStore'>) => ({
    ...{ triggers: resetTriggers, storage: resetStore },
  }),
  presentText: (strategy: Strategy) => ({ code: strategy.code }),
}

export const codeStrategies = kind({
  ...code,
  type: 'code-strategy',
  path: '/strategy/code',
  tag: 'Code strategies',
  one: 'code strategy',
  many: 'code strategies',
  fields: {
    ...codeFields,
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
  read: ({ cron_interval: cronInterval, timezone, ...others }) => ({
    ...readCodeFields(others),
    ...(cronInterval === undefined ? {} : { cronInterval }),
    ...(timezone === undefined ? {} : { timezone }),
  }),
  present: (strategy) => ({
    ...presentCode(strategy),
    cron_interval: strategy.cronInterval!,
    timezone: strategy.timezone!,
  }),
})

export const codeReactions = kind({
  ...code,
  type: 'code-reaction',
  path: '/strategy/reaction/code',
  tag: 'Code reactions',
  one: 'code reaction',
  many: 'code reactions',
  fields: { ...codeFields, ...reactionFields },
  read: (body) => ({ ...readCodeFields(body), ...readReactionFields(body) }),
  present: (strategy) => ({ ...presentCode(strategy), ...presentReaction(strategy) }),
})

export const llmReactions = kind({
  type: 'llm-reaction',
  path: '/strategy/reaction/llm',
  tag: 'AI reactions',
  one: 'AI reaction',
  many: 'AI reactions',
  fields: { ...reactionFields, ...llmFields },
  text: {
    prompt: Prompt('What the model is asked, with placeholders; at most 16 KB.'),
  },
  left: {
    response: orNull(Type.String({ description: 'The last words of the model.' })),
  },
  forgets: {
    resetTriggers: Type.Boolean(),
    resetStorage: Type.Boolean(),
    resetResponse: Type.Boolean(),
  },
  readReset: ({
    resetTriggers: triggers = false,
    resetStorage: storage = false,
    resetResponse: response = false,
  }) => ({ triggers, storage, response }),
  read: (body) => ({ ...readReactionFields(body), llm: readLlmFields(body) }),
  present: (strategy) => ({ ...presentReaction(strategy), ...presentLlm(strategy.llm!) }),
  presentText: ({ llm }) => ({ prompt: llm!.prompt, response: llm!.response }),
})

/** Those whose text is code. */
export const codeKinds = [codeStrategies, codeReactions] as const
/** Those that data webhooks feed, by the last part of where these list them. */
export const reactionKinds = { 'code-reactions': codeReactions, 'llm-reactions': llmReactions } as const
export const strategyKinds: readonly StrategyKind[] = [...codeKinds, llmReactions]

type Flags<Name extends string> = { [name in Name]?: boolean }

function presentCode({ usePrice, exchangeId, priceSymbol }: ListedStrategy) {
  return { use_price: usePrice, exchange_id: exchangeId, price_symbol: priceSymbol }
}

function presentReaction({ dataWebhookId, delay }: ListedStrategy) {
  return { data_webhook_id: dataWebhookId, delay }
}

/** Holds what reads and presents against the schemas that stand beside it. */
function kind<
  Type extends StrategyType,
  Fields extends TProperties,
  Text extends TProperties,
  Left extends TProperties,
  Forgets extends TProperties,
>(
  kind: Omit<
    StrategyKind,
    'type' | 'fields' | 'text' | 'left' | 'forgets' | 'read' | 'readReset' | 'present' | 'presentText'
  > & {
    type: Type
    fields: Fields
    text: Text
    left: Left
    forgets: Forgets
    read(body: Partial<Static<TObject<Fields>> & Static<TObject<Text>>>): StrategyWish
    readReset(body: Partial<Static<TObject<Forgets>>>): Reset
    present(strategy: ListedStrategy): Static<TObject<Fields>>
    presentText(strategy: Strategy): Static<TObject<Text>> & Static<TObject<Left>>
  },
): StrategyKind & { type: Type } {
  return kind as unknown as StrategyKind & { type: Type }
}

/** With its article. */
export function a(one: string): string {
  return one.startsWith('AI') ? `an ${one}` : `a ${one}`
}
