/**
 * The interface between the sandbox and its host.
 *
 * The sandbox knows nothing about HTTP, SQL or accounts. {@link RunHost} has a function for everything that a run can
 * ask for, and {@link RunInput} holds everything that it can see.
 */

import type { CandleRequest, PackedCandles } from './candles.ts'
import type { GivenEntry } from './entry.ts'
import type { GivenProtection } from './protection.ts'

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

/** A request of `$.Http`. The sandbox checks its shape and sizes, but not the address and the headers. */
export type HttpRequest = {
  method: HttpMethod
  url: string
  /** The host appends these to the query of `url`, in this order. */
  params: [name: string, value: string][]
  /** Names in the spelling of the code. */
  headers: Record<string, string>
  body: string | null
}

export type HttpResponse = { status: number; text: string; cache: boolean }

/** The answer of a host. The code does not see `address`: the address of the request without secrets, for the record. */
export type HttpAnswer = HttpResponse & { address?: string }

export const signatureAlgorithms = ['HMAC', 'ML-DSA'] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

/** The most recent action of a strategy. All three are `null` before its first action. `at` is in Unix milliseconds. */
export type LastTrigger = { action: ActionName | null; price: number | null; at: number | null }

/** Options of `$.Strategy.action`. The sandbox lets only these fields with these types through. */
export type ActionOptions = {
  id?: string
  dilution?: boolean
  size?: number
  forceSize?: boolean
  /** Never in the options of an `EXIT`. */
  protection?: GivenProtection
  /** The same. */
  entry?: GivenEntry
}

/** The result of `$.Strategy.action`. `at` is in Unix milliseconds. `price` is `null` if no price is known. */
export type ActionResult = {
  id: number
  action: ActionName
  symbols: string[]
  price: number | null
  at: number
  delivered: boolean
}

export type BotSignalStatus =
  | 'DELAYED'
  | 'QUEUED'
  | 'WORKING'
  | 'CLOSING'
  | 'WAITING'
  | 'DONE'
  | 'IGNORED'
  | 'REFUSED'
  | 'FAILED'

/**
 * A position of a bot, or a flat symbol with a signal in progress. `size` is in base currency and never negative;
 * `entryPrice` and `unrealised` are in quote currency. `signal` is the bot's latest one for the symbol, with `at` in Unix
 * milliseconds.
 */
export type BotPosition = {
  bot: { id: number; name: string; mode: 'paper' | 'live' }
  symbol: string
  side: 'long' | 'short' | null
  size: number
  /** `null` without a position. */
  entryPrice: number | null
  /** `null` without a current price. */
  unrealised: number | null
  signal: { action: ActionName; status: BotSignalStatus; reason: string | null; at: number } | null
}

