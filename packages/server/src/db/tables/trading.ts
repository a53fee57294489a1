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
import type { Entry, OrderType } from './entry.ts'
import type { Protection } from './protection.ts'
import { folders } from './strategies.ts'
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
    /** Whether it is an account of the exchange's demo or testnet, without real money. */
    isDemo: boolean().notNull().default(false),
    /** The same for all connections to one account, as far as the exchange names it or the keys are the same. */
    account: text(),
    /** What the exchange last said about the account and the key; `null` if it was never asked. */
    facts: jsonb().$type<StoredFacts>(),
    factsAt: moment(),
    /** The last known value of the whole account, in `equityCurrency`. */
    equity: decimal(),
    equityCurrency: text(),
    equityAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
)

/** See `AccountFacts` of the trading code. */
export type StoredFacts = {
  accountId: string | null
  accountType: string | null
  mayTrade: boolean | null
  mayWithdraw: boolean | null
  isIpRestricted: boolean | null
  positionMode: 'one-way' | 'hedge' | null
  obstacles: string[]
}

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
    folderId: reference().references(() => folders.id),
    settings: jsonb().$type<BotSettings>().notNull(),
    /** When its loss last reached `maxDailyLoss`. It opens nothing more on that day. */
    limitReachedAt: moment(),
    /** The highest equity since the bot has had `maxDrawdown`, or since its owner reset it; `null` until it is known. */
    highestEquity: decimal(),
    /** When the equity fell to the limit of `maxDrawdown`, and the equity then. It opens nothing until its owner resets it. */
    drawdownReachedAt: moment(),
    drawdownEquity: decimal(),
    holder: uuid(),
    version: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId, table.id),
    index().on(table.webhookId),
    index().on(table.connectionId),
    index().on(table.folderId),
    index('bots_with_margin').on(table.id).where(sql`settings ->> 'maintenance' is not null`),
    index('bots_with_funding').on(table.id).where(sql`settings ->> 'funding' = 'exchange'`),
  ],
)

/** Decimals as strings: money in quote currency, rates as fractions (`0.001` is 0.1 %). */
export type BotSettings = {
  /** The symbols that it trades, as users write them; empty: all symbols that its webhook receives. */
  symbols: string[]
  /** How much an opening order is for, unless the signal has a size that counts. */
  amount: string
  /** What `amount` is in: `quote` is `amountCurrency`, `base` the base currency of the bot's symbols. Of percents of the
   * bot's equity, an opening is worth `equity_percent`, and may lose `risk_percent` at its stop. */
  amountUnit: AmountUnit | EquityUnit
  /** The same for the size of a signal that opens; `null`: nobody has said so, and the bot does not guess. */
  sizeUnit: AmountUnit | null
  /** The currency of all amounts in quote currency, and of the limits, such as `USDT`. */
  amountCurrency: string
  /**
   * A market of the bot's exchange, such as `BTC/USDT`, whose price converts amounts to other quote currencies; `null`:
   * the bot refuses markets with another quote currency.
   */
  amountRate: string | null
  /** Whether a signal's `size` counts only with `forceSize`. */
  strictAmount: boolean
  /** For paper bots. */
  feeRate: string
  slippageRate: string
  /** Between the best bid and the best ask, as a fraction of the price in the middle. Absent: none. */
  spreadRate?: string
  /** What orders must keep to, instead of the rules of the market. `null` or absent: those of the market. */
  sizeStep?: string | null
  minSize?: string | null
  minNotional?: string | null
  /** For paper bots: which part of its value a position needs as margin. `null` or absent: none is liquidated. */
  maintenance?: string | null
  /** For paper bots: what positions in perpetuals pay at the moments of funding. Absent: nothing. */
  funding?: 'off' | 'exchange'
  /** For paper bots: how much of what others trade an order may take, as a fraction. `null` or absent: all of it. */
  participation?: string | null
  /** For paper bots: how many milliseconds pass from a signal to its order. Absent: none. */
  latencyMs?: number
  /** `null`: the equity of the account before the first fill, which a live bot does not know yet. */
  startBalance: string | null
  /** Risk limits; `null`: none. */
  maxPosition: string | null
  maxDailyLoss: string | null
  /** What happens when `maxDailyLoss` is reached: it opens nothing more, or it also closes what is open. */
  onLimit: 'stop' | 'close'
  /** How far the equity may fall below its highest, in percent. */
  maxDrawdown: string | null
  /** How many positions it may hold at the same time. */
  maxOpenPositions: number | null
  cooldownSeconds: number | null
  maxSignalAgeSeconds: number | null
  /** Which positions it opens. It closes the others too. */
  direction: Direction
  /** How long it waits before it follows a signal; 0: not at all. Closes of its owner do not wait. */
  delaySeconds: number
  /** What its positions open with, unless a signal says otherwise. `null` or absent, as in bots from before: nothing. */
  protection?: Protection | null
  /** How its openings rest, unless a signal says otherwise. `null` or absent: they are market orders. */
  entry?: Entry | null
  /** Of futures: how many times its margin a position is worth. `null` or absent: what the account has; on paper 1. */
  leverage?: number | null
  /** Of futures at an exchange. `null` or absent: what the account has. */
  marginMode?: MarginMode | null
  /** Whether it opens nothing without a stop. */
  requireStop?: boolean
  /** No stop may be further from the price at the opening: `2%`; `null` or absent: no limit. */
  maxStopDistance?: string | null
  /** After so many seconds without a stop that the exchange refuses, `onUnprotected` counts. Absent: the default. */
  unprotectedSeconds?: number
  onUnprotected?: OnUnprotected
}

