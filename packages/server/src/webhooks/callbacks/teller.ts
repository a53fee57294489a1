import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { Sweeper } from '../../base/sweeper.ts'
import type { Database, Db, PreparedStatement } from '../../db/database.ts'
import {
  notificationDeliveries,
  notificationEndpoints,
  notifications,
  signalCallbacks,
} from '../../db/schema.ts'
import type { Change } from '../../live/changes.ts'
import { outcomesOf } from '../../signals/outcomes.ts'

export type CallbackTellerParts = {
  database: Database
  /** Called when callbacks are ready to be sent. */
  onTold(): void
  onError(error: unknown): void
  sweepMs?: number
}

const defaultSweepMs = 5_000
/** A callback waits for bots at most this long, for example for a close that waits for its owner. */
const longestWait = '1 day'
/** A sweep looks at this many waiting callbacks, and the next sweep continues after them. */
const pageSize = 500
const atOnce = 50
/** More changes than this are left to the sweeps. */
const mostRemembered = 10_000

/**
 * Whether a callback has nothing more to wait for: every bot of its user has ended the signal, or has had a day for it
 * after its delay.
 * @param callback the name of a row of `signal_callbacks`
 */
const isOverSql = (callback: string) => `not exists (
  select from bots b join bot_signals w on w.bot_id = b.id and w.signal_id = ${callback}.id
  where b.user_id = ${callback}.user_id and w.status in ('DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING')
    and coalesce(w.due_at, w.queued_at) > now() - interval '${longestWait}')`

/** The next waiting callbacks, and which of them have nothing more to wait for. */
const pageSql = `
select c.id, ${isOverSql('c')} from signal_callbacks c
where c.notification_id is null and c.id > $1::bigint order by c.id limit ${pageSize}`

/** Callbacks that wait for one of these signals of bots. */
const changedSql = `
select distinct w.signal_id from bot_signals w join signal_callbacks c on c.id = w.signal_id
where w.id = any($1::bigint[]) and c.notification_id is null`

/**
 * Tells callbacks what became of their signals, once the bots of their user have followed them. A transaction stores a
 * callback's notification and marks the callback as told, so each is told once, whichever node does it. The courier of
 * notifications sends it.
 *
 * A node hears of what its own bots do. Sweeps find what happens elsewhere, and what a dead node left.
 */
export class CallbackTeller {
  #parts: CallbackTellerParts
  #sweeper: Sweeper
  #page: PreparedStatement
  #changed: PreparedStatement
  /** Signals that were just stored, and signals of bots that have just changed. */
  #stored = new Set<number>()
  #changes = new Set<number>()
  /** As far as this node knows, any callback waits. */
  #mayWait = true
  #sweptMs = Number.NEGATIVE_INFINITY
  #after = 0

  constructor(parts: CallbackTellerParts) {
    const { database, onError, sweepMs = defaultSweepMs } = parts
    this.#parts = parts
    this.#page = database.prepare('waiting_callbacks', pageSql)
    this.#changed = database.prepare('changed_callbacks', changedSql)
    this.#sweeper = new Sweeper({ work: () => this.#work(), everyMs: sweepMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Call it when signals with a callback were stored. */
  stored(signalIds: readonly number[]): void {
    this.#mayWait = true
    remember(this.#stored, signalIds)
    this.#sweeper.wake()
  }

  /** Call it with everything that changes on this node. */
  noticed({ kind, id, part }: Change): void {
    // With a part, the id is that of a signal that was just stored.
    if (!this.#mayWait || kind !== 'bot_signal' || part !== undefined) return
    remember(this.#changes, [id])
    this.#sweeper.wake()
  }

  async #work(): Promise<void> {
    const ids = [...this.#stored, ...(await this.#ofChanges())]
    this.#stored.clear()
    await this.#tell(ids)
    const { sweepMs = defaultSweepMs } = this.#parts
    if (performance.now() - this.#sweptMs >= sweepMs) await this.#sweep()
  }

  async #ofChanges(): Promise<number[]> {
    if (this.#changes.size === 0) return []
    const changes = [...this.#changes]
    this.#changes.clear()
    const rows = await this.#changed([`{${changes.join(',')}}`])
    return rows.map(([id]) => Number(id))
  }

  async #sweep(): Promise<void> {
    this.#sweptMs = performance.now()
    const page = await this.#page([this.#after])
    if (page.length === 0 && this.#after === 0) this.#mayWait = false
    this.#after = page.length < pageSize ? 0 : Number(page.at(-1)![0])
    await this.#tell(page.filter(([, isOver]) => isOver === 't').map(([id]) => Number(id)))
  }

  async #tell(signalIds: readonly number[]): Promise<void> {
    for (let at = 0; at < signalIds.length; at += atOnce) {
      const some = signalIds.slice(at, at + atOnce)
      const told = await this.#parts.database.db.transaction((tx) => tell(tx, some))
      if (told > 0) this.#parts.onTold()
    }
  }
}

function remember(known: Set<number>, ids: readonly number[]): void {
  if (known.size < mostRemembered) for (const id of ids) known.add(id)
}

/** Tells those of these callbacks that have nothing more to wait for. @returns how many */
async function tell(tx: Db, signalIds: readonly number[]): Promise<number> {
  const ended = await lockEnded(tx, signalIds)
  if (ended.length === 0) return 0
  const outcomes = await outcomesOf(
    tx,
    ended.map(({ id }) => id),
  )
  for (const { id, userId, origin, url } of ended) {
    const [told] = await tx
      .insert(notifications)
      .values({ userId, type: 'signal.ended', data: outcomes.get(id)! })
      .returning({ id: notifications.id })
    await tx.update(signalCallbacks).set({ notificationId: told!.id }).where(eq(signalCallbacks.id, id))
    const [host] = await tx
      .select({ id: notificationEndpoints.id })
      .from(notificationEndpoints)
      .where(and(eq(notificationEndpoints.userId, userId), eq(notificationEndpoints.callbackOrigin, origin)))
    // Its user may just have deleted the host.
    if (host === undefined) continue
    await tx.insert(notificationDeliveries).values({ notificationId: told!.id, endpointId: host.id, url })
  }
  return ended.length
}

/** Another node may be telling some of them at this moment; these are left out. */
function lockEnded(tx: Db, signalIds: readonly number[]) {
  return tx
    .select()
    .from(signalCallbacks)
    .where(
      and(
        inArray(signalCallbacks.id, [...signalIds]),
        isNull(signalCallbacks.notificationId),
        sql.raw(isOverSql('signal_callbacks')),
      ),
    )
    .orderBy(signalCallbacks.id)
    .for('update', { skipLocked: true })
}
