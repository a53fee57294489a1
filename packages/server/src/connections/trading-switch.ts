import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { installation } from '../db/schema.ts'

const channel = 'tickwright_trading'
/** A notification can get lost; after this long a node knows all the same. */
const defaultRefreshMs = 1_000
/** With no reading for this long, in which this process could have had one, nobody knows. */
const defaultStaleMs = 10_000
/** Readings that may hang at a time, so that they never take every connection. */
const mostReadings = 3
/** An order goes by a reading that is at most this many refreshes old. */
const freshRefreshes = 2
/** A process that stands still this often while it waits for a reading sends no order. */
const mostLateReadings = 10

/** `halted`: no bot sends any order. `liveTrading`: those to exchanges may be sent, too. */
export type TradingState = { liveTrading: boolean; halted: boolean }

export type TradingSwitchOptions = {
  /** Told of what this node goes by, whenever that changes. */
  onChange?(state: TradingState): void
  /** Told when reading fails for the first time after it worked. */
  onError?(error: unknown): void
  refreshMs?: number
  staleMs?: number
}

/**
 * Whether bots of this installation may trade. Every node asks its memory before each order; what it holds there
 * follows the database, and is worth nothing once that could not be read for a while: then nobody trades.
 *
 * A process that stood still has read nothing either, and this says nothing about the database. So the time in which
 * it stood still does not count; but before it sends its next order, it reads again.
 */
export class TradingSwitch {
  #database: Database
  #options: TradingSwitchOptions
  #state: TradingState = { liveTrading: false, halted: true }
  #told: TradingState | undefined
  /** When the reading that `#state` came from began: by the clock, and by the time that this process was awake. */
  #readAt = { clockMs: Number.NEGATIVE_INFINITY, awakeMs: Number.NEGATIVE_INFINITY }
  #awake: AwakeTime
  /** Resolved by each reading, and by each tick. */
  #news = Promise.withResolvers<void>()
  #begun = 0
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

  /** Listens before it reads, so that no change falls between the two. */
  static async open(database: Database, options: TradingSwitchOptions = {}): Promise<TradingSwitch> {
    const opened = new TradingSwitch(database, options)
    const follow = () => void opened.#follow()
    await database.listen(channel, follow, follow)
    await opened.read()
    opened.#timer = setInterval(() => {
      opened.#awake.tick()
      // A tick that finds the database hanging still has to tell that nobody trades.
      opened.#tell()
      opened.#tellWaiting()
      if (opened.#underWay < mostReadings) follow()
    }, opened.#refreshMs).unref()
    return opened
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    this.#tellWaiting()
  }

  /** Whether orders may be sent to exchanges, as far as this switch goes. Not while nobody knows. */
  isLive(): boolean {
    return this.#isKnown() && this.#state.liveTrading
  }

  /** Whether no order may be sent or filled at all, on paper neither. So it is while nobody knows. */
  isHalted(): boolean {
    return !this.#isKnown() || this.#state.halted
  }

  /**
   * As `isHalted`, for whoever is about to send an order. Right after this process stood still it waits for a new
   * reading, because another node may have switched meanwhile; `isLive` then goes by the same reading. If no reading
   * arrives, this resolves to `true` once the database counts as away.
   */
  isHaltedNow(): boolean | Promise<boolean> {
    return this.#isFresh() || !this.#isKnown() ? this.isHalted() : this.#isHaltedAfterReading()
  }

  /** What the database says now, which this node goes by from here on. */
  async read(): Promise<TradingState> {
    const number = ++this.#begun
    const startedAt = { clockMs: performance.now(), awakeMs: this.#awake.totalMs() }
    this.#underWay++
    try {
      const [state] = await this.#database.db
        .select({ liveTrading: installation.liveTrading, halted: installation.tradingHalted })
        .from(installation)
        .where(eq(installation.id, 1))
      assert(state !== undefined, 'the installation has no row')
      this.#failing = false
      // One that began earlier may end later, and knows less.
      if (number > this.#applied) {
        this.#applied = number
        this.#readAt = startedAt
        this.#state = state
        this.#tell()
        this.#tellWaiting()
      }
      return state
    } finally {
      this.#underWay--
    }
  }

  /** What is left out stays. When this resolves it holds here, and other nodes have been told. */
  async set({ liveTrading, halted }: Partial<TradingState>): Promise<TradingState> {
    const wish = {
      ...(liveTrading === undefined ? {} : { liveTrading }),
      ...(halted === undefined ? {} : { tradingHalted: halted }),
    }
    if (Object.keys(wish).length > 0) {
      await this.#database.db.transaction(async (tx) => {
        await tx.update(installation).set(wish).where(eq(installation.id, 1))
        // Within the transaction: whoever dies after its commit has told of it.
        await tx.execute(sql`select pg_notify(${channel}, '')`)
      })
    }
    // Begun after the commit, it is newer than all that was under way before.
    return this.read()
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
    for (let late = 0; late < mostLateReadings; ) {
      const applied = this.#applied
      if (this.#underWay < mostReadings) void this.#follow()
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

  #tellWaiting(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  #tell(): void {
    const now = { liveTrading: this.isLive(), halted: this.isHalted() }
    const told = this.#told
    if (told?.liveTrading === now.liveTrading && told.halted === now.halted) return
    this.#told = now
    this.#options.onChange?.(now)
  }
}

/** How long a process has been awake: of the time between two ticks, at most two intervals count. */
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
