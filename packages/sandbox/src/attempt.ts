/**
 * One try of a run on one executor, as the parent sees it. Every rule of a run is kept here: the executor only ever
 * asks, and is asked nothing that it could lie about to another strategy's cost.
 */

import { explainAbsence } from './absent-members.ts'
import {
  answersLengthLimit,
  callsAtOnce,
  callsPerRun,
  errorMessageLimit,
  errorNameLimit,
  hostGraceMs,
  httpRequestsPerRun,
  shorten,
  signedLengthLimit,
  storageByteLimit,
} from './limits.ts'
import { type CallMessage, type EndMessage, ProtocolBreach, type ReplyMessage } from './messages.ts'
import type { HttpRequest, HttpResponse, RunError, RunOutcome, RunRequest, Violation } from './types.ts'
import { RunViolation, violations } from './violations.ts'

/** A run that was asked for, until its outcome is known; may take several attempts. */
export type Task = {
  request: RunRequest
  codeId: number
  /** Executors that died with it under way. */
  deaths: number
  /** Whether it must be alone on its executor: one died under it and others, so that nobody knows whose fault it was. */
  alone: boolean
  settle(outcome: RunOutcome): void
}

export class Attempt {
  readonly id: number
  readonly task: Task
  /** Whether it was sent without its code. */
  readonly countsOnWarmth: boolean
  readonly dispatchedAt = performance.now()
  /** Of its first line, as far as the executor has told. */
  startedAt: number | null = null
  log = ''
  /** Whether the host was asked for an action: such a run must not be run again. */
  acted = false
  #violation: Violation | null = null
  #storage: string | undefined
  #callsMade = 0
  #httpRequests = 0
  #answersLength = 0
  #signedLength = 0
  /** Aborted when nothing waits for answers any more. Made by the first request: most runs make none. */
  #over: AbortController | undefined
  readonly #callsOpen = new Set<Promise<void>>()
  #reply: ((message: ReplyMessage) => void) | null

  constructor(id: number, task: Task, countsOnWarmth: boolean, reply: (message: ReplyMessage) => void) {
    this.id = id
    this.task = task
    this.countsOnWarmth = countsOnWarmth
    this.#reply = reply
  }

  /** Whether it has host calls under way, and so, as a rule, nothing to compute. */
  get isWaiting(): boolean {
    return this.#callsOpen.size > 0
  }

