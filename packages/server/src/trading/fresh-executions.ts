import { decimal, plain, zero } from '../base/decimals.ts'
import { isTotal, totalTradeId } from './trade-ids.ts'
import type { Execution, OrderReport, Totals } from './types.ts'

type Known = Pick<Execution, 'tradeId' | 'size' | 'price'>

/** Of the price of such a sum, which is a quotient. */
const priceDecimals = 18

/**
 * The executions of a report that are not in the books yet, each once. What is told as a total is counted as one
 * execution that makes up for what is missing. Once that was done, single executions are no news: the sum has them.
 * @param known all executions of the order that are in the books
 */
export function freshExecutions(known: readonly Known[], report: OrderReport): Execution[] {
  const isSummed = known.some(({ tradeId }) => isTotal(tradeId))
  if (isSummed) return missing(known, report.totals ?? sumOf(report.executions))
  const seen = new Set(known.map(({ tradeId }) => tradeId))
  const fresh = report.executions.filter(({ tradeId }) => !seen.has(tradeId) && seen.add(tradeId))
  return [...fresh, ...missing([...known, ...fresh], report.totals)]
}

function missing(known: readonly Known[], totals: Totals | undefined): Execution[] {
  if (totals === undefined) return []
  const all = decimal(totals.size)
  const size = known.reduce((rest, one) => rest.minus(decimal(one.size)), all)
  if (size.lte(zero)) return []
  const worth = known.reduce((rest, one) => rest.minus(worthOf(one)), worthOf(totals))
  // Where the sums contradict each other, the average is still a price at which something was traded.
  const price = worth.gt(zero) ? worth.div(size).round(priceDecimals) : decimal(totals.price)
  const fee = decimal(totals.fee).times(size).div(all).round(priceDecimals)
  const tradeId = totalTradeId(plain(all))
  return [{ ...totals, tradeId, size: plain(size), price: plain(price), fee: plain(fee) }]
}

function sumOf(executions: readonly Execution[]): Totals | undefined {
  const once = [...new Map(executions.map((execution) => [execution.tradeId, execution])).values()]
  const last = once.at(-1)
  if (last === undefined) return undefined
  const size = once.reduce((sum, one) => sum.plus(decimal(one.size)), zero)
  const worth = once.reduce((sum, one) => sum.plus(worthOf(one)), zero)
  const fee = once.reduce((sum, one) => sum.plus(decimal(one.fee)), zero)
  return { ...last, size: plain(size), price: plain(worth.div(size)), fee: plain(fee) }
}

function worthOf({ size, price }: Pick<Execution, 'size' | 'price'>) {
  return decimal(size).times(decimal(price))
}
