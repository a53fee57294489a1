import { createHash } from 'node:crypto'
import { presentSettings } from '../../bots/settings.ts'
import type { EquityPoint, FollowedSignal, Traded } from '../traded.ts'
import { type Assumptions, type Basis, basisOf } from './basis.ts'
import { canonicalJson, type JsonObject } from './canonical-json.ts'
import { costsOf } from './costs.ts'
import { dateOf } from './daily.ts'
import { type DefinitionName, definitions } from './definitions/sets.ts'
import type { Fall } from './drawdowns.ts'
import { rounded, type ShownFigure, shown, Undefined } from './figure.ts'
import type { Check } from './honesty/check.ts'
import { checksOf, type Evidence } from './honesty/checks.ts'
import { measure, type ShownMetric } from './metric.ts'
import { metrics } from './metrics.ts'
import { monthsOf } from './months.ts'

/**
 * What a report is made from. `request` says what was asked for, such as the hash of the code, its parameters and the
 * seed: everything that the result depends on, and nothing else, so that the same request has the same digest.
 */
export type ReportInput = {
  traded: Traded
  request?: JsonObject
  assumptions?: Assumptions
  /** Other tools whose definitions the report also uses. */
  definitions?: readonly DefinitionName[]
  evidence?: Evidence
  /** Checks of the code that the trade pass alone cannot make. */
  checks?: readonly Check[]
}

/** The report as JSON has it. Money is in the currency `quote`, times are in ISO 8601. */
export type Report = {
  digest: string
  request: JsonObject
  bot: { name: string; settings: JsonObject }
  symbols: string[]
  quote: string
  from: string
  to: string
  assumptions: { days_per_year: number; risk_free_percent: number }
  start_equity: number
  end_equity: number
  metrics: ShownMetric[]
  definitions: Partial<Record<DefinitionName, ShownMetric[]>>
  checks: Check[]
  costs: { fees: number; spread: number; slippage: number; funding: number; total: number }
  days: { day: string; equity: number }[]
  months: { month: string; equity: number; return_percent: ShownFigure }[]
  /** The deepest falls, the deepest one first. */
  drawdowns: { from: string; until: string; depth_percent: number; amount: number; is_over: boolean }[]
  /** How many signals ended in which way. */
  outcomes: Partial<Record<FollowedSignal['outcome'], number>>
  candles: number
  fills: number
}

/** What does not belong to the result: a request has the same result with or without it. */
type Comment = 'digest' | 'definitions' | 'checks'

const mostDrawdowns = 5

/** Makes the report of a trade pass. It does not list trades, signals and equity; see `csv.ts`. */
export function reportOf(input: ReportInput): Report {
  const { traded, request = {}, assumptions, definitions: names = [], evidence, checks = [] } = input
  const basis = basisOf(traded, assumptions)
  const result = { ...summaryOf(basis), request, ...figuresOf(basis) }
  return {
    digest: digestOf(result, traded),
    ...result,
    definitions: Object.fromEntries(names.map((name) => [name, measure(definitions[name], basis)])),
    checks: [...checksOf(basis, evidence), ...checks],
  }
}

function summaryOf(basis: Basis) {
  const { traded, assumptions } = basis
  const { daysPerYear, riskFreePercent } = assumptions
  return {
    bot: { name: traded.bot.name, settings: presentSettings(traded.bot.settings) },
    symbols: traded.candles.map(({ symbol }) => symbol),
    quote: traded.quote,
    from: isoOf(traded.startMs),
    to: isoOf(traded.endMs),
    assumptions: { days_per_year: daysPerYear, risk_free_percent: riskFreePercent },
    start_equity: rounded(basis.startEquity),
    end_equity: rounded(basis.endEquity),
    candles: traded.candles.reduce((count, { timeMs }) => count + timeMs.length, 0),
    fills: traded.fills.length,
  }
}

function figuresOf(basis: Basis) {
  const { traded, days, startEquity, falls } = basis
  return {
    metrics: measure(metrics, basis),
    costs: roundedAll(costsOf(traded)),
    days: days.map(({ day, equity }) => ({ day: dateOf(day), equity: rounded(equity) })),
    months: monthsOf(startEquity, days).map(({ month, equity, return: change }) => ({
      month,
      equity: rounded(equity),
      return_percent: shown(change instanceof Undefined ? change : 100 * change),
    })),
    drawdowns: falls instanceof Undefined ? [] : deepestOf(falls),
    outcomes: countsOf(traded.signals.map(({ outcome }) => outcome)),
  }
}

function deepestOf(falls: readonly Fall[]): Report['drawdowns'] {
  const deepest = falls.toSorted((a, b) => b.depth - a.depth || a.peakMs - b.peakMs).slice(0, mostDrawdowns)
  return deepest.map(({ peakMs, untilMs, depth, amount, isOver }) => ({
    from: isoOf(peakMs),
    until: isoOf(untilMs),
    depth_percent: rounded(100 * depth),
    amount: rounded(amount),
    is_over: isOver,
  }))
}

function countsOf<Key extends string>(keys: readonly Key[]): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

function roundedAll<Name extends string>(values: Record<Name, number>): Record<Name, number> {
  const entries = Object.entries<number>(values).map(([name, value]) => [name, rounded(value)])
  return Object.fromEntries(entries) as Record<Name, number>
}

/**
 * SHA-256 over the report, without what only comments on it, in canonical JSON, and over every point of the equity, fill, closed trade, signal and payment in the same
 * form, each with a line break after it.
 */
function digestOf(
  result: Omit<Report, Comment>,
  { equity, fills, closed, signals, payments = [] }: Traded,
): string {
  const hash = createHash('sha256').update(`${canonicalJson(result)}\n`)
  let lines = ''
  for (const point of equity) {
    lines += pointLine(point)
    if (lines.length < charactersAtOnce) continue
    hash.update(lines)
    lines = ''
  }
  hash.update(lines)
  for (const records of [fills, closed, signals, payments]) {
    for (const record of records) hash.update(`${canonicalJson(record)}\n`)
  }
  return hash.digest('hex')
}

const charactersAtOnce = 50_000

/** As `canonicalJson` writes it. A backtest has a million of them. */
function pointLine({ equity, timeMs, worst }: EquityPoint): string {
  return `{"equity":${equity},"timeMs":${timeMs},"worst":${worst}}\n`
}

function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
