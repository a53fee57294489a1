import type { Equity } from '../traded.ts'
import { type Figure, type Undefined, undefinedBecause, using } from './figure.ts'

export const dayMs = 86_400_000

/** A day (UTC) with at least one candle. `day` counts from 1970; `equity` is that at its last close. */
export type DayOfEquity = { day: number; equity: number }

/**
 * The equity at the end of each day. A candle that closes at midnight belongs to the day before it. A day without a close
 * is left out: its equity is not known.
 */
export function dailyEquity(points: Equity): DayOfEquity[] {
  const days: DayOfEquity[] = []
  for (const { timeMs, equity } of points) {
    const day = Math.floor((timeMs - 1) / dayMs)
    const latest = days.at(-1)
    if (latest?.day === day) latest.equity = equity
    else days.push({ day, equity })
  }
  return days
}

/**
 * The change of the equity in each day, as a share of the equity before it: the first day's begins with `startEquity`.
 * Undefined if the equity before a day is not above zero.
 */
export function dailyReturns(startEquity: number, days: readonly DayOfEquity[]): number[] | Undefined {
  const returns: number[] = []
  let before = startEquity
  for (const { day, equity } of days) {
    if (before <= 0) return undefinedBecause(`The equity before ${dateOf(day)} is not above zero.`)
    returns.push(equity / before - 1)
    before = equity
  }
  return returns
}

/** As `dailyReturns`, and 0 for each day after the equity was lost. */
export function returnsUntilLoss(startEquity: number, days: readonly DayOfEquity[]): number[] {
  return days.map(({ equity }, index) => {
    const before = index === 0 ? startEquity : days[index - 1]!.equity
    return before > 0 ? equity / before - 1 : 0
  })
}

/** Calculates with returns, of which a figure needs at least so many. */
export function withReturns(
  returns: number[] | Undefined,
  least: number,
  calculate: (returns: number[]) => Figure,
): Figure {
  return using(returns, (daily) =>
    daily.length >= least
      ? calculate(daily)
      : undefinedBecause(`The backtest has ${daily.length} daily returns; at least ${least} are needed.`),
  )
}

/** A day as `2026-01-31`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
