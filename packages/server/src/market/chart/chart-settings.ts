import { readInterval } from '@tickwright/sandbox'
import type { VenueName } from '../candles/market-candles.ts'
import { readStudy, type Study } from './studies.ts'

/** What the owner of a strategy chooses. `range` is a duration such as `5d`; `null`: the latest 200 candles. */
export type ChartSettings = {
  symbol: string | null
  interval: string
  studies: readonly string[]
  range: string | null
}

/** A chart that can be drawn. */
export type ChartPlan = {
  venue: VenueName
  symbol: string
  interval: string
  /** How many candles it shows. */
  count: number
  studies: Study[]
}

export const leastCandles = 10
export const mostCandles = 500
const usualCandles = 200
export const mostStudies = 2

/** The patterns of single settings, for schemas. */
export const chartPatterns = {
  interval: '^[1-9]\\d{0,2}[mhdwM]$',
  study: '^[A-Za-z]{1,10}(:[\\d.,]{0,20})?$',
  range: '^[1-9]\\d{0,2}[hdwMy]$',
}

const dayMs = 86_400_000
const rangeUnitMs: Record<string, number> = {
  h: dayMs / 24,
  d: dayMs,
  w: 7 * dayMs,
  M: 30 * dayMs,
  y: 365 * dayMs,
}

/** What is wrong with a setting. `field` is its name in the API; `message` goes on after it. */
export type ChartProblem = { field: `chart_${string}`; message: string }

/** Reads the settings of a chart. */
export function readChart({
  symbol,
  interval,
  studies,
  range,
}: ChartSettings): { plan: ChartPlan; problem?: never } | { plan?: never; problem: ChartProblem } {
  const problem = (field: ChartProblem['field'], message: string) => ({ problem: { field, message } })
  if (symbol === null || symbol.trim() === '') return problem('chart_symbol', 'is required with use_chart')
  const named = readSymbol(symbol)
  if (named === undefined) {
    const example = 'as in binance:btc/usdt or binance:futures:btc/usdt'
    return problem('chart_symbol', `must be a symbol after its exchange, ${example}; "${symbol}" is not`)
  }
  const duration = readInterval(interval)
  if (duration === undefined)
    return problem('chart_interval', 'must be an interval such as 15m, 1h, 4h or 1d')
  const read: Study[] = []
  for (const text of studies) {
    const study = readStudy(text)
    if ('problem' in study) return problem('chart_studies', study.problem)
    read.push(study)
  }
  const count = range === null ? usualCandles : Math.ceil(rangeMs(range) / duration.ms)
  if (count < leastCandles || count > mostCandles) {
    const rule = `must span ${leastCandles} to ${mostCandles} candles of chart_interval`
    return problem('chart_range', `${rule}; ${range} has ${count} of ${interval}`)
  }
  return { plan: { ...named, interval, count, studies: read } }
}

/** `exchange:symbol` or `exchange:service:symbol`. A symbol can have colons of its own, but none before a slash. */
function readSymbol(text: string): Pick<ChartPlan, 'venue' | 'symbol'> | undefined {
  const [, exchange, service, symbol] =
    /^\s*([\w.-]{1,50}):(?:(spot|futures):)?\s*(\S.*?)\s*$/is.exec(text) ?? []
  if (exchange === undefined || symbol === undefined) return undefined
  return { venue: { exchange, service: service?.toLowerCase() }, symbol }
}

function rangeMs(range: string): number {
  return Number.parseInt(range, 10) * rangeUnitMs[range.at(-1)!]!
}