/** Everything that a run can see, as plain JSON values. */
export type RunInput = {
  strategy: {
    id: number
    type: StrategyType
    /** `null` without 'send signal': then `$.Strategy` has no `action`, `positions`, `signalSymbols` and `lastTrigger`. */
    signal: { symbols: string[]; lastTrigger: LastTrigger } | null
  }
  /** The stored value as JSON text, or `null` if there is none. */
  storage: string | null
  /** The payload of a reaction: its body byte for byte, and its headers with lower-case names. */
  request: { data: string; headers: Record<string, string>; ip: string } | null
  /** The current price of the strategy's symbol. `null` without 'use price': then there is no `$.Price`. */
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

/** `limit` and `actual` have the unit of the rule: ms, bytes, or a count of actions or identifiers. */
export type Violation = { rule: ViolationRule; limit: number; actual: number }

/** An error of the user's code. Line and column count from 1 in the user's text. They are `null` if V8 names no place. */
export type RunError = { name: string; message: string; line: number | null; column: number | null }

/**
 * The functions that a run can call. If one rejects, the code gets an `Error` with the same name and message. A
 * `RunViolation` (`violations.ts`) also ends the run as that violation, even if the code catches it.
 */
export type RunHost = {
  /**
   * Called before `action`, if its options have a protection or an entry: throws a TypeError that names what is wrong with
   * it. Such an action does not count as one.
   */
  checkOptions(given: ActionOptions): void
  /** Called at most once in a run, with checked arguments. `storage` is the latest value that the run has set, if any. */
  action(action: ActionName, options: ActionOptions, storage: string | undefined): Promise<ActionResult>
  /** What the owner's bots hold that follow the strategy. Called at most `positionCallsPerRun` times in a run. */
  positions(): Promise<BotPosition[]>
  /** Deactivates the strategy. `notify` asks for a mail to its owner. */
  stop(notify: boolean): Promise<boolean>
  /**
   * Called at most `httpRequestsPerRun` times in a run (`limits.ts`). A failure is an answer too, with a status and the
   * reason as text. `signal` aborts when the run is over.
   */
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>
  /** The current rate, or `null` if there is no recent one. */
  rate(exchange: ExchangeName, symbol: string): Promise<number | null>
  /** Candles (`packCandles`). Called at most `candleCallsPerRun` times in a run. Rejects if there are none. */
  candles(request: CandleRequest): Promise<PackedCandles>
  /** Rejects if `secret` is not a key of this algorithm. */
  sign(payload: string, secret: string, algorithm: SignatureAlgorithm): Promise<string>
}

export type RunRequest = {
  /** Strategies never share an isolate. */
  strategyId: number
  /** The body of an async function. */
  code: string
  input: RunInput
  host: RunHost
  /** The seed of `Math.random`: a whole number from 0 to {@link highestSeed}. Default: a random one. */
  seed?: number
  /** What the clock of the run shows at its start, in Unix ms, not negative. Default: the present. */
  startMs?: number
  /** Whether answers of the host do not move its clock on. Default false. */
  stands?: boolean
}

/**
 * A run of a series: its time in Unix ms, the data of its request, and the current price; `null` if there is none. `sender`:
 * what else its request has, if that is not what the input of the series says.
 */
export type SeriesEvent = {
  startMs: number
  data: string | null
  price: number | null
  sender?: Omit<NonNullable<RunInput['request']>, 'data'>
}

/** The events of a series: an array, or anything that makes each event when it is asked for it, and always the same. */
export type SeriesEvents = Pick<readonly SeriesEvent[], 'length' | 'at'>

/**
 * Runs of one strategy, one after the other, each of which finds what the one before stored. They do what they would do
 * live, at times of their own: the clock of a run stands still, also with answers of the host.
 */
export type SeriesRequest = {
  /** Belongs to this series alone. */
  strategyId: number
  code: string
  /** The first run finds its storage and its last trigger. Its request and price have what the events do not say. */
  input: RunInput
  events: SeriesEvents
  /** The most events that an executor gets at once, up to 4,000. Default: all of these. It changes no result. */
  eventsAtOnce?: number
  /** The seed of the first run. Each further run has the next number. */
  seed: number
  /** The host of a run. If its executor dies, a run begins again, with a new host; only the last one counts. */
  hostOf(index: number): RunHost
  /** Called after each step, in order. Says how the series goes on, or `null` to end it. */
  ended(step: SeriesStep): { next: number; lastTrigger: LastTrigger } | null
}

/** Runs from `from` to before `to`. Indexes are those of the events. */
export type SeriesStep = {
  from: number
  to: number
  /** What the run `to - 1` did, if it called the host, broke a rule or took long; `null` if none of these runs did. */
  outcome: RunOutcome | null
  /** Errors and logs of the other runs. */
  failures: [index: number, error: RunError][]
  logs: [index: number, log: string][]
  /** What is stored after these runs, as JSON text; `null` if nothing is. */
  storage: string | null
}

export const highestSeed = Number.MAX_SAFE_INTEGER

/**
 * The time and the chance of a run, with which it can be repeated. `moments`: what its clock showed at its start, in Unix
 * ms; then two numbers for each answer of the host, in their order: its call, counted from 1, and the ms since the start.
 */
export type RunClock = { seed: number; moments: number[] }

/**
 * What the code of a run did, in its order. `waitedMs` is the time until its first line; all other times count from that
 * line. Lines that the code logs without waiting for anything may have the same time.
 */
export type RunSteps = { waitedMs: number; steps: (LoggedStep | CalledStep)[] }

/** One call of `$.log`: its time, and its length in the log. */
export type LoggedStep = [ms: number, length: number]

/** A host call. `tookMs` is `null` if the run ended before the answer. Neither text contains a body or a signature. */
export type CalledStep = {
  ms: number
  tookMs: number | null
  name: 'action' | 'positions' | 'stop' | 'http' | 'rate' | 'candles' | 'sign'
  asked: string
  answered: string
  /** Whether the code got an error. */
  failed: boolean
}

/** How a run ended. `storage` is the JSON text of the last value that the run set, or `undefined` if it set none. */
export type RunOutcome = {
  /**
   * `completed`: the code returned. `failed`: it threw, or did not compile. `violation`: it broke a rule.
   * `interrupted`: its executor died or the service stood still, not through its own fault, and the sandbox could not run
   * it again, for example because it had already sent an action. Or the service did not answer it within `serviceWaitMs`.
   */
  status: 'completed' | 'failed' | 'violation' | 'interrupted'
  error: RunError | null
  violation: Violation | null
  storage: string | undefined
  log: string
  /** What it logged and called, with times; `null` if it did neither. */
  steps: RunSteps | null
  /** `null` if it did not start, or if its executor died. */
  clock: RunClock | null
  /** The number of its host calls. */
  calls: number
  /** Wall clock from the first line to the last awaited host call. */
  durationMs: number
  /** Processor time of its code, as the executor reports it; 0 if the executor died. */
  cpuMs: number
}
