/** What came of the combinations of a sweep. */

import { type Done, requestOf } from '../command/result.ts'
import type { Decisions, RunMoment } from '../decide.ts'
import { type DayOfEquity, dailyEquity, dayMs } from '../report/daily.ts'
import { reportOf } from '../report/report.ts'
import type { Traded } from '../traded.ts'
import type { Combination } from './plan.ts'

/** The figures that the table of a sweep shows. */
const figureNames = [
  ...(['return_percent', 'cagr_percent', 'max_drawdown_percent', 'max_drawdown_within_percent'] as const),
  ...(['sharpe', 'sortino', 'calmar', 'profit_factor', 'expectancy', 'sqn', 'win_rate_percent'] as const),
]

type FigureName = (typeof figureNames)[number]

/**
 * `digest` is that of a backtest with these parameters and settings, unless it ended early. Runs of the code that `failed`
 * or broke a rule.
 */
export type Row = Combination & {
  digest: string
  /** When it ended early, in ISO 8601. */
  endedAt?: string
  endEquity: number
  figures: Record<FigureName, number | null>
  trades: number
  failed: number
  violated: number
}

/** The equity of each day, by which trials are compared. */
type Days = { startEquity: number; days: DayOfEquity[] }

/** `walked`: for walk-forward, its returns in the trainings in percent, and its equity since the first test. */
export type Tried = Days & { row: Row; walked?: { trained: number[]; since: Days } }

/** @param candles the digest of the candles */
export function triedOf(combination: Combination, done: Done, candles: string): Tried {
  const { traded, decisions } = done.backtest
  const { gaveUp } = traded
  const early = gaveUp === undefined ? {} : { endedAt: new Date(gaveUp.atMs).toISOString() }
  const report = reportOf({ traded, request: { ...requestOf(done, candles), ...early } })
  const figureOf = (name: string) => report.metrics.find((metric) => metric.name === name)?.value ?? null
  return {
    row: {
      ...combination,
      ...{ digest: report.digest, ...early, endEquity: report.end_equity },
      figures: Object.fromEntries(figureNames.map((name) => [name, figureOf(name)])) as Row['figures'],
      trades: traded.closed.length,
      ...countsUntil(decisions, gaveUp?.openedMs),
    },
    ...daysOf(traded),
  }
}

export function daysOf({ startEquity, equity }: Pick<Traded, 'startEquity' | 'equity'>): Days {
  return { startEquity, days: dailyEquity(equity) }
}

/** After an early end, the code may have run on for a while. Of each, the first 1,000 are known. */
function countsUntil({ failed, violated, failures, violations }: Decisions, untilMs: number | undefined) {
  if (untilMs === undefined) return { failed, violated }
  const count = (moments: readonly RunMoment[]) => moments.filter(({ atMs }) => atMs <= untilMs).length
  return { failed: count(failures), violated: count(violations) }
}

/** The equity at the ends of its days, as a trial of another report. */
export function trialOf({ startEquity, days }: Days): Pick<Traded, 'startEquity' | 'equity'> {
  const equity = days.map(({ day, equity }) => ({ timeMs: (day + 1) * dayMs, equity, worst: equity }))
  return { startEquity, equity }
}
