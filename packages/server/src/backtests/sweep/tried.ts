/** What came of the combinations of a sweep. */

import { given } from '../../base/given.ts'
import type { Backtest } from '../backtest.ts'
import { type Done, requestOf } from '../command/result.ts'
import type { Decisions } from '../decide.ts'
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
  const { traded } = done.backtest
  const { gaveUp } = traded
  const endedAt = gaveUp && new Date(gaveUp.atMs).toISOString()
  const request = { ...requestOf(done, candles), ...given({ ended_at: endedAt }) }
  const report = reportOf({ traded, request })
  const figureOf = (name: string) => report.metrics.find((metric) => metric.name === name)?.value ?? null
  return {
    row: {
      ...combination,
      ...{ digest: report.digest, ...given({ endedAt }), endEquity: report.end_equity },
      figures: Object.fromEntries(figureNames.map((name) => [name, figureOf(name)])) as Row['figures'],
      trades: traded.closed.length,
      ...countsOf(done.backtest),
    },
    ...daysOf(traded),
  }
}

export function daysOf({ startEquity, equity }: Pick<Traded, 'startEquity' | 'equity'>): Days {
  return { startEquity, days: dailyEquity(equity) }
}

function countsOf({ decisions, traded: { gaveUp } }: Backtest): Pick<Decisions, 'failed' | 'violated'> {
  const { failed, violated } = gaveUp === undefined ? decisions : decisionsUntil(decisions, gaveUp.openedMs)
  return { failed, violated }
}

/**
 * What is known of the runs until then. After an early end, the code may have run on for a while, and how far depends on the
 * machine. Of runs that failed, broke a rule or logged something, the first 1,000 of each count.
 */
export function decisionsUntil(decisions: Decisions, untilMs: number): Decisions {
  const until = <Moment extends { atMs: number }>(moments: Moment[]) =>
    moments.filter(({ atMs }) => atMs <= untilMs)
  const [failures, violations] = [until(decisions.failures), until(decisions.violations)]
  return {
    ...decisions,
    ...{ failures, violations, failed: failures.length, violated: violations.length },
    ...{ signals: until(decisions.signals), logs: until(decisions.logs) },
  }
}

/** The equity at the ends of its days, as a trial of another report. */
export function trialOf({ startEquity, days }: Days): Pick<Traded, 'startEquity' | 'equity'> {
  const equity = days.map(({ day, equity }) => ({ timeMs: (day + 1) * dayMs, equity, worst: equity }))
  return { startEquity, equity }
}
