import { and, asc, eq, getTableColumns, gt, gte, lte, type SQL } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Cell } from '../../base/csv.ts'
import type { Database } from '../../db/database.ts'
import { botSignals, bots, exchangeConnections, fills, orders, payments } from '../../db/schema.ts'
import { isCalculated } from '../../trading/trade-ids.ts'
import type { ShownBot } from '../bot.ts'
import { isDemo } from '../demo.ts'
import { presentOrder } from '../order-record.ts'
import { asMoney, asPrice, exactly } from '../shown-figures.ts'
import { presentTrade } from './trade-record.ts'
import type { Trades } from './trades.ts'

/** Which records: of one bot, and from one time to another. */
export type ExportFilter = { userId: number; botId?: number; since?: Date; until?: Date }

export type Rows = AsyncGenerator<Cell[][]>

const rowsAtOnce = 1_000

export const orderColumns = [
  ...['id', 'bot_id', 'demo', 'signal_id', 'client_order_id', 'exchange_order_id', 'symbol', 'side'],
  ...['purpose', 'reduce_only', 'size', 'filled_size', 'average_price', 'status', 'reason'],
  ...['created_at', 'updated_at'],
] as const

export const fillColumns = [
  ...['id', 'order_id', 'kind', 'bot_id', 'demo', 'trade_id', 'symbol', 'side', 'size', 'price', 'fee'],
  ...['fee_asset', 'realised', 'filled_at'],
] as const

export const paymentColumns = [
  ...['id', 'bot_id', 'demo', 'symbol', 'kind', 'payment_id', 'asset', 'amount', 'value', 'paid_at'],
] as const

export const tradeColumns = [
  ...['id', 'bot_id', 'symbol', 'currency', 'side', 'status', 'quantity', 'open_quantity', 'entry_price'],
  ...['exit_price', 'opened_at', 'closed_at', 'duration_seconds', 'profit_before_costs', 'fees'],
  ...['funding', 'realised', 'entry_count', 'exit_count'],
] as const

/** Reads the records of a user as rows of a table, the oldest first, in batches along an index. */
export class Exports {
  #database: Database
  #trades: Trades

  constructor(database: Database, trades: Trades) {
    this.#database = database
    this.#trades = trades
  }

  orders(filter: ExportFilter): Rows {
    return batches(async (after) => {
      const found = await this.#database.db
        .select({ ...getTableColumns(orders), isDemo, signalId: botSignals.signalId })
        .from(orders)
        .leftJoin(botSignals, eq(botSignals.id, orders.botSignalId))
        .leftJoin(bots, eq(bots.id, orders.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(matching(orders, orders.createdAt, filter, after))
        .orderBy(asc(orders.id))
        .limit(rowsAtOnce)
      return found.map((order) => {
        const shown = presentOrder(order)
        return { id: order.id, row: orderColumns.map((column) => shown[column]) }
      })
    })
  }

  fills(filter: ExportFilter): Rows {
    return batches(async (after) => {
      const found = await this.#database.db
        .select({ ...getTableColumns(fills), isDemo })
        .from(fills)
        .leftJoin(bots, eq(bots.id, fills.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(matching(fills, fills.filledAt, filter, after))
        .orderBy(asc(fills.id))
        .limit(rowsAtOnce)
      return found.map((fill) => {
        const isOurs = isCalculated(fill.tradeId)
        const shown: Record<(typeof fillColumns)[number], Cell> = {
          ...{ id: fill.id, order_id: fill.orderId, kind: fill.kind, bot_id: fill.botId, demo: fill.isDemo },
          ...{ trade_id: fill.tradeId, symbol: fill.symbol, side: fill.side, size: exactly(fill.size) },
          price: isOurs ? asPrice(fill.price) : exactly(fill.price),
          fee: isOurs ? asMoney(fill.fee) : exactly(fill.fee),
          ...{ fee_asset: fill.feeAsset, realised: asMoney(fill.realised) },
          filled_at: fill.filledAt.toISOString(),
        }
        return { id: fill.id, row: fillColumns.map((column) => shown[column]) }
      })
    })
  }

  payments(filter: ExportFilter): Rows {
    return batches(async (after) => {
      const found = await this.#database.db
        .select({ ...getTableColumns(payments), isDemo })
        .from(payments)
        .leftJoin(bots, eq(bots.id, payments.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(matching(payments, payments.paidAt, filter, after))
        .orderBy(asc(payments.id))
        .limit(rowsAtOnce)
      return found.map((payment) => {
        const shown: Record<(typeof paymentColumns)[number], Cell> = {
          ...{ id: payment.id, bot_id: payment.botId, demo: payment.isDemo, symbol: payment.symbol },
          ...{ kind: payment.kind, payment_id: payment.paymentId, asset: payment.asset },
          ...{ amount: exactly(payment.amount), value: asMoney(payment.value) },
          paid_at: payment.paidAt.toISOString(),
        }
        return { id: payment.id, row: paymentColumns.map((column) => shown[column]) }
      })
    })
  }

  /** The caller has checked that the bot belongs to the user. */
  trades(bot: ShownBot, signal: AbortSignal): Rows {
    return batches(async (after) => {
      const found = await this.#trades.window(bot, { after, limit: rowsAtOnce }, signal)
      return found.toReversed().map((one) => {
        const shown = presentTrade(bot.id, one, null)
        return { id: one.trade.id, row: tradeColumns.map((column) => shown[column]) }
      })
    })
  }
}

/** @param read the rows after an id, in order of id */
async function* batches(read: (after: number) => Promise<{ id: number; row: Cell[] }[]>): Rows {
  for (let after = 0; ; ) {
    const found = await read(after)
    yield found.map(({ row }) => row)
    const last = found.at(-1)
    if (last === undefined || found.length < rowsAtOnce) return
    after = last.id
  }
}

type Table = { id: AnyPgColumn; userId: AnyPgColumn; botId: AnyPgColumn }

function matching(table: Table, time: AnyPgColumn, filter: ExportFilter, after: number): SQL | undefined {
  const { userId, botId, since, until } = filter
  return and(
    eq(table.userId, userId),
    gt(table.id, after),
    botId === undefined ? undefined : eq(table.botId, botId),
    since === undefined ? undefined : gte(time, since),
    until === undefined ? undefined : lte(time, until),
  )
}
