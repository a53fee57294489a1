/** What came of the combinations of a sweep. */

import { type Done, requestOf } from '../command/result.ts'
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

/** `digest` is that of a backtest with these parameters and settings. Runs of the code that `failed` or broke a rule. */
export type Row = Combination & {
  digest: string
  endEquity: number
  figures: Record<FigureName, number | null>
  trades: number
  failed: number
  violated: number
}

/** With the equity of each day, by which the trials are compared. */
export type Tried = { row: Row; startEquity: number; days: DayOfEquity[] }

/** @param candles the digest of the candles */
export function triedOf(combination: Combination, done: Done, candles: string): Tried {
  const { traded, decisions } = done.backtest
  const report = reportOf({ traded, request: requestOf(done, candles) })
  const figureOf = (name: string) => report.metrics.find((metric) => metric.name === name)?.value ?? null
  return {
    row: {
      ...combination,
      ...{ digest: report.digest, endEquity: report.end_equity },
      figures: Object.fromEntries(figureNames.map((name) => [name, figureOf(name)])) as Row['figures'],
      ...{ trades: traded.closed.length, failed: decisions.failed, violated: decisions.violated },
    },
    startEquity: traded.startEquity,
    days: dailyEquity(traded.equity),
  }
}

/** The equity at the ends of its days, as a trial of another report. */
export function trialOf({ startEquity, days }: Tried): Pick<Traded, 'startEquity' | 'equity'> {
  const equity = days.map(({ day, equity }) => ({ timeMs: (day + 1) * dayMs, equity, worst: equity }))
  return { startEquity, equity }
}
