/**
 * How the next request fails: before the order is accepted, or after it is accepted, with a lost answer. `late` cuts the
 * connection and accepts the order a while later.
 */
export type Failure =
  | 'before-cut'
  | 'before-5xx'
  | 'after-cut'
  | 'after-hang'
  | 'after-5xx'
  | 'after-garbage'
  | 'late'
  | 'reject'
  | 'rate-limit'

/** `cancel`: a request to cancel an order or a stop, which is a `question` otherwise. Only Binance's stand-in tells them apart. */
export type FailureKind = 'order' | 'question' | 'stop' | 'cancel'

/**
 * How orders are executed: at once, in three parts over time, in very many parts within milliseconds, all after a while, or
 * when the test calls `fillOpen`.
 */
export type Fills = 'whole' | 'parts' | 'many' | 'late' | 'never'

export type Key = {
  apiKey: string
  secret: string
  password?: string
  mayTrade?: boolean
  mayWithdraw?: boolean
  /** The addresses that may use the key. Without any, all may. */
  ips?: string[]
  /** Of the exchange's demo or testnet. */
  isDemo?: boolean
}

/** The private side of an exchange on this machine. Amounts are decimal strings. */
export type Trading = {
  /** The credentials for exchange connections, with ccxt's names. */
  credentials: Record<string, string>
  /** Another key of the same account, for example one without permission to trade. */
  addKey(key: Key): void
  setBalance(asset: string, amount: string): void
  balance(asset: string): string
  /** The position in a futures symbol, in base currency. Negative for a short. */
  position(symbol: string): string
  setFills(fills: Fills): void
  /**
   * Executes open orders. With `part`, it executes only that part of each, and the exchange cancels the rest, for a reason
   * in its own words.
   */
  fillOpen(part?: string, endedAs?: string): void
  /** Executes so much of each limit order that rests, and of each market order that waits for the test. They stay open. */
  fillResting(size: string): void
  /** Its owner cancels every limit order that rests, or changes its limit and size. */
  cancelResting(): void
  changeResting(change: { limit: string; size: string }): void
  /** The next requests to place an order or a stop, or the next look-ups, fail in these ways, one after another. */
  failNext(failure: Failure, on?: FailureKind): void
  /** Removes the failures that have not happened yet. */
  calm(): void
  /** For how long after its acceptance an order or its trades cannot be looked up, in milliseconds. */
  hideFor(ms: number): void
  hideTradesFor(ms: number): void
  /** Forgets all orders and positions, as after a restart without memory. */
  forget(): void
  /** Sets the fee as a fraction of the notional, paid in the received currency, or in an asset with a price. */
  setFee(rate: string, inAsset?: { asset: string; price: string }): void
  /** All orders that were ever accepted, the oldest first. Those of `trade` have no client order id. */
  orders(): readonly BookOrder[]
  /**
   * A trade of the account that the service did not ask for, at the current price, with a fee. In hedge mode, it closes
   * the opposite position if there is one.
   */
  trade(symbol: string, side: 'buy' | 'sell', size: string, kind?: TradeKind): BookOrder
  /** Pays funding of a position into the account, now or at a time in Unix ms. A negative amount is paid by the account. */
  payFunding(symbol: string, amount: string, at?: number): void
  setMode(mode: Partial<AccountMode>): void
  /** What the account has for a futures symbol. */
  leverage(symbol: string): string
  /** Sets it by hand. With `isFixed`, the account accepts other values, and keeps this one. */
  setLeverage(symbol: string, leverage: string, isFixed?: boolean): void
  /** Whether prices trigger stops on spot. Without it, the exchange does not notice them. */
  setTriggers(on: boolean): void
  /** Refuses this many orders that close a position or sell on spot, as when the price has left its band. */
  refuseCloses(count: number | 'all' | 'none'): void
  /** Answers every private request with this exchange's words for a maintenance. */
  setMaintenance(on: boolean): void
}

/** `account` is the exchange's own name for a kind of account, if it has several. */
export type AccountMode = { position: 'one-way' | 'hedge'; margin: 'cross' | 'isolated'; account: string }
export type TradeKind = 'order' | 'liquidation' | 'adl'

/** `amount` is negative if the account paid. */
export type BookFunding = { id: string; symbol: string; asset: string; amount: string; at: number }

export type BookTrade = {
  id: string
  size: string
  price: string
  fee: string
  feeAsset: string
  at: number
}

export type BookOrder = {
  id: string
  clientOrderId: string
  symbol: string
  side: 'buy' | 'sell'
  /** In base currency. */
  size: string
  reduceOnly: boolean
  /** Of a limit order: it rests until the price reaches it. */
  limit?: string
  /** Of a limit order: it is refused if it would be executed at once, and rests until the price has gone through it. */
  postOnly?: boolean
  /** A stop on spot: it rests, and locks the coins that it would sell, until the price reaches this. Then it is an order like others. Of the target in one order with it: `isTarget`. */
  stop?: { price: string; isTriggered: boolean; isTarget?: true }
  /** In hedge mode: the position that the order changes. */
  positionSide?: 'long' | 'short'
  kind: TradeKind
  at: number
  status: 'open' | 'filled' | 'canceled'
  /** Why the exchange cancelled the order, in its own words. */
  endedAs?: string | undefined
  /** When somebody cancelled it, in Unix milliseconds. */
  endedAt?: number
  trades: BookTrade[]
}
