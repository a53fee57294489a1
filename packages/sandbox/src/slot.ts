/**
 * The slot of one executor in the pool: it keeps a process running, gives it runs, and handles its death.
 *
 * If a process dies, the run that was past its deadline is at fault. If there was none, a run that was alone in the
 * process is at fault. Otherwise the cause is unknown, and each run is repeated alone, so that a guilty one kills its
 * next executor by itself. A run that has sent an action is never repeated.
 */

import { Attempt } from './attempt.ts'
import type { GuestCode } from './bundle-guest-code.ts'
import type { ExecutorCommand } from './containment.ts'
import { type Death, ExecutorHandle, isOwnFault } from './executor-handle.ts'
import { killGraceMs } from './limits.ts'
import { type ExecutorMessage, type OpenMessage, ProtocolBreach } from './messages.ts'
import { Standstill } from './standstill.ts'
import type { Task } from './task.ts'
import type { Violation } from './types.ts'
import { violations } from './violations.ts'

/** Runs that compute in one executor at a time: enough to keep its pipe busy, and few enough to repeat if it dies. */
const workingAtMost = 32
/** Runs in one executor at a time, including those that wait for host calls. Each holds an isolate. */
const attemptsAtMost = 256
/** An executor with runs sends a message ten times a second. One that is silent for this long is stuck, in ms. */
const silenceMs = 3_000
/** An executor of low priority may only be waiting for a processor. */
const yieldingSilenceMs = 15_000
/** A run that is this late probably has not ended in time, in ms. Its executor gets no more runs, and time to finish others. */
const drainAfterMs = 75
/** After this many deaths of its executor, a run is given up even if none was its fault. */
const deathsAtMost = 3
/**
 * So often does a sandbox start each of its first processes. A thread of Node that still uses its io_uring while the kernel
 * takes the filter of system calls ends the process, about once in ten thousand starts.
 */
const startsToOpen = 3

export type SlotOptions = {
  command: ExecutorCommand
  /**
   * For an executor of the lowest priority: the command that starts the first process with that of the service, and lowers
   * it before code runs there. On a busy machine, a start with the lowest priority takes a minute, and the service waits.
   */
  quicklyStarted?: ExecutorCommand | null
  code: GuestCode
  open: OpenMessage
  residentLimitBytes: number
  /** Whether its executor has the lowest priority. */
  yields?: boolean
  isForProbation?: boolean
  nextAttemptId(): number
  log(event: string, fields: Record<string, unknown>): void
}

export class Slot {
  readonly #options: SlotOptions
  #handle: ExecutorHandle | null = null
  #ready = false
  #closing = false
  #startFailures = 0
  respawns = 0
  coldStarts = 0
  readonly #queue: Task[] = []
  readonly #attempts = new Map<number, Attempt>()
  /** The id of the code that the executor keeps warm for each strategy. */
  readonly #kept = new Map<number, number>()
  /** Attempts that a sweep found overdue. The next sweep kills: at the first, their end may still be unread in the pipe. */
  readonly #overdue = new Set<Attempt>()
  #silentSweeps = 0
  readonly #standstill = new Standstill()
  /** Whether a run is past its deadline, so that the executor will probably be killed and gets no more runs. */
  #doomed = false
  /** Whether the present process has to be given the lowest priority before it runs code. */
  #mustYield = false
  #mayStartQuickly = true
  #opened: { resolve(): void; reject(error: Error): void } | null = null
  #closed: (() => void) | null = null

  constructor(options: SlotOptions) {
    this.#options = options
  }

