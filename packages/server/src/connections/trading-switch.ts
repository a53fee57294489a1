import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { given } from '../base/given.ts'
import type { Database } from '../db/database.ts'
import { installation } from '../db/schema.ts'

const channel = 'tickwright_trading'
/** A notification can get lost. Every node reads the switch this often anyway. */
const defaultRefreshMs = 1_000
/** After this long without a successful read, the state counts as unknown. Time in which this process stood still does not count. */
const defaultStaleMs = 10_000
/** At most this many reads may hang at a time, so that they never take every connection. */
const maxReads = 3
/** An order may rely on a read that is at most this many refresh intervals old. */
const freshRefreshes = 2
/** If this many reads in a row arrive too late, because the process keeps standing still, it sends no order. */
const maxLateReads = 10

/** `halted`: no bot sends any order. `liveTrading`: bots may send orders to exchanges, too. */
export type TradingState = { liveTrading: boolean; halted: boolean }

export type TradingSwitchOptions = {
  /** Called whenever the state that this node relies on changes. */
  onChange?(state: TradingState): void
  /** Called after this node has changed the switch for all. */
  onSet?(): void
  /** Called when a read fails for the first time after one that worked. */
  onError?(error: unknown): void
  refreshMs?: number
  staleMs?: number
}

/**
 * Whether bots of this installation may trade. Every node keeps the state in memory, which follows the database, and
 * checks it before each order. If the database cannot be read for a while, the state is unknown and no bot trades.
 *
 * A process that stood still has not read either, but that says nothing about the database. So the time in which it
 * stood still does not count. Before it sends its next order, it reads again.
 */
export class TradingSwitch {
  #database: Database
  #options: TradingSwitchOptions
  #state: TradingState = { liveTrading: false, halted: true }
  #reported: TradingState | undefined
  /** When the read that returned `#state` began: on the clock, and in awake time of this process. */
  #readAt = { clockMs: Number.NEGATIVE_INFINITY, awakeMs: Number.NEGATIVE_INFINITY }
  #awake: AwakeTime
  /** Resolves with each read and with each tick. */
  #news = Promise.withResolvers<void>()
  #started = 0
  #applied = 0
  #underWay = 0
  #failing = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  private constructor(database: Database, options: TradingSwitchOptions) {
    this.#database = database
    this.#options = options
    this.#awake = new AwakeTime(this.#refreshMs)
  }

  /** Listens before it reads, so that it misses no change in between. */
  static async open(database: Database, options: TradingSwitchOptions = {}): Promise<TradingSwitch> {
    const opened = new TradingSwitch(database, options)
    const follow = () => void opened.#follow()
    await database.listen(channel, follow, follow)
    await opened.read()
    opened.#timer = setInterval(() => {
      opened.#awake.tick()
      // Even while the database hangs, a tick has to report that no bot trades.
      opened.#report()
      opened.#wakeWaiting()
      if (opened.#underWay < maxReads) follow()
    }, opened.#refreshMs).unref()
    return opened
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    this.#wakeWaiting()
  }

  /** Whether this switch allows orders to exchanges. `false` while the state is unknown. */
  isLive(): boolean {
    return this.#isKnown() && this.#state.liveTrading
  }

  /** Whether no order may be sent or filled at all, not even on paper. `true` while the state is unknown. */
  isHalted(): boolean {
    return !this.#isKnown() || this.#state.halted
  }

  /**
   * Like `isHalted`, for a caller that is about to send an order. Right after this process stood still, it waits for a
   * new read, because another node may have changed the switch in the meantime; `isLive` then relies on the same read.
   * If no read succeeds, it resolves to `true` once the state counts as unknown.
   */
  isHaltedNow(): boolean | Promise<boolean> {
    return this.#isFresh() || !this.#isKnown() ? this.isHalted() : this.#isHaltedAfterReading()
  }

  /** Reads the state from the database. This node relies on it from then on. */
  async read(): Promise<TradingState> {
    const number = ++this.#started
    const startedAt = { clockMs: performance.now(), awakeMs: this.#awake.totalMs() }
    this.#underWay++
    try {
      const [state] = await this.#database.db
        .select({ liveTrading: installation.liveTrading, halted: installation.tradingHalted })
        .from(installation)
        .where(eq(installation.id, 1))
      assert(state !== undefined, 'the table installation has no row')
      this.#failing = false
      // A read that began earlier may end later, with an older state.
      if (number > this.#applied) {
        this.#applied = number
        this.#readAt = startedAt
        this.#state = state
        this.#report()
        this.#wakeWaiting()
      }
      return state
    } finally {
      this.#underWay--
    }
  }

  /** Changes the given fields. When it resolves, the change is in force here and other nodes have been notified. */
  async set({ liveTrading, halted }: Partial<TradingState>): Promise<TradingState> {
    const changes = given({ liveTrading, tradingHalted: halted })
    if (Object.keys(changes).length > 0) {
      await this.#database.db.transaction(async (tx) => {
        await tx.update(installation).set(changes).where(eq(installation.id, 1))
        // Within the transaction: a process that dies after the commit has sent the notification.
        await tx.execute(sql`select pg_notify(${channel}, '')`)
      })
    }
    // This read begins after the commit, so it is newer than all reads in progress.
    const state = await this.read()
    this.#options.onSet?.()
    return state
  }

  async #follow(): Promise<void> {
    if (this.#closed) return
    try {
      await this.read()
    } catch (error) {
      if (this.#failing || this.#closed) return
      this.#failing = true
      this.#options.onError?.(error)
    }
  }

  async #isHaltedAfterReading(): Promise<boolean> {
    for (let late = 0; late < maxLateReads; ) {
      const applied = this.#applied
      if (this.#underWay < maxReads) void this.#follow()
      await this.#news.promise
      if (this.#closed) return true
      if (this.#isFresh() || !this.#isKnown()) return this.isHalted()
      if (this.#applied > applied) late++
    }
    return true
  }

  get #refreshMs(): number {
    return this.#options.refreshMs ?? defaultRefreshMs
  }

  #isKnown(): boolean {
    return this.#awake.totalMs() - this.#readAt.awakeMs <= (this.#options.staleMs ?? defaultStaleMs)
  }

  #isFresh(): boolean {
    return performance.now() - this.#readAt.clockMs <= freshRefreshes * this.#refreshMs
  }

  #wakeWaiting(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  #report(): void {
    const now = { liveTrading: this.isLive(), halted: this.isHalted() }
    const reported = this.#reported
    if (reported?.liveTrading === now.liveTrading && reported.halted === now.halted) return
    this.#reported = now
    this.#options.onChange?.(now)
  }
}

/** Measures how long a process has been awake: of the time between two ticks, at most two intervals count. */
class AwakeTime {
  #intervalMs: number
  #untilTickMs = 0
  #tickedAtMs = performance.now()

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  tick(): void {
    this.#untilTickMs = this.totalMs()
    this.#tickedAtMs = performance.now()
  }

  totalMs(): number {
    return this.#untilTickMs + Math.min(performance.now() - this.#tickedAtMs, 2 * this.#intervalMs)
  }
}
