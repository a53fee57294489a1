import type { BacktestResult } from '../../db/schema.ts'

/** The figures of a result, for lists and notifications. */
export function presentResult({
  startEquity,
  endEquity,
  returnPercent,
  maxDrawdownPercent,
  ...same
}: BacktestResult) {
  return {
    ...same,
    ...{ start_equity: startEquity, end_equity: endEquity },
    ...{ return_percent: returnPercent, max_drawdown_percent: maxDrawdownPercent },
  }
}