  /** Resolves when the first process is ready. Rejects if it cannot be started. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = { resolve, reject }
      this.#spawn()
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    const handle = this.#handle
    if (handle !== null) {
      await new Promise<void>((resolve) => {
        this.#closed = resolve
        handle.kill('closed')
      })
    }
    for (const task of this.#queue.splice(0)) {
      new Attempt(this.#options.nextAttemptId(), task, false, () => {}).interrupt('The sandbox was closed.')
    }
  }

  get isForProbation(): boolean {
    return this.#options.isForProbation ?? false
  }

  get #silenceMs(): number {
    return this.#options.yields ? yieldingSilenceMs : silenceMs
  }

  get alive(): boolean {
    return this.#ready
  }

  get running(): number {
    return this.#attempts.size
  }

  get queued(): number {
    return this.#queue.length
  }

  get warm(): number {
    return this.#kept.size
  }

  add(task: Task): void {
    this.#queue.push(task)
    this.#dispatch()
  }

  forget(strategy: number): void {
    this.#kept.delete(strategy)
    this.#handle?.send({ type: 'forget', strategy })
  }

  /** Called every few milliseconds while there are runs. Kills the executor if it is overdue, silent or too large. */
  sweep(now: number): void {
    this.#notice(now)
    const handle = this.#handle
    if (handle === null || handle.doomed || this.#attempts.size === 0) return
    this.#doomed = false
    for (const attempt of this.#attempts.values()) {
      const lateMs = this.#lateMsOf(attempt, now)
      if (lateMs > drainAfterMs) this.#doomed = true
      if (lateMs <= killGraceMs) continue
      if (this.#overdue.has(attempt)) {
        handle.kill('overdue')
        return
      }
      this.#overdue.add(attempt)
    }
    if (!this.#doomed) this.#dispatch()
    this.#silentSweeps = now - handle.heardAt > this.#silenceMs ? this.#silentSweeps + 1 : 0
    if (this.#silentSweeps > 1) {
      handle.kill('silent')
      return
    }
    handle.limitSilence(now)
    handle.limitMemory(this.#options.residentLimitBytes)
  }

  /** Time in which this process stood still does not count, neither for the runs nor for the silence of their executor. */
  #notice(now: number): void {
    const stoodMs = this.#standstill.look(now)
    if (stoodMs === 0) return
    for (const attempt of this.#attempts.values()) attempt.standStill(stoodMs, now)
    if (this.#handle !== null) this.#handle.heardAt = Math.min(now, this.#handle.heardAt + stoodMs)
  }

  /** For how long an attempt should have been over, in ms. An attempt whose start is unknown gets more time. */
  #lateMsOf(attempt: Attempt, now: number): number {
    const { timeoutMs, serviceWaitMs } = this.#options.open
    const mostMs = attempt.startedAt === null ? 3 * timeoutMs + this.#silenceMs : timeoutMs
    return attempt.countedMs(now, serviceWaitMs) - mostMs
  }

  #spawn(): void {
    const { command, quicklyStarted, code, open } = this.#options
    // Those that replace it start with the lowest priority: code that kills its executor gets nothing for it.
    const quick = this.#opened !== null && this.#mayStartQuickly ? (quicklyStarted ?? null) : null
    this.#mustYield = quick !== null
    this.#handle = new ExecutorHandle(quick ?? command, code, open, {
      message: (message) => this.#receive(message),
      death: (death) => this.#handleDeath(death),
    })
  }

  // --- runs out, messages in ---------------------------------------------------------------------------------

