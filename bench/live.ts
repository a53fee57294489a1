import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '../examples/service-process.ts'
import type { Backend } from './backend.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { openServer, withDatabase } from './database.ts'
import { eventDelays, perSecond, streamCount } from './live-delays.ts'
import { flatMemory, manyConnections } from './live-memory.ts'
import { besideStreams } from './live-slowdown.ts'
import type { Row, Section } from './report.ts'
import { startSignallers } from './signallers.ts'
import { percentile } from './statistics.ts'

/** 95 % of the events, on the node that ran the strategy and on another one. */
const most95Ms = { here: 50, elsewhere: 250 }

/** From a committed signal to its event, what open streams cost other work, and the memory of streams. */
export const live: Benchmark = { name: 'live', run }

async function run(context: BenchContext): Promise<Section> {
  const { backend, quick } = context
  const floorMs = await notifyTimes(backend, quick ? 50 : 500)
  const rows: Row[] = [
    rowOf('floor: one NOTIFY, until a listener has it', floorMs),
    ...(await onTwoNodes(context)),
    ...(await flatMemory(context)),
    ...(await manyConnections(context)),
  ]
  return { bench: 'live', title: 'From a signal to its event on a live stream', rows }
}

/** Two service processes on one database: the first executes the runs. */
async function onTwoNodes(context: BenchContext): Promise<Row[]> {
  const { backend, quick } = context
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-bench-'))
  await using server = await openServer({ DATA_DIR: folder.path, ...(await backend.emptyDatabase()) })
  const pids = server.pid === undefined ? backend.pids : [server.pid]
  const shared: Backend = { ...backend, pids, emptyDatabase: async () => ({ DATABASE_URL: server.url }) }
  await using here = await startSignallers(shared)
  const rows: Row[] = []
  {
    await using elsewhere = await startServiceProcess({ settings: { ...here.settings, ROLES: 'api' } })
    const signals = quick ? 200 : 1_000
    // The first runs of each strategy are slower.
    await eventDelays(here.signallers.slice(0, streamCount), here.access.baseUrl, streamCount)
    for (const [where, baseUrl, mostMs] of [
      ['the same node', here.access.baseUrl, most95Ms.here],
      ['another node', elsewhere.access.baseUrl, most95Ms.elsewhere],
    ] as const) {
      const delays = await eventDelays(here.signallers.slice(0, streamCount), baseUrl, signals)
      const p95 = percentile(delays, 0.95)
      const target = { text: `95 % within ${mostMs} ms`, met: p95 <= mostMs }
      const name = `action to event on ${where}, ${streamCount} streams, ${perSecond} a second`
      rows.push({ ...rowOf(name, delays), target }, { name: 'the same, 95th percentile', mostMs: p95 })
    }
  }
  return [...rows, ...(await besideStreams(context, here, pids))]
}

/** From NOTIFY to its listener, in ms: what any event from another node takes at least. */
async function notifyTimes(backend: Backend, count: number): Promise<number[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-bench-'))
  const settings = { DATA_DIR: folder.path, ...(await backend.emptyDatabase()) }
  const times: number[] = []
  await withDatabase(settings, async (database) => {
    let heard = Promise.withResolvers<void>()
    await database.listen('bench', () => heard.resolve())
    for (let n = 0; n < count; n++) {
      heard = Promise.withResolvers()
      const startMs = performance.now()
      await Promise.all([database.notify('bench', 'x'), heard.promise])
      times.push(performance.now() - startMs)
    }
  })
  return times
}

function rowOf(name: string, timesMs: readonly number[]): Row {
  return { name, p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) }
}
