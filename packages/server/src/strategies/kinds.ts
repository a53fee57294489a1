import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { given } from '../base/given.ts'
import type { StrategyType } from '../db/schema.ts'
import { clockFields, scheduleFields } from '../schedules/fields.ts'
import { Code, codeFields, orNull, reactionFields, readCodeFields, readReactionFields } from './fields.ts'
import { llmFields, Prompt, presentLlm, readLlmFields } from './llm-fields.ts'
import type { ListedStrategy, Strategy, StrategySettings } from './strategy.ts'

/** What a reset deletes. */
export type Reset = { triggers: boolean; storage: boolean; response?: boolean }

/** One type of strategy in the API: its path, its names in texts, and its own fields. */
export type StrategyKind = {
  type: StrategyType
  /** After `/api/v2`. */
  path: string
  /** The section of the API reference. */
  tag: string
  one: string
  many: string
  /** A sentence of the API reference: what saving checks. */
  check: string
  /** The settings that only this type has. Lists omit those in `text`. */
  fields: TProperties
  text: TProperties
  /** What its runs leave, besides the state of every strategy. Lists omit it. */
  results: TProperties
  /** The flags of a request for a reset. */
  resets: TProperties
  /** The flags in words, for the API reference. */
  resetHelp: string
  examples: { create: object; change: object; reset: object }
  /** @param body is valid by the schema of `fields` and `text`; every field is optional */
  read(body: object): StrategySettings
  readReset(body: object): Reset
  /** The `fields`. */
  present(strategy: ListedStrategy): Record<string, unknown>
  /** `text` and `results`. */
  presentText(strategy: Strategy): Record<string, unknown>
}

const code = {
  text: {
    code: Code('The body of an async function; at most 256 KB.'),
  },
  check:
    'Code with a forbidden identifier or a syntax error is refused with the line and column of each problem.',
  results: {},
  resetHelp: 'the last trigger (`resetTriggers`) and the stored value (`resetStore`)',
  resets: { resetTriggers: Type.Boolean(), resetStore: Type.Boolean() },
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
    ...scheduleFields,
  },
  examples: {
    create: {
      name: 'Breakout',
      code: 'if ($.Price.price > 70000) await $.Strategy.action($.Action.LONG)',
      cron_interval: '5M',
      use_price: true,
      exchange_id: 2,
      price_symbol: 'BTC/USDT',
      send_signal: true,
      symbol: 'BTCUSDT',
    },
    change: { cron_interval: '0 8 * * 1-5', timezone: 'Europe/Berlin' },
    reset: { resetTriggers: true },
  },
  read: (body) => ({ ...readCodeFields(body), ...readScheduleFields(body) }),
  present: (strategy) => ({ ...presentCode(strategy), ...presentSchedule(strategy) }),
})

export const codeReactions = kind({
  ...code,
  type: 'code-reaction',
  path: '/strategy/reaction/code',
  tag: 'Code reactions',
  one: 'code reaction',
  many: 'code reactions',
  fields: { ...codeFields, ...reactionFields },
  examples: {
    create: {
      name: 'Follow alerts',
      code: "const { side } = JSON.parse($.Request.data)\nawait $.Strategy.action(side === 'buy' ? $.Action.LONG : $.Action.EXIT)",
      data_webhook_id: 1,
      delay: 5,
      send_signal: true,
      symbol: 'BTCUSDT',
    },
    change: { delay: null },
    reset: { resetStore: true },
  },
  read: (body) => ({ ...readCodeFields(body), ...readReactionFields(body) }),
  present: (strategy) => ({ ...presentCode(strategy), ...presentReaction(strategy) }),
})

const llm = {
  check: 'A prompt with a wrong placeholder is refused with the line and column of each problem.',
  text: {
    prompt: Prompt('The instructions to the model, with placeholders; at most 1 MB.'),
  },
  results: {
    response: orNull(Type.String({ description: 'The last reply of the model.' })),
  },
  resetHelp:
    'the last trigger (`resetTriggers`), the stored value (`resetStorage`) and the last reply of the model (`resetResponse`)',
  resets: {
    resetTriggers: Type.Boolean(),
    resetStorage: Type.Boolean(),
    resetResponse: Type.Boolean(),
  },
  readReset: ({
    resetTriggers: triggers = false,
    resetStorage: storage = false,
    resetResponse: response = false,
  }: Flags<'resetTriggers' | 'resetStorage' | 'resetResponse'>) => ({ triggers, storage, response }),
  presentText: ({ llm }: Strategy) => ({ prompt: llm!.prompt, response: llm!.response }),
}

