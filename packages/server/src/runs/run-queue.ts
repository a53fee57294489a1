import { setTimeout as sleep } from 'node:timers/promises'
import type { HeldStrategy } from './held-strategy.ts'
import type { Journal } from './journal.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { Leases } from './leases.ts'
import { type OpenRuns, openRunsLimit } from './open-runs.ts'
import { type QueuedRun, sizeBytes } from './queued-run.ts'

export type RunQueueParts = {
  leases: Leases
  openRuns: OpenRuns
  journal: Journal
  /** Executes a run, `strategy` being brought along; never rejects for anything that user code does. */
  execute(strategy: HeldStrategy, run: QueuedRun): Promise<FinishEntry>
  /** Resolves when one more run of its kind may go on in this process; what it resolves to gives the place back. */
  admit(strategy: HeldStrategy): Promise<() => void>
  /** Told of each run that has ended, once that is durable. */
  onFinished(strategy: HeldStrategy, run: QueuedRun, finish: FinishEntry): void
  /** The strategy is held by another node, or gone. */
  onElsewhere(strategyId: number): void
  onError(strategyId: number, error: unknown): void
}

/** What waits in memory for one strategy at the most; the rest waits in the database alone. */
const waitingLimit = 1000
const waitingByteLimit = 8 * 1024 * 1024
/** Runs whose ends are being written while the next ones go on already. */
const unwrittenLimit = 200
const afterErrorMs = 1000

/**
 * The queue of one strategy: works off its stored runs one after another, in order. Runs that this process
 * stored itself are handed over in memory; whatever else there is gets read from the database.
 */
export class RunQueue {
  readonly strategyId: number
  idleSinceMs = performance.now()
  #parts: RunQueueParts
  #waiting: QueuedRun[] = []
  #waitingBytes = 0
  /** The latest run that was ever in memory: a run stored by another node before one of ours shows by it. */
  #lastSeenId = 0
  /** All runs up to this one have ended, and that is written. */
  #endedId = 0
  /** The database may hold open runs that memory does not; until they are read nothing is appended to memory. */
  #moreStored = true
  /** What was offered while stored runs are being read; `undefined` while none are. */
  #offeredMeanwhile: QueuedRun[] | undefined
  /** Somebody asked since the work loop last looked. */
  #wanted = false
  /** `undefined`: to be claimed, or read anew, before the next run. */
  #strategy: HeldStrategy | undefined
  /** How often it went out of date: what was read before that may be old. */
  #changes = 0
  #working: Promise<void> | undefined
  #unwritten = new Set<Promise<void>>()
  #nextStartMs = 0
  #stop = new AbortController()

  constructor(strategyId: number, parts: RunQueueParts) {
    this.strategyId = strategyId
    this.#parts = parts
  }

