import { canFire, ticks } from '../schedules/cron-interval.ts'
import { scheduleOf } from './schedule.ts'
import { isSuspended } from './status.ts'
import type { ListedStrategy } from './strategy.ts'

type NextRunReason = 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires'

/** When the schedule of a strategy fires next, or why it does not. */
export function nextRun(
  strategy: ListedStrategy,
  now: Date,
): { at: Date; reason: null } | { at: null; reason: NextRunReason } {
  const none = (reason: NextRunReason) => ({ at: null, reason })
  if (strategy.cronInterval === null) return none('no_schedule')
  const schedule = scheduleOf(strategy)
  if (schedule === null) return none('inactive')
  // Its row goes on from time to time meanwhile, but none of these times is a run.
  if (isSuspended(strategy.state, now)) return none('suspended')
  if (ticks(schedule)) return none('tick')
  if (strategy.nextRunAt === null || !canFire(schedule)) return none('never_fires')
  return { at: strategy.nextRunAt, reason: null }
}
