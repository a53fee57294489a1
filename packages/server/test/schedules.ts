import { eq, sql } from 'drizzle-orm'
import type { Database } from '../src/db/database.ts'
import { runs, schedules, strategies, strategyState, users } from '../src/db/schema.ts'
import type { Schedule } from '../src/schedules/cron-interval.ts'
import { setSchedule } from '../src/schedules/schedules.ts'

/** Creates strategies of a new account, activated at `nowMs`; resolves to their ids. */
export async function addStrategies(
  { db }: Database,
  wanted: (Partial<Schedule> & { exchangeId?: number; priceSymbol?: string })[],
  nowMs: number,
): Promise<number[]> {
  return db.transaction(async (tx) => {
    const email = `${Math.random()}@example.com`
    const [user] = await tx
      .insert(users)
      .values({ email, passwordHash: '', role: 'user' })
      .returning({ id: users.id })
    const rows = wanted.map(({ cronInterval = '1M', timezone = 'UTC', ...price }) => ({
      userId: user!.id,
      type: 'code-strategy' as const,
      name: '',
      status: 'ACTIVE' as const,
      code: '',
      cronInterval,
      timezone,
      ...price,
    }))
    const made = await tx.insert(strategies).values(rows).returning({ id: strategies.id })
    const ids = made.map(({ id }) => id)
    await tx.insert(strategyState).values(ids.map((strategyId) => ({ strategyId })))
    for (const [index, { cronInterval, timezone }] of rows.entries()) {
      await setSchedule(tx, ids[index]!, { cronInterval, timezone }, nowMs)
    }
    return ids
  })
}

/** Ends every waiting run, as a worker would. */
export async function endRuns({ db }: Database): Promise<void> {
  await db.update(runs).set({ status: 'SUCCEEDED' }).where(eq(runs.status, 'QUEUED'))
}

/** Makes every run of a database end when it is stored, so that schedules never wait for one. */
export async function endRunsAtOnce({ db }: Database): Promise<void> {
  await db.execute(sql`
    create function end_at_once() returns trigger language plpgsql as $$
    begin new.status := 'SUCCEEDED'; return new; end $$`)
  await db.execute(
    sql`create trigger end_at_once before insert on runs for each row execute function end_at_once()`,
  )
}

/** The number of runs of each strategy, by id. */
export async function runCounts({ db }: Database): Promise<Map<number, number>> {
  const rows = await db
    .select({ id: runs.strategyId, count: sql<string>`count(*)` })
    .from(runs)
    .groupBy(runs.strategyId)
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

/** When a strategy's schedule is due, and when it was due the last time that it fired, both in Unix ms. */
export async function readSchedule(
  { db }: Database,
  strategyId: number,
): Promise<{ nextMs: number; firedMs: number | null } | undefined> {
  const [row] = await db.select().from(schedules).where(eq(schedules.strategyId, strategyId))
  return row && { nextMs: row.nextRunAt.getTime(), firedMs: row.firedAt?.getTime() ?? null }
}