  #dispatch(): void {
    const handle = this.#handle
    if (!this.#ready || this.#doomed || handle === null) return
    while (this.#queue.length > 0 && this.#hasRoomFor(this.#queue[0]!)) {
      const task = this.#queue.shift()!
      const id = this.#options.nextAttemptId()
      const { strategyId, code, input, startMs, stands } = task.request
      // A series brings its code, because its executor tells nobody which isolates its runs leave warm.
      const isWarm = task.series === undefined && this.#kept.get(strategyId) === task.codeId
      const attempt = new Attempt(id, task, isWarm, (reply) => handle.reply(reply))
      this.#notice(attempt.dispatchedAt)
      if (this.#attempts.size === 0) handle.heardAt = attempt.dispatchedAt
      this.#attempts.set(id, attempt)
      this.#kept.delete(strategyId)
      if (!isWarm) this.coldStarts += 1
      const head = { run: id, strategy: strategyId, codeId: task.codeId, seed: task.seed }
      if (task.series !== undefined) {
        const { events } = task.series
        handle.send({ type: 'series', ...head, code, input: JSON.stringify(input), events })
        continue
      }
      handle.send({
        type: 'run',
        ...head,
        ...(isWarm ? {} : { code }),
        input: JSON.stringify(input),
        ...(startMs === undefined ? {} : { startMs }),
        ...(stands === undefined ? {} : { stands }),
      })
    }
  }

  #hasRoomFor(task: Task): boolean {
    if (this.#attempts.size === 0) return true
    if (task.alone || this.#attempts.size >= attemptsAtMost) return false
    let working = 0
    for (const attempt of this.#attempts.values()) {
      if (attempt.task.alone) return false
      if (!attempt.isWaiting) working += 1
    }
    return working < workingAtMost
  }

  #receive(message: ExecutorMessage): void {
    this.#notice(performance.now())
    switch (message.type) {
      case 'ready':
        if (this.#ready) throw new ProtocolBreach('ready twice')
        if (this.#mustYield && this.#handle?.yield() !== true) {
          this.#mayStartQuickly = false
          return
        }
        this.#ready = true
        this.#startFailures = 0
        this.#opened?.resolve()
        this.#opened = null
        this.#dispatch()
        return
      case 'cold': {
        const attempt = this.#attemptOf(message.run)
        if (!attempt.countsOnWarmth) throw new ProtocolBreach('a run with its code is called cold')
        this.#remove(attempt)
        this.#queue.unshift(attempt.task)
        this.#dispatch()
        return
      }
      case 'call':
        this.#attemptOf(message.run).call(message, () => this.#dispatch())
        // This run waits now, so another one can compute.
        this.#dispatch()
        return
      case 'waits':
        this.#attemptOf(message.run).beginToWait()
        return
      case 'end': {
        const attempt = this.#attemptOf(message.run)
        const { timeoutMs, memoryLimitMb } = this.#options.open
        if (attempt.excuse(message, timeoutMs)) this.#again(attempt, 'The service stood still')
        else attempt.conclude(message, { timeoutMs, memoryBytes: memoryLimitMb * 1024 * 1024 })
        this.#remove(attempt)
        if (message.kept) {
          if (!attempt.isViolation) this.#keep(attempt.task)
          else this.#handle?.send({ type: 'forget', strategy: attempt.task.request.strategyId })
        }
        this.#dispatch()
        return
      }
      case 'chunk': {
        const attempt = this.#attemptOf(message.run)
        if (attempt.takeChunk(message)) return
        this.#remove(attempt)
        this.#dispatch()
        return
      }
      case 'alive': {
        const now = performance.now()
        for (const [run, ageMs, log] of message.started) this.#attemptOf(run).hear(now - ageMs, log)
        return
      }
      default:
        message satisfies never
    }
  }

  /** Records a warm isolate. The executor drops the least recently used one by the same rule. */
  #keep({ request, codeId }: Task): void {
    this.#kept.set(request.strategyId, codeId)
    if (this.#kept.size > this.#options.open.warmIsolates) this.#kept.delete(this.#kept.keys().next().value!)
  }

  #attemptOf(id: number): Attempt {
    const attempt = this.#attempts.get(id)
    if (attempt === undefined) throw new ProtocolBreach(`no run ${id} is in progress`)
    return attempt
  }

  #remove(attempt: Attempt): void {
    this.#attempts.delete(attempt.id)
    this.#overdue.delete(attempt)
    // This may have been the only late run. If there are others, the next sweep finds them.
    if (this.#attempts.size === 0) this.#doomed = false
  }

  // --- death -------------------------------------------------------------------------------------------------

  #handleDeath(death: Death): void {
    const attempts = [...this.#attempts.values()]
    const overdue = new Set(this.#overdue)
    const wasReady = this.#ready
    this.#handle = null
    this.#ready = false
    this.#attempts.clear()
    this.#overdue.clear()
    this.#kept.clear()
    this.#silentSweeps = 0
    this.#doomed = false
    if (death.cause !== 'closed') {
      const runs = attempts.map((a) => a.task.request.strategyId)
      if (death.cause !== 'priority') this.#options.log('executor died', { ...death, runs })
      this.#replace(wasReady, death)
    }
    for (const attempt of attempts.reverse()) {
      attempt.detach()
      const violation = this.#violationBy(attempt, death, attempts.length === 1, overdue.has(attempt))
      if (violation !== null) attempt.endAsViolation(violation)
      else this.#repeat(attempt, death)
    }
    this.#closed?.()
  }

  /** The violation by which an attempt caused the death of its executor, or `null` if another cause is possible. */
  #violationBy(attempt: Attempt, death: Death, wasAlone: boolean, wasOverdue: boolean): Violation | null {
    const { timeoutMs, serviceWaitMs, memoryLimitMb } = this.#options.open
    if (death.cause === 'overdue') {
      if (attempt.startedAt === null) return null
      if (!wasOverdue) return null
      const countedMs = attempt.countedMs(performance.now(), serviceWaitMs)
      return violations.execution_time(countedMs, timeoutMs).violation
    }
    if (!wasAlone || !isOwnFault(death)) return null
    // The processors may have been too busy for its messages, so it gets a second chance.
    if (death.cause === 'silent' && attempt.task.deaths === 0) return null
    // V8 aborts the process if an allocation fails. No other way for code to abort it is known.
    return violations.memory(death.residentBytes ?? 0, memoryLimitMb * 1024 * 1024).violation
  }

  #repeat(attempt: Attempt, death: Death): void {
    const { task } = attempt
    // If others were overdue, this run is repeated as often as needed: they get suspended, it does not.
    if (death.cause !== 'overdue') task.deaths += 1
    // A kill from outside may be nobody's fault, unless it happens again.
    task.alone = death.cause !== 'overdue' && (isOwnFault(death) || task.deaths > 1)
    if (this.#closing) attempt.interrupt('The sandbox was closed during the run.')
    else if (task.deaths >= deathsAtMost)
      attempt.interrupt(`The executor died ${task.deaths} times during this run.`)
    else this.#again(attempt, 'The executor died')
  }

  /** Runs it once more, or ends it as interrupted if that would repeat what it has done. */
  #again(attempt: Attempt, why: string): void {
    const { task } = attempt
    attempt.detach()
    if (task.series !== undefined) attempt.interrupt(`${why} during runs of a series.`)
    else if (attempt.acted) attempt.interrupt(`${why} after the run had sent an action.`)
    else this.#queue.unshift(task)
  }

  /** Starts a new process: at once, or, while processes die before they are ready, after a growing pause. */
  #replace(wasReady: boolean, death: Death): void {
    if (this.#opened !== null) {
      this.#startFailures += 1
      if (this.#startFailures < startsToOpen && !this.#closing) {
        this.#spawn()
        return
      }
      this.#opened.reject(new Error(`An executor process could not be started: ${death.detail}`))
      this.#opened = null
      return
    }
    if (this.#closing) return
    this.respawns += 1
    this.#startFailures = wasReady ? 0 : this.#startFailures + 1
    const pauseMs = this.#startFailures === 0 ? 0 : Math.min(50 * 2 ** this.#startFailures, 5_000)
    if (pauseMs === 0) this.#spawn()
    else setTimeout(() => !this.#closing && this.#spawn(), pauseMs).unref()
  }
}
