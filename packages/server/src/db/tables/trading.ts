import { type SQL, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, decimal, id, moment, reference } from './columns.ts'
import { botWebhooks } from './webhooks.ts'

/** A user's account on an exchange. `credentials` are encrypted and never shown again. */
export const exchangeConnections = pgTable(
  'exchange_connections',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    exchangeId: integer().notNull(),
    name: text().notNull(),
    status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('ACTIVE'),
    credentials: bytea().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
)

/** A bot turns signals into orders. `holder` is the node that works for it, as for strategies. `version` increases with every change. */
export const bots = pgTable(
  'bots',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('INACTIVE'),
    mode: text().$type<'paper' | 'live'>().notNull().default('paper'),
    webhookId: reference().references(() => botWebhooks.id, { onDelete: 'set null' }),
    exchangeId: integer().notNull(),
    connectionId: reference().references(() => exchangeConnections.id),
    settings: jsonb().$type<BotSettings>().notNull(),
    holder: uuid(),
    version: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId), index().on(table.webhookId), index().on(table.connectionId)],
)

/** Decimals as strings: money in quote currency, rates as fractions (`0.001` is 0.1 %). */
export type BotSettings = {
  /** The symbols that it trades, as users write them; empty: all symbols that its webhook receives. */
  symbols: string[]
  /** The notional of an opening order, unless the signal has a size. */
  amount: string
  /** Whether a signal's `size` counts only with `forceSize`. */
  strictAmount: boolean
  /** For paper bots. */
  feeRate: string
  slippageRate: string
  startBalance: string
  /** Risk limits; `null`: none. */
  maxPosition: string | null
  maxDailyLoss: string | null
  cooldownSeconds: number | null
  maxSignalAgeSeconds: number | null
}

/** A signal for one bot, with a row for each of its symbols. */
export const botSignals = pgTable(
  'bot_signals',
  {
    id: id(),
    botId: reference().notNull(),
    userId: reference().notNull(),
    signalId: reference().notNull(),
    symbol: text().notNull(),
    status: text().$type<BotSignalStatus>().notNull().default('QUEUED'),
    /** Why it was refused, ignored or failed, as a sentence for people. */
    reason: text(),
    queuedAt: moment().notNull(),
    finishedAt: moment(),
  },
  (table) => [
    uniqueIndex('bot_signals_once').on(table.botId, table.signalId, table.symbol),
    index().on(table.botId, table.id),
    // By symbol, so that many signals for one symbol do not delay those for another.
    index('bot_signals_open')
      .on(table.botId, table.symbol, table.id)
      .where(sql`status in ('QUEUED', 'WORKING')`),
  ],
)

/**
 * A symbol as filters of lists have it: `BTCUSDT` for `BTC/USDT:USDT`. The indexes contain exactly this expression, so a
 * query can use them only with the same one.
 */
export function bareSymbol(symbol: AnyPgColumn | SQL): SQL {
  return sql`upper(regexp_replace(split_part(${symbol}, ':', 1), '[^[:alnum:]]', '', 'g'))`
}

export type BotSignalStatus = 'QUEUED' | 'WORKING' | 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'

/** An order is written before it is sent, so that its outcome can always be looked up. */
export const orders = pgTable(
  'orders',
  {
    id: id(),
    botId: reference().notNull(),
    userId: reference().notNull(),
    botSignalId: reference().notNull(),
    clientOrderId: text().notNull().unique('orders_client_order_id_unique'),
    exchangeOrderId: text(),
    symbol: text().notNull(),
    side: text().$type<'buy' | 'sell'>().notNull(),
    purpose: text().$type<'open' | 'close'>().notNull(),
    reduceOnly: boolean().notNull(),
    /** In base currency. */
    size: decimal().notNull(),
    filledSize: decimal().notNull().default('0'),
    /** In quote currency. */
    averagePrice: decimal(),
    status: text().$type<OrderStatus>().notNull(),
    reason: text(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    index().on(table.userId, table.id),
    index().on(table.botId, table.id),
    index().on(table.botSignalId),
    index().on(table.userId, table.createdAt),
    index('orders_symbol').on(table.userId, bareSymbol(table.symbol), table.id),
    index('orders_not_filled').on(table.userId, table.status, table.id).where(sql`status <> 'FILLED'`),
    index('orders_unsettled').on(table.botId).where(sql`status in ('PLANNED', 'OPEN', 'UNKNOWN')`),
  ],
)

/** `PLANNED`: not sent yet, or possibly sent. `UNKNOWN`: sent, but the outcome is unknown. */
export type OrderStatus = 'PLANNED' | 'OPEN' | 'UNKNOWN' | 'FILLED' | 'CANCELED' | 'REJECTED'

export const fills = pgTable(
  'fills',
  {
    id: id(),
    orderId: reference().notNull(),
    botId: reference().notNull(),
    userId: reference().notNull(),
    /** The exchange's id of the trade, so that the same fill counts once. */
    tradeId: text().notNull(),
    symbol: text().notNull(),
    side: text().$type<'buy' | 'sell'>().notNull(),
    size: decimal().notNull(),
    price: decimal().notNull(),
    fee: decimal().notNull(),
    feeAsset: text().notNull(),
    /** The profit or loss that this fill realised, in quote currency, after its fee. */
    realised: decimal().notNull(),
    filledAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex('fills_once').on(table.orderId, table.tradeId),
    index().on(table.userId, table.id),
    index().on(table.userId, table.filledAt),
    index('fills_symbol').on(table.userId, bareSymbol(table.symbol), table.id),
    index().on(table.botId, table.id),
    // Every opening order of a bot with a daily limit reads the day's loss.
    index().on(table.botId, table.filledAt),
  ],
)

/** A bot's position in a symbol, and its profit. A closed position stays as a row with size 0. */
export const positions = pgTable(
  'positions',
  {
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    symbol: text().notNull(),
    userId: reference().notNull(),
    side: text().$type<'long' | 'short'>(),
    /** In base currency, never below 0. */
    size: decimal().notNull(),
    entryPrice: decimal(),
    realised: decimal().notNull(),
    fees: decimal().notNull(),
    openedAt: moment(),
    lastLossAt: moment(),
    updatedAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.symbol] }), index().on(table.userId)],
)

/** A bot's equity after each fill. `balance` is the start balance plus realised profit and loss, in quote currency. */
export const equity = pgTable(
  'equity',
  {
    id: id(),
    botId: reference().notNull(),
    at: moment().notNull(),
    balance: decimal().notNull(),
    unrealised: decimal().notNull(),
  },
  (table) => [index().on(table.botId, table.at)],
)
