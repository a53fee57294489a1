/**
 * What the sandbox and its host say to each other.
 *
 * The sandbox knows nothing of HTTP, SQL or accounts: everything a run may ask of the outside world is a
 * function of {@link RunHost}, and everything it may see is in {@link RunInput}.
 */

/** The members of `$.Action`. */
export const actionNames = ['LONG', 'SHORT', 'EXIT'] as const
export type ActionName = (typeof actionNames)[number]

export type StrategyType = 'code-strategy' | 'code-reaction'

/** The members of `$.Exchange`: the exchanges of the exchange-rate system. */
export const exchangeNames = ['BINANCE', 'GATEIO', 'BITGET', 'HYPERLIQUID', 'KRAKEN'] as const
export type ExchangeName = (typeof exchangeNames)[number]

/** `exchange` is a lower-case name such as `binance`, `service` one such as `spot`; `price` is in quote currency. */
export type CurrentPrice = { symbol: string; price: number; exchange: string; service: string }

export const httpMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type HttpMethod = (typeof httpMethods)[number]

/** A request of `$.Http`, its shape and sizes checked by the sandbox; the address and the headers mean nothing to it. */
export type HttpRequest = {
  method: HttpMethod
  url: string
  /** To be appended to the query of `url`, in this order. */
  params: [name: string, value: string][]
  /** Names as the code wrote them. */
  headers: Record<string, string>
  body: string | null
}

export type HttpResponse = { status: number; text: string; cache: boolean }

export const signatureAlgorithms = ['HMAC', 'ML-DSA'] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

/** The most recent action of a strategy; all three are `null` before its first one. `at` is in Unix milliseconds. */
export type LastTrigger = { action: ActionName | null; price: number | null; at: number | null }

/** Options of `$.Strategy.action`, checked by the sandbox: only these fields, only these types. */
export type ActionOptions = { id?: string; dilution?: boolean; size?: number; forceSize?: boolean }

/** What `$.Strategy.action` resolves to. `at` is in Unix milliseconds; `price` is `null` where none is known. */
export type ActionResult = {
  id: number
  action: ActionName
  symbols: string[]
  price: number | null
  at: number
  delivered: boolean
}

/** All that one run may see. Plain JSON values only. */
export type RunInput = {
  strategy: {
    id: number
    type: StrategyType
    /** `null` when 'send signal' is off: `$.Strategy` then has neither `action`, `signalSymbols` nor `lastTrigger`. */
    signal: { symbols: string[]; lastTrigger: LastTrigger } | null
  }
  /** The stored value as JSON text, or `null` when nothing is stored. */
  storage: string | null
  /** What a data webhook delivered (reactions only): the body byte for byte, lower-case header names. */
  request: { data: string; headers: Record<string, string>; ip: string } | null
  /** The current price of the strategy's symbol; `null` when 'use price' is off: there is no `$.Price` then. */
  price: CurrentPrice | null
  /** The variables of `$.Env`. */
  env: Record<string, string>
}

export type ViolationRule =
  | 'execution_time'
  | 'storage_size'
  | 'actions_per_run'
  | 'action_rate'
  | 'consecutive_exit'
  | 'forbidden_identifier'
  | 'memory'

/** `limit` and `actual` are in the rule's unit: ms, bytes, count; for a forbidden identifier both count identifiers. */
export type Violation = { rule: ViolationRule; limit: number; actual: number }

/** An error of the user's code. Line and column count from 1 in the user's text; `null` where V8 names no place. */
export type RunError = { name: string; message: string; line: number | null; column: number | null }

/**
 * What a run may ask of its host. A rejection reaches the code as an `Error` with the same name and message;
 * a `RunViolation` (`violations.ts`) also ends the run as that violation, whatever the code does with the rejection.
 */
export type RunHost = {
  /** Called at most once a run, with checked arguments; `storage` is the latest value set in this run, if any. */
  action(action: ActionName, options: ActionOptions, storage: string | undefined): Promise<ActionResult>
  /** Switches the strategy off; `notify` asks for a mail to its owner. */
  stop(notify: boolean): Promise<boolean>
  /**
   * Called at most `httpRequestsPerRun` times a run (`limits.ts`). Failures are answers, with a status and their reason as
   * text. `signal` is aborted when the run is over.
   */
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  /** The current rate, or `null` where no recent one can be had. */
  rate(exchange: ExchangeName, symbol: string): Promise<number | null>
  /** Rejects when `secret` is no key of this algorithm. */
  sign(payload: string, secret: string, algorithm: SignatureAlgorithm): Promise<string>
}

export type RunRequest = {
  /** An isolate belongs to one strategy, never to two. */
  strategyId: number
  /** The body of an async function. */
  code: string
  input: RunInput
  host: RunHost
}

/** How a run ended. `storage` is `undefined` when the run did not set it, else the JSON text of the last value set. */
export type RunOutcome = {
  /**
   * `completed`: the code returned. `failed`: it threw, or could not be compiled. `violation`: it broke a rule.
   * `interrupted`: the executor died under it through another strategy's fault after it had acted, so that it
   * could not be run again.
   */
  status: 'completed' | 'failed' | 'violation' | 'interrupted'
  error: RunError | null
  violation: Violation | null
  storage: string | undefined
  log: string
  /** Host calls that it made. */
  calls: number
  /** Wall clock from the first line to the last awaited host call. */
  durationMs: number
  /** Processor time that its code took, as the executor tells; 0 if the executor died. */
  cpuMs: number
}
