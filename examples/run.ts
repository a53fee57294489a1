/**
 * `npm run example -- FILE.csv`: feeds the candles of a file to the example reaction, and prints its signals. It
 * starts a separate service and needs nothing else. If TICKWRIGHT_URL, TICKWRIGHT_API_KEY and TICKWRIGHT_API_SECRET
 * are set, it uses that running service instead. `npm run example -- session` is another example.
 */
// First, for what `session` loads later.
import '../packages/server/src/module-loading.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiClient } from '@tickwright/client'
import type { ApiAccess } from './access.ts'
import { backfill } from './backfill.ts'
import { readCandleFile } from './candles/csv.ts'
import { sampleFile } from './candles/generate.ts'
import { Feed } from './feed.ts'
import { openPosition, ProgressLine, signalTable, summary } from './report.ts'
import { startServiceProcess } from './service-process.ts'
import { setUpReaction, signalSymbol } from './set-up.ts'
import { UsageError } from './usage-error.ts'

const reactionFile = join(import.meta.dirname, 'reactions', 'rsi-ema-cross.js')
const usage = `Usage: npm run example -- [FILE.csv]   (header: time,open,high,low,close,volume)
       npm run example -- session --help`

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'session') {
    const { runSession } = await import('./session/run.ts')
    return runSession(args.slice(1))
  }
  if (args.includes('--help') || args.includes('-h')) return console.log(usage)
  if (args.length > 1 || args[0]?.startsWith('-')) throw new UsageError(usage)
  const file = args[0] ?? sampleFile
  const candles = await readCandleFile(file)
  const running = runningService(process.env)

  await using resources = new AsyncDisposableStack()
  const stopEarly = () => resources.disposeAsync().finally(() => process.exit(130))
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly)

  const access = running ?? resources.use(await startOwnService()).access
  const client = createApiClient(access)
  const { url, reactionId } = await setUpReaction(client, {
    name: 'RSI and crossing averages',
    code: await readFile(reactionFile, 'utf8'),
    sendSignal: true,
  })
  // A running service has a rate limit; the one that we start has none.
  const feed = resources.use(new Feed({ url, underWay: running === undefined ? 64 : 1 }))

  const startedAt = performance.now()
  const line = new ProgressLine(process.stdout)
  const done = await backfill({ client, feed, reactionId }, candles, (progress) =>
    line.show(progress),
  ).finally(() => line.end())
  console.log(`\n${signalTable(done.signals)}\n`)
  console.log(summary(candles.length, done, (performance.now() - startedAt) / 1000))
  console.log(openPosition(done.signals, signalSymbol))
  if (done.firstFailure !== null) console.log(`The error of the first failed run: ${done.firstFailure}`)
  if (done.failed > 0) process.exitCode = 1
}

function startOwnService() {
  console.log('Starting a service ...')
  return startServiceProcess()
}

/** The service that the environment names, or `undefined` if it names none. */
function runningService(env: NodeJS.ProcessEnv): ApiAccess | undefined {
  const names = ['TICKWRIGHT_URL', 'TICKWRIGHT_API_KEY', 'TICKWRIGHT_API_SECRET'] as const
  const missing = names.filter((name) => !env[name])
  if (missing.length === names.length) return undefined
  if (missing.length > 0)
    throw new UsageError(`Set all of ${names.join(', ')}, or none. Not set: ${missing.join(', ')}.`)
  if (!URL.canParse(env.TICKWRIGHT_URL!)) {
    throw new UsageError(
      `TICKWRIGHT_URL must be an address such as http://127.0.0.1:3000, got "${env.TICKWRIGHT_URL}".`,
    )
  }
  const baseUrl = new URL(env.TICKWRIGHT_URL!).origin
  return { baseUrl, apiKey: env.TICKWRIGHT_API_KEY!, apiSecret: env.TICKWRIGHT_API_SECRET! }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
