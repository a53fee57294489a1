/**
 * One attempt at a run on one executor, in the parent process. This class enforces every rule of a run. The executor
 * only sends requests, and no lie of it can harm another strategy.
 */

import { explainAbsence } from './absent-members.ts'
import type { CandleRequest, PackedCandles } from './candles.ts'
import {
  answersLengthLimit,
  callsAtOnce,
  callsPerRun,
  candleCallsPerRun,
  errorMessageLimit,
  errorNameLimit,
  hostGraceMs,
  httpRequestsPerRun,
  positionCallsPerRun,
  shorten,
  signedLengthLimit,
  standstillsPerRun,
  storageByteLimit,
} from './limits.ts'
import {
  type CallMessage,
  type ChunkMessage,
  type EndMessage,
  ProtocolBreach,
  type Reply,
} from './messages.ts'
import { callsIn, type NotedCall, noteAnswer, noteCall, noteFailure, stepsOf } from './run-steps.ts'
import { ServiceWait } from './service-wait.ts'
import type { Task } from './task.ts'
import type { HttpResponse, RunError, RunHost, RunOutcome, Violation } from './types.ts'
import { RunViolation, violations } from './violations.ts'

export class Attempt {
  readonly id: number
  readonly task: Task
  /** Whether it was sent without its code, for a warm isolate. */
  readonly countsOnWarmth: boolean
  readonly dispatchedAt = performance.now()
  /** When its first line began; `null` until the executor reports it. */
  startedAt: number | null = null
  log = ''
  /** Whether it has requested an action from the host. Such a run must not be repeated. */
  acted = false
  #violation: Violation | null = null
  #storage: string | undefined
  #chunk: ChunkMessage | undefined
  #host: RunHost
  #callsMade = 0
  /** Its host calls; `undefined` before the first one. */
  #calls: NotedCall[] | undefined
  /** When it logged and called, as its executor says. */
  #marks: number[] | undefined
  /** What its clock showed, as its executor says. */
  #moments: number[] | undefined
  #httpRequests = 0
  #positionCalls = 0
  #candleCalls = 0
  #answersLength = 0
  #signedLength = 0
  /** Aborts when nothing waits for answers any more. The first request creates it: most runs send none. */
  #over: AbortController | undefined
  readonly #callsOpen = new Set<Promise<void>>()
  readonly #wait = new ServiceWait()
  /** For how long this process stood still during it, how often, and when that was over. */
  #stoodMs = 0
  #standstills = 0
  #stoodUntil = Number.POSITIVE_INFINITY
  #reply: ((message: Reply) => void) | null

  constructor(id: number, task: Task, countsOnWarmth: boolean, reply: (message: Reply) => void) {
    this.id = id
    this.task = task
    this.#host = task.request.host
    this.countsOnWarmth = countsOnWarmth
    this.#reply = reply
  }

  /** Whether it has pending host calls, and so usually nothing to compute. */
  get isWaiting(): boolean {
    return this.#callsOpen.size > 0
  }

