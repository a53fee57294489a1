/**
 * The types of the code that turns signals into orders. It works with any venue, books and clock. Sizes, prices and
 * money are decimal strings, and never negative unless a comment says so. Times are Unix milliseconds.
 */

import type {
  AmountUnit,
  BotSettings,
  Direction,
  MarginMode,
  OrderStatus,
  Protection,
  SignalOptions,
} from '../db/schema.ts'
import type { MarketRules } from '../market/rules.ts'

export type Side = 'buy' | 'sell'
export type Action = 'LONG' | 'SHORT' | 'EXIT'

/** A signal for one symbol. `price` is the price that its sender saw, or `null` if that is unknown. */
export type TradeSignal = {
  /** The id of the signal in this bot. Client order ids are made from it. */
  botSignalId: number
  action: Action
  symbol: string
  price: string | null
  options: SignalOptions
  at: number
}

/** What a bot wants of the margin of a futures position; `null`: what the account has. */
export type MarginWish = { leverage: number | null; mode: MarginMode | null }

/** What an account has for a symbol, as its exchange says. `leverage` is a decimal; `null`: it does not say. */
export type MarginSetting = { leverage: string | null; mode: string | null }

/** The limit of an order that rests until its price is reached, in quote currency. `postOnly`: it never takes an offer. */
export type LimitOf = { price: string; postOnly: boolean }

/** A market order, unless it has a limit. `size` is in base currency, and a multiple of the size step. */
export type OrderRequest = {
  clientOrderId: string
  symbol: string
  side: Side
  purpose: 'open' | 'close'
  reduceOnly: boolean
  size: string
  /** Of an opening that rests. */
  limit?: LimitOf
  /** Of a look-up or a cancellation: whether the venue has reported the order as open. */
  isKnown?: boolean
  /**
   * When it was first planned. An older order at the venue is another one, even if it has the same id: after a restored
   * backup, ids may repeat. Without this time, an order of any age counts.
   */
  plannedAt?: number
  /** Of an opening: what the new position is protected by; empty: by nothing. Absent: it changes no protection. */
  protection?: Protection | Record<string, never>
  /** Of an opening at an exchange: what the account must have for the symbol before the order is sent. */
  margin?: MarginWish
  /** Of an order that the exchange made of a stop: its id there. Such an order is looked up by it, and never placed. */
  legOrderId?: string
  /** Of a close at a stop: its price. A paper order is never executed at a better one. */
  trigger?: string
  /** Of a close that came too late, because the service was off: a paper order gets this price, before slippage. */
  missedPrice?: string
}

/** An executed part of an order. `fee` is in `feeAsset`; a rebate is negative. */
export type Execution = {
  /** The id that the exchange gave the trade, unique within the order. */
  tradeId: string
  size: string
  price: string
  fee: string
  feeAsset: string
  filledAt: number
}

/**
 * The executed part of an order as one total. `price` is the average price. `fee` is an estimate if the venue reports
 * no fee.
 */
export type Totals = Omit<Execution, 'tradeId'>

/**
 * A venue's report of an order, with all executions so far. If the venue does not list every execution, the report has
 * `totals`, and the books count the part that is missing in `executions` as one more execution.
 */
export type OrderReport = {
  exchangeOrderId: string | null
  status: Extract<OrderStatus, 'OPEN' | 'FILLED' | 'CANCELED' | 'REJECTED'>
  executions: Execution[]
  totals?: Totals
  reason: string | null
  /** Of an `OPEN` order with a limit: it has ended at the venue, and not all that it executed may be known yet. */
  isEnding?: true
}

/** The best prices at which others' orders rest now, in quote currency. */
export type BestPrices = { bid: string; ask: string }

/**
 * `refused`: certainly not placed. `busy`: certainly not placed, and the caller may try again, after `retryAfterMs` if
 * the venue gave one. `unknown`: possibly placed, so the caller must look the order up before it sends it again.
 */
