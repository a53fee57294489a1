/** Adds rows to stored series. */
import { and, asc, count, eq, sql } from 'drizzle-orm'
import { AppError, notFound } from '../../base/errors.ts'
import type { Db } from '../../db/database.ts'
import { candleChanges, candleChunks, candleSeries } from '../../db/schema.ts'
import { packFigures, packTimes, type Rows, unpackTexts, unpackTimes } from './codec.ts'
import { type Change, checksumOf, checksumOfParts, figuresOf, merge, partsOf, stretchOf } from './parts.ts'

/** Stored rows of an installation, of all accounts together. */
export const mostStoredRows = 20_000_000
/** Changes of history that a series lists. It counts all. */
const mostChanges = 1_000
/** An arbitrary number, the same on all nodes: the rows of the installation are counted while nobody else adds any. */
export const addingLock = 4_118_264

type Series = typeof candleSeries.$inferSelect

/** What became of rows that were added. */
export type Added = { added: number; repeated: number; changed: number }

/**
 * Adds rows to a series, in the caller's transaction. Stored rows stay as they are: those that come again with other figures
 * are noted as changes of history.
 * @param rows in order of time, each moment once
 * @param notable called with such rows before anything is noted: which of them to note. It may throw
 * @throws {AppError} 404 if the series was deleted; 400 if the installation would store too many rows
 */
export async function addRows(
  tx: Db,
  seriesId: number,
  rows: Rows,
  notable: (changes: readonly Change[]) => readonly Change[] = (changes) => changes,
): Promise<Added> {
  await tx.execute(sql`select pg_advisory_xact_lock(${addingLock})`)
  const [series] = await tx
    .select()
    .from(candleSeries)
    .where(eq(candleSeries.id, seriesId))
    .for('no key update')
  if (series === undefined) throw notFound('series of candles', seriesId)
  let [added, repeated] = [0, 0]
  const found: Change[] = []
  for (const [part, some] of partsOf(rows, stretchOf(series.kind, series.interval))) {
    const merged = await addToPart(tx, series, part, some)
    added += merged.added
    repeated += merged.repeated
    found.push(...merged.changes)
  }
  const changes = found.length === 0 ? found : notable(found)
  if (added === 0 && changes.length === 0) return { added, repeated, changed: 0 }
  const stored = await storedRows(tx)
  if (stored + added > mostStoredRows) throw tooManyRows(stored)
  await noteChanges(tx, series, changes)
  await tx
    .update(candleSeries)
    .set({
      ...(await totalsOf(tx, seriesId)),
      changes: series.changes + changes.length,
      updatedAt: sql`now()`,
    })
    .where(eq(candleSeries.id, seriesId))
  return { added, repeated, changed: changes.length }
}

/** Rows that the installation stores. */
export async function storedRows(db: Db): Promise<number> {
  const [row] = await db
    .select({ rows: sql<string>`coalesce(sum(${candleSeries.rows}), 0)` })
    .from(candleSeries)
  return Number(row!.rows)
}

async function addToPart(tx: Db, { id, kind }: Series, part: number, found: Rows) {
  const key = and(eq(candleChunks.seriesId, id), eq(candleChunks.part, part))
  const [chunk] = await tx.select().from(candleChunks).where(key)
  const columns = figuresOf[kind].length
  const stored: Rows =
    chunk === undefined
      ? { times: [], figures: found.figures.map(() => []) }
      : {
          times: Array.from(unpackTimes(chunk.times, chunk.rows)),
          figures: unpackTexts(chunk.figures, chunk.rows, columns),
        }
  const merged = merge(stored, found)
  if (merged.added === 0) return merged
  const { times, figures } = merged.rows
  const values = {
    rows: times.length,
    firstMs: times[0]!,
    lastMs: times.at(-1)!,
    times: packTimes(times),
    figures: packFigures(figures),
    checksum: checksumOf(merged.rows),
  }
  await tx
    .insert(candleChunks)
    .values({ seriesId: id, part, ...values })
    .onConflictDoUpdate({ target: [candleChunks.seriesId, candleChunks.part], set: values })
  return merged
}

/** What a series says of its parts, read from them. */
export async function totalsOf(tx: Db, seriesId: number) {
  const chunks = await tx
    .select({
      rows: candleChunks.rows,
      firstMs: candleChunks.firstMs,
      lastMs: candleChunks.lastMs,
      checksum: candleChunks.checksum,
    })
    .from(candleChunks)
    .where(eq(candleChunks.seriesId, seriesId))
    .orderBy(asc(candleChunks.part))
  return {
    rows: chunks.reduce((sum, { rows }) => sum + rows, 0),
    firstMs: chunks[0]?.firstMs ?? null,
    lastMs: chunks.at(-1)?.lastMs ?? null,
    checksum: chunks.length === 0 ? null : checksumOfParts(chunks.map(({ checksum }) => checksum)),
  }
}

async function noteChanges(tx: Db, { id }: Series, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const [noted] = await tx
    .select({ count: count() })
    .from(candleChanges)
    .where(eq(candleChanges.seriesId, id))
  const room = changes.slice(0, Math.max(0, mostChanges - noted!.count))
  if (room.length === 0) return
  await tx
    .insert(candleChanges)
    .values(room.map((change) => ({ seriesId: id, ...change })))
    .onConflictDoNothing()
}

function tooManyRows(stored: number): AppError {
  const text = (figure: number) => figure.toLocaleString('en')
  const message = `This installation stores ${text(stored)} of at most ${text(mostStoredRows)} candles and funding rates, so these have no room. Delete a series first.`
  return new AppError('request_invalid', message, {
    details: [{ field: 'body', message, limit: mostStoredRows }],
  })
}
