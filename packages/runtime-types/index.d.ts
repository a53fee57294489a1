/** The types of `$`, the only global that a strategy has besides JavaScript itself. */

import type { Credentials, HostedClient } from '@tickwright/client/sandbox'
import type { Indicators } from './indicators.d.ts'

declare global {
  /** A strategy's only way to the outside. `$` and everything under it is frozen. */
  const $: Runtime

  /** The enumerations of `$` as types: `$.Action` is any of its members, `$.Action.LONG` is one. */
  namespace $ {
    type Action = ActionName
    namespace Action {
      type LONG = 'LONG'
      type SHORT = 'SHORT'
      type EXIT = 'EXIT'
    }
    type Exchange = ExchangeName
    namespace Exchange {
      type BINANCE = 'BINANCE'
      type GATEIO = 'GATEIO'
      type BITGET = 'BITGET'
      type HYPERLIQUID = 'HYPERLIQUID'
      type KRAKEN = 'KRAKEN'
    }
  }
}

export type Runtime = {
  readonly Action: Actions
  readonly Exchange: Exchanges
  /** The current price. `undefined` unless the strategy has `use_price` on. */
  readonly Price: Price
  /** Your environment variables by name. A variable of the strategy's folder hides a global one of the same name. */
  readonly Env: Readonly<Record<string, string>>
  /** The payload that the data webhook accepted. `undefined` except in reactions. */
  readonly Request: WebhookRequest
  readonly Strategy: Strategy
  readonly Storage: Storage
  readonly Http: Http
  /**
   * The current rate of a symbol on an exchange, or `null` if no rate younger than 10 s is available.
   * @param exchange a member of `$.Exchange`
   * @param symbol such as `btcusdt`
   * @throws {TypeError} if an argument is invalid
   */
  getExchangeRate(exchange: $.Exchange, symbol: string): Promise<number | null>
  /**
   * The latest candles of a symbol, oldest first, with the unfinished one. Fewer than `count` if the market has no more.
   * @param symbol such as `btcusdt`
   * @param interval such as `1m`, `4h`, `1d`, `1w` or `1M`; the error for an unknown one names those of the exchange
   * @param count from 1 to 1,000
   * @throws {TypeError} if an argument is invalid
   * @throws {Error} with the reason if the exchange has no such candles, or does not answer within 1,750 ms
   */
  candles(symbol: string, interval: string, count: number, options?: CandleOptions): Promise<Candle[]>
  /** Functions for lists of candles. */
  readonly Candles: Candles
  /**
   * The indicators of trading-signals. Create one with its parameters and call `update(value)` for each value.
   * `getResult()` returns `null` until `isStable` is `true`.
   */
  readonly Ta: Indicators
  /** Adds a line to the log in the record of this run, at most 8 KB for each run. */
  log(...values: unknown[]): void
}

export type ActionName = 'LONG' | 'SHORT' | 'EXIT'

export type Actions = {
  /** Opens a long position. An open short position is closed first. */
  readonly LONG: 'LONG'
  /** Opens a short position. An open long position is closed first. */
  readonly SHORT: 'SHORT'
  /** Closes the position. `EXIT` after `EXIT` is a violation. */
  readonly EXIT: 'EXIT'
}

export type ExchangeName = 'BINANCE' | 'GATEIO' | 'BITGET' | 'HYPERLIQUID' | 'KRAKEN'

/** The exchanges of `$.getExchangeRate`. */
export type Exchanges = { readonly [Name in ExchangeName]: Name }

/** Where the candles come from. Default: the exchange of the strategy. */
export type CandleOptions = {
  /** A member of `$.Exchange`, or the identifier of an exchange in the catalogue, such as `bybit`. */
  exchange?: string | undefined
  service?: 'spot' | 'futures' | undefined
}

/** Prices are in quote currency. */
export type Candle = {
  /** When it opened, in Unix milliseconds. */
  time: number
  open: number
  high: number
  low: number
  /** The last price in it. */
  last: number
  /** In base currency, or in contracts on some futures. */
  volume: number
  /** `false` for the unfinished candle. A candle that is done never changes. */
  done: boolean
  /** Hidden: the same as `last`, for indicators. The name is a forbidden identifier. */
  readonly close: number
}

export type Candles = {
  /** The last prices, in the order of the candles. */
  lasts(candles: readonly Candle[]): number[]
  highs(candles: readonly Candle[]): number[]
  lows(candles: readonly Candle[]): number[]
  volumes(candles: readonly Candle[]): number[]
  /** For each candle, the mean of its high, its low and its last price. */
  typical(candles: readonly Candle[]): number[]
  /** Joins candles into longer ones, aligned to UTC. It leaves out the first one if its beginning is missing. */
  resample(candles: readonly Candle[], interval: string): Candle[]
}

