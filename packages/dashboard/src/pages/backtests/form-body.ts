/** What the form of a new backtest asks for. */

import type { client } from '../../data/client.ts'
import type { Backtest } from './backtests.ts'

export type NewBacktest = Parameters<typeof client.backtests.create>[0]

/** What is wrong with the texts of the form, by its fields: the service is not asked then. */
export type Problems = Partial<Record<'strategy_id' | 'candle_id' | 'parameters' | 'bots', string>>

const botTexts = ['amount', 'fee_rate', 'spread_rate', 'slippage_rate', 'start_balance'] as const

/** The fields that show what the service says about them. */
export const backtestFields = [
  ...['strategy_id', 'candle_id', 'from', 'to', 'warmup_from', 'seed'],
  ...botTexts.map((name) => `bots[0].${name}`),
]

/**
 * Reads the form. Days are in UTC, and the last one counts as a whole.
 * @param code the code of a draft, instead of that of the strategy
 */
export function readForm(data: FormData, code: string | null): { body: NewBacktest; problems: Problems } {
  const text = (name: string) => String(data.get(name) ?? '').trim()
  const { parameters, problem } = readParameters(text('parameters'))
  const candleId = Number(text('candle_id'))
  const chosen = data.getAll('bot').map(Number)
  const body: NewBacktest = {
    strategy_id: Number(text('strategy_id')),
    ...(code === null ? {} : { code }),
    candle_id: candleId,
    ...dayOf('from', text('from'), 0),
    ...dayOf('to', text('to'), 1),
    ...dayOf('warmup_from', text('warmup_from'), 0),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    bots: text('who') === 'own' ? chosen : [newBotOf(text)],
    ...(text('seed') === '' ? {} : { seed: Number(text('seed')) }),
    at_end: text('at_end') === 'close' ? 'close' : 'hold',
    examine: data.get('examine') !== null,
  }
  const problems: Problems = {
    ...(text('strategy_id') === '' ? { strategy_id: 'Choose the code.' } : {}),
    ...(candleId > 0 ? {} : { candle_id: 'Choose the candles.' }),
    ...(problem === null ? {} : { parameters: problem }),
    ...(text('who') === 'own' && chosen.length === 0 ? { bots: 'Choose at least one bot.' } : {}),
  }
  return { body, problems }
}

/**
 * The market of an earlier backtest, for which the form has no fields. Rates that came with its request are unknown now, which
 * the estimate says.
 */
export function marketOf({ market }: Backtest): Pick<NewBacktest, 'market'> {
  if (market === null) return {}
  const { funding, ...figures } = market
  if (funding === null) return { market: figures }
  const { candle_id, assume, every_hours } = funding
  const given = Object.entries({ candle_id, assume, every_hours }).filter(([, value]) => value !== null)
  return { market: { ...figures, funding: Object.fromEntries(given) } }
}

/**
 * What an earlier backtest asked for besides, without fields in the form: its market, its deliveries, and what its code begins
 * with and may send. A storage or last trigger that came with its request is unknown now.
 */
export function keptOf(earlier: Backtest): Partial<NewBacktest> {
  const { source, webhook_id, storage, last_trigger, http } = earlier
  return {
    ...marketOf(earlier),
    ...(source === 'deliveries' && webhook_id !== null ? { source, webhook_id } : {}),
    ...(storage === 'saved' ? { storage } : {}),
    ...(last_trigger === 'saved' ? { last_trigger } : {}),
    ...(http === 'read' ? { http } : {}),
  }
}

/** A field that is left empty is as for a new bot. */
function newBotOf(text: (name: string) => string): { [Name in (typeof botTexts)[number]]?: string } {
  return Object.fromEntries(botTexts.map((name) => [name, text(name)]).filter(([, value]) => value !== ''))
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
