/**
 * What turns signals into orders speaks of, whatever it is given as venue, books and clock. Amounts, prices and money
 * are decimal strings, never negative unless said; moments are Unix milliseconds.
 */

import type { BotSettings, OrderStatus, SignalOptions } from '../db/schema.ts'
import type { MarketRules } from '../market/rules.ts'

export type Side = 'buy' | 'sell'
export type Action = 'LONG' | 'SHORT' | 'EXIT'

/** A signal for one symbol. `price` is what its sender saw, `null` where that is not known. */
export type TradeSignal = {
  /** Of its way through this bot: client order ids derive from it. */
  botSignalId: number
  action: Action
  symbol: string
  price: string | null
  options: SignalOptions
  at: number
}

/** A market order. `size` is in base currency, a multiple of the size step. */
export type OrderRequest = {
  clientOrderId: string
  symbol: string
  side: Side
  purpose: 'open' | 'close'
  reduceOnly: boolean
  size: string
}

/** A part of an order that was executed. `fee` is in `feeAsset`, and negative where it is a rebate. */
export type Execution = {
  /** The exchange's own id of the trade, unique within its order. */
  tradeId: string
  size: string
  price: string
  fee: string
  feeAsset: string
  filledAt: number
}

/** What was executed of an order in all. `price` is the average; `fee` an estimate where the venue tells none. */
export type Totals = Omit<Execution, 'tradeId'>

/**
 * What a venue says of an order: all its executions so far. `totals` where not every execution can be had: what is
 * missing in `executions` is counted as one execution that makes up for it.
 */
export type OrderReport = {
  exchangeOrderId: string | null
  status: Extract<OrderStatus, 'OPEN' | 'FILLED' | 'CANCELED' | 'REJECTED'>
  executions: Execution[]
  totals?: Totals
  reason: string | null
}

/**
 * `refused`: certainly not placed. `busy`: certainly not placed either, and it may be tried again, not before
 * `retryAfterMs` where the venue has said so. `unknown`: perhaps placed, to be looked up; never to be sent again
 * blindly.
 */
export type PlaceOutcome =
  | { status: 'placed'; report: OrderReport }
  | { status: 'refused'; reason: string }
  | { status: 'busy'; reason: string; retryAfterMs?: number }
  | { status: 'unknown'; reason: string }

/**
 * `absent`: the venue says that it has never had such an order; `isCertain` where none can turn up later either,
 * because nothing lies between us and the venue.
 */
export type LookUpOutcome =
  | { status: 'found'; report: OrderReport }
  | { status: 'absent'; isCertain?: boolean }
  | { status: 'unknown'; reason: string }

/** Where orders are executed. Its methods do not reject for anything that an exchange does, but for `rules` and `price`. */
export type Venue = {
  readonly kind: 'paper' | 'live'
  /** @throws {NoSuchMarket} @throws {VenueUnreachable} */
  rules(symbol: string): Promise<MarketRules>
  /** The current price in quote currency. @throws {VenueUnreachable} with why there is none */
  price(symbol: string): Promise<string>
  place(order: OrderRequest): Promise<PlaceOutcome>
  lookUp(order: OrderRequest): Promise<LookUpOutcome>
  /** Asks for the end of an order that is open. What came of that, only `lookUp` tells. */
  cancel(order: OrderRequest): Promise<void>
}

/** What a bot holds of a symbol. A bot is flat with `side: null` and size `0`. */
export type Position = {
  side: 'long' | 'short' | null
  size: string
  entryPrice: string | null
  /** In quote currency, after fees; may be negative. */
  realised: string
  fees: string
  openedAt: number | null
  lastLossAt: number | null
}

/** An order with what became of it so far. */
export type BookedOrder = OrderRequest & {
  status: OrderStatus
  filledSize: string
  /** Why it was rejected, is unknown or was cancelled, for a person. */
  reason: string | null
}

/** What books need to know of a market to count an execution. */
export type BookingTerms = Pick<MarketRules, 'base' | 'quote' | 'service'> & {
  /** Prices in quote currency of other assets that fees were paid in, where they are known: `{ BNB: '612.4' }`. */
  feeRates: Record<string, string>
}

/** The books of one bot. Every method has taken effect durably when it resolves. */
export type Books = {
  position(symbol: string): Promise<Position>
  /** The currency that all these books are in: that of the first order that was or may be executed; `null` before. */
  quote(): Promise<string | null>
  /** Realised profit of this bot since a moment, in quote currency; negative for a loss. */
  realisedSince(at: number): Promise<string>
  /** Orders of this signal in the order in which they were planned: what an earlier attempt has left. */
  ordersOf(botSignalId: number): Promise<BookedOrder[]>
  /**
   * Before it is sent. The very same order may be planned again as long as the venue has told nothing of it.
   * @throws when it has: such an order must not be sent
   */
  plan(botSignalId: number, order: OrderRequest): Promise<void>
  /** It was sent, and nobody knows what became of it; or certainly was not placed. */
  note(clientOrderId: string, status: 'UNKNOWN' | 'REJECTED', reason: string): Promise<void>
  /**
   * Counts each execution once, and moves the position in the same transaction. What is final stays so, but for an
   * order that was given up and turns up after all.
   */
  report(clientOrderId: string, report: OrderReport, terms: BookingTerms): Promise<void>
}

export type Clock = {
  now(): number
  /** Resolves early, without error, when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type { BotSettings }