export const llmReactions = kind({
  ...llm,
  type: 'llm-reaction',
  path: '/strategy/reaction/llm',
  tag: 'AI reactions',
  one: 'AI reaction',
  many: 'AI reactions',
  fields: { ...reactionFields, ...llmFields },
  examples: {
    create: {
      name: 'Read the news',
      prompt: 'Decide whether this news is good or bad for Bitcoin, and act on it: {{data}}',
      connection_id: 1,
      data_webhook_id: 1,
      send_signal: true,
      symbol: 'BTCUSDT',
      actions: ['LONG', 'EXIT'],
      needs_approval: true,
    },
    change: { tokens_per_day: 100000, actions_per_day: 5 },
    reset: { resetResponse: true },
  },
  read: (body) => ({ ...readReactionFields(body), llm: readLlmFields(body) }),
  present: (strategy) => ({ ...presentReaction(strategy), ...presentLlm(strategy.llm!) }),
})

export const llmSessions = kind({
  ...llm,
  type: 'llm-session',
  path: '/strategy/llm-session',
  tag: 'AI sessions',
  one: 'AI session',
  many: 'AI sessions',
  fields: { ...clockFields, ...llmFields },
  examples: {
    create: {
      name: 'Every four hours',
      prompt:
        'Bitcoin is at {{price:binance:spot:btc/usdt}}. You noted: {{storage}}. Decide whether to hold it for the next four hours.',
      connection_id: 1,
      cron_interval: '4H',
      send_signal: true,
      symbol: 'BTCUSDT',
      actions: ['LONG', 'EXIT'],
      needs_approval: true,
    },
    change: { cron_interval: '0 8 * * 1-5', timezone: 'Europe/Berlin' },
    reset: { resetResponse: true },
  },
  read: (body) => ({ ...readScheduleFields(body), llm: readLlmFields(body) }),
  present: (strategy) => ({ ...presentSchedule(strategy), ...presentLlm(strategy.llm!) }),
})

/** The kinds that run code. */
export const codeKinds = [codeStrategies, codeReactions] as const
/** The kinds that data webhooks trigger, by the last segment of the path that lists them. */
export const reactionKinds = { 'code-reactions': codeReactions, 'llm-reactions': llmReactions } as const
/** The kinds that ask a language model. */
export const llmKinds = [llmReactions, llmSessions] as const
/** The kinds that a schedule triggers. */
export const scheduledKinds = [codeStrategies, llmSessions] as const
export const strategyKinds: readonly StrategyKind[] = [...codeKinds, ...llmKinds]

type Flags<Name extends string> = { [name in Name]?: boolean }

function presentCode({ usePrice, exchangeId, priceSymbol }: ListedStrategy) {
  return { use_price: usePrice, exchange_id: exchangeId, price_symbol: priceSymbol }
}

function readScheduleFields(body: { cron_interval?: string; timezone?: string }): StrategySettings {
  const { cron_interval: cronInterval, timezone } = body
  return given({ cronInterval, timezone })
}

function presentSchedule({ cronInterval, timezone }: ListedStrategy) {
  return { cron_interval: cronInterval!, timezone: timezone! }
}

function presentReaction({ dataWebhookId, delay }: ListedStrategy) {
  return { data_webhook_id: dataWebhookId, delay }
}

/** Has the compiler compare what a kind reads and presents with its schemas. */
function kind<
  Type extends StrategyType,
  Fields extends TProperties,
  Text extends TProperties,
  Results extends TProperties,
  Resets extends TProperties,
>(
  kind: Omit<
    StrategyKind,
    'type' | 'fields' | 'text' | 'results' | 'resets' | 'read' | 'readReset' | 'present' | 'presentText'
  > & {
    type: Type
    fields: Fields
    text: Text
    results: Results
    resets: Resets
    read(body: Partial<Static<TObject<Fields>> & Static<TObject<Text>>>): StrategySettings
    readReset(body: Partial<Static<TObject<Resets>>>): Reset
    present(strategy: ListedStrategy): Static<TObject<Fields>>
    presentText(strategy: Strategy): Static<TObject<Text>> & Static<TObject<Results>>
  },
): StrategyKind & { type: Type } {
  return kind as unknown as StrategyKind & { type: Type }
}

/** `one` with its indefinite article. */
export function withArticle(one: string): string {
  return one.startsWith('AI') ? `an ${one}` : `a ${one}`
}
