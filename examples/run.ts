/**
 * `npm run example -- FILE.csv`: plays the candles of a file to the example reaction, and shows the signals
 * that come of it. It starts a service of its own, and needs nothing else. With TICKWRIGHT_URL,
 * TICKWRIGHT_API_KEY and TICKWRIGHT_API_SECRET set, it uses a service that is running already.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiAccess, createApi } from './api.ts'
import { backfill } from './backfill.ts'
import { readCandleFile } from './candles/csv.ts'
import { sampleFile } from './candles/generate.ts'
import { Feed } from './feed.ts'
import { ProgressLine, signalTable, summary } from './report.ts'
import { startServiceProcess } from './service-process.ts'
import { setUpReaction } from './set-up.ts'

const reactionFile = join(import.meta.dirname, 'reactions', 'rsi-ema-cross.js')
const usage = 'Usage: npm run example -- [FILE.csv]   (header: time,open,high,low,close,volume)'

/** A wrong call of this command; the message is for whoever called it. */
class UsageError extends Error {
  override name = 'UsageError'
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(usage)
  if (args.length > 1 || args[0]?.startsWith('-')) throw new UsageError(usage)
  const file = args[0] ?? sampleFile
  const candles = await readCandleFile(file)
  const running = runningService(process.env)

  await using resources = new AsyncDisposableStack()
  const stopEarly = () => resources.disposeAsync().finally(() => process.exit(130))
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly)

  const access = running ?? resources.use(await startOwnService()).access
  const api = createApi(access)
  const { url, reactionId } = await setUpReaction(api, {
    name: 'RSI and crossing averages',
    code: await readFile(reactionFile, 'utf8'),
    sendSignal: true,
  })
  // The rate limit of a running service may be met; our own has none.
  const feed = resources.use(new Feed({ url, underWay: running === undefined ? 64 : 1 }))

  const startedAt = performance.now()
  const line = new ProgressLine(process.stdout)
  const done = await backfill({ api, feed, reactionId }, candles, (progress) => line.show(progress)).finally(
    () => line.end(),
  )
  console.log(`\n${signalTable(done.signals)}\n`)
  console.log(summary(candles.length, done, (performance.now() - startedAt) / 1000))
  if (done.firstFailure !== null) console.log(`The first failed run said: ${done.firstFailure}`)
  if (done.failed > 0) process.exitCode = 1
}

function startOwnService() {
  console.log('Starting a service ...')
  return startServiceProcess()
}

/** The service that the environment names, or `undefined` when it names none. */
function runningService(env: NodeJS.ProcessEnv): ApiAccess | undefined {
  const names = ['TICKWRIGHT_URL', 'TICKWRIGHT_API_KEY', 'TICKWRIGHT_API_SECRET'] as const
  const missing = names.filter((name) => !env[name])
  if (missing.length === names.length) return undefined
  if (missing.length > 0)
    throw new UsageError(`${names.join(', ')} go together; not set: ${missing.join(', ')}.`)
  if (!URL.canParse(env.TICKWRIGHT_URL!)) {
    throw new UsageError(
      `TICKWRIGHT_URL must be an address such as http://127.0.0.1:3000, got "${env.TICKWRIGHT_URL}".`,
    )
  }
  const url = new URL(env.TICKWRIGHT_URL!).origin
  return { url, apiKey: env.TICKWRIGHT_API_KEY!, apiSecret: env.TICKWRIGHT_API_SECRET! }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
