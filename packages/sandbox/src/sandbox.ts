/** The pool: checks the code of each run, spreads strategies over executors, and answers how each run ended. */

import { availableParallelism } from 'node:os'
import {
  type ContainmentLayer,
  type ContainmentLevel,
  type ExecutorCommand,
  executorCommand,
  forSeries,
  withOwnUser,
} from './containment.ts'
import { canWatchThreads } from './executor-handle.ts'
import { forbiddenMessage } from './forbidden-message.ts'
import { loadGuestCode } from './guest-code.ts'
import { codeByteLimit, runTimeoutMs, serviceWaitMs } from './limits.ts'
import type { ChunkMessage } from './messages.ts'
import { onHalfOfProcessors, withLowestPriority } from './priority.ts'
import { Probation } from './probation.ts'
import { newSeed } from './seeds.ts'
import { type Execute, runSeries } from './series.ts'
import { Slot } from './slot.ts'
import type { Task } from './task.ts'
import { checkText, type ForbiddenIdentifier } from './text-check.ts'
import type { RunError, RunOutcome, RunRequest, SeriesRequest } from './types.ts'
import { violations } from './violations.ts'

export type SandboxOptions = {
  /** Executor processes for {@link Sandbox.run}. Default: one for each processor, at most 4. */
  executors?: number
  /**
   * Whether strategies that are new, or that were slow or broke a rule lately, run in one more executor, which has the
   * lowest priority. Default false.
   */
  probation?: boolean
  /** The priority of the executor for strategies on probation. Default `lowest`: they give way to all other runs. */
  probationPriority?: 'lowest' | 'normal'
  /** Executors for {@link Sandbox.series}. Default 0: then there are no series. */
  seriesExecutors?: number
  /** The priority of these. Default `lowest`: series give way to all other runs. */
  seriesPriority?: 'lowest' | 'normal'
  /** Heap that the isolate of a strategy may use, in MB; at least 8. Default 64. */
  memoryLimitMb?: number
  /** Wall-clock time that a run may take, in ms. Default 5,000. */
  timeoutMs?: number
  /** Time that a run waits for the host to store an action or a stop, or to read positions, in ms. Default 5 minutes. */
  serviceWaitMs?: number
  /** Runs after which a warm isolate is replaced; 1 gives each run a fresh one. Default 10,000. */
  runsPerIsolate?: number
  /** Idle isolates that each executor keeps, about 4 MB each. Default 64. */
  warmIsolates?: number
  /** Whether V8 may compile to machine code in executors. Default true; the README explains the trade-off. */
  jit?: boolean
  /**
   * The module behind `$.Http.createApiClient`, and the origin of the API. The module exports
   * `createApiClient(credentials, { baseUrl, http, generateSignature, now })` and uses nothing but ECMAScript. Without
   * this option, `createApiClient` throws.
   */
  apiClient?: { modulePath: string; baseUrl: string }
  /** Receives the events for operators: `executor died`, `containment incomplete`. */
  log?: (event: string, fields: Record<string, unknown>) => void
}

export type SandboxStats = {
  /** The number of executor processes that should run, and of those that are ready. */
  executors: number
  alive: number
  /** Runs in an executor, and runs that wait for one. */
  running: number
  queued: number
  warmIsolates: number
  /** Runs since the start that needed a new isolate; the others used a warm one. */
  coldStarts: number
  /** Executor processes that were replaced since the start. */
  respawns: number
  jit: boolean
  /** Whether one of the executors is for strategies on probation. */
  probation: boolean
  /** How well executors are contained besides V8: by which layers around Node's permission model, and which are missing. */
  containment: ContainmentLevel
  containmentLayers: ContainmentLayer[]
  containmentMissing: ContainmentLayer[]
}

/** What the pool knows about a strategy between its runs. */
type Strategy = {
  code: string
  codeId: number
  /** Why its code never runs. */
  refusal: Pick<RunOutcome, 'status' | 'error' | 'violation'> | null
  slot: Slot
  /** `null` if the pool has no probation. */
  probation: Probation | null
}

