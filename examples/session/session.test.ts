import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { type ApiClient, createApiClient } from '@tickwright/client'
import type { StandIn } from '../../packages/server/test/ai/stand-in.ts'
import { fileResources } from '../../packages/server/test/databases.ts'
import { generateCandles, toCsv } from '../candles/generate.ts'
import { decide } from './decide.ts'
import { readOptions } from './options.ts'
import { makeSession, timesOf } from './run.ts'
import { type ReplayingService, startReplayingService } from './service.ts'
import { startStandInModel } from './stand-in-model.ts'

const [hourMs, dayMs] = [3_600_000, 24 * 3_600_000]
const days = 40
const candles = generateCandles({ count: days * 24, seed: 36 })
const from = candles[0]!.time
let file: string
let standIn: StandIn
let service: ReplayingService
let client: ApiClient

before(async () => {
  const folder = fileResources.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-session-'))).path
  file = join(folder, 'candles.csv')
  await writeFile(file, toCsv(candles))
  standIn = fileResources.use(await startStandInModel())
  service = fileResources.use(await startReplayingService(file, [standIn.host]))
  client = createApiClient(service.access)
})

/** What the stand-in has to decide, from the candles alone: day and action. */
function expectedDecisions(): [day: number, action: string][] {
  const closes = Array.from({ length: days }, (_, day) => candles[day * 24 + 23]!.close)
  const average = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const expected: [number, string][] = []
  let isLong = false
  for (let day = 30; day < days; day++) {
    const [fast, slow] = [average(closes.slice(day - 10, day)), average(closes.slice(day - 30, day))]
    if (fast > slow === isLong || fast === slow) continue
    isLong = !isLong
    expected.push([day, isLong ? 'LONG' : 'EXIT'])
  }
  return expected
}

const allTimes = Array.from({ length: days - 1 }, (_, day) => from + (day + 1) * dayMs)

/** Has a session decide that is made as the command makes it, with the stand-in for a model. */
async function decideAt(times: readonly number[], { tokens = 1_000_000, prompt }: Session) {
  const { baseUrl: base_url, key: api_key } = standIn
  const sessionId = await makeSession(client, {
    model: { service_id: 104, model: 'stand-in', base_url, api_key },
    prompt,
    options: readOptions(['--tokens', String(tokens)], {}),
  })
  const { clock } = service
  standIn.questions.length = 0
  const decided = await decide({ client, sessionId, clock, times, from, tokens, onProgress: () => {} })
  return { decided, budget: await client.strategies.llmSessions.budget(sessionId) }
}

type Session = { tokens?: number; prompt: string }

test('a session sees nothing later than the time at which it decides, and the price of that time', async () => {
  const { decided } = await decideAt(allTimes, {
    prompt:
      'You trade {{symbol}} at {{price:binance:spot:BTC/USDT}}. Our last action was {{last_trigger_action}}.',
  })
  assert.deepEqual([decided.runs, decided.failures], [allTimes.length, {}])
  assert.deepEqual(
    decided.decisions.map(({ at, action }) => [Math.floor((at - from) / dayMs), action]),
    expectedDecisions(),
  )
  const asked = standIn.questions.filter(({ turn }) => turn === 1)
  assert.equal(asked.length, allTimes.length)
  for (const [index, { text, results }] of asked.entries()) {
    const latest = JSON.parse(results[0]!).candles.at(-1)
    assert.equal(latest[0], `${new Date(allTimes[index]!).toISOString().slice(0, 16)}Z`)
    const { open } = candles[(index + 1) * 24]!
    assert.deepEqual(latest.slice(1, 5), [open, open, open, open])
    assert.match(text, new RegExp(`at ${String(open).replace('.', '\\.')}\\.`))
  }
})

test('the service stops a session at its budget, and never spends more', async () => {
  const tokens = 16_000
  const times = allTimes.map(() => allTimes.at(-1)!)
  const { decided, budget } = await decideAt(times, {
    tokens,
    prompt: 'You trade {{symbol}}. Our last action was none.',
  })
  const { runs, tokens: spent, budgetEnded } = decided
  assert.match(budgetEnded!, /^The next answer may need up to [\d,]+ tokens, but fewer are left for today/)
  assert.ok(runs > 0 && runs < times.length, `${runs}`)
  assert.ok(budget.tokens.spent <= tokens)
  assert.equal(spent.input + spent.output, budget.tokens.spent)
})

test('a session decides at the end of each interval in which something was traded', () => {
  const at = (...hours: number[]) => Float64Array.from(hours, (hour) => from + hour * hourMs)
  const timesAfter = (times: Float64Array, everyHours: number) =>
    timesOf({ times, periodMs: hourMs }, everyHours * hourMs).map((time) => (time - from) / hourMs)
  assert.deepEqual(timesAfter(at(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 4), [4, 8])
  assert.deepEqual(timesAfter(at(3, 4, 5, 17, 18), 4), [4, 8])
  assert.deepEqual(timesAfter(at(0), 24), [])
})

const run = promisify(execFile)

test('the command asks a model of yours, and prints what the session decided, its tokens and its trades', async () => {
  const command = join(import.meta.dirname, '..', 'run.ts')
  const model = {
    ...{ MODEL_SERVICE: '104', MODEL_NAME: 'stand-in' },
    ...{ MODEL_API_KEY: standIn.key, MODEL_BASE_URL: standIn.baseUrl },
  }
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { stdout } = await run(process.execPath, [command, 'session', file], {
    env: { PATH, NODE_COMPILE_CACHE, ...model },
    timeout: 280_000,
  })
  const shown = [...stdout.matchAll(/^(\d{4}-\d\d-\d\d) \d\d:\d\d {2}(LONG|EXIT) /gm)].map(
    ([, day, action]) => [(Date.parse(day!) - from) / dayMs, action],
  )
  const expected = expectedDecisions()
  assert.deepEqual(shown, expected)
  assert.match(stdout, /\n39 decisions in [\d.]+ s, \d+ of them to act\.\nTokens: [\d,]+ for questions and /)
  assert.ok(expected.length > 2)
  const closed = expected.filter(([, action]) => action === 'EXIT').length
  assert.match(stdout, new RegExp(`\\nTrades on paper: ${closed} closed, \\d+ won and \\d+ lost`))
  assert.match(stdout, /\nThe balance went from 10000 to [\d.]+ \([+-][\d.]+ %\), with fees of [\d.]+\./)
})

for (const [args, env, problem] of [
  [['a.csv', 'b.csv'], {}, /^Usage: npm run example -- session/],
  [['--every', '5'], {}, /^--every must be one of 1, 2, 4/],
  [['--tokens', 'many'], {}, /^--tokens must be a whole number/],
  [['--symbol', 'btcusdt'], {}, /^--symbol must be a pair/],
  [['--speed', '2'], {}, /--speed/],
  [[], { MODEL_API_KEY: 'key' }, /^Set MODEL_SERVICE and MODEL_NAME/],
  [[], { MODEL_SERVICE: 'claude', MODEL_NAME: 'a' }, /^MODEL_SERVICE must be the id/],
] as const) {
  test(`${JSON.stringify([args, env])} is refused with a sentence`, () => {
    assert.throws(() => readOptions(args, env), { name: 'UsageError', message: problem })
  })
}
