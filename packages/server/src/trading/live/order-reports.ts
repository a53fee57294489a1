import { decimal, plain, zero } from '../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { toBase } from '../../market/live/market-rules.ts'
import type { OrderReport, Totals } from '../types.ts'
import type { Dialect, OrderQuery } from './dialects/dialect.ts'
import { feeOf, isEnded, reportOf } from './reports.ts'
import { isTemporary } from './temporary-errors.ts'

/** How long to wait for the complete report of an order that has ended, in milliseconds. */
export type ReportTimeouts = {
  /** An order that ended early may still grow. For this long, the exchange must keep reporting the same end. */
  endedMs: number
  /** The list of executions may lag behind the order. */
  behindMs: number
  /** The same if the exchange refuses the list, or if the order itself has the fee. Waiting helps less then. */
  refusedMs: number
}

export const reportTimeouts: ReportTimeouts = { endedMs: 1_000, behindMs: 30_000, refusedMs: 10_000 }

type OrderContext = { account: CcxtAccount; dialect: Dialect; market: CcxtTradedMarket; query: OrderQuery }
/** The first report of an order's end, and its time by `performance.now()`. */
type ReportedEnd = { order: CcxtOrder; sinceMs: number }
type Trades = { list: CcxtTrade[]; isRefused: boolean }

const memoryLimit = 10_000

/**
 * Makes reports from an exchange's orders and executions. These are two lists, which may disagree at any moment. An order
 * counts as open until they agree, or until the order's own totals must be enough.
 */
export class OrderReports {
  #timeouts: ReportTimeouts
  #price: (symbol: string) => Promise<string>
  #ends = new Map<string, ReportedEnd>()

  /** @param price returns the current price, for an order without any price */
  constructor(price: (symbol: string) => Promise<string>, timeouts: Partial<ReportTimeouts> = {}) {
    this.#price = price
    this.#timeouts = { ...reportTimeouts, ...timeouts }
  }

  /** @param isResting whether the order has a limit: of one that has executed nothing, nobody asks for executions */
  async reportOf(context: OrderContext, order: CcxtOrder, isResting = false): Promise<OrderReport> {
    const { market, query } = context
    const isUntouched = order.filled !== undefined && decimal(order.filled).eq(zero)
    const open = (list: CcxtTrade[]) => reportOf(market, { ...order, status: 'open' }, list)
    if (!isEnded(order)) return open(isResting && isUntouched ? [] : (await readTrades(context, order)).list)
    const trades = await readTrades(context, order)
    const report = reportOf(market, order, trades.list)
    const endedMs = this.#endedForMs(query.clientOrderId, order)
    if (report.status === 'CANCELED' && endedMs < this.#timeouts.endedMs) return open(trades.list)
    if (report.status !== 'OPEN') return this.#final(context, report)
    const isLittleToExpect = trades.isRefused || feeOf(order)?.cost !== undefined
    if (endedMs < (isLittleToExpect ? this.#timeouts.refusedMs : this.#timeouts.behindMs)) return report
    return this.#final(context, await this.#fromTotals(context, order, report).catch(() => report))
  }

  /** An order that has ended and whose report is not final yet. Some exchanges list ended orders for a few seconds only. */
  ended(clientOrderId: string): CcxtOrder | undefined {
    return this.#ends.get(clientOrderId)?.order
  }

  /** For how long the exchange has reported the same end. */
  #endedForMs(key: string, order: CcxtOrder): number {
    const end = this.#ends.get(key)
    if (end !== undefined && end.order.filled === order.filled) return performance.now() - end.sinceMs
    this.#ends.set(key, { order, sinceMs: performance.now() })
    if (this.#ends.size > memoryLimit) this.#ends.delete(this.#ends.keys().next().value as string)
    return 0
  }

  #final({ query }: OrderContext, report: OrderReport): OrderReport {
    if (report.status !== 'OPEN') this.#ends.delete(query.clientOrderId)
    return report
  }

  /** Makes a final report from the order's own totals, because the list of executions is incomplete. */
  async #fromTotals(context: OrderContext, order: CcxtOrder, report: OrderReport): Promise<OrderReport> {
    const { market, query } = context
    const isWhole = order.status === 'closed'
    const filled = order.filled ?? (isWhole ? query.amount : '0')
    const status = isWhole && decimal(filled).gt(zero) ? 'FILLED' : 'CANCELED'
    if (decimal(filled).eq(zero)) return { ...report, status }
    const totals = await this.#totals(market, order, toBase(market, filled))
    const fee = feeOf(order)?.cost === undefined ? 'an estimated fee' : 'its total fee'
    const reason = `The exchange did not list every fill. The books use the order's average price and ${fee}.`
    return { ...report, status, totals, reason }
  }

  async #totals(market: CcxtTradedMarket, order: CcxtOrder, size: string): Promise<Totals> {
    const { average, lastTradeTimestamp, timestamp } = order
    const hasAverage = average !== undefined && decimal(average).gt(zero)
    const price = hasAverage ? average : await this.#price(market.symbol)
    const paid = feeOf(order)
    const notional = decimal(size).times(decimal(price))
    const fee = paid?.cost ?? plain(notional.times(decimal(String(market.taker ?? '0'))))
    const feeAsset = (paid?.cost === undefined ? undefined : paid.currency) ?? market.settle ?? market.quote
    const filledAt = lastTradeTimestamp ?? timestamp ?? Date.now()
    return { size, price: plain(decimal(price)), fee: plain(decimal(fee)), feeAsset, filledAt }
  }
}

/** Never rejects: without an answer, the list is empty for now. */
async function readTrades({ account, dialect, market }: OrderContext, order: CcxtOrder): Promise<Trades> {
  const { id } = order
  if (id === undefined) return { list: [], isRefused: false }
  try {
    const list = await dialect.trades(account, { ...order, id }, market.symbol)
    // This checks the trades too: one without an id, an amount or a price is unreadable.
    reportOf(market, order, list)
    return { list, isRefused: false }
  } catch (error) {
    return { list: [], isRefused: !isTemporary(error) }
  }
}
