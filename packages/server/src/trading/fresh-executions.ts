import { decimal, plain, zero } from '../base/decimals.ts'
import { isTotal, totalTradeId } from './trade-ids.ts'
import type { Execution, OrderReport, Totals } from './types.ts'

type Known = Pick<Execution, 'tradeId' | 'size' | 'price'>

/** Decimals of the price and fee of a total, which come from a division. */
const priceDecimals = 18

/**
 * The executions of a report that the books do not have yet, each once. If the report has totals, the part that no
 * single execution covers becomes one more execution. From then on, single executions of the order are not counted: the
 * total may already contain them, so only a larger total counts.
 * @param known all executions of the order that are in the books
 */
export function freshExecutions(known: readonly Known[], report: OrderReport): Execution[] {
  const hasTotal = known.some(({ tradeId }) => isTotal(tradeId))
  if (hasTotal) return missing(known, report.totals ?? sumOf(report.executions))
  const seen = new Set(known.map(({ tradeId }) => tradeId))
  const fresh = report.executions.filter(({ tradeId }) => !seen.has(tradeId) && seen.add(tradeId))
  return [...fresh, ...missing([...known, ...fresh], report.totals)]
}

/** The part of the totals that is not in `known`, as one execution. None if nothing is missing. */
function missing(known: readonly Known[], totals: Totals | undefined): Execution[] {
  if (totals === undefined) return []
  const all = decimal(totals.size)
  const size = known.reduce((rest, one) => rest.minus(decimal(one.size)), all)
  if (size.lte(zero)) return []
  const notional = known.reduce((rest, one) => rest.minus(notionalOf(one)), notionalOf(totals))
  // If the totals contradict the known executions, the average is still close to the prices of the trades.
  const price = notional.gt(zero) ? notional.div(size).round(priceDecimals) : decimal(totals.price)
  const fee = decimal(totals.fee).times(size).div(all).round(priceDecimals)
  const tradeId = totalTradeId(plain(all))
  return [{ ...totals, tradeId, size: plain(size), price: plain(price), fee: plain(fee) }]
}

function sumOf(executions: readonly Execution[]): Totals | undefined {
  const once = [...new Map(executions.map((execution) => [execution.tradeId, execution])).values()]
  const last = once.at(-1)
  if (last === undefined) return undefined
  const size = once.reduce((sum, one) => sum.plus(decimal(one.size)), zero)
  const notional = once.reduce((sum, one) => sum.plus(notionalOf(one)), zero)
  const fee = once.reduce((sum, one) => sum.plus(decimal(one.fee)), zero)
  return { ...last, size: plain(size), price: plain(notional.div(size)), fee: plain(fee) }
}

function notionalOf({ size, price }: Pick<Execution, 'size' | 'price'>) {
  return decimal(size).times(decimal(price))
}
