/** How much seen prices may take of the database. */
import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { AppError } from '../../base/errors.ts'
import type { Database, Db } from '../../db/database.ts'
import { candleSeries } from '../../db/schema.ts'
import { addingLock, totalsOf } from '../stored/add-rows.ts'
import type { SharedMarket } from '../stored/candle-store.ts'

/** Markets whose prices an installation keeps. */
export const mostSeenSeries = 1_000
/** A series with more candles than those of a day goes only when it is among the oldest. */
const fewRows = 1_440
/** Room is made for some time, because it reads every part. */
const keptShare = 0.95

const isSeen = eq(candleSeries.source, 'seen')

/**
 * Makes room for the series of a market, unless it is there. The series with the fewest candles goes, of those that have
 * less than a day of them and got none for a day: who makes many series takes no history from others.
 * @throws {AppError} 409 if there is no such series
 */
export async function makeRoomForSeries({ db }: Database, market: SharedMarket): Promise<void> {
  const { exchange, service, symbol } = market
  const isIts = and(
    ...[isSeen, eq(candleSeries.exchange, exchange)],
    ...[eq(candleSeries.service, service), eq(candleSeries.symbol, symbol)],
  )
  if ((await db.$count(candleSeries, isIts)) > 0) return
  if ((await db.$count(candleSeries, isSeen)) < mostSeenSeries) return
  const [idle] = await db
    .select({ id: candleSeries.id })
    .from(candleSeries)
    .where(
      and(isSeen, lt(candleSeries.rows, fewRows), sql`${candleSeries.updatedAt} < now() - interval '1 day'`),
    )
    .orderBy(candleSeries.rows, candleSeries.updatedAt)
    .limit(1)
  if (idle !== undefined) {
    await db.delete(candleSeries).where(eq(candleSeries.id, idle.id))
    return
  }
  const message = `Prices of ${mostSeenSeries} markets are kept, and no more. Those of ${symbol} on ${exchange} ${service} are not.`
  throw new AppError('resource_conflict', message)
}

/** Deletes the oldest seen candles of all, in whole parts, if there are more than allowed. */
export async function keepWithin({ db }: Database, most: number): Promise<void> {
  if ((await seenRows(db)) <= most) return
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${addingLock})`)
    // Anybody who deletes a series locks it before its parts, too.
    await tx
      .select({ id: candleSeries.id })
      .from(candleSeries)
      .where(isSeen)
      .orderBy(candleSeries.id)
      .for('update')
    const tooMany = (await seenRows(tx)) - Math.floor(most * keptShare)
    const { rows } = (await tx.execute(sql`
      with ordered as (
        select c.series_id, c.part,
          sum(c.rows) over (order by c.first_ms, c.series_id rows unbounded preceding) - c.rows as older
        from candle_chunks c join candle_series s on s.id = c.series_id where s.source = 'seen'
      ), gone as (
        delete from candle_chunks c using ordered o
        where c.series_id = o.series_id and c.part = o.part and o.older < ${tooMany}
        returning c.series_id
      )
      select distinct series_id from gone`)) as unknown as { rows: { series_id: string }[] }
    const ids = rows.map((row) => Number(row.series_id))
    for (const id of ids) {
      await tx
        .update(candleSeries)
        .set(await totalsOf(tx, id))
        .where(eq(candleSeries.id, id))
    }
    if (ids.length > 0) {
      await tx.delete(candleSeries).where(and(inArray(candleSeries.id, ids), eq(candleSeries.rows, 0)))
    }
  })
}

async function seenRows(db: Db): Promise<number> {
  const [row] = await db
    .select({ rows: sql<string>`coalesce(sum(${candleSeries.rows}), 0)` })
    .from(candleSeries)
    .where(isSeen)
  return Number(row!.rows)
}
