import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { type AuditDetails, type AuditEventName, type Note, noNote } from '../accounts/audit-log.ts'
import { AppError } from '../base/errors.ts'
import { DatabaseAway } from '../base/failures.ts'
import type { Database, Db } from '../db/database.ts'
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

/** Why all trading is halted, and since when. `userId` has done it; `null`: nobody knows. */
export type Halt = { reason: string | null; userId: number | null; at: Date | null }

/** `openings`: bots send no order that opens, but go on closing. `true`: they send none at all. */
export type Halted = boolean | 'openings'

/** `halted`: no bot sends any order, or none that opens. `liveTrading`: bots may send orders to exchanges, too. `halt` is `null` without one. */
export type TradingState = { liveTrading: boolean; halted: Halted; halt: Halt | null }

/** `reason` is that of the halt: of the one that this change begins, or of the one that there is. */
export type TradingChanges = { liveTrading?: boolean; halted?: Halted; reason?: string | null }

type SwitchEvent = Extract<
  AuditEventName,
  'trading_halted' | 'halt_reason_changed' | 'trading_resumed' | 'live_trading_on' | 'live_trading_off'
>

/** Who changes the switch. `note` makes the function that writes an event into their audit log. */
export type SwitchedBy = { userId: number | null; note(event: SwitchEvent): Note }

const nobody: SwitchedBy = { userId: null, note: () => noNote }

const unknownReason = 'Trading counts as halted, because this node cannot read the trading switch.'

/** What an order does to a position. */
export type Purpose = 'open' | 'close'