  /** Passes a call of the guest to the host, and calls `changed` when it settles. Throws {@link ProtocolBreach}. */
  call(message: CallMessage, changed: () => void): void {
    this.#needChunk()
    this.#callsMade += 1
    if (message.call !== this.#callsMade) throw new ProtocolBreach('a call is out of order')
    if (this.#callsMade > callsPerRun || this.#callsOpen.size >= callsAtOnce) {
      throw new ProtocolBreach('a run makes more host calls than allowed')
    }
    const needsSignal = message.name === 'action' || message.name === 'positions'
    if (needsSignal && this.task.request.input.strategy.signal === null) {
      throw new ProtocolBreach(`the call "${message.name}" of a strategy without 'send signal'`)
    }
    this.#takeStorage(message.storage)
    const noted = noteCall(message)
    this.#calls ??= []
    this.#calls.push(noted)
    this.#wait.called(message.call, message.name)
    const open = this.#answer(message, noted).then(() => {
      this.#callsOpen.delete(open)
      this.#wait.answered(message.call)
      this.#wait.end()
      changed()
    })
    this.#callsOpen.add(open)
  }

  /** Its executor says that it waits for the service, unless the answer has crossed this news. It ends with the next answer. */
  beginToWait(): void {
    if (this.#wait.isForService) this.#wait.begin()
  }

  /** Its executor says when it began, and what it has logged since. */
  hear(startedAt: number, log: string): void {
    this.startedAt ??= Math.max(startedAt, this.dispatchedAt)
    this.log = log
  }

  /** This process has stood still for so many ms until `now`. */
  standStill(ms: number, now: number): void {
    // What it waits for the service does not count in any case.
    if (this.#wait.isOn || this.#standstills === standstillsPerRun) return
    this.#standstills += 1
    this.#stoodMs += ms
    this.#stoodUntil = now
  }

  /**
   * Its time so far that counts, in ms: neither that in which it only waited for the service, for at most `waitMs`, nor that
   * in which this process stood still. All since then counts, whatever its executor says about its start.
   */
  countedMs(now: number, waitMs: number): number {
    const ageMs = now - (this.startedAt ?? this.dispatchedAt) - this.#stoodMs
    return Math.max(ageMs, now - this.#stoodUntil) - Math.min(this.#wait.ms(now), waitMs)
  }

  /** Excuses this end, once for each run, if there would have been time left without the standstill. Returns whether it does. */
  excuse({ how, durationMs, waitedMs = 0 }: EndMessage, timeoutMs: number): boolean {
    if (how !== 'timeout' || this.#stoodMs === 0 || this.#violation !== null) return false
    if (this.task.excused || durationMs - waitedMs - this.#stoodMs > timeoutMs) return false
    this.#needChunk()
    this.task.excused = true
    return true
  }

  async #answer(message: CallMessage, noted: NotedCall): Promise<void> {
    const head = { run: this.id, call: message.call }
    try {
      const value = await this.#ask(message, noted)
      this.#reply?.({ ...head, ok: true, value: value ?? null })
      noteAnswer(noted, value)
    } catch (thrown) {
      if (thrown instanceof RunViolation) this.#violation ??= thrown.violation
      const error = describe(thrown)
      this.#reply?.({ ...head, ok: false, value: error })
      noteFailure(noted, error.message)
    }
  }

  async #ask(message: CallMessage, noted: NotedCall): Promise<unknown> {
    if (this.#violation !== null)
      throw new RunViolation(this.#violation, 'The run has already broken a rule.')
    const host = this.#host
    switch (message.name) {
      case 'action':
        return await this.#act(message)
      case 'positions':
        return await this.#positions()
      case 'stop':
        return await host.stop(message.notify)
      case 'http':
        return await this.#request(message, noted)
      case 'rate':
        return await host.rate(message.exchange, message.symbol)
      case 'candles':
        return await this.#candles(message.request)
      case 'sign':
        return await this.#sign(message)
      default:
        return message satisfies never
    }
  }

  async #act({ action, options }: Extract<CallMessage, { name: 'action' }>): Promise<unknown> {
    if (this.acted) throw violations.actions_per_run()
    const host = this.#host
    // Before the action counts: what is refused here has sent nothing.
    if (options.protection !== undefined || options.entry !== undefined) host.checkOptions(options)
    // Before anything is awaited: a second action at the same time must find this set.
    this.acted = true
    return await host.action(action, options, this.#storage)
  }

  async #positions(): Promise<unknown> {
    this.#positionCalls += 1
    if (this.#positionCalls > positionCallsPerRun)
      throw new Error(`A run may call $.Strategy.positions at most ${positionCallsPerRun} times.`)
    return await this.#host.positions()
  }

  async #request(
    { request }: Extract<CallMessage, { name: 'http' }>,
    noted: NotedCall,
  ): Promise<HttpResponse> {
    this.#httpRequests += 1
    if (this.#httpRequests > httpRequestsPerRun)
      throw new Error(`A run may send at most ${httpRequestsPerRun} HTTP requests.`)
    this.#over ??= new AbortController()
    const { address, ...response } = await this.#host.http(request, this.#over.signal)
    if (address !== undefined) noted.asked += ` ${address}`
    this.#answersLength += response.text.length
    if (this.#answersLength <= answersLengthLimit) return response
    return { status: 502, text: 'All answers of this run together are over 8 MB.', cache: false }
  }

  async #candles(request: CandleRequest): Promise<PackedCandles> {
    this.#candleCalls += 1
    if (this.#candleCalls > candleCallsPerRun)
      throw new Error(`A run may call $.candles at most ${candleCallsPerRun} times.`)
    return await this.#host.candles(request)
  }

  async #sign(call: Extract<CallMessage, { name: 'sign' }>): Promise<string> {
    this.#signedLength += call.payload.length
    if (this.#signedLength > signedLengthLimit)
      throw new Error(`A run may sign at most ${signedLengthLimit} characters.`)
    return await this.#host.sign(call.payload, call.secret, call.algorithm)
  }

  /** Takes what its executor did of a series. Returns whether the next run goes on. Throws {@link ProtocolBreach}. */
  takeChunk(message: ChunkMessage): boolean {
    const { series } = this.task
    const { done, storage, goesOn } = message
    if (series === undefined || this.#chunk !== undefined)
      throw new ProtocolBreach('no runs of a series are due')
    if (done > series.events.length - (goesOn ? 1 : 0) || (done === 0 && !goesOn))
      throw new ProtocolBreach('it has done runs that it has not got')
    if (storage !== undefined && !fitsStorage(storage))
      throw new ProtocolBreach('a stored value is too large')
    this.#chunk = message
    if (goesOn) this.#host = series.hostAfter(done)
    else void this.#settle('completed', null, 0)
    return goesOn
  }

  /** What it says about itself counts for the run after the quiet ones of its series. */
  #needChunk(): void {
    if (this.task.series !== undefined && this.#chunk === undefined)
      throw new ProtocolBreach('a run of a series goes on too early')
  }

  /** Takes a value that the guest has set, and checks it again: the executor is not trusted. */
  #takeStorage(text: string | undefined): void {
    if (text === undefined) return
    const bytes = Buffer.byteLength(text)
    if (bytes > storageByteLimit) {
      this.#violation ??= violations.storage_size(bytes).violation
      return
    }
    checkJson(text)
    this.#storage = text
  }

  /** Ends it as the executor reports. Throws {@link ProtocolBreach}. */
  conclude(message: EndMessage, limits: { timeoutMs: number; memoryBytes: number }): void {
    this.#needChunk()
    const now = performance.now()
    const durationMs = Math.min(message.durationMs, now - this.dispatchedAt)
    this.startedAt = now - durationMs
    this.log = message.log
    if (message.marks !== undefined && callsIn(message.marks) !== this.#callsMade)
      throw new ProtocolBreach('its marks do not fit its host calls')
    this.#marks = message.marks
    if (!areOfCalls(message.clock, this.#callsMade))
      throw new ProtocolBreach('its clock does not fit its host calls')
    this.#moments = message.clock
    this.#takeStorage(message.storage)
    const countedMs = durationMs - (message.waitedMs ?? 0)
    if (message.how === 'timeout' || countedMs > limits.timeoutMs) {
      this.#violation ??= violations.execution_time(countedMs, limits.timeoutMs).violation
    } else if (message.oversizeBytes !== undefined) {
      const bytes = Math.max(message.oversizeBytes, storageByteLimit + 1)
      this.#violation ??= violations.storage_size(bytes).violation
    } else if (message.how === 'memory') {
      this.#violation ??= violations.memory(limits.memoryBytes, limits.memoryBytes).violation
    }
    if (message.how === 'unanswered') {
      this.interrupt('The service did not answer the run in time.')
      return
    }
    const status = message.how === 'returned' ? 'completed' : 'failed'
    const { code, input } = this.task.request
    const error = message.error && explainAbsence(message.error, code, input)
    void this.#settle(status, error, durationMs, message.cpuMs)
  }

  /** Whether it has broken a rule. Its isolate is not used again. */
  get isViolation(): boolean {
    return this.#violation !== null
  }

  /** Ends it with a violation that the parent has found, after its executor is gone. */
  endAsViolation(violation: Violation): void {
    this.#violation ??= violation
    void this.#settle('failed', null, performance.now() - (this.startedAt ?? this.dispatchedAt))
  }

  /** Ends it because it cannot be repeated. */
  interrupt(message: string): void {
    const error: RunError = { name: 'Interrupted', message, line: null, column: null }
    void this.#settle('interrupted', error, performance.now() - (this.startedAt ?? this.dispatchedAt))
  }

  /** Stops sending replies, and aborts requests that nothing waits for any more. */
  detach(): void {
    this.#reply = null
    this.#over?.abort()
  }

  /** Waits for pending host calls for a limited time, so that they are done when the outcome is known. */
  async #settle(
    status: RunOutcome['status'],
    error: RunError | null,
    durationMs: number,
    cpuMs = 0,
  ): Promise<void> {
    this.detach()
    if (this.#callsOpen.size > 0) await Promise.race([Promise.all(this.#callsOpen), grace()])
    const violation = this.#violation
    const noted = {
      ...{ calls: this.#calls, marks: this.#marks, requestedAt: this.task.requestedAt },
      ...{ firstLineAt: this.startedAt ?? this.dispatchedAt, durationMs },
    }
    this.task.settle(
      {
        status: violation === null ? status : 'violation',
        error,
        violation,
        storage: this.#storage,
        log: this.log,
        steps: stepsOf(noted),
        clock: this.#moments === undefined ? null : { seed: this.task.seed, moments: this.#moments },
        calls: this.#callsMade,
        durationMs,
        cpuMs,
      },
      this.#chunk,
    )
  }
}

/** An error of the host, as the guest sees it. */
function describe(thrown: unknown): { name: string; message: string } {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { name: shorten(String(name), errorNameLimit), message: shorten(String(message), errorMessageLimit) }
}

/** Whether a text is JSON that the storage can hold. Throws {@link ProtocolBreach} if it is no JSON. */
function fitsStorage(text: string): boolean {
  checkJson(text)
  return Buffer.byteLength(text) <= storageByteLimit
}

function checkJson(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    throw new ProtocolBreach('a stored value is not JSON')
  }
}

/** Whether moments of a clock are those of answers to at most `callsMade` calls. */
function areOfCalls(moments: readonly number[], callsMade: number): boolean {
  if (moments.length > 1 + 2 * callsMade) return false
  for (let index = 1; index < moments.length; index += 2) {
    if (moments[index]! < 1 || moments[index]! > callsMade) return false
  }
  return true
}

function grace(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, hostGraceMs).unref())
}
