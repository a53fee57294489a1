/**
 * A process that does nothing but fire schedules, by a clock that runs faster than others:
 * `node schedule-node.ts <database URL> <real Unix ms at which its clock started> <how much faster>`.
 * It says "ready" when it has begun.
 */
import { openPostgres } from '../src/db/postgres.ts'
import { Scheduler } from '../src/schedules/scheduler.ts'
import { throwError } from './postgres-template.ts'

const [url, startedMs, speed] = process.argv.slice(2) as [string, string, string]
const database = await openPostgres(url, throwError)
const scheduler = new Scheduler({
  database,
  handOver: () => undefined,
  onError: throwError,
  now: () => Number(startedMs) + (Date.now() - Number(startedMs)) * Number(speed),
})
await scheduler.start()
// It looks at its clock once a second, in which that clock goes further than others do.
setInterval(() => scheduler.wake(), 20)
process.stdout.write('ready\n')