export type Price = {
  /** The strategy's price symbol. */
  readonly symbol: string
  /** In quote currency. */
  readonly price: number
  /** The source of the price, in lower case, such as `binance`. */
  readonly exchange: string
  /** The market, such as `spot` or `futures`. */
  readonly service: string
}

export type WebhookRequest = {
  /** The payload as a string, byte for byte as the service stored it. */
  readonly data: string
  /** With lower-case names. The service removes `x-key`, cookies and authorization. */
  readonly headers: Readonly<Record<string, string>>
  /** The sender's address. */
  readonly ip: string
}

export type Strategy = {
  readonly id: number
  readonly type: 'code-strategy' | 'code-reaction'
  /** The symbols of the strategy's signals. `undefined` unless it has `send_signal` on. */
  readonly signalSymbols: readonly string[]
  /** The latest action. `undefined` unless the strategy has `send_signal` on. */
  readonly lastTrigger: LastTrigger
  /**
   * What your bots hold that follow the bot webhook of this strategy, and which of their signals are in progress. Empty
   * without a bot webhook. At most 200 entries; a run may call it ten times. `undefined` unless the strategy has
   * `send_signal` on.
   */
  positions(): Promise<readonly BotPosition[]>
  /**
   * Sends an action, and resolves when the service has stored its signal. The signal stands, whatever the run does
   * afterwards. `undefined` unless the strategy has `send_signal` on.
   *
   * A second action in a run, a sixth within a second on an account, and `EXIT` after `EXIT` are violations.
   * @throws {TypeError} if the type or an option is invalid. This does not count as an action and is no violation.
   */
  action(type: $.Action, options?: ActionOption): Promise<Signal>
  /**
   * `(current - open) / open`: a ratio, or a percentage. The sign is not reversed for shorts. `null` if one of the
   * prices is missing or not above 0.
   * @param percentage default `false`
   * @param openPrice default: the price of the last trigger
   * @param currentPrice default: the price of `$.Price`
   */
  roi(percentage?: boolean, openPrice?: number | null, currentPrice?: number | null): number | null
  /**
   * Deactivates this strategy, and resolves to `true` once it is `INACTIVE`. The run continues: to end it, return.
   * @param notify whether the owner gets a mail; default `false`
   */
  stop(notify?: boolean): Promise<boolean>
}

/** A position of a bot, or a flat symbol with a signal in progress. */
export type BotPosition = {
  readonly bot: { readonly id: number; readonly name: string; readonly mode: 'paper' | 'live' }
  /** The exchange's name of the symbol, such as `BTC/USDT`, or the signal's spelling while the bot holds nothing. */
  readonly symbol: string
  /** `null` for a flat symbol. */
  readonly side: 'long' | 'short' | null
  /** In base currency; 0 for a flat symbol. */
  readonly size: number
  /** The average price, in quote currency; `null` for a flat symbol. */
  readonly entryPrice: number | null
  /** The profit or loss at the current price, before fees, in quote currency; `null` without a current price. */
  readonly unrealised: number | null
  /** The bot's latest signal for the symbol; `null` if it is not among the bot's last 200. */
  readonly signal: BotPositionSignal | null
}

export type BotPositionSignal = {
  readonly action: ActionName
  readonly status:
    | 'DELAYED'
    | 'QUEUED'
    | 'WORKING'
    | 'CLOSING'
    | 'WAITING'
    | 'DONE'
    | 'IGNORED'
    | 'REFUSED'
    | 'FAILED'
  /** Why it ended so, or why it waits. */
  readonly reason: string | null
  /** When the bot got it, in Unix milliseconds. */
  readonly at: number
}

/** All three are `null` before the first action. `price` is also `null` if no price was known. */
export type LastTrigger = {
  readonly action: ActionName | null
  readonly price: number | null
  /** Unix milliseconds. */
  readonly at: number | null
}

/** Options of `$.Strategy.action`: a plain object. */
export type ActionOption = {
  /** A name for the alert, at most 255 characters. */
  id?: string
  /** Allows the same action to add to an open position. */
  dilution?: boolean
  /** From 1e-18 to 1e18: in quote currency to open, in base currency to close. */
  size?: number
  /** Lets `size` override a bot's fixed amount. */
  forceSize?: boolean
  /**
   * How the position that the action opens is protected. Each field replaces that of the bot; the bot's stay where a field
   * is absent or `null`. An `EXIT` ignores it.
   */
  protection?: ProtectionOption
  /** How bots enter. What it does not say, the bot decides. An `EXIT` ignores it. */
  entry?: EntryOption
}

/**
 * An opening that rests at a price, on paper so far. `market`: it does not rest, whatever the bot is set to, and has no
 * other fields.
 */
