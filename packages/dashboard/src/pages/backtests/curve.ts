/** The curve of an equity in a backtest. */
import type { EquityPoint } from '../../parts/chart/equity-points.ts'
import type { Report } from './backtests.ts'
import { mostRecords } from './most-records.ts'

/** `at`: in Unix milliseconds. */
type Point = { at: number; equity: number }

const dayMs = 86_400_000

/** With its drawdown from the highest equity before. Of several points in one second, the last counts. */
export function curveOf(points: readonly Point[]): EquityPoint[] {
  const curve = new Map<number, EquityPoint>()
  let peak = 0
  for (const { at: moment, equity } of points) {
    peak = Math.max(peak, equity)
    const at = Math.floor(moment / 1000) * 1000
    // Never -0, which would be written with a sign.
    curve.set(at, { at, equity, drawdown: peak > 0 ? (100 * (equity - peak)) / peak || 0 : 0 })
  }
  return [...curve.values()]
}

/** One point for each day, at its end, after the equity at the start. */
export function daysOf({
  days,
  from,
  start_equity,
}: Pick<Report, 'days' | 'from' | 'start_equity'>): Point[] {
  return [
    { at: Date.parse(from), equity: start_equity },
    ...days.map(({ day, equity }) => ({ at: Date.parse(day) + dayMs - 1000, equity })),
  ]
}

/** Whether its days are too few for a curve, and its candles few enough. */
export function isShort({ days, candles }: Pick<Report, 'days' | 'candles'>): boolean {
  return days.length <= 100 && candles <= mostRecords
}

/** The equity at the closes of candles, after that at the start. */
export function momentsOf(
  { from, start_equity }: Pick<Report, 'from' | 'start_equity'>,
  moments: readonly { at: string; equity: number }[],
): Point[] {
  return [
    { at: Date.parse(from), equity: start_equity },
    ...moments.map(({ at, equity }) => ({ at: Date.parse(at), equity })),
  ]
}

/** Where the equity was furthest below its peak. */
export function lowestOf(curve: readonly EquityPoint[]): EquityPoint | null {
  return curve.reduce<EquityPoint | null>(
    (lowest, point) => (lowest === null || point.drawdown < lowest.drawdown ? point : lowest),
    null,
  )
}
