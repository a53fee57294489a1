/** The fields of an AI strategy while somebody edits them: numbers are texts until they are saved. */

import type { AiKind, AiStrategy } from './kinds.ts'

type ActionName = AiStrategy['actions'][number]
export const actionNames: readonly ActionName[] = ['LONG', 'SHORT', 'EXIT']

type ToolName = AiStrategy['tools'][number]
/** The tools of a model in words, in the order of the page. */
export const toolWords: Record<ToolName, string> = {
  get_positions: 'Read the positions of your bots',
  get_price: 'Read prices',
  get_candles: 'Read candles',
  get_indicator: 'Compute indicators',
  get_signal_logs: 'Read its own signals',
  get_error_logs: 'Read its own errors',
  get_storage: 'Read its storage',
  set_storage: 'Replace its storage',
  append_storage: 'Append to its storage',
  web_fetch: 'Fetch pages of the web',
  set_strategy: 'Write the code of strategies',
  set_strategy_status: 'Switch strategies on and off',
}
export const toolNames = Object.keys(toolWords) as ToolName[]
/** Those that change other strategies. */
export const changingTools: readonly ToolName[] = ['set_strategy', 'set_strategy_status']
/** A model that was talked into something could tell others what it knows, or do more. So the owner has to choose them. */
const optionalTools: readonly ToolName[] = ['web_fetch', ...changingTools]

/** Those of both kinds. Each kind has a part of them: {@link fieldsOfKind}. */
export type Fields = {
  name: string
  prompt: string
  connection_id: number | null
  fallback_id: number | null
  data_webhook_id: number | null
  delay: string
  cron_interval: string
  timezone: string
  send_signal: boolean
  webhook_id: number | null
  symbol: string
  actions: ActionName[]
  max_size: string
  tools: ToolName[]
  /** In order. */
  may_change: number[]
  change_needs_approval: boolean
  needs_approval: boolean
  approval_minutes: string
  tokens_per_day: string
  actions_per_day: string
  send_email: boolean
  use_chart: boolean
  chart_symbol: string
  chart_interval: string
  /** Separated by spaces, because a study can have commas. */
  chart_studies: string
  chart_range: string
  visibility: 'PRIVATE' | 'PUBLIC'
}

/** What triggers each kind. */
const triggers = {
  reaction: ['data_webhook_id', 'delay'],
  session: ['cron_interval', 'timezone'],
} as const

const firstPrompts: Record<AiKind, string> = {
  reaction: 'An alert came in: {{data}}\n\nDecide whether to act on it, and say why.',
  session:
    'It is {{current_time}}. Bitcoin is at {{price:binance:spot:btc/usdt}}. You noted: {{storage}}\n\nDecide whether to act, note what you have to know next time, and say why.',
}

/** Approval first: nobody should find out by an order what a model makes of a first prompt. */
export const newFields = (kind: AiKind): Fields => ({
  ...{ name: '', prompt: firstPrompts[kind] },
  ...{ connection_id: null, fallback_id: null, data_webhook_id: null, delay: '' },
  ...{ send_signal: true, webhook_id: null, send_email: false },
  ...{ cron_interval: '1H', timezone: 'UTC' },
  ...{ symbol: '', actions: [...actionNames], max_size: '', needs_approval: true, approval_minutes: '15' },
  tools: toolNames.filter((tool) => !optionalTools.includes(tool)),
  ...{ may_change: [], change_needs_approval: true },
  ...{ use_chart: false, chart_symbol: '', chart_interval: '1h', chart_studies: '', chart_range: '' },
  ...{ tokens_per_day: '500000', actions_per_day: '100', visibility: 'PRIVATE' },
})

/** The names of the fields that a kind has. */
export function fieldsOfKind(kind: AiKind): (keyof Fields)[] {
  const others: readonly string[] = triggers[kind === 'reaction' ? 'session' : 'reaction']
  return (Object.keys(newFields(kind)) as (keyof Fields)[]).filter((name) => !others.includes(name))
}

export function fieldsOf(strategy: AiStrategy): Fields {
  const { name, prompt, connection_id, send_signal, webhook_id, actions } = strategy
  const { needs_approval, visibility, use_chart, chart_interval } = strategy
  const { fallback_id, send_email, may_change, change_needs_approval } = strategy
  return {
    ...triggerOf(strategy),
    ...{ name, prompt, connection_id, send_signal, webhook_id, needs_approval, visibility },
    ...{ fallback_id, send_email, change_needs_approval },
    may_change: [...may_change].sort((one, other) => one - other),
    ...{ use_chart, chart_interval, chart_studies: strategy.chart_studies.join(' ') },
    ...{ chart_symbol: strategy.chart_symbol ?? '', chart_range: strategy.chart_range ?? '' },
    actions: actionNames.filter((action) => actions.includes(action)),
    tools: toolNames.filter((tool) => strategy.tools.includes(tool)),
    symbol: strategy.symbol ?? '',
    max_size: textOf(strategy.max_size),
    approval_minutes: textOf(strategy.approval_minutes),
    tokens_per_day: textOf(strategy.tokens_per_day),
    actions_per_day: textOf(strategy.actions_per_day),
  }
}

