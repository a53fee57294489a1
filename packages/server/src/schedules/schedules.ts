import { eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { schedules } from '../db/schema.ts'
import { checkSchedule, nextMoment, type Schedule, ticks } from './cron-interval.ts'

const channel = 'tickwright_schedules'

/**
 * Sets the row in `schedules` of a strategy, within the transaction that changes the strategy. Its next time counts
 * from `nowMs`.
 * @param schedule `null` for a strategy that is switched off: it has no row
 * @throws {AppError} 400 if the schedule never comes: a change of one field knows the other one only here
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
  checkSchedule(schedule)
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

/** Notifies every scheduler on this database that a schedule has changed. Call it after the commit. */
export async function notifySchedulers(database: Database): Promise<void> {
  await database.notify(channel, '')
}

/** @param onChange called whenever a schedule may have changed, whichever node changed it */
export async function listenForSchedules(database: Database, onChange: () => void): Promise<void> {
  await database.listen(channel, onChange, onChange)
}