export type PlaceOutcome =
  | { status: 'placed'; report: OrderReport }
  | { status: 'refused'; reason: string }
  | { status: 'busy'; reason: string; retryAfterMs?: number }
  | { status: 'unknown'; reason: string }

/**
 * `absent`: the venue says that it never had such an order. An exchange may still receive it later. `isCertain`: it
 * cannot arrive later, because there is no network between the caller and the venue.
 */
export type LookUpOutcome =
  | { status: 'found'; report: OrderReport }
  | { status: 'absent'; isCertain?: boolean }
  | { status: 'unknown'; reason: string }

/** A place where orders are executed. Whatever an exchange does, only `rules` and `price` reject. */
export type Venue = {
  readonly kind: 'paper' | 'live'
  /** @throws {NoSuchMarket} @throws {VenueUnreachable} */
  rules(symbol: string): Promise<MarketRules>
  /** The current price in quote currency. @throws {VenueUnreachable} with the reason why there is none */
  price(symbol: string): Promise<string>
  /**
   * @param whyNotNow a venue that prepares an order for a while asks it right before it sends the order: why it may not, as
   *   a sentence, which makes the outcome `unknown`; `null` if it may
   */
  place(order: OrderRequest, whyNotNow?: () => string | null): Promise<PlaceOutcome>
  lookUp(order: OrderRequest): Promise<LookUpOutcome>
  /** Asks the venue to cancel an open order. Only `lookUp` says whether that worked. */
  cancel(order: OrderRequest): Promise<void>
  /**
   * Resolves when the limit of an open order may have been reached, and never rejects. Absent: nobody tells, so look now
   * and then.
   */
  reached?(order: OrderRequest): Promise<void>
  /** Why it takes no orders with a limit, as a sentence; `null`: it does. Default: only a paper venue does. */
  readonly whyNoLimits?: string | null
  /** Absent: it knows only the current price. @throws {NoSuchMarket} @throws {VenueUnreachable} */
  bestPrices?(symbol: string): Promise<BestPrices>
  /** What an opening would have in the account as it is set up now. Absent: nobody knows. @throws as `bestPrices` */
  marginOf?(symbol: string, side: Side): Promise<MarginSetting>
}

/** A bot's net holding of a symbol. A flat position has `side: null` and size `0`. */
export type Position = {
  side: 'long' | 'short' | null
  size: string
  entryPrice: string | null
  /** Realised profit in quote currency, after fees. Negative for a loss. */
  realised: string
  fees: string
  openedAt: number | null
  lastLossAt: number | null
}

/** When an order was sent, and when the venue answered; `null` without an answer. */
export type Sending = { sentAt: number; answeredAt: number | null }

/** An order with its state in the books. */
export type BookedOrder = OrderRequest & {
  status: OrderStatus
  filledSize: string
  /** For a person: why the order was rejected or cancelled, or why its outcome is unknown. */
  reason: string | null
}

/** The facts about a market that the books need to count an execution. */
export type BookingTerms = Pick<MarketRules, 'base' | 'quote' | 'service'> & {
  /** Prices in quote currency of other assets in which fees were paid, if known: `{ BNB: '612.4' }`. */
  feeRates: Record<string, string>
}

/**
 * How many positions a bot may hold. `dust`: the symbols whose remainder no order can close; they take no place.
 */
export type PositionRoom = { most: number; dust: readonly string[] }

/** An order that may still open a position. `size`: what it may still execute. `limit`: its price; `null`: the market's. */
export type OpenOpening = { symbol: string; size: string; limit: string | null }

/** The openings of a bot that may still be executed. `latest` is another one after each opening that is planned. */
export type Openings = { orders: readonly OpenOpening[]; latest: string }

/**
 * What must be so when the books plan an opening. `latest`: its size follows from what is free, so no other opening may
 * have been planned since then.
 */
export type OpeningRoom = { positions?: PositionRoom; latest?: string }

/** A position that is not flat. */
export type HeldPosition = { symbol: string; position: Position }

/** What a bot had lost when it reached `maxDailyLoss`, in the currency of its amounts. */
export type ReachedLimit = { at: number; loss: string }

