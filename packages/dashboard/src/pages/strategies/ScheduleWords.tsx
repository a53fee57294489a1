import { Foreign } from '../../parts/Values.tsx'
import { scheduleText } from './schedule.ts'

/** When a schedule fires: `every 4 hours`. */
export function ScheduleWords({ interval, timezone }: { interval: string; timezone: string }) {
  const words = scheduleText(interval)
  const inZone = interval.includes(' ') ? `, ${timezone}` : ''
  return <Foreign text={`${words ?? interval}${inZone}`} />
}