/** The statistics that never change. */
type Facts = Pick<
  SandboxStats,
  'jit' | 'probation' | 'containment' | 'containmentLayers' | 'containmentMissing'
>

/** The pool remembers at most this many characters of code, and forgets the least recently used first. */
const rememberedLimit = 64 * 1024 * 1024
const sweepMs = 25

/** Starts the executors and resolves when they are ready. Rejects with a RangeError if an option is out of range. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const checked = checkOptions(options)
  const limitBytes = residentLimitBytes(checked)
  const [code, command] = await Promise.all([
    loadGuestCode(options.apiClient?.modulePath),
    executorCommand({ jit: checked.jit, residentLimitBytes: limitBytes }),
  ])
  const isYielding = Array<boolean>(checked.executors).fill(false)
  if (checked.probation) isYielding.push(checked.probationPriority === 'lowest')
  isYielding.push(...Array<boolean>(checked.seriesExecutors).fill(checked.seriesPriority === 'lowest'))
  const [yielding, quicklyStarted] = isYielding.includes(true)
    ? await Promise.all([withLowestPriority(command), onHalfOfProcessors(command)])
    : [command, command]
  const log = options.log ?? (() => {})
  if (command.missing.length > 0) {
    log('containment incomplete', {
      containment: command.level,
      layers: command.layers,
      missing: Object.fromEntries(command.missing.map(({ layer, reason }) => [layer, reason])),
    })
  }
  let attemptIds = 0
  const isForProbation = (index: number) => checked.probation && index === checked.executors
  const ordinary = isYielding.length - checked.seriesExecutors
  const commandOf = (index: number, shared: ExecutorCommand) =>
    withOwnUser(index < ordinary ? shared : forSeries(shared))
  const slots = isYielding.map(
    (yields, index) =>
      new Slot({
        command: commandOf(index, yields ? yielding : command),
        quicklyStarted: yields && canWatchThreads ? commandOf(index, quicklyStarted) : null,
        code,
        open: {
          type: 'open',
          ...checked,
          entersDirectly: canWatchThreads && !isForProbation(index),
          apiBaseUrl: options.apiClient?.baseUrl ?? null,
          scripts: code.scripts,
        },
        residentLimitBytes: limitBytes,
        yields,
        isForProbation: isForProbation(index),
        nextAttemptId: () => ++attemptIds,
        log,
      }),
  )
  const sandbox = new Sandbox(slots.slice(0, ordinary), slots.slice(ordinary), {
    jit: checked.jit,
    probation: checked.probation,
    containment: command.level,
    containmentLayers: command.layers,
    containmentMissing: command.missing.map(({ layer }) => layer),
  })
  try {
    await Promise.all(slots.map((slot) => slot.open()))
  } catch (error) {
    await sandbox.close()
    throw error
  }
  return sandbox
}

type CheckedOptions = Required<Omit<SandboxOptions, 'log' | 'apiClient'>>

function checkOptions(options: SandboxOptions): CheckedOptions {
  return {
    // None, for series alone.
    executors: whole(
      options,
      'executors',
      Math.min(availableParallelism(), 4),
      options.seriesExecutors ? 0 : 1,
      64,
    ),
    memoryLimitMb: whole(options, 'memoryLimitMb', 64, 8, 4_096),
    timeoutMs: whole(options, 'timeoutMs', runTimeoutMs, 10, 600_000),
    serviceWaitMs: whole(options, 'serviceWaitMs', serviceWaitMs, 10, 3_600_000),
    runsPerIsolate: whole(options, 'runsPerIsolate', 10_000, 1, 1_000_000_000),
    warmIsolates: whole(options, 'warmIsolates', 64, 0, 10_000),
    jit: options.jit ?? true,
    probation: options.probation ?? false,
    probationPriority: options.probationPriority ?? 'lowest',
    seriesExecutors: whole(options, 'seriesExecutors', 0, 0, 64),
    seriesPriority: options.seriesPriority ?? 'lowest',
  }
}

function whole(
  options: SandboxOptions,
  name: Exclude<keyof CheckedOptions, 'jit' | 'probation' | 'probationPriority' | 'seriesPriority'>,
  fallback: number,
  least: number,
  most: number,
): number {
  const value = options[name] ?? fallback
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, got ${value}.`)
}

/** An executor over this limit is killed. It covers the process, its warm isolates, and a few isolates near their limit. */
function residentLimitBytes({ memoryLimitMb, warmIsolates }: CheckedOptions): number {
  return (256 + 6 * warmIsolates + 6 * memoryLimitMb) * 1024 * 1024
}

