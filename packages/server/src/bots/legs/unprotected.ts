import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Database, Db, PreparedStatement } from '../../db/database.ts'
import { unprotectedTimes } from '../../db/schema.ts'
import { isStop, type LegSteps, wantedLeg } from '../../trading/protection/legs.ts'
import { wantedState } from '../../trading/protection/plan.ts'
import type { LegsRow } from './store.ts'

/** A position, and the steps of its market. */
export type Look = { row: LegsRow; steps: LegSteps }

/** How far the time of a position is counted: until then, and whether that is its end. Times in Unix milliseconds. */
type Count = { row: LegsRow; until: number; isOver: boolean }

const beginSql = `
insert into unprotected_times as u (bot_id, user_id, symbol, opened_at, since, counted_until)
select $1::bigint, $2::bigint, $3::text, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000),
  to_timestamp($5::float8 / 1000)
on conflict (bot_id, symbol, opened_at) do update set since = excluded.since, counted_until = excluded.since
  where u.since is null`

/** Only one node counts a stretch of time, because each counts from where the last one has stopped. */
const countSql = `
with counted as (
  select u.bot_id, u.symbol, u.opened_at, t.is_over,
    round(extract(epoch from to_timestamp(t.until / 1000) - u.counted_until) * 1000) as added
  from json_to_recordset($1::json)
    as t(bot_id bigint, symbol text, opened_at float8, until float8, is_over boolean)
  join unprotected_times u on u.bot_id = t.bot_id and u.symbol = t.symbol
    and u.opened_at = to_timestamp(t.opened_at / 1000)
  where u.since is not null and (t.is_over or u.counted_until < to_timestamp(t.until / 1000))
  for update of u
)
update unprotected_times u set milliseconds = greatest(0, u.milliseconds + c.added),
  since = case when c.is_over then null else u.since end,
  counted_until = case when c.is_over then null else u.counted_until + make_interval(secs => c.added / 1000.0) end
from counted c
where u.bot_id = c.bot_id and u.symbol = c.symbol and u.opened_at = c.opened_at
returning c.added::text`

/** Counts how long positions are without a stop at an exchange that keeps stops. */
export class UnprotectedTimes {
  #begin: PreparedStatement
  #count: PreparedStatement
  #onSeconds: (seconds: number) => void

  /** @param onSeconds hears of all the time that this node counts */
  constructor(database: Database, onSeconds: (seconds: number) => void = () => undefined) {
    this.#onSeconds = onSeconds
    this.#begin = database.prepare('begin_unprotected', beginSql)
    this.#count = database.prepare('count_unprotected', countSql)
  }

  /**
   * @param looks positions at exchanges that keep stops. One that is too small for a stop is not counted, and neither is a
   * part of an opening that is
   */
  async look(looks: readonly Look[], now = Date.now()): Promise<void> {
    const counts: Count[] = []
    for (const { row, steps } of looks) {
      const isCounting = row.unprotected !== null && row.unprotected.since !== null
      const rests = row.legs.find((leg) => isOfPosition(row, leg) && isStop(leg) && leg.status === 'OPEN')
      const needsNone = !wantsStop(row.protection, steps) || isPartTooSmall(row, steps)
      if (row.protection === null || rests !== undefined || needsNone) {
        if (isCounting) counts.push({ row, until: rests?.restsSince ?? now, isOver: true })
      } else if (isCounting) counts.push({ row, until: now, isOver: false })
      // What the exchange has executed protects nothing any more, and needs nothing.
      else if (!row.protection.isClosing) await this.#start(row, row.protection, now)
    }
    await this.#advance(counts)
  }

  /** A position that opens with a stop is without it from its first fill on. */
  async #start(
    { botId, userId, symbol, unprotected }: LegsRow,
    { position: { openedAt }, isFromOpening }: NonNullable<LegsRow['protection']>,
    now: number,
  ): Promise<void> {
    const since = unprotected === null && isFromOpening ? Math.min(openedAt, now) : now
    await this.#begin([botId, userId, symbol, openedAt, since])
  }

  async #advance(counts: readonly Count[]): Promise<void> {
    if (counts.length === 0) return
    const rows = counts.map(({ row, until, isOver }) => ({
      ...{ bot_id: row.botId, symbol: row.symbol, opened_at: row.unprotected?.openedAt },
      ...{ until, is_over: isOver },
    }))
    for (const [added] of await this.#count([JSON.stringify(rows)])) {
      if (Number(added) > 0) this.#onSeconds(Number(added) / 1_000)
    }
  }
}

/** Ends the count for a position whose owner takes the stop away. */
export async function endUnprotected(tx: Db, botId: number, symbol: string): Promise<void> {
  const { milliseconds, countedUntil, since, botId: ofBot, symbol: ofSymbol } = unprotectedTimes
  const added = sql`round(extract(epoch from greatest(interval '0', now() - ${countedUntil})) * 1000)`
  await tx
    .update(unprotectedTimes)
    .set({ milliseconds: sql`${milliseconds} + ${added}`, since: null, countedUntil: null })
    .where(and(eq(ofBot, botId), eq(ofSymbol, symbol), isNotNull(since)))
}

/** Whether a leg is of the position that is open now. */
export function isOfPosition({ protection }: LegsRow, { openedAt }: { openedAt: number }): boolean {
  return openedAt === protection?.position.openedAt
}

/**
 * Whether the exchange has refused the stop of a part of an opening that is still open, and the part is less than the
 * smallest order of the market. With the next part, it may be enough.
 */
export function isPartTooSmall({ protection }: Pick<LegsRow, 'protection'>, steps: LegSteps): boolean {
  if (protection?.isOpening !== true || protection.lastLeg !== 'REJECTED') return false
  return !wantsStop(protection, { ...steps, least: steps.smallestOrder })
}

function wantsStop(protection: LegsRow['protection'], steps: LegSteps): boolean {
  if (protection === null) return false
  const { position, settings, marks } = protection
  const { stop } = wantedState(position, settings, marks)
  return stop !== null && wantedLeg(position, stop, steps) !== null
}
