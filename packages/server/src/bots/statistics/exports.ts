import { and, asc, eq, getTableColumns, gt, gte, lte, max, min, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Cell } from '../../base/csv.ts'
import { given } from '../../base/given.ts'
import type { Database } from '../../db/database.ts'
import {
  bareSymbol,
  botSignals,
  bots,
  exchangeConnections,
  fills,
  orders,
  payments,
  signals,
} from '../../db/schema.ts'
import { isCalculated } from '../../trading/trade-ids.ts'
import { isDemo } from '../demo.ts'
import { presentOrder } from '../order-record.ts'
import type { BotChoice } from '../own-bots.ts'
import { asMoney, asPrice, exactly } from '../shown-figures.ts'
import { presentTrade } from './trade-record.ts'
import type { Trades } from './trades.ts'

/** Which records: of which bots, of one symbol in any spelling, and from one time to another. */
export type ExportFilter = BotChoice & { userId: number; symbol?: string; since?: Date; until?: Date }

export type Rows = AsyncGenerator<Cell[][]>

const rowsAtOnce = 1_000

export const orderColumns = [
  ...['id', 'bot_id', 'demo', 'signal_id', 'client_order_id', 'exchange_order_id', 'symbol', 'side'],
  ...[
    'purpose',
    'reduce_only',
    'type',
    'limit_price',
    'size',
    'filled_size',
    'average_price',
    'status',
    'reason',
  ],
  ...['created_at', 'updated_at', 'origin'],
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
  ...['funding', 'realised', 'entry_count', 'exit_count', 'demo', 'origin', 'unprotected_seconds'],
] as const

/** A bot that traded, maybe deleted, and its first and last fill that may have opened a trade of a file. */
type Traded = { id: number; userId: number; isDemo: boolean | null; first: number; last: number }

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
        .select({
          ...{ ...getTableColumns(orders), isDemo },
          ...{ signalId: botSignals.signalId, origin: signals.origin },
        })
        .from(orders)
        .leftJoin(botSignals, eq(botSignals.id, orders.botSignalId))
        .leftJoin(signals, eq(signals.id, botSignals.signalId))
        .leftJoin(bots, eq(bots.id, orders.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(matching(orders, orders.createdAt, filter, after))
        .orderBy(asc(orders.id))
        .limit(rowsAtOnce)
      return found.map((order) => {
        const shown = presentOrder({ ...order, rest: null })
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

  /** The trades that were opened within the span, bot after bot. */
  async *trades(filter: ExportFilter, signal: AbortSignal): Rows {
    for (const bot of await this.#traded(filter)) yield* this.#tradesOf(bot, filter, signal)
  }

  #tradesOf(bot: Traded, { symbol, since, until }: ExportFilter, signal: AbortSignal): Rows {
    const [from, to] = [
      since?.getTime() ?? Number.NEGATIVE_INFINITY,
      until?.getTime() ?? Number.POSITIVE_INFINITY,
    ]
    return batches(async (after) => {
      const window = { after: Math.max(after, bot.first - 1), limit: rowsAtOnce, ...given({ symbol }) }
      const found = await this.#trades.window(bot, window, signal)
      return found.toReversed().map((one) => {
        const { id, openedAt } = one.trade
        if (openedAt < from || openedAt > to) return { id, row: null }
        const shown = presentTrade({ ...one, isDemo: bot.isDemo, price: null })
        return { id, row: tradeColumns.map((column) => shown[column]) }
      })
    }, bot.last)
  }

  #traded(filter: ExportFilter): Promise<Traded[]> {
    const { botId: id, userId } = fills
    return this.#database.db
      .select({
        id,
        userId,
        isDemo,
        first: min(fills.id).mapWith(Number),
        last: max(fills.id).mapWith(Number),
      })
      .from(fills)
      .leftJoin(bots, eq(bots.id, fills.botId))
      .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
      .where(matching(fills, fills.filledAt, filter, 0))
      .groupBy(id, userId, bots.id, exchangeConnections.id)
      .orderBy(asc(id))
  }
}

type ReadRow = { id: number; row: Cell[] | null }

/**
 * @param read the rows after an id, in order of id. A row that is `null` is not part of the file.
 * @param last no row after the one with this id is part of the file
 */
async function* batches(read: (after: number) => Promise<ReadRow[]>, last = Number.POSITIVE_INFINITY): Rows {
  for (let after = 0; ; ) {
    const found = await read(after)
    yield found.flatMap(({ id, row }) => (row === null || id > last ? [] : [row]))
    after = found.at(-1)?.id ?? last
    if (found.length < rowsAtOnce || after >= last) return
  }
}

type Table = { id: AnyPgColumn; userId: AnyPgColumn; botId: AnyPgColumn; symbol: AnyPgColumn }

function matching(table: Table, time: AnyPgColumn, filter: ExportFilter, after: number): SQL | undefined {
  const { userId, botId, mode, isDemo: isOfDemo, symbol, since, until } = filter
  return and(
    eq(table.userId, userId),
    gt(table.id, after),
    botId === undefined ? undefined : eq(table.botId, botId),
    mode === undefined ? undefined : eq(bots.mode, mode),
    isOfDemo === undefined ? undefined : eq(isDemo, isOfDemo),
    symbol === undefined ? undefined : eq(bareSymbol(table.symbol), bareSymbol(sql`${symbol}::text`)),
    since === undefined ? undefined : gte(time, since),
    until === undefined ? undefined : lte(time, until),
  )
}
