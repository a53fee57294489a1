import { sumOf } from '../../base/decimals.ts'

/** What a chart of an equity draws. Numbers are for drawing only: texts beside it have every digit. */
export type EquityPoint = {
  /** In Unix milliseconds, of a whole second: the chart library counts in seconds. */
  at: number
  equity: number
  /** In percent below the highest equity before: 0 or less. */
  drawdown: number
}

type Record = { at: string; equity: string; drawdown_percent: string | null }

/** Points of the API, the oldest first. Of several in one second, the last counts. */
export function pointsOf(records: readonly Record[]): EquityPoint[] {
  const points = new Map<number, EquityPoint>()
  for (const { at: text, equity, drawdown_percent } of records) {
    const at = Math.floor(Date.parse(text) / 1000) * 1000
    const drawdown = drawdown_percent === null ? 0 : -Number(drawdown_percent)
    // Never -0, which would be written with a sign.
    points.set(at, { at, equity: Number(equity), drawdown: drawdown || 0 })
  }
  return [...points.values()]
}

/** From the first point to the last; `percent` is `null` if the first is not above zero. */
export function changeOf(
  points: readonly Pick<Record, 'equity'>[],
): { amount: string; percent: number | null } | null {
  const [first, last] = [points[0]?.equity, points.at(-1)?.equity]
  if (first === undefined || last === undefined) return null
  const amount = sumOf([last, first.startsWith('-') ? first.slice(1) : `-${first}`])
  return { amount, percent: Number(first) > 0 ? (Number(amount) / Number(first)) * 100 : null }
}

/** Whether nothing has happened: a chart of that says nothing. */
export function isFlat(points: readonly Pick<Record, 'equity' | 'drawdown_percent'>[]): boolean {
  return points.every(
    ({ equity, drawdown_percent }) =>
      equity === points[0]!.equity && (drawdown_percent === null || Number(drawdown_percent) === 0),
  )
}
