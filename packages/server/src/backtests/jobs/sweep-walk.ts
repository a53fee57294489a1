/** What a request for a walk-forward means, and what no walk-forward can be. */
import type { SweepPlan } from '../../db/schema.ts'
import type { MarketTimes } from '../market-times.ts'
import { type Stretch, type WalkPlan, windowsOf } from '../sweep/walk-forward.ts'
import type { BacktestRequest, Problems } from './request.ts'

const dayMs = 86_400_000

export function walkPlanOf({ trainDays, testDays, isAnchored }: SweepPlan['walk'] & {}): WalkPlan {
  return { trainMs: trainDays * dayMs, testMs: testDays * dayMs, isAnchored }
}

/** Notes what does not fit a walk-forward. */
export function readWalk(
  { walk_forward: asked, settings, objective, end_at_drawdown_percent }: BacktestRequest['sweep'] & {},
  combinations: number,
  problems: Problems,
): SweepPlan['walk'] {
  if (asked === undefined) return undefined
  const refuse = (field: string, why: string) => problems.add(`sweep.${field}`, `${why} for \`walk_forward\``)
  if (settings !== undefined) refuse('settings', 'must be left out')
  if (objective !== undefined && objective !== 'return_percent')
    refuse('objective', 'must be `return_percent`')
  if (end_at_drawdown_percent !== undefined) refuse('end_at_drawdown_percent', 'must be left out')
  if (combinations < 2) refuse('parameters', 'must have several combinations')
  const { train_days: trainDays, test_days: testDays, anchored: isAnchored = false } = asked
  return { trainDays, testDays, isAnchored }
}

/** How many candles all trainings have together. Notes if there is no test. */
export function trainedCandles(
  sweep: SweepPlan | undefined,
  data: MarketTimes,
  range: Stretch,
  problems: Problems,
): number {
  if (sweep?.walk === undefined) return 0
  const windows = windowsOf(data, range, walkPlanOf(sweep.walk))
  if (windows.length === 0) {
    problems.add('sweep.walk_forward', 'needs candles after the first training, and there are none')
  }
  return windows.reduce((sum, { training }) => sum + training.end - training.first, 0)
}
