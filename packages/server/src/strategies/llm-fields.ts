import { leastOrderSize, mostOrderSize } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { promptByteLimit } from '../ai/template.ts'
import { modelTools, usualTools } from '../ai/tools.ts'
import { given } from '../base/given.ts'
import type { ModelTool } from '../db/schema.ts'
import { type ChartSettings, chartPatterns, mostStudies } from '../market/chart/chart-settings.ts'
import { studyNames } from '../market/chart/studies.ts'
import { orNull, wholeNumber } from './fields.ts'
import type { ListedLlm, LlmSettings } from './strategy.ts'

/** `checkPrompt` then limits the bytes. */
export const Prompt = (description: string) => Type.String({ maxLength: promptByteLimit, description })

/** Those that a model has only if its owner says so. */
const optionalTools = modelTools.filter((tool) => !usualTools.includes(tool))

const Action = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** The settings of AI reactions, except the prompt. */
export const llmFields = {
  connection_id: orNull(
    Type.Integer({
      ...wholeNumber,
      description: 'The AI connection that the reaction asks. It must be yours.',
    }),
  ),
  fallback_id: orNull(
    Type.Integer({
      ...wholeNumber,
      description:
        'The AI connection that is asked if the provider of `connection_id` cannot answer. null: the fallback of that connection.',
    }),
  ),
  actions: Type.Array(Action, {
    maxItems: 3,
    uniqueItems: true,
    description: 'The actions that the model may take. Default: all. Without `send_signal` it may take none.',
  }),
  max_size: orNull(
    Type.Number({
      minimum: leastOrderSize,
      maximum: mostOrderSize,
      description: 'The largest size that the model may choose. null: it cannot choose a size.',
    }),
  ),
  tools: Type.Array(Type.Enum([...modelTools]), {
    maxItems: modelTools.length,
    uniqueItems: true,
    description: `The tools that the model has besides its actions. Default: all except ${optionalTools.join(', ')}.`,
  }),
  may_change: Type.Array(Type.Integer(wholeNumber), {
    maxItems: 20,
    uniqueItems: true,
    description:
      'The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none.',
  }),
  change_needs_approval: Type.Boolean({
    description:
      'Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true.',
  }),
  tokens_per_day: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'The most tokens, of prompts and answers together, per day (UTC). Default 500,000.',
  }),
  actions_per_day: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    description: 'The most actions per day (UTC). Default 100.',
  }),
  needs_approval: Type.Boolean({
    description: 'Whether actions wait for your approval. Default false.',
  }),
  approval_minutes: Type.Integer({
    minimum: 1,
    maximum: 1_440,
    description: 'How many minutes an action waits for approval. Default 15.',
  }),
  send_email: Type.Boolean({
    description: 'Whether you get each answer of the model by mail. Default false.',
  }),
  use_chart: Type.Boolean({ description: 'Whether the model sees a chart. Default false.' }),
  chart_symbol: orNull(
    Type.String({
      maxLength: 160,
      description:
        'The symbol of the chart after its exchange, such as `binance:btc/usdt` or `binance:futures:btc/usdt`. Required with `use_chart`.',
    }),
  ),
  chart_interval: Type.String({
    maxLength: 10,
    pattern: chartPatterns.interval,
    description: 'The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h.',
  }),
  chart_studies: Type.Array(Type.String({ maxLength: 40, pattern: chartPatterns.study }), {
    maxItems: mostStudies,
    description: `At most ${mostStudies} of ${studyNames.join(', ')}; with numbers such as \`rsi:14\` or \`bb:20,2\`. Default none.`,
  }),
  chart_range: orNull(
    Type.String({
      maxLength: 10,
      pattern: chartPatterns.range,
      description:
        'The time that it shows, such as 12h, 5d, 4w, 3M or 1y: 10 to 500 candles. null, the default: the latest 200 candles.',
    }),
  ),
}

type Body = {
  prompt?: string
  connection_id?: number | null
  fallback_id?: number | null
  actions?: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size?: number | null
  tools?: ModelTool[]
  may_change?: number[]
  change_needs_approval?: boolean
  tokens_per_day?: number
  actions_per_day?: number
  needs_approval?: boolean
  approval_minutes?: number
  send_email?: boolean
  use_chart?: boolean
  chart_symbol?: string | null
  chart_interval?: string
  chart_studies?: string[]
  chart_range?: string | null
}

export function readLlmFields(body: Body): LlmSettings {
  const { prompt, connection_id: connectionId, fallback_id: fallbackId } = body
  const { actions, max_size: maxSize, tools, send_email: sendEmail } = body
  const { may_change: mayChange, change_needs_approval: changeNeedsApproval } = body
  const { tokens_per_day: tokensPerDay, actions_per_day: actionsPerDay } = body
  const { needs_approval: needsApproval, approval_minutes: approvalMinutes } = body
  const { use_chart: useChart, chart_symbol: chartSymbol, chart_interval: chartInterval } = body
  const { chart_studies: chartStudies, chart_range: chartRange } = body
  return given({
    prompt,
    connectionId,
    fallbackId,
    actions,
    maxSize,
    tools,
    mayChange,
    changeNeedsApproval,
    tokensPerDay,
    actionsPerDay,
    needsApproval,
    approvalMinutes,
    sendEmail,
    useChart,
    chartSymbol,
    chartInterval,
    chartStudies,
    chartRange,
  })
}

/** The fields of a chart, each of which may be left out. */
export const chartFields = {
  use_chart: Type.Optional(llmFields.use_chart),
  chart_symbol: Type.Optional(llmFields.chart_symbol),
  chart_interval: Type.Optional(llmFields.chart_interval),
  chart_studies: Type.Optional(llmFields.chart_studies),
  chart_range: Type.Optional(llmFields.chart_range),
}

/** The chart that these fields ask for; `null`: none. */
export function readChartFields(body: Body): ChartSettings | null {
  if (body.use_chart !== true) return null
  const { chart_symbol: symbol = null, chart_interval: interval = '1h' } = body
  const { chart_studies: studies = [], chart_range: range = null } = body
  return { symbol, interval, studies, range }
}

export function presentLlm(llm: ListedLlm) {
  return {
    connection_id: llm.connectionId,
    fallback_id: llm.fallbackId,
    actions: llm.actions,
    max_size: llm.maxSize,
    tools: llm.tools,
    may_change: llm.mayChange,
    change_needs_approval: llm.changeNeedsApproval,
    tokens_per_day: llm.tokensPerDay,
    actions_per_day: llm.actionsPerDay,
    needs_approval: llm.needsApproval,
    approval_minutes: llm.approvalMinutes,
    send_email: llm.sendEmail,
    use_chart: llm.useChart,
    chart_symbol: llm.chartSymbol,
    chart_interval: llm.chartInterval,
    chart_studies: llm.chartStudies,
    chart_range: llm.chartRange,
  }
}
