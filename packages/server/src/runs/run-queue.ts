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
  /** Executes a run and updates the state of `strategy`. Never rejects because of what user code does. */
  execute(strategy: HeldStrategy, run: QueuedRun): Promise<FinishEntry>
  /** Waits until one more run of this kind may execute in this process. The result gives the place back. */
  admit(strategy: HeldStrategy): Promise<() => void>
  /** Called for each run that has ended, once its end is durable. */
  onFinished(strategy: HeldStrategy, run: QueuedRun, finish: FinishEntry): void
  /** Called when another node holds the strategy, or it was deleted. */
  onElsewhere(strategyId: number): void
  onError(strategyId: number, error: unknown): void
}

/** At most this many runs of a strategy wait in memory; the others wait only in the database. */
const waitingLimit = 1000
const waitingByteLimit = 8 * 1024 * 1024
/** At most this many ends are being written while the next runs already execute. */
const unwrittenLimit = 200
const afterErrorMs = 1000

/**
 * Executes the stored runs of one strategy, one after another and in order. This process hands over the runs that it
 * stored itself in memory; the queue reads all others from the database.
 */
export class RunQueue {
  readonly strategyId: number
  idleSinceMs = performance.now()
  #parts: RunQueueParts
  #waiting: QueuedRun[] = []
  #waitingBytes = 0
  /** The latest run that was ever in memory. Shows whether another node stored a run before one of this node's. */
  #lastSeenId = 0
  /** The database may have open runs that memory does not have. Until they are read, memory takes no further run. */
  #moreStored = true
  /** Runs that were offered while stored runs are being read; `undefined` at other times. */
  #offeredMeanwhile: QueuedRun[] | undefined
  /** Someone called `offer` or `look` since the work loop last checked. */
  #wanted = false
  /** `undefined`: claim it, or read it again, before the next run. */
  #strategy: HeldStrategy | undefined
  /** Counts the changes: what was read before a change may be out of date. */
  #changes = 0
  #working: Promise<void> | undefined
  #unwritten = new Set<Promise<void>>()
  #nextStartMs = 0
  #stop = new AbortController()

  constructor(strategyId: number, parts: RunQueueParts) {
    this.strategyId = strategyId
    this.#parts = parts
  }

  /** Takes a run that this process has just stored. Call it in the order of ids. */
  offer(run: QueuedRun): void {
    if (this.#offeredMeanwhile === undefined) this.#append(run)
    else this.#offeredMeanwhile.push(run)
    this.#wake()
  }

  /** Looks for runs that other processes may have stored. */
  look(): void {
    this.#moreStored = true
    this.#wake()
  }

  /**
   * Has the strategy read again before its next run.
   * @param userId only if the strategy belongs to this account
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

  /** Starts no further run. Resolves when the current one has ended and its end is written. */
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

  /** Waits for the owner's pace and for a free place. `undefined`: something has changed, so check everything again. */
  async #turn(strategy: HeldStrategy): Promise<(() => void) | undefined> {
    const { runsPerSecond } = strategy.settings
    if (runsPerSecond !== null) await this.#sleep(this.#nextStartMs - performance.now())
    const release = await this.#parts.admit(strategy)
    // A run of a model reads from the database what the run before has stored.
    if (strategy.settings.llm !== null) await this.#written()
    if (!this.#parts.leases.node.mayWork()) {
      // Other nodes may consider this one dead and have claimed the strategy.
      this.invalidate()
      await this.#sleep(afterErrorMs)
    }
    if (this.#strategy?.claim === strategy.claim && !this.#stopped) {
      // Counted from the actual start, so that a late start does not bring the next one closer.
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
      this.#parts.onFinished(strategy, run, finish)
    } catch (error) {
      this.#parts.onError(this.strategyId, error)
    }
  }

  async #load(): Promise<HeldStrategy | undefined> {
    // The stored state is up to date only once everything that happened here is written.
    await this.#written()
    let changes: number
    do {
      // If a change arrives during the read, the read may have missed it.
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
    const stored = await this.#parts.openRuns.read(this.strategyId)
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
   * Adds a run to memory, except if there is no room, if only the database knows an earlier run, or if this run may
   * have been read from there already: with several connections, the answer to a read can arrive before the answer to
   * an earlier commit.
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
    this.#moreStored = true
  }

  /** From now on, another queue may work on the strategy, so this one must not start again. */
  #leaveToOthers(): void {
    this.#lose()
    this.#wanted = false
    this.#parts.onElsewhere(this.strategyId)
  }

  /** The current run has not ended and is still open in the database, where the queue reads it again. */
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
    while (this.#unwritten.size > 0) {
      this.#parts.journal.hurry()
      await Promise.all(this.#unwritten)
    }
  }
}

/** The record of an end that the database refused: only that the run ended, and the consequences. */
function withoutOutcome(finish: FinishEntry): FinishEntry {
  const message = 'The outcome of this run could not be stored.'
  return {
    ...finish,
    status: finish.status === 'VIOLATION' ? 'VIOLATION' : 'FAILED',
    error: { name: 'InternalError', message, line: null, column: null },
    log: null,
    http: [],
    steps: null,
    seen: null,
    clock: null,
    storage: undefined,
  }
}