  /** Takes a run that this process has just stored; runs come in the order of their ids. */
  offer(run: QueuedRun): void {
    if (this.#offeredMeanwhile === undefined) this.#append(run)
    else this.#offeredMeanwhile.push(run)
    this.#wake()
  }

  /** There may be runs that other processes stored. */
  look(): void {
    this.#moreStored = true
    this.#wake()
  }

  /**
   * What was read of the strategy is out of date.
   * @param userId only if it is this account's
   */
  invalidate(userId?: number): void {
    if (userId !== undefined && this.#strategy !== undefined && this.#strategy.settings.userId !== userId)
      return
    this.#strategy = undefined
    this.#changes++
  }

  get idle(): boolean {
    return this.#working === undefined && this.#unwritten.size === 0
  }

  /** Starts no further run; resolves when the one under way has ended and is written. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#working
    await this.#written()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  #wake(): void {
    this.#wanted = true
    this.#working ??= this.#work()
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#working = undefined
        this.idleSinceMs = performance.now()
        if (this.#wanted && !this.#stopped) this.#wake()
      })
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      this.#wanted = false
      const strategy = this.#strategy ?? (await this.#load())
      if (strategy === undefined) return this.#leaveToOthers()
      const run = this.#next() ?? (await this.#readStored())
      if (run === undefined) return
      if (run.version > strategy.settings.version) {
        this.invalidate()
        this.#putBack(run)
        continue
      }
      const release = await this.#turn(strategy)
      if (release === undefined) this.#putBack(run)
      else await this.#execute(strategy, run).finally(release)
    }
  }

  /** Waits for the pace that the owner set, and for a place; `undefined` when everything must be looked at anew. */
  async #turn(strategy: HeldStrategy): Promise<(() => void) | undefined> {
    const { runsPerSecond } = strategy.settings
    if (runsPerSecond !== null) await this.#sleep(this.#nextStartMs - performance.now())
    const release = await this.#parts.admit(strategy)
    if (!this.#parts.leases.node.mayWork()) {
      // Other nodes may think this one dead, and have taken the strategy over.
      this.invalidate()
      await this.#sleep(afterErrorMs)
    }
    if (this.#strategy?.claim === strategy.claim && !this.#stopped) {
      // From when it really starts: a start that comes late must not bring the next one closer.
      this.#nextStartMs = performance.now() + 1000 / (runsPerSecond ?? Number.POSITIVE_INFINITY)
      return release
    }
    release()
    return undefined
  }

  async #execute(strategy: HeldStrategy, run: QueuedRun): Promise<void> {
    const finish = await this.#parts.execute(strategy, run)
    const write = this.#record(strategy, run, finish).finally(() => this.#unwritten.delete(write))
    this.#unwritten.add(write)
    if (this.#unwritten.size >= unwrittenLimit) await this.#written()
  }

  async #record(strategy: HeldStrategy, run: QueuedRun, finish: FinishEntry): Promise<void> {
    try {
      const written = await this.#parts.journal.write(finish).catch((error: unknown) => {
        this.#parts.onError(this.strategyId, error)
        return this.#parts.journal.write(withoutOutcome(finish))
      })
      if (written.status === 'lost') return this.#lose()
      this.#endedId = run.id
      this.#parts.onFinished(strategy, run, finish)
    } catch (error) {
      this.#parts.onError(this.strategyId, error)
    }
  }

  async #load(): Promise<HeldStrategy | undefined> {
    // What is stored is only up to date once everything that happened here is written.
    await this.#written()
    let changes: number
    do {
      // A change that comes while this is being read may be one that was not read.
      changes = this.#changes
      this.#strategy = await this.#parts.leases.claim(this.strategyId)
    } while (changes !== this.#changes)
    return this.#strategy
  }

  #next(): QueuedRun | undefined {
    const run = this.#waiting.shift()
    if (run !== undefined) this.#waitingBytes -= sizeBytes(run)
    return run
  }

  async #readStored(): Promise<QueuedRun | undefined> {
    if (!this.#moreStored) return undefined
    // A run that has ended but is not written yet still counts as open in the database.
    await this.#written()
    this.#moreStored = false
    this.#offeredMeanwhile = []
    const stored = await this.#parts.openRuns.read(this.strategyId, this.#endedId)
    const offered = this.#offeredMeanwhile
    this.#offeredMeanwhile = undefined
    this.#waiting = stored
    this.#waitingBytes = stored.reduce((sum, run) => sum + sizeBytes(run), 0)
    this.#lastSeenId = Math.max(this.#lastSeenId, stored.at(-1)?.id ?? 0)
    if (stored.length >= openRunsLimit) this.#moreStored = true
    const read = new Set(stored.map((run) => run.id))
    for (const run of offered) if (!read.has(run.id)) this.#append(run)
    return this.#next()
  }

  /**
   * Takes a run into memory, unless there is no room, or an earlier one is known to the database alone, or this
   * one may have been read from there already: over several connections the answer to a read can overtake that
   * to the commit before it.
   */
  #append(run: QueuedRun): void {
    const bytes = sizeBytes(run)
    const fits = this.#waiting.length < waitingLimit && this.#waitingBytes + bytes <= waitingByteLimit
    const mayBeRead = run.id <= this.#lastSeenId
    if (!fits || mayBeRead || run.previousId > this.#lastSeenId) this.#moreStored = true
    if (this.#moreStored) return
    this.#waiting.push(run)
    this.#waitingBytes += bytes
    this.#lastSeenId = run.id
  }

  #putBack(run: QueuedRun): void {
    this.#waiting.unshift(run)
    this.#waitingBytes += sizeBytes(run)
  }

  #lose(): void {
    this.#strategy = undefined
    this.#waiting = []
    this.#waitingBytes = 0
    this.#endedId = 0
    this.#moreStored = true
  }

  /** From here on another queue may work on the strategy, so this one must not begin again. */
  #leaveToOthers(): void {
    this.#lose()
    this.#wanted = false
    this.#parts.onElsewhere(this.strategyId)
  }

  /** The run under way has not ended, and stays open in the database: it is read from there again. */
  async #recover(error: unknown): Promise<void> {
    if (this.#stopped) return
    this.#parts.onError(this.strategyId, error)
    this.#offeredMeanwhile = undefined
    this.#lose()
    await this.#sleep(afterErrorMs)
    this.#wanted = true
  }

  async #sleep(ms: number): Promise<void> {
    if (ms <= 0) return
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }

  async #written(): Promise<void> {
    while (this.#unwritten.size > 0) await Promise.all(this.#unwritten)
  }
}

/** What is kept of an end that the database would not take: that it happened, and its consequences. */
function withoutOutcome(finish: FinishEntry): FinishEntry {
  const message = 'The outcome of this run could not be stored.'
  return {
    ...finish,
    status: finish.status === 'VIOLATION' ? 'VIOLATION' : 'FAILED',
    error: { name: 'InternalError', message, line: null, column: null },
    log: null,
    http: [],
    storage: undefined,
  }
}
