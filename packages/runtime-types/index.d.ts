/** What the code of a strategy finds: `$`, and nothing else beside JavaScript itself. */

import type { ApiClient, Credentials } from '@tickwright/client/sandbox'
import type { Indicators } from './indicators.d.ts'

declare global {
  /** All that a strategy has of the world outside. It is frozen, with all that is under it. */
  const $: Runtime
}

export type Runtime = {
  readonly Action: Actions
  readonly Exchange: Exchanges
  /** The current price. Only with the option 'use price'; else it is `undefined`. */
  readonly Price: Price
  /** Your environment variables by their names, those of the strategy's folder before those for all. */
  readonly Env: Readonly<Record<string, string>>
  /** What the data webhook took in. Reactions only; else it is `undefined`. */
  readonly Request: WebhookRequest
  readonly Strategy: Strategy
  readonly Storage: Storage
  readonly Http: Http
  /**
   * The current rate of a symbol on an exchange, or `null` where none younger than 10 s can be had.
   * @param exchange a member of `$.Exchange`
   * @param symbol in lower case, such as `btcusdt`
   * @throws {TypeError} when an argument is not what it should be
   */
  getExchangeRate(exchange: ExchangeName, symbol: string): Promise<number | null>
  /**
   * The indicators of trading-signals. One is made with its parameters, fed with `update(value)`, and
   * `getResult()` is `null` until `isStable` is `true`.
   */
  readonly Ta: Indicators
  /** Adds a line to the log of this run, at most 8 KB a run. It is shown nowhere but in the record of the run. */
  log(...values: unknown[]): void
}

export type ActionName = 'LONG' | 'SHORT' | 'EXIT'

export type Actions = {
  /** Open a long position. While short: close that first. */
  readonly LONG: 'LONG'
  /** Open a short position. While long: close that first. */
  readonly SHORT: 'SHORT'
  /** Close the position. Two in a row are a violation. */
  readonly EXIT: 'EXIT'
}

export type ExchangeName = 'BINANCE' | 'GATEIO' | 'BITGET' | 'HYPERLIQUID' | 'KRAKEN'

/** The exchanges of `$.getExchangeRate`. */
export type Exchanges = { readonly [Name in ExchangeName]: Name }

export type Price = {
  /** The strategy's price symbol. */
  readonly symbol: string
  /** In quote currency. */
  readonly price: number
  /** Where it comes from, in lower case, such as `binance`. */
  readonly exchange: string
  /** The market, such as `spot` or `futures`. */
  readonly service: string
}

export type WebhookRequest = {
  /** The payload as text, byte for byte as it was stored. */
  readonly data: string
  /** By lower-case names, without the webhook's key, cookies and authorization. */
  readonly headers: Readonly<Record<string, string>>
  /** Address of the sender. */
  readonly ip: string
}

export type Strategy = {
  readonly id: number
  readonly type: 'code-strategy' | 'code-reaction'
  /** The symbols that signals are for. Only with 'send signal'; else it is `undefined`. */
  readonly signalSymbols: readonly string[]
  /** The latest action. Only with 'send signal'; else it is `undefined`. */
  readonly lastTrigger: LastTrigger
  /**
   * Sends an action, and resolves when its signal is stored. It stays, whatever the run does afterwards. Only with
   * 'send signal'; else it is `undefined`.
   *
   * A second one in a run, a sixth within a second on an account, and `EXIT` after `EXIT` are violations.
   * @throws {TypeError} when the type or an option is not what it should be; that is no action and no violation
   */
  action(type: ActionName, options?: ActionOptions): Promise<Signal>
  /**
   * `(current - open) / open`: a ratio, or a percentage. The sign does not turn for shorts. `null` where one of the
   * prices is missing or not above 0.
   * @param percentage default `false`
   * @param openPrice default: the price of the last trigger
   * @param currentPrice default: the price of `$.Price`
   */
  roi(percentage?: boolean, openPrice?: number | null, currentPrice?: number | null): number | null
  /**
   * Switches this strategy off, and resolves to `true` once that is so. The run goes on: return if it should not.
   * @param notify whether to send its owner a mail; default `false`
   */
  stop(notify?: boolean): Promise<boolean>
}