/** What the bot does about a position whose stop the exchange keeps refusing: it closes it, or goes on watching the price. */
export type OnUnprotected = 'close' | 'watch'
export type AmountUnit = 'quote' | 'base'
export type EquityUnit = 'equity_percent' | 'risk_percent'
export type Direction = 'both' | 'long' | 'short'
export type MarginMode = 'cross' | 'isolated'

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
    /** Why it was refused, ignored or failed, or why it waits, as a sentence for people. */
    reason: text(),
    /** How many orders of its close the exchange has refused. */
    refusals: integer().notNull().default(0),
    queuedAt: moment().notNull(),
    /** For a signal that the bot delays: the end of the delay. Its age counts from then on. */
    dueAt: moment(),
    finishedAt: moment(),
  },
  (table) => [
    uniqueIndex('bot_signals_once').on(table.botId, table.signalId, table.symbol),
    index().on(table.botId, table.id),
    // By symbol, so that many signals for one symbol do not delay those for another.
    index('bot_signals_open')
      .on(table.botId, table.symbol, table.id)
      .where(sql`status in ('QUEUED', 'WORKING', 'CLOSING')`),
    index('bot_signals_waiting').on(table.botId, table.id).where(sql`status = 'WAITING'`),
    index('bot_signals_delayed').on(table.botId, table.symbol, table.id).where(sql`status = 'DELAYED'`),
    index('bot_signals_due').on(table.dueAt, table.id).where(sql`status = 'DELAYED'`),
    index('bot_signals_unsuccessful')
      .on(table.status, table.botId, table.id)
      .where(sql`status in ('REFUSED', 'FAILED')`),
  ],
)

/**
 * A symbol as filters of lists have it: `BTCUSDT` for `BTC/USDT:USDT`. The indexes contain exactly this expression, so a
 * query can use them only with the same one.
 */
export function bareSymbol(symbol: AnyPgColumn | SQL): SQL {
  return sql`upper(regexp_replace(split_part(${symbol}, ':', 1), '[^[:alnum:]]', '', 'g'))`
}

/**
 * `DELAYED`: the bot waits before it follows the signal, which is `QUEUED` then. `CLOSING`: the exchange refused the close, and the bot tries again. `WAITING`: the close waits until the owner lets it
 * proceed or drops it.
 */
export type BotSignalStatus =
  | 'DELAYED'
  | 'QUEUED'
  | 'WORKING'
  | 'CLOSING'
  | 'WAITING'
  | 'DONE'
  | 'IGNORED'
  | 'REFUSED'
  | 'FAILED'

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
    type: text().$type<OrderType>().notNull().default('market'),
    /** In quote currency; `null` for a market order. */
    limitPrice: decimal(),
    /** In base currency. */
    size: decimal().notNull(),
    filledSize: decimal().notNull().default('0'),
    /** In quote currency. */
    averagePrice: decimal(),
    status: text().$type<OrderStatus>().notNull(),
    reason: text(),
    /**
     * Of an order that opens a position: the protection that the position opens with. Empty: it opens with none, although
     * there is a remainder of an earlier position. `null`: it changes no protection.
     */
    protection: jsonb().$type<Protection | Record<string, never>>(),
    /** The stop at the exchange that became this order; `null` if the bot sent it. Such an order is never sent. */
    legId: reference(),
    createdAt: moment().notNull(),
    /**
     * When the bot last began to send it, and when the exchange answered; `null` if it was not sent, or did not answer. A
     * process that is killed right after it has written the row leaves a time of sending, although it has not sent it.
     */
    sentAt: moment(),
    acknowledgedAt: moment(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    index().on(table.userId, table.id),
    index().on(table.botId, table.id),
    index().on(table.botSignalId),
    index().on(table.userId, table.createdAt),
    index('orders_symbol').on(table.userId, bareSymbol(table.symbol), table.id),
    // Comparisons with an account look up the orders of its trades.
    index('orders_exchange_order').on(table.exchangeOrderId).where(sql`exchange_order_id is not null`),
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
    /** The bot's order; `null` if the position changed without one. */
    orderId: reference(),
    kind: text().$type<FillKind>().notNull().default('order'),
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
    /** When the books got it, by the clock of the database; `null` for fills from before there was this column. */
    bookedAt: moment().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('fills_once').on(table.orderId, table.tradeId),
    uniqueIndex('outside_fills_once')
      .on(table.botId, table.symbol, table.tradeId)
      .where(sql`order_id is null`),
    index().on(table.userId, table.id),
    index().on(table.userId, table.filledAt),
    index('fills_symbol').on(table.userId, bareSymbol(table.symbol), table.id),
    index().on(table.botId, table.id),
    // Every opening order of a bot with a daily limit reads the day's loss.
    index().on(table.botId, table.filledAt),
  ],
)

