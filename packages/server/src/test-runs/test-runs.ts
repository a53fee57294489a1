import {
  type ActionName,
  type ActionOptions,
  actionsPerRun,
  type CurrentPrice,
  callsPerRun,
  type HttpRequest,
  type HttpResponse,
  httpRequestsPerRun,
  type LastTrigger,
  logByteLimit,
  type RunClock,
  type RunError,
  type RunHost,
  type RunInput,
  type RunOutcome,
  runTimeoutMs,
  type Sandbox,
  type StrategyType,
  storageByteLimit,
  type Violation,
} from '@tickwright/sandbox'
import { roundMs } from '../base/durations.ts'
import { given } from '../base/given.ts'
import type { HttpCall, SignalOptions } from '../db/schema.ts'
import { type OutsideParts, outsideOf } from '../outgoing/outside.ts'
import { statusOf } from '../runs/execution.ts'
import { checkOptions, signalOptions } from '../signals/action-options.ts'
import { refuseExitAfterExit } from '../signals/exit-after-exit.ts'
import { forbiddenPlaces } from '../strategies/code-check.ts'
import { LazySandbox } from './lazy-sandbox.ts'
import { UnderWay } from './under-way.ts'

/** Which requests of `$.Http` the service sends: only GET, all, or none. */
export type HttpReach = 'read' | 'all' | 'none'

/** The code of a test run, and everything that it finds. */
export type TestPlan = {
  strategyId: number
  /** The exchange of the strategy. */
  exchangeId: number | null
  type: StrategyType
  code: string
  /** `null` without *send signal*. */
  signal: { symbols: string[]; lastTrigger: LastTrigger } | null
  /** JSON text. */
  storage: string | null
  request: RunInput['request']
  price: CurrentPrice | null
  env: Record<string, string>
  reach: HttpReach
  /** The seed of its random numbers, and the time at its start in Unix ms. `undefined`: a new one, and the present. */
  seed: number | undefined
  startMs: number | undefined
}

export type Trace = {
  status: 'SUCCEEDED' | 'FAILED' | 'VIOLATION'
  durationMs: number
  /** `details`: every place with a forbidden identifier, if that is the error; at most {@link mostPlaces}. */
  error: (RunError & { details?: ReturnType<typeof forbiddenPlaces> }) | null
  violation: Violation | null
  log: string
  http: HttpCall[]
  /** JSON texts. */
  storage: { before: string | null; after: string | null }
  /** The action that it would have sent. */
  action: { action: ActionName; symbols: string[]; price: number | null; options: SignalOptions } | null
  /** Its time and chance; `null` if it did not start. */
  clock: RunClock | null
  /** Whether it would have deactivated itself. */
  stopped: boolean
  /** How much of each limit it used. Times in ms, sizes in bytes. */
  limits: Record<keyof typeof maxima, { used: number; max: number }>
}

const maxima = {
  time_ms: runTimeoutMs,
  storage_bytes: storageByteLimit,
  log_bytes: logByteLimit,
  http_requests: httpRequestsPerRun,
  host_calls: callsPerRun,
  actions: actionsPerRun,
} as const

/** Test runs that this node executes at a time. */
const runsAtOnce = 16

/** A test run names at most as many places of forbidden identifiers as the refusal to save such code. */
export const mostPlaces = 100

/** An isolate of a test run belongs to no strategy, so it gets an id that no strategy has. */
const firstIsolateId = 2 ** 52

/**
 * Runs code in the real sandbox, but stores nothing and sends no signal. It has an executor of its own, so that code
 * under test cannot delay a strategy that trades.
 */
export class TestRuns {
  #sandbox: LazySandbox
  #outside: OutsideParts
  #underWay = new UnderWay(runsAtOnce)
  #isolateId = firstIsolateId

  constructor(openSandbox: () => Promise<Sandbox>, outside: OutsideParts) {
    this.#sandbox = new LazySandbox(openSandbox)
    this.#outside = outside
  }

