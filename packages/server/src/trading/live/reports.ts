import { decimal, plain, zero } from '../../base/decimals.ts'
import type { CcxtOrder, CcxtTrade, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { toBase } from '../../market/live/market-rules.ts'
import type { Execution, OrderReport } from '../types.ts'

/**
 * What is told of an order. It is only final once its executions add up to what the exchange says was executed: the
 * list of trades may be behind.
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

/** Whether an answer to placing has all there is to tell: it may lack the fees, or executions to come. */
export function tellsAll(order: CcxtOrder): boolean {
  const { trades = [] } = order
  const haveFees = trades.length > 0 && trades.every(({ fee }) => fee?.cost !== undefined)
  return haveFees && isComplete(order, trades)
}

/** Whether the exchange says that nothing more becomes of an order. */
export function isEnded({ status }: CcxtOrder): boolean {
  return !['open', 'canceling', undefined].includes(status)
}

/** Whether these are all executions of an order that there will be. */
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

function executionOf(market: CcxtTradedMarket, order: CcxtOrder, trade: CcxtTrade): Execution {
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

/** Of several fees, most of which are 0, the one that was paid. */
export function feeOf({ fee, fees = [] }: Pick<CcxtTrade, 'fee' | 'fees'>) {
  const told = [fee, ...fees].filter((one) => one?.cost !== undefined)
  return told.find((one) => !decimal(one?.cost ?? '0').eq(zero)) ?? told[0]
}
