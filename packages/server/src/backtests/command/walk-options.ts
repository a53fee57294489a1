/** The options of the command that walk forward, and what it prints of the windows. */
import type { Decisions } from '../decide.ts'
import type { MarketData } from '../market-data.ts'
import { type Stretch, type WalkPlan, type WalkWindow, windowsOf } from '../sweep/walk-forward.ts'
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
  if (bots > 1) throw new UsageError('--walk-forward needs one amount, fee, slippage and spread.')
  const windows = windowsOf(data, range, walk)
  if (windows.length > 0) return windows
  throw new UsageError('--walk-forward needs candles after the first training, and there are none.')
}

/** @throws {UsageError} */
export function checkDecisions(all: readonly Decisions[]): void {
  if (!all.some(({ asksPositions }) => asksPositions)) return
  throw new UsageError(
    'The code asks what its bot holds, so its decisions in a test depend on the parameters before it. --walk-forward is not possible.',
  )
}
