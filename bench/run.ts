/**
 * `npm run bench [-- NAME ...] [--quick] [--json FILE]`: measures the service, and compares each figure with a
 * floor that is measured at the same time. Without a name, it runs all benchmarks. See docs/performance.md.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { attack } from './attack.ts'
import { openBackend } from './backend.ts'
import { backtest } from './backtest.ts'
import { besideBacktest } from './beside-backtest.ts'
import { candles } from './candles.ts'
import { catalogue } from './catalogue.ts'
import { charts } from './charts.ts'
import { commandLine } from './command-line.ts'
import type { Benchmark } from './context.ts'
import { dashboard } from './dashboard.ts'
import { ingest } from './ingest.ts'
import { bodies } from './largest-bodies.ts'
import { latency } from './latency.ts'
import { live } from './live.ts'
import { LoadGenerator } from './load.ts'
import { describeMachine } from './machine.ts'
import { messages } from './messages.ts'
import { nodes } from './nodes.ts'
import { Noise } from './noise.ts'
import { protect } from './protect.ts'
import { receipts } from './receipts.ts'
import { formatMachine, formatSection, type Report } from './report.ts'
import { runs } from './runs.ts'
import { sandbox } from './sandbox.ts'
import { scale } from './scale.ts'
import { schedules } from './schedules.ts'
import { start } from './start.ts'
import { trades } from './trades.ts'
import { waiting } from './waiting.ts'

const benchmarks: readonly Benchmark[] = [
  catalogue,
  ingest,
  latency,
  live,
  runs,
  schedules,
  scale,
  receipts,
  nodes,
  start,
  sandbox,
  backtest,
  attack,
  besideBacktest,
  waiting,
  bodies,
  candles,
  charts,
  trades,
  protect,
  dashboard,
  messages,
  commandLine,
]
const usage = `Usage: npm run bench -- [${benchmarks.map(({ name }) => name).join('] [')}] [--quick] [--json FILE]`

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) process.exitCode = 2
    return console.log(usage)
  }
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

  await using resources = new AsyncDisposableStack()
  const stopEarly = () => resources.disposeAsync().finally(() => process.exit(130))
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly)
  const backend = resources.use(await openBackend(process.env.DATABASE_URL))
  const report: Report = {
    machine: describeMachine(),
    database: backend.name,
    quick: values.quick ?? false,
    sections: [],
  }
  console.log(`${formatMachine(report.machine)}\nDatabase: ${report.database}`)
  const generator = resources.use(new LoadGenerator())
  for (const benchmark of chosen) {
    const noise = new Noise([process.pid, ...backend.pids])
    const section = await benchmark.run({ generator, backend, quick: report.quick })
    report.sections.push(section)
    console.log(`\n${formatSection(section)}`)
    console.log(`  ${noise.describe()}`)
  }
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
}

await main()
