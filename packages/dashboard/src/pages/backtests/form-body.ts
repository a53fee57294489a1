/** What the form of a new backtest asks for. */

import type { NewBacktest } from './backtests.ts'
import { filled, readMarket, readStart } from './form-conditions.ts'
import { readSweep } from './form-sweep.ts'

/** What is wrong with the texts of the form, by its fields: the service is not asked then. */
export type Problems = Partial<
  Record<
    | 'strategy_id'
    | 'candle_id'
    | 'bot_webhook_id'
    | 'parameters'
    | 'bots'
    | 'storage'
    | 'funding_rates'
    | 'sweep_values',
    string
  >
>

const botTexts = ['amount', 'fee_rate', 'spread_rate', 'slippage_rate', 'start_balance'] as const

/** The fields that show what the service says about them. `*` stands for everything within one. */
export const backtestFields = [
  ...['strategy_id', 'candle_id', 'from', 'to', 'warmup_from', 'seed', 'parameters.*'],
  ...[
    'source',
    'model',
    'model_budget',
    'webhook_id',
    'bot_webhook_id',
    'storage',
    'last_trigger.*',
    'last_trigger',
    'http',
    'bots',
  ],
  ...[...botTexts, 'leverage'].map((name) => `bots[0].${name}`),
  ...['market.participation', 'market.latency_ms', 'market.size_step', 'market.min_size'],
  ...['market.min_notional', 'market.maintenance', 'market.funding', 'market.funding.candle_id'],
  ...['market.funding.assume', 'market.funding.every_hours', 'market.funding.rates*'],
  ...['sweep', 'sweep.parameters.*', 'sweep.sets*', 'sweep.random', 'sweep.settings.*'],
]

/**
 * Reads the form. Days are in UTC, and the last one counts as a whole. With the signals of a webhook, no code runs.
 * @param code the code of a draft, instead of that of the strategy
 */
export function readForm(data: FormData, code: string | null): { body: NewBacktest; problems: Problems } {
  const text = (name: string) => String(data.get(name) ?? '').trim()
  const source = text('source')
  const candleId = Number(text('candle_id'))
  const chosen = data.getAll('bot').map(Number)
  const { sweep, problem: ofSweep } = readSweep(text)
  const market = readMarket(text)
  const what =
    source === 'signals'
      ? {
          body: { source: 'signals' as const, bot_webhook_id: Number(text('bot_webhook_id')) },
          problems: text('bot_webhook_id') === '' ? { bot_webhook_id: 'Choose the bot webhook.' } : {},
        }
      : readCode(data, text, code)
  const body: NewBacktest = {
    ...what.body,
    candle_id: candleId,
    ...dayOf('from', text('from'), 0),
    ...dayOf('to', text('to'), 1),
    ...dayOf('warmup_from', text('warmup_from'), 0),
    bots: text('who') === 'own' ? chosen : [newBotOf(text)],
    ...market.given,
    ...(text('seed') === '' ? {} : { seed: Number(text('seed')) }),
    at_end: text('at_end') === 'close' ? 'close' : 'hold',
    examine: data.get('examine') !== null,
    ...(sweep !== undefined && { sweep }),
  }
  const problems: Problems = {
    ...what.problems,
    ...(candleId > 0 ? {} : { candle_id: 'Choose the candles.' }),
    ...(text('who') === 'own' && chosen.length === 0 ? { bots: 'Choose at least one bot.' } : {}),
    ...(market.problem === null ? {} : { funding_rates: market.problem }),
    ...(ofSweep === null ? {} : { sweep_values: ofSweep }),
  }
  return { body, problems }
}

/** The code, its parameters, and what it begins with. */
function readCode(data: FormData, text: (name: string) => string, code: string | null) {
  const { parameters, problem } = readParameters(text('parameters'))
  const { start, problem: ofStorage } = readStart(text)
  const webhookId = text('webhook_id')
  const body: NewBacktest = {
    strategy_id: Number(text('strategy_id')),
    ...(code === null ? {} : { code }),
    ...(data.get('source') === 'deliveries' && { source: 'deliveries' as const }),
    ...(data.get('source') === 'deliveries' && webhookId !== '' && { webhook_id: Number(webhookId) }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...readModel(text),
    ...start,
  }
  const problems: Problems = {
    ...(text('strategy_id') === '' ? { strategy_id: 'Choose the code.' } : {}),
    ...(problem === null ? {} : { parameters: problem }),
    ...(ofStorage === null ? {} : { storage: ofStorage }),
  }
  return { body, problems }
}

/** An empty budget is missing, which the service says. */
function readModel(text: (name: string) => string): Pick<NewBacktest, 'model' | 'model_budget'> {
  if (text('model') !== 'live') return {}
  const budget = text('model_budget')
  return { model: 'live', ...(budget !== '' && { model_budget: Number(budget) }) }
}

/** A field that is left empty is as for a new bot. */
function newBotOf(text: (name: string) => string) {
  const leverage = text('leverage')
  return { ...filled(botTexts, text), ...(leverage !== '' && { leverage: Number(leverage) }) }
}

/** @param after how many days after the beginning of the day */
function dayOf(name: string, day: string, after: number): Record<string, string> {
  const ms = Date.parse(day)
  return Number.isNaN(ms) ? {} : { [name]: new Date(ms + after * 86_400_000).toISOString() }
}

/** One `NAME=value` a line. */
function readParameters(text: string): { parameters: Record<string, string>; problem: string | null } {
  const parameters: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = line.indexOf('=')
    const name = line.slice(0, Math.max(0, at)).trim()
    if (name === '') return { parameters, problem: `Line ${index + 1} is not NAME=value.` }
    if (Object.hasOwn(parameters, name)) return { parameters, problem: `Line ${index + 1} repeats ${name}.` }
    parameters[name] = line.slice(at + 1).trim()
  }
  return { parameters, problem: null }
}