export type EntryOption = {
  type: 'market' | 'limit' | 'post_only'
  /** The limit, in quote currency. */
  price?: number | string | null
  /** How far the limit is from the current price, on the better side: `'0.5%'`. */
  offset?: string | null
  /** How long it rests, at most a day. */
  timeout_seconds?: number | null
  /** What happens then to what was not executed. `chase`: it is priced again, at the current price. */
  on_timeout?: 'cancel' | 'market' | 'chase' | null
  /** How often it is priced again at most. */
  chases?: number | null
  /** How much worse than its first limit a later price may be: `'1%'`. */
  max_slippage?: string | null
}

/** A price (`50000`), a distance from the entry price (`'2%'`), or a multiple of the distance to the stop (`'2R'`). */
export type Level = number | string

/**
 * What closes a position without an action. The service watches the price, and only a stop that is an order at the
 * exchange acts while the service is not running.
 */
export type ProtectionOption = {
  /** Where the position is closed with a loss: a price or a distance. */
  stop_loss?: Level | null
  /** At most 8 targets, the nearest first. A single level closes the whole position. */
  take_profit?: Level | TargetOption | readonly TargetOption[] | null
  /**
   * The stop follows the best price at the distance `by`, once the price has reached `from`, in moves of at least `step`.
   * Without `from`, it follows from the entry on.
   */
  trailing?: { by: Level; from?: Level | null; step?: Level | null } | null
  /** Once the price has reached `after`, the stop moves to the entry price plus the distance `plus`. */
  break_even?: { after: Level; plus?: Level | null } | null
  /** The position is closed when it is this old, at most a year. */
  exit_after_seconds?: number | null
}

export type TargetOption = {
  at: Level
  /** A fraction of the position as it was opened. All parts together are at most 1. Only a single target needs none. */
  part?: number | string
}

/** An accepted action. */
export type Signal = {
  readonly id: number
  readonly action: ActionName
  readonly symbols: readonly string[]
  /** `null` if no price is known. */
  readonly price: number | null
  /** Unix milliseconds. */
  readonly at: number
  /** Whether at least one bot has taken it. */
  readonly delivered: boolean
}

/** A value that JSON can represent: no promises, functions, maps or indicators. */
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
  /** The maximum size of the value as JSON, in bytes of UTF-8. */
  readonly byteLimit: 24576
  /** A fresh copy of the stored value, or `null`. */
  // biome-ignore lint/suspicious/noExplicitAny: only the strategy knows what it stored
  get(): Promise<any>
  /**
   * Replaces the stored value. A value of more than `byteLimit` bytes is a violation.
   * @throws {TypeError} if JSON cannot represent the value
   */
  set(value: Json): Promise<void>
}

/**
 * HTTP requests, at most 20 in a run. A failed request also resolves to an answer, with the reason in `text`: 502 if
 * the server cannot be reached or sends more than 1 MB, 504 if it takes too long, 403 if the address is not allowed.
 * A call rejects only if its arguments are invalid or the run makes too many calls.
 */
export type Http = {
  /** The maximum time of a request, in ms. */
  readonly timeout: 1750
  get(url: string, params?: HttpParams, headers?: HttpHeaders): Promise<HttpResponse>
  /** Sends `data` as JSON, or unchanged if it is a string. `Content-Type` is `application/json` by default. */
  post(url: string, data: Json, headers?: HttpHeaders): Promise<HttpResponse>
  /** Sends `data` as JSON, or unchanged if it is a string. `Content-Type` is `application/json` by default. */
  put(url: string, data: Json, headers?: HttpHeaders): Promise<HttpResponse>
  delete(url: string, params?: HttpParams, headers?: HttpHeaders): Promise<HttpResponse>
  /**
   * Signs the UTF-8 bytes of a payload: HMAC-SHA256 in lower-case hex, or ML-DSA-44 in Base64.
   * @param secret for ML-DSA a private key in Base64: PKCS#8, its 32-byte seed, or its 2,560 expanded bytes
   * @param algo default `'HMAC'`
   * @throws {Error} if the secret is not a key of the algorithm
   */
  generateSignature(payload: string, secret: string, algo?: 'HMAC' | 'ML-DSA'): Promise<string>
  /**
   * Creates a client for the API of this service. It has the names of the hosted service's client, too. Its requests
   * count as requests of `$.Http`. If the API refuses a request, the call rejects with an error that has `status`,
   * `code` and `details`.
   * @throws {TypeError} if a credential is missing
   */
  createApiClient(credentials: Credentials): HostedClient
}

type HttpParam = string | number | boolean | null | undefined

/** The query. A list repeats its name; `null` and `undefined` are left out. */
export type HttpParams = { readonly [name: string]: HttpParam | readonly HttpParam[] }

export type HttpHeaders = { readonly [name: string]: string }

export type HttpResponse = {
  /** HTTP status. */
  readonly status: number
  /** The body. */
  readonly text: string
  /** Whether it is the cached answer to an identical request of the last 5 s. */
  readonly cache: boolean
}
