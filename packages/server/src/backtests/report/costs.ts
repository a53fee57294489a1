import type { Traded, TradedFill } from '../traded.ts'
import { sum } from './samples.ts'

/** What trading took, in quote currency. A cost is positive; a rebate, or funding that was received, is negative. */
export type Costs = { fees: number; spread: number; slippage: number; funding: number; total: number }

/** Funding also has what was paid since the last fill. */
export function costsOf({ fills, payments }: Pick<Traded, 'fills' | 'payments'>): Costs {
  const of = (cost: (fill: TradedFill) => number) => sum(fills.map(cost))
  const fees = of(({ fee }) => fee)
  const spread = of(({ spreadCost }) => spreadCost)
  const slippage = of(({ slippageCost }) => slippageCost)
  const funding = payments
    ? 0 - sum(payments.map(({ value }) => value))
    : of(({ fundingCost }) => fundingCost)
  return { fees, spread, slippage, funding, total: sum([fees, spread, slippage, funding]) }
}
