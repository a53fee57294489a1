/** The options of the command that walk forward, and what it prints of the windows. */
import type { MarketData } from '../market-data.ts'
import {
  type Candidate,
  type Stretch,
  type WalkForward,
  type WalkPlan,
  type WalkWindow,
  windowsOf,
} from '../sweep/walk-forward.ts'
import { UsageError } from './usage-error.ts'

const dayMs = 86_400_000

export const walkOptions = {
  'walk-forward': { type: 'string' } as const,
  anchored: { type: 'boolean' } as const,
}

/**
 * @returns `null` without the option
 * @throws {UsageError}
 */
export function readWalk(values: {
  'walk-forward'?: string | undefined
  anchored?: boolean | undefined
}): WalkPlan | null {
  const { 'walk-forward': given, anchored: isAnchored = false } = values
  if (given === undefined) {
    if (isAnchored) throw new UsageError('--anchored needs --walk-forward.')
    return null
  }
  const [, train, test] = /^(\d{1,4}):(\d{1,4})$/.exec(given) ?? []
  const [trainMs, testMs] = [Number(train) * dayMs, Number(test) * dayMs]
  if (trainMs > 0 && testMs > 0) return { trainMs, testMs, isAnchored }
  throw new UsageError(
    `--walk-forward must be two numbers of days, those of a training and those of its test, such as 90:30, got "${given}".`,
  )
}

/** @throws {UsageError} if there is nothing to choose from, or no time for it */
export function checkedWindows(
  data: MarketData,
  range: Stretch,
  walk: WalkPlan,
  { sets, bots }: { sets: number; bots: number },
): WalkWindow[] {
  if (sets < 2)
    throw new UsageError('--walk-forward chooses from several sets of parameters. See --parameter.')
  if (bots > 1) throw new UsageError('--walk-forward needs one fee.')
  const windows = windowsOf(data, range, walk)
  if (windows.length > 0) return windows
  throw new UsageError('--walk-forward needs candles after the first training, and there are none.')
}

/** @throws {UsageError} */
export function checkCandidates(candidates: readonly Candidate[]): void {
  if (!candidates.some(({ decisions }) => decisions.asksPositions)) return
  throw new UsageError(
    'The code asks what its bot holds, so its decisions in a test depend on the parameters before it. --walk-forward is not possible.',
  )
}

/** The windows as JSON has them, with the return of each test in percent. */
export function stepsOf(
  { steps, backtest: { traded } }: WalkForward,
  candidates: readonly Candidate[],
  data: MarketData,
) {
  const equityAt = new Map(traded.equity.map(({ timeMs, equity }) => [timeMs, equity]))
  const iso = (ms: number) => new Date(ms).toISOString()
  let before = traded.startEquity
  return steps.map(({ training, test, chosen, trained }) => {
    const after = equityAt.get(data.endOf(test.end - 1)) ?? before
    const tested = before > 0 ? 100 * (after / before - 1) : 0
    before = after
    return {
      ...{
        train_from: iso(data.candles.times[training.first]!),
        test_from: iso(data.candles.times[test.first]!),
      },
      ...{ test_to: iso(data.endOf(test.end - 1)), parameters: candidates[chosen]!.plan.env },
      ...{ train_return_percent: trained, test_return_percent: tested },
    }
  })
}
