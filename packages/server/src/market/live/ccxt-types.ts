/** What prices need of a market that ccxt knows; `symbol` is ccxt's unified name, `id` the exchange's own. */
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
  /** `false`: not traded at the moment, or never again. Some exchanges do not say. */
  active?: boolean | undefined
  /** When a dated future ends, in Unix milliseconds. */
  expiry?: number | undefined
  /** Kraken's second and third name of a market, such as `XBTUSD` and `XBT/USD`. */
  altname?: string | undefined
  wsId?: string | undefined
  info: unknown
}

/** Prices are in quote currency; `timestamp` is the exchange's clock in Unix milliseconds, where it tells one. */
export type CcxtTicker = {
  symbol: string
  timestamp?: number | undefined
  last?: number | undefined
  close?: number | undefined
  bid?: number | undefined
  ask?: number | undefined
  info: unknown
}

/** One WebSocket connection of ccxt's. `futures` are promises by what they wait for, such as `ticker:BTC/USDT`. */
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

/** What ccxt hands to a fetch implementation of one's own. */
export type CcxtRequest = {
  method: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

/** What ccxt needs of the answer. */
export type CcxtResponse = {
  status: number
  statusText: string
  headers: Headers
  text(): Promise<string>
  arrayBuffer(): Promise<ArrayBuffer>
}

type Params = Record<string, unknown>

/** The part of a ccxt exchange that prices come from. */
export type CcxtExchange = {
  id: string
  name: string
  has: Record<string, boolean | 'emulated' | undefined>
  options: Params
  urls: Params
  /** Least time between two requests, in milliseconds. */
  rateLimit: number
  enableRateLimit: boolean
  /** Of a REST request, in milliseconds. */
  timeout: number
  newUpdates: boolean
  /** Undefined until markets are loaded. */
  markets: Record<string, CcxtMarket> | undefined
  markets_by_id: Record<string, CcxtMarket[]> | undefined
  /** Other names of a currency, such as `XBT` for `BTC`. */
  commonCurrencies: Record<string, string>
  /** Open WebSocket connections by their address. */
  clients: Record<string, CcxtClient>
  /** Headers of the answer that came last; a rate limit's `Retry-After` is here. */
  last_response_headers?: Record<string, string> | undefined
  fetchImplementation?: ((url: string, request: CcxtRequest) => Promise<CcxtResponse>) | undefined
  fetch(url: string): Promise<unknown>
  loadMarkets(reload?: boolean): Promise<Record<string, CcxtMarket>>
  fetchMarkets(params?: Params): Promise<CcxtMarket[]>
  /** Looks for errors in each answer, before it is used: status, reason, address, method, headers, text, JSON … */
  handleErrors(status: number, ...answer: unknown[]): unknown
  fetchTicker(symbol: string, params?: Params): Promise<CcxtTicker>
  fetchTickers(symbols?: string[], params?: Params): Promise<Record<string, CcxtTicker>>
  watchTicker(symbol: string, params?: Params): Promise<CcxtTicker>
  watchTickers(symbols?: string[], params?: Params): Promise<Record<string, CcxtTicker>>
  /** There where `has.unWatchTicker` is true. It waits for the exchange's answer, for ever if none comes. */
  unWatchTicker(symbol: string, params?: Params): Promise<unknown>
  unWatchTickers(symbols?: string[], params?: Params): Promise<unknown>
  client(url: string): CcxtClient
  log(...values: unknown[]): void
  handleMessage(client: CcxtClient, message: unknown): void
  /** Turns a WebSocket message into what the exchange takes, where ccxt's is not that. */
  rewriteOutgoing?(message: unknown): unknown
  /** Told of each WebSocket frame that cannot be read, such as a price of NaN. Does nothing until it is replaced. */
  onUnreadable(error: unknown): void
  /** Ends all WebSocket connections and what is left of HTTP ones. */
  close(): Promise<void>
}

/**
 * Whether ccxt threw this because of `kind`, by the name of one of its error classes or of a parent class, such as
 * `RateLimitExceeded` or `NetworkError`. The classes themselves would load all of ccxt.
 */
export function isCcxtError(error: unknown, kind: string): boolean {
  if (!(error instanceof Error)) return false
  for (let proto = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto)) {
    if (proto.constructor?.name === kind) return true
  }
  return false
}
