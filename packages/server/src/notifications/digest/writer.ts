import { and, asc, eq, isNotNull, isNull, lte, or } from 'drizzle-orm'
import { Sweeper } from '../../base/sweeper.ts'
import type { Database, Db } from '../../db/database.ts'
import { notificationEndpoints as endpoints, notificationDeliveries, notifications } from '../../db/schema.ts'
import { digestContent } from './content.ts'
import { dayIn, nextDigest } from './times.ts'

export type DigestWriterParts = {
  database: Database
  /** Called when digests are ready to be sent. */
  onTold(): void
  onError(error: unknown): void
  sweepMs?: number
  /** Unix ms. */
  now?(): number
}

const defaultSweepMs = 10_000
const atOnce = 50
const dayMs = 86_400_000
/** No transaction takes so long, and no two clocks of a cluster differ so much. */
const settledMs = 60_000

/**
 * Writes the digest of each endpoint that is due. The transaction that writes it also sets the next time, on a later day,
 * so an endpoint gets at most one a day, whichever node writes it, and several that were missed are one.
 */
export class DigestWriter {
  #parts: DigestWriterParts
  #sweeper: Sweeper

  constructor(parts: DigestWriterParts) {
    this.#parts = parts
    const { onError, sweepMs = defaultSweepMs } = parts
    this.#sweeper = new Sweeper({ work: () => this.#work(), everyMs: sweepMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  async #work(): Promise<void> {
    for (;;) {
      const due = await this.#parts.database.db.transaction((tx) => this.#writeSome(tx))
      if (due.written > 0) this.#parts.onTold()
      if (due.found < atOnce) return
    }
  }

  async #writeSome(tx: Db): Promise<{ found: number; written: number }> {
    const nowMs = this.#parts.now?.() ?? Date.now()
    const now = new Date(nowMs)
    // Until then, everything booked is committed. The rest is for the next digest.
    const until = new Date(nowMs - settledMs)
    const found = await tx
      .select()
      .from(endpoints)
      .where(
        and(
          ...[eq(endpoints.status, 'ACTIVE'), isNotNull(endpoints.digest)],
          or(isNull(endpoints.digestDueAt), lte(endpoints.digestDueAt, now)),
        ),
      )
      .orderBy(asc(endpoints.id))
      .limit(atOnce)
      .for('update', { skipLocked: true })
    let written = 0
    for (const { id, userId, digest, digestDueAt, digestDay, digestUntil } of found) {
      const isDue = digestDueAt !== null
      // The day on which it is written, which may be later than the day on which it was due.
      const day = isDue ? dayIn(digest!.time_zone, nowMs) : digestDay
      const next = nextDigest(digest!, nowMs, day)
      await tx
        .update(endpoints)
        .set({
          digestDueAt: new Date(next.atMs),
          ...(isDue && { digestDay: day, digestUntil: until }),
        })
        .where(eq(endpoints.id, id))
      if (!isDue) continue
      const since = digestUntil ?? new Date(until.getTime() - dayMs)
      const data = await digestContent(tx, userId, since, until)
      const [made] = await tx.insert(notifications).values({ userId, type: 'digest', data }).returning()
      await tx.insert(notificationDeliveries).values({ notificationId: made!.id, endpointId: id })
      written++
    }
    return { found: found.length, written }
  }
}
