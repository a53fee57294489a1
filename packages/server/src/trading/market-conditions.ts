import type { FundingMoment } from './funding.ts'

export const longestLatencyMs = 3_600_000

/** What a replay assumes about its market, besides its candles and rules. */
export type MarketConditions = {
  /** How much of the volume of a candle the bot may trade, as a fraction. Absent: orders of any size are executed. */
  participation?: string
  /** How long a signal takes until its order is executed. Absent: no time. */
  latencyMs?: number
  /** Of a perpetual: when positions pay, in order of time. Absent: never. */
  funding?: readonly FundingMoment[]
  /**
   * Positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction. Absent:
   * none is liquidated.
   */
  maintenanceRate?: string
  /**
   * A candle does not say whether its high or its low came first. `better`: the better one for the position. Default: the
   * worse one.
   */
  firstExtreme?: 'better'
}
