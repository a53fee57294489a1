import { eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { schedules } from '../db/schema.ts'
import { nextMoment, type Schedule, ticks } from './cron-interval.ts'

const channel = 'tickwright_schedules'

/**
 * Within the transaction that changes a strategy: its row in `schedules` follows, and counts from `nowMs`.
 * @param schedule `null`: runs at no time, because it is switched off
 */
export async function setSchedule(
  tx: Db,
  strategyId: number,
  schedule: Schedule | null,
  nowMs: number,
): Promise<void> {
  if (schedule === null) {
    await tx.delete(schedules).where(eq(schedules.strategyId, strategyId))
    return
  }
  const row = {
    ticks: ticks(schedule),
    nextRunAt: new Date(ticks(schedule) ? nowMs : nextMoment(schedule, nowMs)),
    firedAt: null,
  }
  await tx
    .insert(schedules)
    .values({ strategyId, ...row })
    .onConflictDoUpdate({ target: schedules.strategyId, set: row })
}

/** Tells every scheduler on this database that a schedule has changed. Call it after the commit. */
export async function tellOfSchedules(database: Database): Promise<void> {
  await database.notify(channel, '')
}

/** @param onChange told whenever a schedule may have changed, by whichever node */
export async function hearOfSchedules(database: Database, onChange: () => void): Promise<void> {
  await database.listen(channel, onChange, onChange)
}
