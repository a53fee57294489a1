/** `npm run example -- session`: has an AI session decide over candles of the past. */
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, createApiClient } from '@tickwright/client'
import { type Candles, readCandleFile } from '../../packages/server/src/market/simulated/candle-file.ts'
import { generateCandles, sampleYear, toCsv } from '../candles/generate.ts'
import { UsageError } from '../usage-error.ts'
import { decide } from './decide.ts'
import { type OwnModel, readOptions, type SessionOptions, usage } from './options.ts'
import { decisionTable, summary } from './report.ts'
import { startReplayingService } from './service.ts'
import { startStandInModel } from './stand-in-model.ts'
import { trade } from './trades.ts'

const hourMs = 3_600_000
const ownPrompt = join(import.meta.dirname, 'prompt.md')

/** @throws {UsageError} for wrong arguments */
export async function runSession(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(usage)
  const options = readOptions(args, process.env)
  const prompt = await readFile(options.prompt ?? ownPrompt, 'utf8')

  await using resources = new AsyncDisposableStack()
  const stopEarly = () => resources.disposeAsync().finally(() => process.exit(130))
  // The first Ctrl-C shows what the session has decided so far, which may have cost money.
  const enough = new AbortController()
  process.once('SIGTERM', stopEarly).once('SIGINT', () => {
    enough.abort()
    process.once('SIGINT', stopEarly)
  })

  const file = options.file ?? (await generatedYear(resources))
  const candles = await readCandleFile(file)
  const { tokens, symbol, everyHours } = options
  const times = timesOf(candles, everyHours * hourMs)
  if (times.length === 0) throw new UsageError(`${file} has too few candles for a decision.`)

  const standIn = options.model === null ? resources.use(await startStandInModel()) : null
  console.log('Starting a service ...')
  const model = options.model ?? {
    ...{ service_id: 104, model: 'stand-in', base_url: standIn!.baseUrl, api_key: standIn!.key },
  }
  // An address that you name may be one of your own network.
  const hosts = model.base_url === undefined ? [] : [hostOf(new URL(model.base_url))]
  const { access, clock } = resources.use(await startReplayingService(file, hosts))
  const client = createApiClient({ ...access, timeoutMs: 90_000 })
  const sessionId = await makeSession(client, { model, prompt, options })

  const startedAt = performance.now()
  const decided = await decide({
    ...{ client, sessionId, clock, times, from: candles.times[0]!, tokens },
    ...{ onProgress: progressOf(times.length), stop: enough.signal },
  })
  const seconds = (performance.now() - startedAt) / 1000
  // What comes after the last decision is not its merit.
  const until = times[decided.runs] ?? Number.POSITIVE_INFINITY
  const traded = await trade(candles, decided.decisions, { symbol, since: times[0]!, until })
  console.log(`\n${decisionTable(decided)}\n\n${summary(decided, traded, seconds)}`)
  if (decided.runs === 0 || Object.keys(decided.failures).length > 0) process.exitCode = 1
}

/** As `HTTP_ALLOW` names it. */
function hostOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

async function generatedYear(resources: AsyncDisposableStack): Promise<string> {
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-candles-'))).path
  const file = join(folder, 'year.csv')
  await writeFile(file, toCsv(generateCandles(sampleYear)))
  return file
}

/** An AI session that may open and close, with all its tokens as the budget of the day. Resolves to its id. */
export async function makeSession(
  client: ApiClient,
  { model, prompt, options }: { model: OwnModel; prompt: string; options: SessionOptions },
): Promise<number> {
  const { id: connection_id } = await client.aiConnections.create({ name: 'Over past candles', ...model })
  const { id } = await client.strategies.llmSessions.create({
    name: 'Over past candles',
    prompt: `{{val:symbol=${options.symbol}}}${prompt}`,
    ...{ connection_id, send_signal: true, symbol: options.symbol, actions: ['LONG', 'EXIT'] },
    tokens_per_day: options.tokens,
  })
  return id
}

/** When the session decides: each time that an interval is over in which something was traded. */
export function timesOf({ times, periodMs }: Pick<Candles, 'times' | 'periodMs'>, everyMs: number): number[] {
  const last = times.at(-1)!
  const found: number[] = []
  let next = 0
  for (let at = Math.floor(times[0]! / everyMs) * everyMs + everyMs; at <= last; at += everyMs) {
    const before = next
    while (next < times.length && times[next]! + periodMs <= at) next++
    if (next > before) found.push(at)
  }
  return found
}

/** A line for each tenth. */
function progressOf(all: number): (done: number) => void {
  return (done) => {
    const [tenths, before] = [Math.floor((done / all) * 10), Math.floor(((done - 1) / all) * 10)]
    if (tenths > before) console.log(`${done} of ${all} decisions`)
  }
}