export class Sandbox {
  readonly #slots: Slot[]
  readonly #seriesSlots: Slot[]
  readonly #facts: Facts
  readonly #strategies = new Map<number, Strategy>()
  #remembered = 0
  #codeIds = 0
  #runs = 0
  #sweeper: NodeJS.Timeout | undefined
  #closed = false

  /** Use {@link openSandbox}. */
  constructor(slots: Slot[], seriesSlots: Slot[], facts: Facts) {
    this.#slots = slots
    this.#seriesSlots = seriesSlots
    this.#facts = facts
  }

  /**
   * Runs a strategy's code once. It resolves whatever the code does, even if the executor dies. It rejects only after
   * {@link close}.
   */
  async run(request: RunRequest): Promise<RunOutcome> {
    if (this.#closed) throw new Error('The sandbox is closed.')
    const strategy = this.#strategyOf(request)
    if (strategy.refusal !== null) return { ...strategy.refusal, ...unstarted }
    const seed = request.seed ?? newSeed()
    const { outcome } = await this.#execute(strategy.slot, { request, codeId: strategy.codeId, seed })
    strategy.probation?.count(outcome)
    return outcome
  }

  /**
   * Executes runs of a strategy one after the other, most of them many times as fast as `run`. Resolves when all have ended,
   * or when the caller ends it. Rejects after {@link close}, and with a RangeError without executors for series.
   */
  async series(request: SeriesRequest): Promise<void> {
    const slot = leastBusy(this.#seriesSlots)
    if (slot === undefined) throw new RangeError('The sandbox has no executors for series.')
    this.#codeIds += 1
    const codeId = this.#codeIds
    const refusal = refusalOf(request.code)
    const execute: Execute = async (request, series) => {
      if (this.#closed) throw new Error('The sandbox is closed.')
      if (refusal !== null) return { outcome: { ...refusal, ...unstarted }, chunk: undefined }
      return await this.#execute(slot, { request, codeId, seed: request.seed, ...(series && { series }) })
    }
    try {
      await runSeries(request, execute, canWatchThreads && refusal === null)
    } finally {
      slot.forget(request.strategyId)
    }
  }

  #execute(
    slot: Slot,
    task: Pick<Task, 'request' | 'codeId' | 'seed' | 'series'>,
  ): Promise<{ outcome: RunOutcome; chunk: ChunkMessage | undefined }> {
    this.#runs += 1
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs)
    return new Promise((resolve) => {
      const settle: Task['settle'] = (outcome, chunk) => {
        this.#runs -= 1
        if (this.#runs === 0) {
          clearInterval(this.#sweeper)
          this.#sweeper = undefined
        }
        resolve({ outcome, chunk })
      }
      slot.add({ ...task, deaths: 0, alone: false, requestedAt: performance.now(), settle })
    })
  }

  /** Drops the warm isolate and the code of a strategy. A current run continues. */
  forget(strategyId: number): void {
    const strategy = this.#strategies.get(strategyId)
    if (strategy === undefined) return
    this.#strategies.delete(strategyId)
    this.#remembered -= strategy.code.length
    strategy.slot.forget(strategyId)
  }

  stats(): SandboxStats {
    const sum = (count: (slot: Slot) => number) => this.#slots.reduce((total, slot) => total + count(slot), 0)
    return {
      executors: this.#slots.length,
      alive: sum((slot) => Number(slot.alive)),
      running: sum((slot) => slot.running),
      queued: sum((slot) => slot.queued),
      warmIsolates: sum((slot) => slot.warm),
      coldStarts: sum((slot) => slot.coldStarts),
      respawns: sum((slot) => slot.respawns),
      ...this.#facts,
    }
  }

  /** Ends all executors. Current and waiting runs end as `interrupted`. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#slots, ...this.#seriesSlots].map((slot) => slot.close()))
    clearInterval(this.#sweeper)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** The least busy executor for strategies on probation, or for the others. */
  #slotFor(probation: Probation | null): Slot {
    const slot = leastBusy(this.#slots.filter((slot) => slot.isForProbation === isOnProbation(probation)))
    if (slot === undefined) throw new RangeError('The sandbox has executors only for series.')
    return slot
  }

  #sweep(): void {
    const now = performance.now()
    for (const slot of this.#slots) slot.sweep(now)
    for (const slot of this.#seriesSlots) slot.sweep(now)
  }

  /** A strategy stays on the executor that keeps its isolate warm. A new strategy gets the least busy executor. */
  #strategyOf({ strategyId, code }: RunRequest): Strategy {
    const known = this.#strategies.get(strategyId)
    // The order of the map is the order of use: a used strategy moves to the end.
    if (known !== undefined) this.#strategies.delete(strategyId)
    if (known?.code === code) {
      this.#strategies.set(strategyId, known)
      if (known.slot.isForProbation !== isOnProbation(known.probation)) {
        // The other executor makes a new isolate.
        known.slot.forget(strategyId)
        known.slot = this.#slotFor(known.probation)
      }
      return known
    }
    const probation = this.#facts.probation ? new Probation() : null
    const staysWhereItIs = known?.slot.isForProbation === isOnProbation(probation)
    const slot = staysWhereItIs ? known!.slot : this.#slotFor(probation)
    if (slot !== known?.slot) known?.slot.forget(strategyId)
    this.#codeIds += 1
    const strategy: Strategy = { code, codeId: this.#codeIds, refusal: refusalOf(code), slot, probation }
    this.#strategies.set(strategyId, strategy)
    this.#remembered += code.length - (known?.code.length ?? 0)
    for (const [id, { code: old }] of this.#strategies) {
      if (this.#remembered <= rememberedLimit) break
      this.#strategies.delete(id)
      this.#remembered -= old.length
    }
    return strategy
  }
}

function isOnProbation(probation: Probation | null): boolean {
  return probation !== null && !probation.isOver
}

/** The part of the outcome of code that never starts. */
const unstarted = {
  ...{ storage: undefined, log: '', steps: null, clock: null },
  ...{ calls: 0, durationMs: 0, cpuMs: 0 },
}

function leastBusy(slots: readonly Slot[]): Slot | undefined {
  return slots.length === 0
    ? undefined
    : slots.reduce((least, slot) => (load(slot) < load(least) ? slot : least))
}

function load(slot: Slot): number {
  return (slot.running + slot.queued) * 1_000 + slot.warm
}

function refusalOf(code: string): Strategy['refusal'] {
  const bytes = Buffer.byteLength(code)
  if (bytes > codeByteLimit) {
    const message = `The code has ${bytes} bytes; at most ${codeByteLimit} are allowed.`
    return {
      status: 'failed',
      error: { name: 'CodeTooLarge', message, line: null, column: null },
      violation: null,
    }
  }
  const [first, ...others] = checkText(code)
  if (first === undefined) return null
  const { violation } = violations.forbidden_identifier(others.length + 1)
  return { status: 'violation', error: describeForbidden(first), violation }
}

function describeForbidden({ identifier, line, column }: ForbiddenIdentifier): RunError {
  return { name: 'ForbiddenIdentifier', message: forbiddenMessage(identifier), line, column }
}
