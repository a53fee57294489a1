/** A market of ccxt with the fields that prices need. `symbol` is ccxt's unified name, `id` the exchange's own. */
export type CcxtMarket = {
  id: string
  symbol: string
  base: string
  quote: string
  settle?: string | undefined
  baseId?: string | undefined
  quoteId?: string | undefined
  type: string
  spot?: boolean | undefined
  swap?: boolean | undefined
  future?: boolean | undefined
  option?: boolean | undefined
  linear?: boolean | undefined
  inverse?: boolean | undefined
  /** `false` if it is not traded at the moment, or never again. Some exchanges do not say. */
  active?: boolean | undefined
  /** When a dated future expires, in Unix milliseconds. */
  expiry?: number | undefined
  /** Kraken's second and third name for a market, such as `XBTUSD` and `XBT/USD`. */
  altname?: string | undefined
  wsId?: string | undefined
  info: unknown
}

/** Prices are in quote currency. `timestamp` is the exchange's time in Unix milliseconds, if it sends one. */
export type CcxtTicker = {
  symbol: string
  timestamp?: number | undefined
  last?: number | undefined
  close?: number | undefined
  bid?: number | undefined
  ask?: number | undefined
  info: unknown
}

/** A WebSocket connection of ccxt. `futures` are promises by the message that they wait for, such as `ticker:BTC/USDT`. */
export type CcxtClient = {
  url: string
  isConnected: boolean
  error?: unknown
  subscriptions: Record<string, unknown>
  futures: Record<string, unknown>
  /** Never settles if the connection fails. */
  connected: Promise<unknown>
  createConnection(): void
  send(message: unknown): Promise<unknown>
  onError(error: unknown): void
  close(): Promise<unknown>
}

/** The request that ccxt passes to a custom fetch implementation. */
export type CcxtRequest = {
  method: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

/** The parts of the response that ccxt uses. */
export type CcxtResponse = {
  status: number
  statusText: string
  headers: Headers
  text(): Promise<string>
  arrayBuffer(): Promise<ArrayBuffer>
}

type Params = Record<string, unknown>

/** A funding rate as a fraction, and when it was due in Unix milliseconds. */
export type CcxtFundingRate = { timestamp?: number | undefined; fundingRate?: number | undefined }

/** Opening time in Unix milliseconds, open, high, low, last, volume. An exchange may leave a value out. */
export type CcxtCandle = [
  time: number | undefined,
  ...values: [
    number | undefined,
    number | undefined,
    number | undefined,
    number | undefined,
    number | undefined,
  ],
]

/** The part of a ccxt exchange that provides prices. */
export type CcxtExchange = {
  id: string
  name: string
  has: Record<string, boolean | 'emulated' | undefined>
  options: Params
  urls: Params
  /** Minimum time between two requests, in milliseconds. */
  rateLimit: number
  enableRateLimit: boolean
  /** The time limit of a REST request, in milliseconds. */
  timeout: number
  newUpdates: boolean
  /** Undefined until markets are loaded. */
  markets: Record<string, CcxtMarket> | undefined
  markets_by_id: Record<string, CcxtMarket[]> | undefined
  /** Other names of a currency, such as `XBT` for `BTC`. */
  commonCurrencies: Record<string, string>
  /** Open WebSocket connections by their address. */
  clients: Record<string, CcxtClient>
  /** Headers of the last response, including `Retry-After`. */
  last_response_headers?: Record<string, string> | undefined
  fetchImplementation?: ((url: string, request: CcxtRequest) => Promise<CcxtResponse>) | undefined
  fetch(url: string): Promise<unknown>
  loadMarkets(reload?: boolean): Promise<Record<string, CcxtMarket>>
  fetchMarkets(params?: Params): Promise<CcxtMarket[]>
  /** Checks each response for errors. Arguments: status, reason, address, method, headers, text, JSON … */
  handleErrors(status: number, ...answer: unknown[]): unknown
  fetchTicker(symbol: string, params?: Params): Promise<CcxtTicker>
  fetchTickers(symbols?: string[], params?: Params): Promise<Record<string, CcxtTicker>>
  watchTicker(symbol: string, params?: Params): Promise<CcxtTicker>
  watchTickers(symbols?: string[], params?: Params): Promise<Record<string, CcxtTicker>>
  /** Exists if `has.unWatchTicker` is true. Waits for the exchange's answer, forever if none comes. */
  unWatchTicker(symbol: string, params?: Params): Promise<unknown>
  unWatchTickers(symbols?: string[], params?: Params): Promise<unknown>
  client(url: string): CcxtClient
  /** The exchange's intervals of candles by ccxt's names for them, such as `1m`. */
  timeframes?: Record<string, unknown> | undefined
  fetchOHLCV(
    symbol: string,
    timeframe: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<CcxtCandle[]>
  /** Exists if `has.fetchFundingRateHistory` is true. */
  fetchFundingRateHistory(
    symbol: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<CcxtFundingRate[]>
  /** What ccxt knows about a method for a symbol, such as the largest `limit` of `fetchOHLCV`. */
  featureValue(symbol: string, method: string, name: string): unknown
  /** Waits until the rate limit permits a request of this cost. */
  throttle(cost?: number): Promise<unknown>
  log(...values: unknown[]): void
  handleMessage(client: CcxtClient, message: unknown): void
  /** Corrects a WebSocket message that the exchange would not accept. */
  rewriteOutgoing?(message: unknown): unknown
  /** Called for each unreadable WebSocket frame, such as one with a price of NaN. Does nothing until it is replaced. */
  onUnreadable(error: unknown): void
  /** Ends all WebSocket and HTTP connections. */
  close(): Promise<void>
}

/**
 * Whether this is an error of ccxt of a kind: the name of its class or of a parent class, such as `RateLimitExceeded`
 * or `NetworkError`. Importing the classes themselves would load all of ccxt.
 */
export function isCcxtError(error: unknown, kind: string): boolean {
  if (!(error instanceof Error)) return false
  for (let proto = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto)) {
    if (proto.constructor?.name === kind) return true
  }
  return false
}
