/**
 * The parts of a stored series that a backtest has for itself: what happens to the series afterwards does not change it. The
 * database copies them, and the process of the backtest unpacks them, so their candles are never in the memory of a node.
 */
import { sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { type CopiedSeries, SeriesChanged } from './stored-market.ts'

/** A part of a backtest has so many parts of a series: some hundred kilobytes, which a node reads at once. */
const partsInOne = 16

/**
 * Copies the candles of a series into the parts of a backtest.
 * @throws {SeriesChanged} if they are no longer those of the checksum
 */
export async function copySeries(
  tx: Db,
  backtestId: number,
  { seriesId, firstPart, lastPart, checksum }: CopiedSeries,
): Promise<void> {
  const chosen = sql`from candle_chunks where series_id = ${seriesId} and part between ${firstPart} and ${lastPart}`
  // One statement sees one state of the series.
  const copied = await tx.execute(sql`
    with framed as (
      select part, (row_number() over (order by part) - 1) / ${partsInOne}::int as number, rows,
        int4send(rows) || int4send(length(times)) || times || int4send(length(figures)) || figures as content
      ${chosen}
    ), written as (
      insert into backtest_parts (backtest_id, bot, kind, number, records, content)
      select ${backtestId}, 0, 'series', number, sum(rows), string_agg(content, ''::bytea order by part)
      from framed group by number
    )
    select encode(sha256(convert_to(string_agg(checksum, '' order by part), 'UTF8')), 'hex') as checksum ${chosen}`)
  const [row] = (copied as unknown as { rows: { checksum: string | null }[] }).rows
  if (row?.checksum !== checksum) throw new SeriesChanged()
}
