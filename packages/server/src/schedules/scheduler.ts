import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { Firing } from './firing.ts'
import { listenForSchedules } from './schedules.ts'

export type SchedulerParts = {
  database: Database
  /** Receives the stored runs, right after their commit. */
  handOver(runs: QueuedRun[]): void
  /** Called with each failure. The scheduler tries again after a second. */
  onError(error: unknown): void
  /** Called whenever the schedules were read and fired without failure. */
  onSuccess?(): void
  /** Called for a schedule whose next time cannot be found. The other schedules fire. */
  onUnreadable?(error: unknown): void
  /** Receives how late each run of a batch was stored: the ms since its due time. */
  onFired?(lagMs: number[]): void
  /** The clock that decides what is due, in Unix ms. */
  now?(): number
  /** A notification can get lost with a connection. The scheduler asks the database this often anyway. Default: 10 s. */
  askAgainMs?: number
}

/** The scheduler checks the clock this often, because it can be set and the machine can sleep. */
const lookMs = 250
const askAgainMs = 10_000
/** How long to wait while another node fires the due schedules. Then it has moved them, or died. */
const takenMs = 25
const afterErrorMs = 1_000
/** If the clock is set back further than this, the due times are corrected. */
const setBackMs = 60_000

/**
 * Fires schedules when they are due, together with any number of other nodes. It keeps only the earliest due time in
 * memory.
 */
export class Scheduler {
  #parts: SchedulerParts
  #firing: Firing
  #now: () => number
  #working: Promise<void> | undefined
  #listening: Promise<void> | undefined
  #stop = new AbortController()
  /** Aborted to make the scheduler ask the database at once. */
  #woken = new AbortController()
  #latestMs: number

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#firing = new Firing(parts.database, parts.onUnreadable)
    this.#now = parts.now ?? (() => Date.now())
    this.#latestMs = this.#now()
  }

  /** Resolves when this node receives every change, whichever node makes it. */
  async start(): Promise<void> {
    this.#listening ??= listenForSchedules(this.#parts.database, () => this.wake())
    await this.#listening
    if (!this.#stopped) this.#working ??= this.#work()
  }

  /** Call it after a schedule has changed: the earliest due time may have changed, too. */
  wake(): void {
    this.#woken.abort()
  }

  /** Fires nothing more. Resolves when the runs of the current batch have been handed over. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#working
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #work(): Promise<void> {
    // A wrong clock may have put schedules off before this process started.
    let correctedUpTo: number | undefined = 0
    while (!this.#stopped) {
      try {
        this.#woken = new AbortController()
        await this.#fireAllDue()
        if (correctedUpTo !== undefined)
          correctedUpTo = await this.#firing.correct(this.#now(), correctedUpTo)
        else {
          const earliestMs = await this.#firing.earliestMs()
          this.#parts.onSuccess?.()
          correctedUpTo = (await this.#sleepUntil(earliestMs)) ? 0 : undefined
        }
      } catch (error) {
        this.#parts.onError(error)
        await this.#pause(afterErrorMs, this.#stop.signal)
      }
    }
  }

  async #fireAllDue(): Promise<void> {
    while (!this.#stopped) {
      const { runs, dueMs, left } = await this.#firing.fireDue(this.#now())
      if (runs.length > 0) {
        const storedMs = this.#now()
        this.#parts.handOver(runs)
        this.#parts.onFired?.(dueMs.map((due) => storedMs - due))
      }
      if (left === 'none') return
      if (left === 'taken') await this.#pause(takenMs, this.#stop.signal)
    }
  }

  /** Resolves to whether the clock was set back so far that due times need a correction. */
  async #sleepUntil(dueMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const askAgainAt = performance.now() + (this.#parts.askAgainMs ?? askAgainMs)
    while (!this.#stopped && !this.#woken.signal.aborted && performance.now() < askAgainAt) {
      if (this.#wasSetBack()) return true
      const waitMs = dueMs - this.#now()
      if (waitMs <= 0) return false
      // A timer may be early by a fraction of a millisecond.
      await this.#pause(Math.min(Math.ceil(waitMs), lookMs), this.#woken.signal)
    }
    return this.#wasSetBack()
  }

  #wasSetBack(): boolean {
    const nowMs = this.#now()
    const setBack = nowMs < this.#latestMs - setBackMs
    this.#latestMs = setBack ? nowMs : Math.max(nowMs, this.#latestMs)
    return setBack
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => undefined)
  }
}
