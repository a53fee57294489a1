import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, createApiClient } from '@tickwright/client'
import { openSandbox, withLowestPriority } from '../packages/sandbox/src/index.ts'
import { besideHostile } from './attack.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { latenciesOf } from './in-turns.ts'
import { untilEnded } from './latency.ts'
import { type Neighbours, runSteadily } from './neighbours.ts'
import { latenciesAgainstFloor, type Row, type Section } from './report.ts'
import { runWaiter } from './service-metrics.ts'
import { startSignallers } from './signallers.ts'
import { typicalCode } from './typical-reaction.ts'
import { typicalRun } from './typical-run.ts'

const mostTimes = 1.3
const signalRates = [50, 200]
const neighbourCount = 10
const neighbourRunsPerSecond = 50
const candleCount = 300_000
const candlesAtOnce = 100_000
/** Its runs on all candles take minutes, so none of these backtests ends while it is measured. */
const busyCode = `
  let sum = 0
  for (let step = 0; step < 1_000_000; step++) sum += Math.sqrt(sum + step)
  await $.Storage.set({ sum })`

/** What trades, with and without a backtest on the same machine: while the service starts it, and while it runs. */
export const besideBacktest: Benchmark = { name: 'beside-backtest', run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const { signallers, access } = resources.use(await startSignallers(backend))
  const client = createApiClient(access)
  const backtests = resources.use(new Backtests(client, await importCandles(client)))
  const settle = runWaiter(access.baseUrl)
  const ms = quick ? 4_000 : 12_000
  const rounds = quick ? 1 : 3

  const signalled = (perSecond: number, forMs: number) =>
    untilEnded({ generator, signallers, settle }, perSecond, forMs)
  await signalled(200, 5_000)
  const rows: Row[] = []
  for (const perSecond of signalRates) {
    const measure = async () => {
      const times = await signalled(perSecond, ms)
      // The service counts an account's actions over a second: the next round starts at zero.
      await sleep(1_000)
      return times
    }
    rows.push(...(await compare(`signal committed, ${perSecond} a second`, measure, { backtests, rounds })))
  }

  await using sandbox = await openSandbox({ executors: 2, probation: true })
  const strategyIds = Array.from({ length: neighbourCount }, (_, index) => index + 1)
  const neighbours: Neighbours = { strategyIds, code: typicalCode, ...(await typicalRun()) }
  await runSteadily(sandbox, neighbours, { perSecond: 10 * neighbourRunsPerSecond, ms: 3_000 })
  const attacked = () => besideHostile(sandbox, neighbours, ms)
  rows.push(...(await compare('run beside hostile strategies', attacked, { backtests, rounds })))
  return { bench: 'beside-backtest', title: 'what trades, with and without a backtest that runs', rows }
}

/** In turns: alone, beside a program of the lowest priority that only computes, and beside a backtest that begins, and runs. */
async function compare(
  name: string,
  measure: () => Promise<number[]>,
  { backtests, rounds }: { backtests: Backtests; rounds: number },
): Promise<Row[]> {
  const [alone, computing, starting, tested]: number[][] = [[], [], [], []]
  for (let round = 0; round < rounds; round++) {
    alone!.push(...(await measure()))
    computing!.push(...(await besideComputing(measure)))
    const beside = await backtests.beside(measure)
    starting!.push(...beside.starting)
    tested!.push(...beside.running)
  }
  const floor = latenciesOf(`floor: ${name}, alone`, alone!)
  const row = (what: string, times: number[]) =>
    latenciesAgainstFloor(latenciesOf(`${name}, ${what}`, times), floor)
  const beside = row('beside a backtest that runs', tested!)
  const target = { text: `p99 at most ${mostTimes} times that alone`, met: beside.p99Times! <= mostTimes }
  return [
    floor,
    row('beside a loop of the lowest priority', computing!),
    row('from the request for a backtest on', starting!),
    { ...beside, target },
  ]
}

/** What the machine itself costs: caches and processors that another program uses too, however little it may. */
async function besideComputing(measure: () => Promise<number[]>): Promise<number[]> {
  const loop = { program: process.execPath, args: ['-e', 'for (;;);'] }
  const { program, args } = await withLowestPriority(loop)
  const child = spawn(program, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  try {
    return await measure()
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/** Backtests of one series, each of which runs until it is cancelled. */
class Backtests implements AsyncDisposable {
  readonly #client: ApiClient
  readonly #seriesId: number
  #running: number | undefined

  constructor(client: ApiClient, seriesId: number) {
    this.#client = client
    this.#seriesId = seriesId
  }

  /**
   * Measures from the request for a backtest on, and then while it runs.
   * @throws {Error} if it ended meanwhile
   */
  async beside(measure: () => Promise<number[]>): Promise<{ starting: number[]; running: number[] }> {
    const requested = this.#client.request('POST /api/v2/backtest {body}', {
      ...{ code: busyCode, candle_id: this.#seriesId, bots: [{}], examine: false },
    })
    const [starting, started] = await Promise.all([measure(), requested])
    if (!('id' in started)) throw new Error('The service answered an estimate.')
    this.#running = started.id
    await this.#demandRunning(started.id)
    const running = await measure()
    await this.#demandRunning(started.id)
    await this[Symbol.asyncDispose]()
    return { starting, running }
  }

  /** Resolves when its first runs are over. */
  async #demandRunning(id: number): Promise<void> {
    for (;;) {
      const { status, progress } = await this.#client.request('GET /api/v2/backtest/{id}', id)
      if (status !== 'QUEUED' && status !== 'RUNNING') {
        throw new Error(`The backtest did not run all the time: it is ${status}.`)
      }
      if (progress.done > 0) return
      await sleep(200)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const id = this.#running
    if (id === undefined) return
    this.#running = undefined
    await this.#client.request('PUT /api/v2/backtest/{id}/status {body}', id, { status: 'CANCELLED' })
    // Its process ends a moment later.
    await sleep(2_000)
  }
}

/** A series of the account. @returns its id */
async function importCandles(client: ApiClient): Promise<number> {
  const named = { symbol: 'BTC/USDT', interval: '1m' }
  const { id } = await client.request('POST /api/v2/candle {body}', named)
  const beginMs = Date.UTC(2024, 0, 1)
  for (let first = 0; first < candleCount; first += candlesAtOnce) {
    const lines = Array.from({ length: candlesAtOnce }, (_, index) => {
      const price = (100 + 10 * Math.sin((first + index) / 50)).toFixed(4)
      return `${beginMs + 60_000 * (first + index)},${price},${price},${price},${price},10`
    })
    const csv = `time,open,high,low,close,volume\n${lines.join('\n')}\n`
    await client.request('POST /api/v2/candle/{id}/import {body}', id, { csv })
  }
  return id
}