  /** Passes a call of the guest on to the host. `changed` is called when it settles. Throws {@link ProtocolBreach}. */
  call(message: CallMessage, changed: () => void): void {
    this.#callsMade += 1
    if (message.call !== this.#callsMade) throw new ProtocolBreach('a call is out of order')
    if (this.#callsMade > callsPerRun || this.#callsOpen.size >= callsAtOnce) {
      throw new ProtocolBreach('a run makes more host calls than it can')
    }
    if (message.name === 'action' && this.task.request.input.strategy.signal === null) {
      throw new ProtocolBreach("an action of a strategy without 'send signal'")
    }
    this.#takeStorage(message.storage)
    const open = this.#answer(message).then(() => {
      this.#callsOpen.delete(open)
      changed()
    })
    this.#callsOpen.add(open)
  }

  async #answer(message: CallMessage): Promise<void> {
    const head = { type: 'reply', run: this.id, call: message.call } as const
    try {
      const value = await this.#ask(message)
      this.#reply?.({ ...head, ok: true, value: value ?? null })
    } catch (thrown) {
      if (thrown instanceof RunViolation) this.#violation ??= thrown.violation
      this.#reply?.({ ...head, ok: false, value: describe(thrown) })
    }
  }

  async #ask(message: CallMessage): Promise<unknown> {
    if (this.#violation !== null)
      throw new RunViolation(this.#violation, 'The run has already broken a rule.')
    const { host } = this.task.request
    switch (message.name) {
      case 'action':
        return await this.#act(message)
      case 'stop':
        return await host.stop(message.notify)
      case 'http':
        return await this.#request(message.request)
      case 'rate':
        return await host.rate(message.exchange, message.symbol)
      case 'sign':
        return await this.#sign(message)
      default:
        return message satisfies never
    }
  }

  async #act({ action, options }: Extract<CallMessage, { name: 'action' }>): Promise<unknown> {
    if (this.acted) throw violations.actions_per_run()
    // The slot is taken before anything is awaited.
    this.acted = true
    return await this.task.request.host.action(action, options, this.#storage)
  }

  async #request(request: HttpRequest): Promise<HttpResponse> {
    this.#httpRequests += 1
    if (this.#httpRequests > httpRequestsPerRun)
      throw new Error(`At most ${httpRequestsPerRun} HTTP requests in a run.`)
    this.#over ??= new AbortController()
    const response = await this.task.request.host.http(request, this.#over.signal)
    this.#answersLength += response.text.length
    if (this.#answersLength <= answersLengthLimit) return response
    return { status: 502, text: 'The answers of this run are over 8 MB together.', cache: false }
  }

  async #sign(call: Extract<CallMessage, { name: 'sign' }>): Promise<string> {
    this.#signedLength += call.payload.length
    if (this.#signedLength > signedLengthLimit)
      throw new Error(`At most ${signedLengthLimit} characters to sign in a run.`)
    return await this.task.request.host.sign(call.payload, call.secret, call.algorithm)
  }

  /** Takes a value that the guest set. Its isolate has checked it; the executor's word is not enough. */
  #takeStorage(text: string | undefined): void {
    if (text === undefined) return
    const bytes = Buffer.byteLength(text)
    if (bytes > storageByteLimit) {
      this.#violation ??= violations.storage_size(bytes).violation
      return
    }
    try {
      JSON.parse(text)
    } catch {
      throw new ProtocolBreach('a stored value is not JSON')
    }
    this.#storage = text
  }

  /** Ends it as the executor tells. Throws {@link ProtocolBreach}. */
  conclude(message: EndMessage, limits: { timeoutMs: number; memoryBytes: number }): void {
    const durationMs = Math.min(message.durationMs, performance.now() - this.dispatchedAt)
    this.log = message.log
    this.#takeStorage(message.storage)
    if (message.how === 'timeout' || durationMs > limits.timeoutMs) {
      this.#violation ??= violations.execution_time(durationMs, limits.timeoutMs).violation
    } else if (message.oversizeBytes !== undefined) {
      const bytes = Math.max(message.oversizeBytes, storageByteLimit + 1)
      this.#violation ??= violations.storage_size(bytes).violation
    } else if (message.how === 'memory') {
      this.#violation ??= violations.memory(limits.memoryBytes, limits.memoryBytes).violation
    }
    const status = message.how === 'returned' ? 'completed' : 'failed'
    const { code, input } = this.task.request
    const error = message.error && explainAbsence(message.error, code, input)
    void this.#settle(status, error, durationMs, message.cpuMs)
  }

  /** Whether it has broken a rule: its isolate serves no further run. */
  get isViolation(): boolean {
    return this.#violation !== null
  }

  /** Ends it by the parent's own judgement: its executor is gone. */
  condemn(violation: Violation): void {
    this.#violation ??= violation
    void this.#settle('failed', null, performance.now() - (this.startedAt ?? this.dispatchedAt))
  }

  /** Ends it because it cannot be run again. */
  interrupt(message: string): void {
    const error: RunError = { name: 'Interrupted', message, line: null, column: null }
    void this.#settle('interrupted', error, performance.now() - (this.startedAt ?? this.dispatchedAt))
  }

  /** Stops answering an executor that is gone. */
  detach(): void {
    this.#reply = null
    this.#over?.abort()
  }

  /** Waits a while for host calls under way, so that what they did is done when the outcome is told. */
  async #settle(
    status: RunOutcome['status'],
    error: RunError | null,
    durationMs: number,
    cpuMs = 0,
  ): Promise<void> {
    this.detach()
    if (this.#callsOpen.size > 0) await Promise.race([Promise.all(this.#callsOpen), grace()])
    const violation = this.#violation
    this.task.settle({
      status: violation === null ? status : 'violation',
      error,
      violation,
      storage: this.#storage,
      log: this.log,
      calls: this.#callsMade,
      durationMs,
      cpuMs,
    })
  }
}

/** What a guest sees of an error of its host. */
function describe(thrown: unknown): { name: string; message: string } {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { name: shorten(String(name), errorNameLimit), message: shorten(String(message), errorMessageLimit) }
}

function grace(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, hostGraceMs).unref())
}