/**
 * `order`: a fill of the bot's own order. The others changed the position without one: `external` at the exchange, by
 * hand or by another program, `liquidation` and `adl` by the exchange itself, and `adopted` by the owner, who took over
 * the numbers of the account.
 */
export type FillKind = 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'

/** Money that a position paid or received without an execution. `amount` is negative if the bot paid. */
export const payments = pgTable(
  'payments',
  {
    id: id(),
    botId: reference().notNull(),
    userId: reference().notNull(),
    symbol: text().notNull(),
    kind: text().$type<'funding'>().notNull(),
    /** The exchange's id of the payment, so that the same payment counts once. */
    paymentId: text().notNull(),
    asset: text().notNull(),
    amount: decimal().notNull(),
    /** In quote currency. */
    value: decimal().notNull(),
    paidAt: moment().notNull(),
    /** When the books got it, by the clock of the database; `null` for payments from before there was this column. */
    bookedAt: moment().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('payments_once').on(table.botId, table.symbol, table.paymentId),
    index().on(table.userId, table.id),
    index().on(table.botId, table.paidAt),
  ],
)

/**
 * The last comparison of a bot's books with its account, for one symbol. Sizes are in base currency and signed: negative
 * for a short.
 */
export const reconciliations = pgTable(
  'reconciliations',
  {
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    symbol: text().notNull(),
    userId: reference().notNull(),
    status: text().$type<'AGREES' | 'DIFFERS' | 'UNREACHABLE'>().notNull(),
    booksSize: decimal().notNull(),
    accountSize: decimal(),
    /** The part of the account's position that is not the bot's, as its owner decided. */
    ignoredSize: decimal().notNull().default('0'),
    /** How many open orders of the symbol at the exchange are not the bot's; `null` if it was not asked. */
    openOrders: integer(),
    /** The client order ids of open orders that the service must have sent, but does not know. */
    unknownOrders: jsonb().$type<string[]>().notNull().default([]),
    /** Every trade at the exchange up to this time is in the books, or was there before the bot. */
    knownUntil: moment().notNull(),
    fundingUntil: moment().notNull(),
    /** What differs, or why it could not be compared, as a sentence for people. */
    reason: text(),
    differsSince: moment(),
    checkedAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.symbol] })],
)

/** What reconciliation did, or what its owner decided. */
export const reconciliationEvents = pgTable(
  'reconciliation_events',
  {
    id: id(),
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    userId: reference().notNull(),
    symbol: text().notNull(),
    type: text().$type<'BOOKED' | 'DIFFERED' | 'AGREED' | 'ADOPTED' | 'IGNORED'>().notNull(),
    /** A sentence for people, with the numbers. */
    text: text().notNull(),
    at: moment().notNull(),
  },
  (table) => [index().on(table.botId, table.id)],
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
    /** The sum of all funding payments, in quote currency, which `realised` includes. Negative if the bot paid. */
    funding: decimal().notNull().default('0'),
    /** What the exchange last said about the margin of a live futures position; `null` until it says so after a fill. */
    margin: jsonb().$type<PositionMargin>(),
    openedAt: moment(),
    lastLossAt: moment(),
    /** On paper: until when every price was compared with the end of its margin; `null`: nobody has begun. */
    marginWatchedAt: moment(),
    /** On paper: every moment of funding until then is settled; `null`: nobody has begun. */
    fundingUntil: moment(),
    /** On paper: the latest moment whose rate was still unknown when the owner was told of it. */
    fundingUnknownAt: moment(),
    updatedAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.symbol] }), index().on(table.userId)],
)

/** Decimals. `null`: the exchange does not say. `liquidationPrice` is that of the whole position of the account. */
export type PositionMargin = {
  leverage: string | null
  mode: MarginMode | null
  liquidationPrice: string | null
}

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
