import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { Firing } from './firing.ts'
import { hearOfSchedules } from './schedules.ts'

export type SchedulerParts = {
  database: Database
  /** Takes the runs that were stored, right after their commit. */
  handOver(runs: QueuedRun[]): void
  /** Called with each failure. The scheduler tries again after a second. */
  onError(error: unknown): void
  /** Called whenever the schedules were read and fired without failure. */
  onSuccess?(): void
  /** Called for a schedule whose next time cannot be found. The other schedules fire. */
  onUnreadable?(error: unknown): void
  /** Told how late each run of a batch was stored: from the moment that was due, in ms. */
  onFired?(lagMs: number[]): void
  /** The clock that schedules go by, in Unix ms. */
  now?(): number
}

/** The clock is looked at this often, since it can be moved, and a machine can sleep. */
const lookMs = 250
/** A notification can get lost with a connection; the database is asked again after this long. */
const askAgainMs = 10_000
/** Another node has its hands on what is due: it will have moved it, or died, in a moment. */
const takenMs = 25
const afterErrorMs = 1_000
/** How far the clock may go back before schedules are counted anew. */
const setBackMs = 60_000

/**
 * Fires schedules at their moments, along with any number of other nodes. Nothing of them is kept in memory but
 * when the first is due.
 */
export class Scheduler {
  #parts: SchedulerParts
  #firing: Firing
  #now: () => number
  #working: Promise<void> | undefined
  #listening: Promise<void> | undefined
  #stop = new AbortController()
  /** Aborted by whoever wants the database to be asked at once. */
  #woken = new AbortController()
  #latestMs: number

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#firing = new Firing(parts.database, parts.onUnreadable)
    this.#now = parts.now ?? (() => Date.now())
    this.#latestMs = this.#now()
  }

  /** Resolves when this node hears of every change, by whichever node. */
  async start(): Promise<void> {
    this.#listening ??= hearOfSchedules(this.#parts.database, () => this.wake())
    await this.#listening
    if (!this.#stopped) this.#working ??= this.#work()
  }

  /** A schedule has changed: the first that is due may be another. */
  wake(): void {
    this.#woken.abort()
  }

  /** Fires nothing any more; resolves when what was under way has been handed over. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#working
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #work(): Promise<void> {
    // What a wrong clock did may be older than this process.
    let behind: number | undefined = 0
    while (!this.#stopped) {
      try {
        this.#woken = new AbortController()
        await this.#fireAllDue()
        if (behind !== undefined) behind = await this.#firing.bringBack(this.#now(), behind)
        else {
          const earliestMs = await this.#firing.earliestMs()
          this.#parts.onSuccess?.()
          behind = (await this.#sleepUntil(earliestMs)) ? 0 : undefined
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

  /** Resolves to whether the clock was set back so far that schedules have to be counted anew. */
  async #sleepUntil(dueMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const askAgainAt = performance.now() + askAgainMs
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
