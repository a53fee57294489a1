import type { CcxtExchange, CcxtMarket } from './ccxt-exchange.ts'

/** A number as ccxt parses it: text, because `number` is set to `String`. */
export type CcxtNumber = string | undefined

type Limit = { min?: CcxtNumber | number; max?: CcxtNumber | number }

/** A market with the fields that orders need. Amounts of futures are in contracts of `contractSize`. */
export type CcxtTradedMarket = CcxtMarket & {
  contract?: boolean
  contractSize?: CcxtNumber | number
  /** The taker fee, as a rate. */
  taker?: CcxtNumber | number
  precision: { amount?: CcxtNumber | number; price?: CcxtNumber | number }
  limits: { amount?: Limit; market?: Limit; cost?: Limit; leverage?: Limit }
  /** What the exchange says about it, in the exchange's form. */
  info?: unknown
}

type Fee = { cost?: CcxtNumber; currency?: string | undefined }

export type CcxtTrade = {
  id?: string | undefined
  order?: string | undefined
  symbol?: string | undefined
  side?: string | undefined
  amount?: CcxtNumber
  price?: CcxtNumber
  /** Unix milliseconds. */
  timestamp?: number | undefined
  fee?: Fee | undefined
  fees?: Fee[] | undefined
  info: unknown
}

export type CcxtOrder = {
  id?: string | undefined
  clientOrderId?: string | undefined
  symbol?: string | undefined
  side?: string | undefined
  status?: string | undefined
  amount?: CcxtNumber
  filled?: CcxtNumber
  average?: CcxtNumber
  fee?: Fee | undefined
  fees?: Fee[] | undefined
  trades?: CcxtTrade[] | undefined
  reduceOnly?: boolean | undefined
  timestamp?: number | undefined
  lastTradeTimestamp?: number | undefined
  info: unknown
}

export type CcxtPosition = {
  symbol?: string | undefined
  side?: string | undefined
  /** Some exchanges give a negative number for a short. */
  contracts?: CcxtNumber
  entryPrice?: CcxtNumber
  marginMode?: string | undefined
  leverage?: CcxtNumber
  liquidationPrice?: CcxtNumber
  hedged?: boolean | undefined
  info: unknown
}

/** A funding payment. `amount` is negative if the account paid. */
export type CcxtFunding = {
  id?: string | undefined
  code?: string | undefined
  amount?: CcxtNumber
  timestamp?: number | undefined
  info: unknown
}

/** By currency. */
export type CcxtBalance = {
  total?: Record<string, CcxtNumber>
  free?: Record<string, CcxtNumber>
  info: unknown
}

type Params = Record<string, unknown>

/** The part of a ccxt exchange that trades an account. */
export type CcxtAccount = CcxtExchange & {
  number: (text: string) => unknown
  markets: Record<string, CcxtTradedMarket>
  fetchBalance(params?: Params): Promise<unknown>
  createOrder(
    symbol: string,
    type: 'market' | 'limit',
    side: string,
    amount: string,
    price?: string,
    params?: Params,
  ): Promise<CcxtOrder>
  cancelOrder(id: string, symbol: string, params?: Params): Promise<unknown>
  fetchOrder(id: string | undefined, symbol: string, params?: Params): Promise<CcxtOrder>
  fetchOpenOrders(symbol: string, since?: number, limit?: number, params?: Params): Promise<CcxtOrder[]>
  fetchClosedOrders(symbol: string, since?: number, limit?: number, params?: Params): Promise<CcxtOrder[]>
  fetchOrders(symbol: string, since?: number, limit?: number, params?: Params): Promise<CcxtOrder[]>
  fetchMyTrades(
    symbol: string | undefined,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<CcxtTrade[]>
  fetchOrderTrades(
    id: string,
    symbol: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<CcxtTrade[]>
  fetchPositions(symbols?: string[], params?: Params): Promise<CcxtPosition[]>
  fetchFundingHistory(
    symbol?: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<CcxtFunding[]>
  /** Signs a request and sends it. */
  fetch2(...request: unknown[]): Promise<unknown>
  nonce(): number
  loadTimeDifference(): Promise<number>
  initializeClient?(): Promise<boolean>
  /** Switches to the exchange's demo or testnet. */
  setSandboxMode(enabled: boolean): void
}
