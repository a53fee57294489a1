import { Exposure } from '../../trading/statistics/exposure.ts'
import type { ClosedTrade, Traded } from '../traded.ts'
import { type DayOfEquity, dailyEquity, dailyReturns, dayMs } from './daily.ts'
import { deepestWithinCandles, type Fall, fallsOf } from './drawdowns.ts'
import { type Figure, type Undefined, undefinedBecause } from './figure.ts'

/** What a report takes for granted. `riskFreePercent` is a rate a year. */
export type Assumptions = { daysPerYear: number; riskFreePercent: number }

export const usualAssumptions: Assumptions = { daysPerYear: 365, riskFreePercent: 0 }

/** What the figures of a report are calculated from, each part calculated once. Equity is in quote currency. */
export type Basis = {
  assumptions: Assumptions
  traded: Traded
  startEquity: number
  endEquity: number
  /** From the first opening to the last close, in days of 24 hours. */
  lengthDays: number
  days: DayOfEquity[]
  returns: number[] | Undefined
  falls: Fall[] | Undefined
  /** See `deepestWithinCandles`. */
  worstDepth: Figure
  /** In the order of their ends. */
  trades: ClosedTrade[]
  /** How long at least one position was open. */
  exposedMs: number
}

export function basisOf(traded: Traded, assumptions: Assumptions = usualAssumptions): Basis {
  const { startMs, endMs, startEquity, equity } = traded
  const days = dailyEquity(equity)
  const whyNoShares = startEquity > 0 ? null : undefinedBecause('The start equity is not above zero.')
  return {
    assumptions,
    traded,
    startEquity,
    endEquity: equity.at(-1)?.equity ?? startEquity,
    lengthDays: (endMs - startMs) / dayMs,
    days,
    returns: dailyReturns(startEquity, days),
    falls: unless(whyNoShares, () => fallsOf({ timeMs: startMs, equity: startEquity }, equity)),
    worstDepth: unless(whyNoShares, () => deepestWithinCandles(startEquity, equity)),
    trades: traded.closed.toSorted((a, b) => a.closedMs - b.closedMs),
    exposedMs: exposedMs(traded),
  }
}

function unless<Value>(why: Undefined | null, calculate: () => Value): Value | Undefined {
  return why ?? calculate()
}

function exposedMs({ startMs, endMs, fills }: Traded): number {
  const exposure = new Exposure({ since: startMs, until: endMs })
  for (const { symbol, positionAfter, timeMs } of fills) exposure.change(symbol, positionAfter !== 0, timeMs)
  return exposure.total()
}
