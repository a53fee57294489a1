import type { Equity, EquityPoint } from '../traded.ts'

/**
 * A time during which the equity is below an earlier close. `depth` is the largest fall at a close, as a share of the peak;
 * `untilMs` is the first close that reaches the peak again, or the last close if none does.
 */
export type Fall = { peakMs: number; untilMs: number; depth: number; amount: number; isOver: boolean }

type Close = Pick<EquityPoint, 'timeMs' | 'equity'>

/** Every fall, in order of time. The first peak is the equity at the start, which is above zero. */
export function fallsOf(start: Close, points: Iterable<Close>): Fall[] {
  const falls: Fall[] = []
  let peak = start
  let fall: Fall | null = null
  for (const { timeMs, equity } of points) {
    if (equity >= peak.equity) {
      if (fall !== null) falls.push({ ...fall, untilMs: timeMs, isOver: true })
      fall = null
      peak = { timeMs, equity }
      continue
    }
    const amount = peak.equity - equity
    const depth = amount / peak.equity
    fall ??= { peakMs: peak.timeMs, untilMs: timeMs, depth, amount, isOver: false }
    fall.untilMs = timeMs
    if (depth > fall.depth) Object.assign(fall, { depth, amount })
  }
  return fall === null ? falls : [...falls, fall]
}

/** The deepest fall; the first one of several. `null` if the equity never fell. */
export function deepest(falls: readonly Fall[]): Fall | null {
  return falls.reduce<Fall | null>(
    (most, fall) => (most === null || fall.depth > most.depth ? fall : most),
    null,
  )
}

/** The longest time below a peak, in milliseconds; 0 without a fall. */
export function longestMs(falls: readonly Fall[]): number {
  return falls.reduce((longest, { peakMs, untilMs }) => Math.max(longest, untilMs - peakMs), 0)
}

/**
 * The deepest fall from a close, or from the start, to the worst equity within a later candle, as a share of the peak. It
 * may be above 1: with leverage, the equity can fall below zero.
 */
export function deepestWithinCandles(startEquity: number, points: Equity): number {
  let peak = startEquity
  let depth = 0
  for (const { equity, worst } of points) {
    // Nobody knows whether the worst moment came after the best one of the same candle, so the peak is an earlier close.
    depth = Math.max(depth, (peak - Math.min(worst, equity)) / peak)
    peak = Math.max(peak, equity)
  }
  return depth
}
