/**
 * What an exchange says about an account: for comparing it with the books, and for checking whether a bot can trade
 * with it. Sizes are in base currency. Decimals are strings, and never negative unless a comment says so. Times are
 * Unix milliseconds.
 */

import type { Execution, Side } from './types.ts'

/** A futures position. In hedge mode, a symbol may have a long and a short at the same time. */
export type AccountPosition = {
  symbol: string
  side: 'long' | 'short'
  size: string
  entryPrice: string | null
  marginMode: 'cross' | 'isolated' | null
  leverage: string | null
  /** Where the exchange would close it, as the exchange calculates it now. */
  liquidationPrice: string | null
}

/** `total` includes what open orders reserve; `free` does not. */
export type AccountBalance = { asset: string; total: string; free: string }

export type AccountOrder = {
  exchangeOrderId: string
  /** In the exchange's form: see `Dialect.clientOrderId`. `null` if the order has none. */
  clientOrderId: string | null
  symbol: string
  side: Side
  size: string
  filledSize: string
  reduceOnly: boolean
  at: number
}

/**
 * How a trade came about. `order`: by an order of the account, ours or not. `liquidation`: the exchange closed the
 * position because its margin was used up. `adl`: the exchange closed it against another trader's liquidation.
 */
export type TradeKind = 'order' | 'liquidation' | 'adl'

export type AccountTrade = Execution & {
  symbol: string
  side: Side
  exchangeOrderId: string | null
  kind: TradeKind
}

/** `amount` is negative if the account paid. `id` is the same each time the payment is read. */
export type FundingPayment = { id: string; symbol: string; asset: string; amount: string; at: number }

/** The value of the whole account, with unrealised profit, as the exchange calculates it. May be negative. */
export type AccountEquity = { currency: string; amount: string }

/** `null`: the exchange does not say. */
export type AccountFacts = {
  /** The exchange's own id of the account, the same for all its keys. */
  accountId: string | null
  /** Such as `unified`, `classic` or `portfolio`, in the exchange's words. */
  accountType: string | null
  mayTrade: boolean | null
  mayWithdraw: boolean | null
  isIpRestricted: boolean | null
  /** Futures only. If bots cannot trade in the mode, there is an obstacle. */
  positionMode: 'one-way' | 'hedge' | null
  /** Why bots cannot trade with the account as it is set up now: sentences that say what to change. */
  obstacles: string[]
}

/** Reads one account at an exchange. Every method rejects with `VenueUnreachable` if there is no readable answer. */
export type AccountReader = {
  facts(): Promise<AccountFacts>
  /** All open futures positions. */
  positions(): Promise<AccountPosition[]>
  /** What the account holds, for spot. */
  balances(): Promise<AccountBalance[]>
  openOrders(symbol: string): Promise<AccountOrder[]>
  /** All trades of the account in a symbol since a time, ours included, the oldest first. */
  tradesSince(symbol: string, since: number): Promise<AccountTrade[]>
  /** The funding payments of a futures symbol since a time, the oldest first. */
  fundingSince(symbol: string, since: number): Promise<FundingPayment[]>
  /** `null` if the exchange does not give one currency's total. */
  equity(): Promise<AccountEquity | null>
}
