import { type DayOfEquity, dateOf } from './daily.ts'
import { type Figure, undefinedBecause } from './figure.ts'

/** A month (UTC) as `2026-01`, with its last equity and its return as a share of the equity before it. */
export type Month = { month: string; equity: number; return: Figure }

/** The months with at least one candle. The first one's return begins with the start equity. */
export function monthsOf(startEquity: number, days: readonly DayOfEquity[]): Month[] {
  const ends = new Map<string, number>()
  for (const { day, equity } of days) ends.set(dateOf(day).slice(0, 7), equity)
  let before = startEquity
  return [...ends].map(([month, equity]) => {
    const change =
      before > 0 ? equity / before - 1 : undefinedBecause('The equity before it is not above zero.')
    before = equity
    return { month, equity, return: change }
  })
}