/** All three are `null` before the first action; `price` is `null` also where none was known. */
export type LastTrigger = {
  readonly action: ActionName | null
  readonly price: number | null
  /** Unix milliseconds. */
  readonly at: number | null
}

export type ActionOptions = {
  /** A name for the alert, at most 255 characters. */
  id?: string
  /** Lets a position grow by the same action again. */
  dilution?: boolean
  /** From 1e-18 to 1e18: quote currency when opening, base currency when closing. */
  size?: number
  /** Lets `size` override the fixed amount of a bot. */
  forceSize?: boolean
}

export type Signal = {
  readonly id: number
  readonly action: ActionName
  readonly symbols: readonly string[]
  /** `null` where none is known. */
  readonly price: number | null
  /** Unix milliseconds. */
  readonly at: number
  /** Whether a bot webhook has taken it. */
  readonly delivered: boolean
}

/** What JSON can carry. Promises, functions, maps and indicators are none of it. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [name: string]: unknown }
  | { toJSON(): unknown }

/** One JSON value that survives between runs. */
export type Storage = {
  /** How many bytes of UTF-8 the value may have as JSON. */
  readonly byteLimit: 24576
  /** A fresh copy of the stored value, or `null`. */
  // biome-ignore lint/suspicious/noExplicitAny: what was stored is known to the strategy alone
  get(): Promise<any>
  /**
   * Replaces the stored value. More than `byteLimit` bytes are a violation.
   * @throws {TypeError} when JSON cannot carry the value
   */
  set(value: Json): Promise<void>
}

/**
 * HTTP requests, at most 20 a run. Whatever the remote side does is an answer: 502 when it cannot be reached or
 * sends more than 1 MB, 504 when it takes too long, 403 when the address is not allowed, each with the reason as
 * `text`. Only wrong arguments, and more requests than a run may make, reject.
 */
export type Http = {
  /** How long a request may take, in ms. */
  readonly timeout: 1750
  get(url: string, params?: HttpParams, headers?: HttpHeaders): Promise<HttpResponse>
  /** `data` is sent as JSON, or as it is if it is a string; `Content-Type` is `application/json` by default. */
  post(url: string, data: Json, headers?: HttpHeaders): Promise<HttpResponse>
  /** `data` is sent as JSON, or as it is if it is a string; `Content-Type` is `application/json` by default. */
  put(url: string, data: Json, headers?: HttpHeaders): Promise<HttpResponse>
  delete(url: string, params?: HttpParams, headers?: HttpHeaders): Promise<HttpResponse>
  /**
   * Signs the UTF-8 bytes of a payload: HMAC-SHA256 in lower-case hex, or ML-DSA-44 in Base64.
   * @param secret for ML-DSA a private key in Base64: PKCS#8, its 32-byte seed, or its 2,560 expanded bytes
   * @param algo default `'HMAC'`
   * @throws {Error} when the secret is no key of the algorithm
   */
  generateSignature(payload: string, secret: string, algo?: 'HMAC' | 'ML-DSA'): Promise<string>
  /**
   * A client of this service's own API. Its requests count as requests of `$.Http`; refusals reject with an error
   * that has `status`, `code` and `details`.
   * @throws {TypeError} when a credential is missing
   */
  createApiClient(credentials: Credentials): ApiClient
}

type HttpParam = string | number | boolean | null | undefined

/** Becomes the query. A list repeats its name; what is `null` or `undefined` is left out. */
export type HttpParams = { readonly [name: string]: HttpParam | readonly HttpParam[] }

export type HttpHeaders = { readonly [name: string]: string }

export type HttpResponse = {
  /** HTTP status. */
  readonly status: number
  /** The body. */
  readonly text: string
  /** Whether it is the answer to an equal request within the last 5 s. */
  readonly cache: boolean
}
