import { openSandbox, type RunHost } from '@tickwright/sandbox'
import { startServiceProcess } from '../examples/service-process.ts'
import { simulatedMarket } from '../packages/server/src/catalogue/entries.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import { inTurns, latenciesOf } from './in-turns.ts'
import { latenciesAgainstFloor, type Row, type Section } from './report.ts'
import { requestOf } from './run-request.ts'
import { sign } from './sign.ts'
import { openSimulatedCandles } from './simulated-candles.ts'

const path = `/api/v2/market/candles?exchange=${simulatedMarket.exchange}&symbol=btcusdt&interval=1h&count=1000`
const mostMsByApi = 3
const mostMsInRun = 1

/** 1,000 candles that are ready: by API, and within a run. One request or run at a time. */
export const candles: Benchmark = { name: 'candles', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  const count = quick ? 200 : 2_000
  const rows = [...(await byApi(await backend.emptyDatabase(), count)), ...(await inRuns(count))]
  return { bench: 'candles', title: '1,000 candles from the cache, one at a time', rows }
}

/** The floor answers a small JSON object to a signed request. */
async function byApi(settings: Record<string, string>, count: number): Promise<Row[]> {
  await using service = await startServiceProcess({ settings })
  const { access } = service
  await using floor = await startFloor({ file: 'signed-get.ts', settings: { API_SECRET: access.apiSecret } })
  const ask = (baseUrl: string, asked: string) => async () => {
    const began = performance.now()
    const response = await fetch(baseUrl + asked, { headers: sign(access, 'GET', asked) })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`GET ${asked} answered ${response.status}`)
    return performance.now() - began
  }
  const [theirs, ours] = await inTurns(count, ask(floor.url, '/signed'), ask(access.baseUrl, path))
  const floorRow = latenciesOf('floor: Fastify, HMAC, small JSON', theirs)
  const row = latenciesOf('GET 1,000 candles', ours)
  const target = { text: `p50 at most ${mostMsByApi} ms`, met: row.p50Ms <= mostMsByApi }
  return [floorRow, { ...latenciesAgainstFloor(row, floorRow), target }]
}

/**
 * The floor is a run with one host call that is answered at once. A run also measures its call: from one line of its log
 * to the next, as its record says. So the time of a call has everything that the code waits for, and nothing else.
 */
async function inRuns(count: number): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const sandbox = await openSandbox({ executors: 1 })
  resources.defer(() => sandbox.close())
  const { candles: shared, exchangeId } = openSimulatedCandles(resources)
  const caller = { userId: 1, strategyId: 1, exchangeId }
  const host: Partial<RunHost> = {
    stop: async () => true,
    candles: (request) => shared.forCode(caller, request),
  }
  const runOf = (strategyId: number, call: string) => async () => {
    const code = `$.log('before'); const answer = await ${call}; $.log(answer.length ?? 1)`
    const { status, error, log, steps, durationMs } = await sandbox.run(requestOf({ strategyId, code, host }))
    if (status !== 'completed' || !/\n(1|1000)\n$/.test(log)) throw new Error(error?.message ?? log)
    const lines = steps!.steps.filter((step) => Array.isArray(step))
    return { runMs: durationMs, callMs: lines[1]![0] - lines[0]![0] }
  }
  const call = `$.candles('btcusdt', '1h', 1000)`
  const [theirs, ours] = await inTurns(count, runOf(1, '$.Strategy.stop()'), runOf(2, call))
  const rowsOf = (name: string, floorName: string, read: (times: (typeof ours)[number]) => number): Row[] => {
    const floorRow = latenciesOf(`floor: ${floorName}`, theirs.map(read))
    const row = latenciesOf(name, ours.map(read))
    const target = { text: `p99 at most ${mostMsInRun} ms`, met: row.p99Ms <= mostMsInRun }
    return [floorRow, { ...latenciesAgainstFloor(row, floorRow), target }]
  }
  return [
    ...rowsOf('the call for 1,000 candles', 'a call that is answered at once', ({ callMs }) => callMs),
    ...rowsOf('the whole run with 1,000 candles', 'a run with that call', ({ runMs }) => runMs),
  ]
}