  /** @throws {AppError} 429 if the account already has as many test runs in progress as it may */
  async run(userId: number, plan: TestPlan): Promise<Trace> {
    return this.#underWay.run(userId, () =>
      this.#sandbox.use((sandbox) => this.#execute(sandbox, userId, plan)),
    )
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }

  async #execute(sandbox: Sandbox, userId: number, plan: TestPlan): Promise<Trace> {
    this.#isolateId += 1
    const isolateId = this.#isolateId
    const host = new TestHost(userId, plan, isolateId, this.#outside)
    const { type, signal, storage, request, price, env } = plan
    const outcome = await sandbox.run({
      strategyId: isolateId,
      code: plan.code,
      input: { strategy: { id: plan.strategyId, type, signal }, storage, request, price, env },
      host,
      ...given({ seed: plan.seed, startMs: plan.startMs }),
    })
    sandbox.forget(isolateId)
    return traceOf(plan, host, outcome)
  }
}

/** The host of a test run. It records what would have happened. */
class TestHost implements RunHost {
  acted: Trace['action'] = null
  stopped = false
  readonly httpCalls: HttpCall[]
  readonly rate: RunHost['rate']
  readonly candles: RunHost['candles']
  readonly sign: RunHost['sign']
  readonly positions: RunHost['positions']
  readonly checkOptions = checkOptions
  readonly #plan: TestPlan
  readonly #send: RunHost['http']

  /** @param cacheId the key of its HTTP cache, so that a live run never gets a response of a test run */
  constructor(userId: number, plan: TestPlan, cacheId: number, parts: OutsideParts) {
    const send = (strategyId: number, request: HttpRequest, signal: AbortSignal) =>
      reaches(plan.reach, request) ? parts.send(strategyId, request, signal) : withheld(plan.reach)
    const outside = outsideOf({ ...parts, send }, cacheId, plan.env)
    this.#plan = plan
    this.#send = outside.http
    this.positions = () => parts.positions(plan.strategyId)
    this.rate = outside.rate
    const { exchangeId } = plan
    this.candles = (request) => parts.candles.forCode({ userId, strategyId: null, exchangeId }, request)
    this.sign = outside.sign
    this.httpCalls = outside.httpCalls
  }

  async action(action: ActionName, options: ActionOptions) {
    const { signal, price } = this.#plan
    refuseExitAfterExit(action, signal?.lastTrigger.action)
    const symbols = signal?.symbols ?? []
    this.acted = { action, symbols, price: price?.price ?? null, options: signalOptions(options) }
    return { id: 0, action, symbols, price: price?.price ?? null, at: Date.now(), delivered: false }
  }

  async stop() {
    this.stopped = true
    return true
  }

  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    return this.#send(request, signal)
  }
}

function reaches(reach: HttpReach, { method }: HttpRequest): boolean {
  return reach === 'all' || (reach === 'read' && method === 'GET')
}

async function withheld(reach: HttpReach): Promise<HttpResponse> {
  const sent = reach === 'none' ? 'no requests' : 'GET requests only'
  const text = `Not sent: this test run sends ${sent}. To send every request, set "http" to "all".`
  return { status: 403, text, cache: false }
}

function errorOf(code: string, { error, violation }: RunOutcome): Trace['error'] {
  if (error === null || violation?.rule !== 'forbidden_identifier') return error
  return { ...error, details: forbiddenPlaces(code).slice(0, mostPlaces) }
}

function traceOf(plan: TestPlan, host: TestHost, outcome: RunOutcome): Trace {
  const after = outcome.storage ?? plan.storage
  const durationMs = roundMs(outcome.durationMs)
  const used: Record<keyof typeof maxima, number> = {
    time_ms: durationMs,
    storage_bytes: after === null ? 0 : Buffer.byteLength(after),
    log_bytes: Buffer.byteLength(outcome.log),
    http_requests: host.httpCalls.length,
    host_calls: outcome.calls,
    actions: host.acted === null ? 0 : 1,
  }
  const { rule, actual } = outcome.violation ?? {}
  if (rule === 'storage_size') used.storage_bytes = actual!
  if (rule === 'actions_per_run') used.actions = actual!
  if (rule === 'execution_time') used.time_ms = actual!
  return {
    status: statusOf[outcome.status],
    durationMs,
    error: errorOf(plan.code, outcome),
    violation: outcome.violation,
    log: outcome.log,
    http: host.httpCalls,
    storage: { before: plan.storage, after },
    action: host.acted,
    stopped: host.stopped,
    clock: outcome.clock,
    limits: Object.fromEntries(
      Object.entries(maxima).map(([name, max]) => [name, { used: used[name as keyof typeof maxima], max }]),
    ) as Trace['limits'],
  }
}
