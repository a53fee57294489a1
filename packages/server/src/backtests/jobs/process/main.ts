/**
 * The process of one backtest. Neither its processor time nor its memory, nor its end, may hold up what trades. It knows no secret but the variables that the code may read, and has no access to the database.
 */
import '../../../module-loading.ts'
import { writeFileSync } from 'node:fs'
import { Asking } from './asked.ts'
import type { FromProcess, FromService } from './messages.ts'
import { SeriesColumns } from './series-columns.ts'

try {
  // If memory is short, the system ends this process first.
  writeFileSync('/proc/self/oom_score_adj', '900')
} catch {
  // Not on this system.
}

const stopping = new AbortController()
/** The candles of a stored series that have arrived. */
let series: SeriesColumns | undefined
/** The deliveries that have arrived, packed. */
const pages: Uint8Array[] = []
/** The same of what is known of a model. */
const records: Uint8Array[] = []
/** The same of the combinations of a sweep that have a result. */
const tried: Uint8Array[] = []
let stored: (() => void) | undefined

const asking = new Asking((message) => {
  // Without the service, this process ends.
  if (process.connected) process.send!(message)
})

/** Resolves when the service has stored it. */
function send(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    stored = resolve
    process.send!(message)
  })
}

process.on('message', async (message: FromService) => {
  if (message.type === 'stored') return stored?.()
  if (message.type === 'answered') return asking.take(message)
  if (message.type === 'series') {
    series ??= new SeriesColumns(message.of, message.periodMs)
    return series.add(message.part)
  }
  if (message.type === 'deliveries') return void pages.push(message.page)
  if (message.type === 'records') return void records.push(message.page)
  if (message.type === 'tried') return void tried.push(message.result)
  const { work } = await import('./work.ts')
  try {
    const outside = { series, pages, records, tried, send, ask: asking.send, askModel: asking.askModel }
    await work(message.job, outside, stopping.signal)
    process.exit(0)
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
// Its executors must end too, whatever they execute.
for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => stopping.abort())
stopping.signal.addEventListener('abort', () => setTimeout(() => process.exit(1), 1_000))
