/**
 * A process that only fires schedules, with a clock that runs faster than real time:
 * `node schedule-node.ts <database URL> <real Unix ms at which its clock started> <how much faster>`.
 * It writes "ready" when it has started.
 */
import { openDatabase } from '../src/db/open.ts'
import { Scheduler } from '../src/schedules/scheduler.ts'
import { throwError } from './cluster-template.ts'

const [url, startedMs, speed] = process.argv.slice(2) as [string, string, string]
const database = await openDatabase(url, throwError)
const scheduler = new Scheduler({
  database,
  handOver: () => undefined,
  onError: throwError,
  now: () => Number(startedMs) + (Date.now() - Number(startedMs)) * Number(speed),
})
await scheduler.start()
// It looks at its clock once a second, in which that clock advances by more than a second.
setInterval(() => scheduler.wake(), 20)
process.stdout.write('ready\n')