function triggerOf(strategy: AiStrategy) {
  const { data_webhook_id, delay, cron_interval, timezone } = newFields('session')
  const none = { data_webhook_id, delay, cron_interval, timezone }
  return strategy.type === 'llm-session'
    ? { ...none, cron_interval: strategy.cron_interval, timezone: strategy.timezone }
    : { ...none, data_webhook_id: strategy.data_webhook_id, delay: textOf(strategy.delay) }
}

function textOf(number: number | null): string {
  return number === null ? '' : String(number)
}

/** The names of the fields that differ. */
export function changedFields(one: Fields, other: Fields): (keyof Fields)[] {
  return (Object.keys(one) as (keyof Fields)[]).filter((name) => String(one[name]) !== String(other[name]))
}

/** The fields as the API takes them. An empty text is no limit, or nothing. */
export function bodyOf(fields: Fields, names: readonly (keyof Fields)[]): Body {
  const all = allOf(fields)
  return Object.fromEntries(names.map((name) => [name, all[name]]))
}

export type Body = Partial<ReturnType<typeof allOf>> & { folder_id?: number | null }

function allOf(fields: Fields) {
  const { symbol, delay, max_size, approval_minutes, tokens_per_day, actions_per_day, ...others } = fields
  return {
    ...others,
    ...chartBodyOf(fields),
    symbol: textOrNull(symbol),
    delay: numberOrNull(delay),
    max_size: numberOrNull(max_size),
    approval_minutes: Number(approval_minutes),
    tokens_per_day: Number(tokens_per_day),
    actions_per_day: Number(actions_per_day),
  }
}

/** The fields of a chart as the API takes them. */
export function chartBodyOf({ use_chart, chart_symbol, chart_interval, chart_studies, chart_range }: Fields) {
  return {
    ...{ use_chart, chart_interval, chart_symbol: textOrNull(chart_symbol) },
    chart_studies: chart_studies.split(/\s+/).filter((study) => study !== ''),
    chart_range: textOrNull(chart_range),
  }
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

function numberOrNull(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

const numbers = {
  delay: false,
  max_size: false,
  approval_minutes: true,
  tokens_per_day: true,
  actions_per_day: true,
}

/** What is no number although it should be. Everything else, the service checks. */
export function problemsOf(fields: Fields): Partial<Record<keyof Fields, string>> {
  const problems: Partial<Record<keyof Fields, string>> = {}
  for (const [name, isNeeded] of Object.entries(numbers) as [keyof typeof numbers, boolean][]) {
    const text = fields[name].trim()
    if (text === '' ? isNeeded : !/^\d*\.?\d+(e[+-]?\d+)?$/i.test(text))
      problems[name] = `Enter a number${isNeeded ? '' : ', or nothing'}.`
  }
  return problems
}

/** The settings of a test run that differ from those of the saved strategy. */
export const testedFields = [
  ...(['connection_id', 'fallback_id', 'actions', 'max_size', 'tools', 'send_signal'] as const),
  ...(['may_change', 'change_needs_approval'] as const),
  ...(['needs_approval', 'symbol'] as const),
  ...(['use_chart', 'chart_symbol', 'chart_interval', 'chart_studies', 'chart_range'] as const),
]

export const fieldWords: Record<keyof Fields, string> = {
  name: 'Name',
  prompt: 'Prompt',
  connection_id: 'Model',
  fallback_id: 'Second model',
  data_webhook_id: 'Data webhook',
  delay: 'Most runs a second',
  cron_interval: 'Schedule',
  timezone: 'Time zone',
  send_signal: 'May act',
  webhook_id: 'Bot webhook',
  symbol: 'Symbols',
  actions: 'Actions',
  max_size: 'Largest size',
  tools: 'Tools',
  may_change: 'Strategies that it may change',
  change_needs_approval: 'Approval of changes',
  needs_approval: 'Approval',
  approval_minutes: 'Minutes to decide',
  tokens_per_day: 'Tokens a day',
  actions_per_day: 'Actions a day',
  send_email: 'Mail',
  use_chart: 'Chart',
  chart_symbol: 'Symbol of the chart',
  chart_interval: 'Interval of the chart',
  chart_studies: 'Studies',
  chart_range: 'Time that the chart shows',
  visibility: 'Visibility',
}