/** How far the equity of a bot has fallen, in quote currency. `maxDrawdown` is in percent. */
export type ReachedDrawdown = { at: number; equity: string; highest: string; maxDrawdown: string }

/** `highest`: the highest equity so far; `null` if it was never known. `stopped`: the equity had fallen to this. */
export type DrawdownState = { highest: string | null; stopped: { at: number; equity: string } | null }

/** The books do not plan an order, for a reason that a person decided, such as switching the bot off. */
export class PlanRefused extends Error {
  override name = 'PlanRefused'
}

/** Another opening of the bot was planned after the size of this one was worked out: plan it again. */
export class PlanOutdated extends Error {
  override name = 'PlanOutdated'
}

/** The books of one bot. When a method resolves, its effect is durable. */
export type Books = {
  position(symbol: string): Promise<Position>
  /** Every position that is not flat. */
  held(): Promise<HeldPosition[]>
  /** The orders that may still open a position. */
  openings(): Promise<Openings>
  /** The quote currency of these books: that of the first order that was or may be executed; `null` before that. */
  quote(): Promise<string | null>
  /** The bot's realised profit since a time, in quote currency. Negative for a loss. */
  realisedSince(at: number): Promise<string>
  /** When the bot's loss last reached its limit; `null` if it never did. */
  limitReachedAt(): Promise<number | null>
  /** Stores that the loss has reached the limit. */
  reachLimit(reached: ReachedLimit): Promise<void>
  /**
   * Raises the highest equity to `equity`, and returns what there is then.
   * @param equity `null` if nobody knows it
   */
  drawdown(equity: string | null): Promise<DrawdownState>
  /** Stores that the equity has fallen to its limit, unless `highest` has changed since. */
  reachDrawdown(reached: ReachedDrawdown): Promise<void>
  /** Why the bot may open nothing in a symbol until its books equal the account; `null` if it may. Default: it may. */
  openingObstacle?(symbol: string): Promise<string | null>
  /** What the account of the bot was worth when it was last read; `null`: nobody knows. Default: nobody knows. */
  accountEquity?(): Promise<{ currency: string; amount: string } | null>
  /** Whether the symbol was ever compared with the account. Only then is a stop placed there. Default: it was. */
  isCompared?(symbol: string): Promise<boolean>
  /** The orders of a signal, in the order in which they were planned. Earlier attempts may have planned some. */
  ordersOf(botSignalId: number): Promise<BookedOrder[]>
  /**
   * Stores an order right before it is sent. The same order may be planned again until the venue has reported it.
   * @param room for an opening: other symbols may take the last place at the same time, so only this check is certain
   * @throws if the venue has reported it: such an order must not be sent again
   * @throws {PlanRefused} with the reason why the bot may not open now
   * @throws {PlanOutdated}
   */
  plan(botSignalId: number, order: OrderRequest, room?: OpeningRoom): Promise<void>
  /**
   * Stores that the outcome of an order is unknown, or that the order was certainly not placed.
   * @param sending if the order was just sent; `null` if it was planned, and then not sent
   */
  note(
    clientOrderId: string,
    status: 'UNKNOWN' | 'REJECTED',
    reason: string,
    sending?: Sending | null,
  ): Promise<void>
  /**
   * Stores why an open order is to be cancelled, before the venue is asked to. So a later process knows that the bot has
   * cancelled it, and nobody else. Nothing changes if the order is not open.
   */
  noteCancelling(clientOrderId: string, reason: string): Promise<void>
  /**
   * Counts each execution once, and updates the position in the same transaction. A final status stays, except if the
   * venue reports an order after all that was given up as never arrived.
   * @param sending if the order was just sent
   */
  report(clientOrderId: string, report: OrderReport, terms: BookingTerms, sending?: Sending): Promise<void>
}

export type Clock = {
  now(): number
  /** Resolves early, without an error, if `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type { AmountUnit, BotSettings, Direction, MarginMode }
