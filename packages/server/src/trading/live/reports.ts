import { decimal, plain, zero } from '../../base/decimals.ts'
import type { CcxtOrder, CcxtTrade, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { toBase } from '../../market/live/market-rules.ts'
import type { Execution, OrderReport } from '../types.ts'

/**
 * Makes a report from an order and its trades. The report is final only when the trades add up to the executed size that
 * the exchange gives for the order, because the list of trades may lag behind.
 */
export function reportOf(
  market: CcxtTradedMarket,
  order: CcxtOrder,
  trades: readonly CcxtTrade[],
): OrderReport {
  const executions = trades.map((trade) => executionOf(market, order, trade))
  return {
    exchangeOrderId: order.id ?? null,
    status: statusOf(order, trades),
    executions: [...new Map(executions.map((execution) => [execution.tradeId, execution])).values()],
    reason: null,
  }
}

/** Whether the answer to placing an order is already complete. It may lack fees or later executions. */
export function isCompleteAnswer(order: CcxtOrder): boolean {
  const { trades = [] } = order
  const haveFees = trades.length > 0 && trades.every(({ fee }) => fee?.cost !== undefined)
  return haveFees && isComplete(order, trades)
}

/** Whether the exchange says that nothing more of the order will be executed. */
export function isEnded({ status }: CcxtOrder): boolean {
  return !['open', 'canceling', undefined].includes(status)
}

/** Whether these are all executions that the order will ever have. */
function isComplete(order: CcxtOrder, trades: readonly CcxtTrade[]): boolean {
  return isEnded(order) && isFilled(order, trades)
}

function statusOf(order: CcxtOrder, trades: readonly CcxtTrade[]): OrderReport['status'] {
  if (!isComplete(order, trades)) return 'OPEN'
  if (order.status === 'closed' && trades.length > 0) return 'FILLED'
  return order.status === 'rejected' && trades.length === 0 ? 'REJECTED' : 'CANCELED'
}

function isFilled({ filled }: CcxtOrder, trades: readonly CcxtTrade[]): boolean {
  if (filled === undefined) return false
  const known = new Map(trades.map(({ id, amount }) => [id, amount ?? '0']))
  const sum = [...known.values()].reduce((total, amount) => total.plus(decimal(amount)), zero)
  return sum.eq(decimal(filled))
}

/** @param order gives the time, if the trade has none */
export function executionOf(
  market: CcxtTradedMarket,
  order: Pick<CcxtOrder, 'lastTradeTimestamp' | 'timestamp'>,
  trade: CcxtTrade,
): Execution {
  const { id, amount, price } = trade
  if (id === undefined || amount === undefined || price === undefined) {
    throw new Error(`A trade of ${market.symbol} lacks its id, amount or price.`)
  }
  const fee = feeOf(trade)
  return {
    tradeId: id,
    size: toBase(market, amount),
    price: plain(decimal(price)),
    fee: plain(decimal(fee?.cost ?? '0')),
    feeAsset: fee?.currency ?? market.settle ?? market.quote,
    filledAt: trade.timestamp ?? order.lastTradeTimestamp ?? order.timestamp ?? Date.now(),
  }
}

/** The fee that was paid. Some exchanges list several fees, of which all but one are 0. */
export function feeOf({ fee, fees = [] }: Pick<CcxtTrade, 'fee' | 'fees'>) {
  const withCost = [fee, ...fees].filter((one) => one?.cost !== undefined)
  return withCost.find((one) => !decimal(one?.cost ?? '0').eq(zero)) ?? withCost[0]
}
