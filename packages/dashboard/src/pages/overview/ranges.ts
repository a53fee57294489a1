import type { CurveRange } from './search.ts'

const dayMs = 86_400_000

/** How much time a curve can show. A year is the longest that the service reads. `words`: after “in”. */
export const curveRanges: readonly { value: CurveRange; text: string; words: string; ms: number }[] = [
  { value: 'day', text: '1 day', words: '24 hours', ms: dayMs },
  { value: 'week', text: '7 days', words: '7 days', ms: 7 * dayMs },
  { value: 'month', text: '30 days', words: '30 days', ms: 30 * dayMs },
  { value: 'year', text: '1 year', words: 'a year', ms: 365 * dayMs },
]

export const usualRange: CurveRange = 'month'

export function curveRangeOf(range: CurveRange) {
  return curveRanges.find(({ value }) => value === range)!
}

/** When a range begins, as the API takes it: at a full minute, so that tabs that ask at the same time share an answer. */
export function beginningOfCurve(range: CurveRange, now: number): string {
  return new Date(Math.floor((now - curveRangeOf(range).ms) / 60_000) * 60_000).toISOString()
}
