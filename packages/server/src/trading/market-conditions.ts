import type { FundingMoment } from './funding.ts'

/** What a replay assumes about its market, besides its candles and rules. */
export type MarketConditions = {
  /** How much of the volume of a candle the bot may trade, as a fraction. Absent: orders of any size are executed. */
  participation?: string
  /** How long a signal takes until its order is executed. Absent: no time. */
  latencyMs?: number
  /** Of a perpetual: when positions pay, in order of time. Absent: never. */
  funding?: readonly FundingMoment[]
}
