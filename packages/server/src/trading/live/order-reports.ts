import { decimal, plain, zero } from '../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { toBase } from '../../market/live/market-rules.ts'
import type { OrderReport, Totals } from '../types.ts'
import type { Dialect, Wanted } from './dialects.ts'
import { isPassing } from './passing.ts'
import { feeOf, isEnded, reportOf } from './reports.ts'

/** How long an exchange may take to tell of an order that has ended, in milliseconds. */
export type ReportPatience = {
  /** What it ended early may still grow: so long it has to say the same. */
  endedMs: number
  /** Its list of executions may be behind. */
  behindMs: number
  /** The same where it refuses the list, or where the order itself tells the fee: there is little to wait for. */
  refusedMs: number
}

export const reportPatience: ReportPatience = { endedMs: 1_000, behindMs: 30_000, refusedMs: 10_000 }

type Told = { account: CcxtAccount; dialect: Dialect; market: CcxtTradedMarket; wanted: Wanted }
/** What was first said of an order's end, and when, by `performance.now()`. */
type End = { order: CcxtOrder; sinceMs: number }
type Trades = { list: CcxtTrade[]; isRefused: boolean }

const memoryLimit = 10_000

/**
 * Makes reports of what an exchange tells of orders and of executions, which are two lists that need not agree at any
 * moment. An order is open until they do, or until its own totals have to do.
 */
export class OrderReports {
  #patience: ReportPatience
  #price: (symbol: string) => Promise<string>
  #ends = new Map<string, End>()

  /** @param price the current one, for executions whose price the exchange does not tell at all */
  constructor(price: (symbol: string) => Promise<string>, patience: Partial<ReportPatience> = {}) {
    this.#price = price
    this.#patience = { ...reportPatience, ...patience }
  }

  async reportOf(told: Told, order: CcxtOrder): Promise<OrderReport> {
    const { market, wanted } = told
    const open = (list: CcxtTrade[]) => reportOf(market, { ...order, status: 'open' }, list)
    if (!isEnded(order)) return open((await readTrades(told, order)).list)
    const trades = await readTrades(told, order)
    const report = reportOf(market, order, trades.list)
    const endedMs = this.#endedForMs(wanted.clientOrderId, order)
    if (report.status === 'CANCELED' && endedMs < this.#patience.endedMs) return open(trades.list)
    if (report.status !== 'OPEN') return this.#final(told, report)
    const isAllThereIs = trades.isRefused || feeOf(order)?.cost !== undefined
    if (endedMs < (isAllThereIs ? this.#patience.refusedMs : this.#patience.behindMs)) return report
    return this.#final(told, await this.#summed(told, order, report).catch(() => report))
  }

  /** An order that has ended, and whose report was not final yet: some exchanges tell of orders for seconds only. */
  ended(clientOrderId: string): CcxtOrder | undefined {
    return this.#ends.get(clientOrderId)?.order
  }

  /** For how long it has been saying so. */
  #endedForMs(key: string, order: CcxtOrder): number {
    const end = this.#ends.get(key)
    if (end !== undefined && end.order.filled === order.filled) return performance.now() - end.sinceMs
    this.#ends.set(key, { order, sinceMs: performance.now() })
    if (this.#ends.size > memoryLimit) this.#ends.delete(this.#ends.keys().next().value as string)
    return 0
  }

  #final({ wanted }: Told, report: OrderReport): OrderReport {
    if (report.status !== 'OPEN') this.#ends.delete(wanted.clientOrderId)
    return report
  }

  /** By the order's own totals. What it was told is missing in the list of executions, it has in all. */
  async #summed(told: Told, order: CcxtOrder, report: OrderReport): Promise<OrderReport> {
    const { market, wanted } = told
    const isWhole = order.status === 'closed'
    const filled = order.filled ?? (isWhole ? wanted.amount : '0')
    const status = isWhole && decimal(filled).gt(zero) ? 'FILLED' : 'CANCELED'
    if (decimal(filled).eq(zero)) return { ...report, status }
    const totals = await this.#totals(market, order, toBase(market, filled))
    const isFeeTold = feeOf(order)?.cost !== undefined
    const fee = isFeeTold ? 'its sum' : 'an estimate'
    const reason = `The exchange did not tell every single fill: the price is the average, the fee ${fee}.`
    return { ...report, status, totals, reason }
  }

  async #totals(market: CcxtTradedMarket, order: CcxtOrder, size: string): Promise<Totals> {
    const { average, lastTradeTimestamp, timestamp } = order
    const isTold = average !== undefined && decimal(average).gt(zero)
    const price = isTold ? average : await this.#price(market.symbol)
    const told = feeOf(order)
    const worth = decimal(size).times(decimal(price))
    const fee = told?.cost ?? plain(worth.times(decimal(String(market.taker ?? '0'))))
    const feeAsset = (told?.cost === undefined ? undefined : told.currency) ?? market.settle ?? market.quote
    const filledAt = lastTradeTimestamp ?? timestamp ?? Date.now()
    return { size, price: plain(decimal(price)), fee: plain(decimal(fee)), feeAsset, filledAt }
  }
}

/** What cannot be had is none for now. */
async function readTrades({ account, dialect, market }: Told, order: CcxtOrder): Promise<Trades> {
  const { id } = order
  if (id === undefined) return { list: [], isRefused: false }
  try {
    const list = await dialect.trades(account, { ...order, id }, market.symbol)
    // Reading them is a part of it: they may lack what is needed.
    reportOf(market, order, list)
    return { list, isRefused: false }
  } catch (error) {
    return { list: [], isRefused: !isPassing(error) }
  }
}
