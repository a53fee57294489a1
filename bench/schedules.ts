import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemsOf } from '../examples/page.ts'
import { type Scheduled, startScheduled } from './active-strategies.ts'
import type { Backend } from './backend.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { withDatabase } from './database.ts'
import { memoryBytes } from './processes.ts'
import type { Row, Section } from './report.ts'
import { restMs } from './start.ts'
import { percentile } from './statistics.ts'

const dueAtOnce = 1_000
const everyMs = 10_000
const mostLagMs = 250
/** Covers three runs on probation, and the next one, which is cold again. */
const coldRounds = 5

/** Strategies that are due in the same second, alone and among many idle ones, and the cost of the idle ones. */
export const schedules: Benchmark = { name: 'schedules', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  const rounds = quick ? 1 : 3
  const few = 100
  const many = quick ? 10_000 : 100_000
  const rows: Row[] = [
    rowOf('floor: one statement that stores 1,000 runs', await floorMs(backend, quick ? 10 : 40)),
  ]
  for (const resting of [0, many]) rows.push(...(await fire(backend, resting, rounds)))
  for (const resting of [few, many]) rows.push(await rest(backend, resting))
  const title = `1,000 strategies due at once, every 10 s; others at rest`
  return { bench: 'schedules', title, rows }
}

async function fire(backend: Backend, resting: number, rounds: number): Promise<Row[]> {
  await using service = await startScheduled(backend, { often: dueAtOnce, daily: resting })
  const { storedMs, startedMs } = await lags(service, rounds)
  const among = resting === 0 ? 'alone' : `among ${count(resting)} at rest`
  const stored = rowOf(`due to stored, ${among}`, storedMs)
  const met = stored.mostMs <= mostLagMs
  return [
    { ...stored, target: { text: `all within ${mostLagMs} ms`, met } },
    rowOf(`due to started, ${among}`, startedMs),
  ]
}

/** `p50Ms`: from the start of the process until it is ready. */
async function rest(backend: Backend, resting: number): Promise<Row> {
  await using service = await startScheduled(backend, { often: 0, daily: resting })
  await sleep(restMs)
  const bytes = memoryBytes([service.pid, ...backend.pids])
  return {
    name: `start, and memory, with ${count(resting)} at rest`,
    p50Ms: service.startMs,
    ...(bytes === undefined ? {} : { memoryMb: bytes / 2 ** 20 }),
  }
}

function count(value: number): string {
  return value.toLocaleString('en')
}

/** How long after their due times the runs of some rounds were stored and started, in ms. */
async function lags({ client, oftenIds }: Scheduled, rounds: number) {
  const fromMs = Math.ceil(Date.now() / everyMs) * everyMs + coldRounds * everyMs
  const toMs = fromMs + rounds * everyMs
  // The last round gets most of the time until the next one.
  await sleep(toMs - everyMs / 5 - Date.now())
  const storedMs: number[] = []
  const startedMs: number[] = []
  for (const id of oftenIds) {
    const runs = itemsOf(await client.strategies.code.runs(id))
    const counted = runs
      .map((run) => ({ ...run, queuedMs: Date.parse(run.queued_at) }))
      .filter(({ queuedMs }) => queuedMs >= fromMs && queuedMs < toMs)
    if (counted.length !== rounds)
      throw new Error(`Strategy ${id} ran ${counted.length} times, not ${rounds}.`)
    for (const { queuedMs, started_at } of counted) {
      const dueMs = Math.floor(queuedMs / everyMs) * everyMs
      if (started_at === null) throw new Error(`A run of strategy ${id} has not started.`)
      storedMs.push(queuedMs - dueMs)
      startedMs.push(Date.parse(started_at) - dueMs)
    }
  }
  return { storedMs, startedMs }
}

/** How long a single statement takes to store a run of each strategy, in ms. */
async function floorMs(backend: Backend, rounds: number): Promise<number[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-floor-'))
  const place = { ...(await backend.emptyDatabase()), DATA_DIR: folder.path }
  return await withDatabase(place, async (database) => {
    const insert = database.prepare(
      'floor',
      `insert into runs (strategy_id, trigger, queued_at) select n, 'schedule', now() from generate_series(1, ${dueAtOnce}) n`,
    )
    const took: number[] = []
    for (let round = -2; round < rounds; round++) {
      const startedAt = performance.now()
      await insert([])
      if (round >= 0) took.push(performance.now() - startedAt)
    }
    return took
  })
}

function rowOf(name: string, ms: readonly number[]): Row & { mostMs: number } {
  const at = (share: number) => percentile(ms, share)
  return { name, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}