export type TradingSwitchOptions = {
  /** Called whenever the state that this node relies on changes. */
  onChange?(state: Pick<TradingState, 'liveTrading' | 'halted'>): void
  /** Stores news of a change of `liveTrading` or `halted`, in the transaction of the change. */
  tell?(tx: Db, state: TradingState, changed: ('live_trading' | 'halted')[]): Promise<void>
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
  #state: TradingState = { liveTrading: false, halted: true, halt: null }
  #reported: Pick<TradingState, 'liveTrading' | 'halted'> | undefined
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

  /** Which orders may not be sent or filled, not even on paper: none, all, or those that open. All while the state is unknown. */
  isHalted(): Halted {
    return this.#isKnown() ? this.#state.halted : true
  }

  /**
   * Why no order of this purpose may be sent, as a sentence with the reason of the halt; `null` if one may. For a caller that is about to
   * send an order. Right after this process stood still, it waits for a new read, because another node may have changed
   * the switch in the meantime; `isLive` then relies on the same read. If no read succeeds, it resolves to a sentence once
   * the state counts as unknown.
   */
  whyHaltedNow(purpose: Purpose): string | null | Promise<string | null> {
    return this.#isFresh() || !this.#isKnown()
      ? this.#whyHalted(purpose)
      : this.#whyHaltedAfterReading(purpose)
  }

  /**
   * The same for work that can wait for the database: a close that was told of a halt would wait for its owner instead.
   * @throws {DatabaseAway} while the state is unknown
   */
  async whyHaltedIfKnown(purpose: Purpose): Promise<string | null> {
    const why = await this.whyHaltedNow(purpose)
    if (why === unknownReason) throw new DatabaseAway(why)
    return why
  }

  #whyHalted(purpose: Purpose): string | null {
    if (!this.#isKnown()) return unknownReason
    const { halted, halt } = this.#state
    if (halted === false || (halted === 'openings' && purpose === 'close')) return null
    return haltSentence(halted, halt)
  }

  /** Reads the state from the database. This node relies on it from then on. */
  async read(): Promise<TradingState> {
    const number = ++this.#started
    const startedAt = { clockMs: performance.now(), awakeMs: this.#awake.totalMs() }
    this.#underWay++
    try {
      const [row] = await this.#database.db.select(columns).from(installation).where(eq(installation.id, 1))
      assert(row !== undefined, 'the table installation has no row')
      const state = stateOf(row)
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

  /**
   * Changes the given fields. When it resolves, the change is in force here and other nodes have been notified. A halt
   * keeps the user and the time of its beginning, whatever changes later, and loses them with its end.
   * @throws {AppError} 409 for a reason without a halt: somebody may just have ended it
   */
  async set(changes: TradingChanges, by: SwitchedBy = nobody): Promise<TradingState> {
    if (Object.keys(changes).length > 0) {
      await this.#database.db.transaction(async (tx) => {
        const only = eq(installation.id, 1)
        const now = sql`now()`.mapWith(installation.createdAt)
        const [held] = await tx
          .select({ ...columns, now })
          .from(installation)
          .where(only)
          .for('no key update')
        assert(held !== undefined, 'the table installation has no row')
        const { now: at, ...before } = held
        const after = changed(before, changes, { userId: by.userId, at })
        if (changes.reason !== undefined && !after.tradingHalted) throw notHalted()
        await tx.update(installation).set(after).where(only)
        for (const event of eventsOf(before, after)) {
          await by.note(event)(tx, detailsOf(event, after))
        }
        const changedFields = [
          ...(haltedOf(before) === haltedOf(after) ? [] : ['halted' as const]),
          ...(before.liveTrading === after.liveTrading ? [] : ['live_trading' as const]),
        ]
        if (changedFields.length > 0) await this.#options.tell?.(tx, stateOf(after), changedFields)
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

  async #whyHaltedAfterReading(purpose: Purpose): Promise<string | null> {
    for (let late = 0; late < maxLateReads; ) {
      const applied = this.#applied
      if (this.#underWay < maxReads) void this.#follow()
      await this.#news.promise
      if (this.#closed) return unknownReason
      if (this.#isFresh() || !this.#isKnown()) return this.#whyHalted(purpose)
      if (this.#applied > applied) late++
    }
    return unknownReason
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

const { liveTrading, tradingHalted, haltsOnlyOpenings, haltReason, haltedBy, haltedAt } = installation
const columns = { liveTrading, tradingHalted, haltsOnlyOpenings, haltReason, haltedBy, haltedAt }

type Row = Pick<typeof installation.$inferSelect, keyof typeof columns>

function haltedOf({ tradingHalted, haltsOnlyOpenings }: Row): Halted {
  return tradingHalted && haltsOnlyOpenings ? 'openings' : tradingHalted
}

function stateOf(row: Row): TradingState {
  const { liveTrading, haltReason, haltedBy, haltedAt } = row
  const halted = haltedOf(row)
  const halt = halted !== false ? { reason: haltReason, userId: haltedBy, at: haltedAt } : null
  return { liveTrading, halted, halt }
}

function changed(before: Row, changes: TradingChanges, begins: { userId: number | null; at: Date }): Row {
  const liveTrading = changes.liveTrading ?? before.liveTrading
  const halted = changes.halted ?? haltedOf(before)
  const [tradingHalted, haltsOnlyOpenings] = [halted !== false, halted === 'openings']
  const what = { liveTrading, tradingHalted, haltsOnlyOpenings }
  if (!tradingHalted) return { ...what, haltReason: null, haltedBy: null, haltedAt: null }
  if (!before.tradingHalted) {
    const haltReason = changes.reason ?? null
    return { ...what, haltReason, haltedBy: begins.userId, haltedAt: begins.at }
  }
  const { reason: haltReason = before.haltReason } = changes
  return { ...before, ...what, haltReason }
}

function notHalted(): AppError {
  return new AppError('resource_conflict', 'Trading is not halted, so there is no reason to change.')
}

function eventsOf(before: Row, after: Row): SwitchEvent[] {
  const events: SwitchEvent[] = []
  if (haltedOf(before) !== haltedOf(after))
    events.push(after.tradingHalted ? 'trading_halted' : 'trading_resumed')
  else if (before.haltReason !== after.haltReason) events.push('halt_reason_changed')
  if (before.liveTrading !== after.liveTrading)
    events.push(after.liveTrading ? 'live_trading_on' : 'live_trading_off')
  return events
}

/** An event of the halt says what it halts, if that is not everything, and why. */
function detailsOf(event: SwitchEvent, after: Row): AuditDetails {
  if (event !== 'trading_halted' && event !== 'halt_reason_changed') return {}
  return {
    ...(haltedOf(after) === 'openings' && event === 'trading_halted' && { halted: 'openings' }),
    ...(after.haltReason !== null && { reason: after.haltReason }),
  }
}

/** With the reason that the administrator gave. */
function haltSentence(halted: Exclude<Halted, false>, halt: Halt | null): string {
  const reason = halt?.reason ?? null
  const why = reason === null ? '.' : `: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}`
  return halted === 'openings' ? `Openings are halted${why} Closes go on.` : `Trading is halted${why}`
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
