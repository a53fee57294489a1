import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceProcess, startServiceProcess } from '../examples/service-process.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { openServer } from './database.ts'
import { cpuSeconds, memoryBytes } from './processes.ts'
import type { Row, Section } from './report.ts'
import { readMetric } from './service-metrics.ts'
import { median } from './statistics.ts'

const mostTimes = 1.1
const mostRestMb = 300
const mostExecutorMb = 60
/** After this time, the process has released the memory that its start needed. */
export const restMs = 10_000

/**
 * From the start of the service's process until it is ready, and the memory of service and database together when
 * nothing happens. It always measures the embedded database, also with DATABASE_URL.
 */
export const start: Benchmark = { name: 'start', run }

async function run({ quick }: BenchContext): Promise<Section> {
  const first = new Starts('first start, which creates the database')
  const later = new Starts('later start')
  const running = new Starts('floor: the same data, on a server that is already running')
  const rounds = quick ? 2 : 7
  const memory: Row[] = []
  for (let round = 0; round < rounds; round++) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-start-'))
    const isLast = round === rounds - 1
    const settings = settingsIn(folder.path)
    const measureLater = async () => {
      await using service = await later.measure(settings)
      if (isLast) memory.push(await memoryAtRest('memory at rest, after a later start', service))
    }
    const measureRunning = async () => {
      await using server = await openServer({ DATA_DIR: folder.path })
      await using _ = await running.measure({ ...settings, DATABASE_URL: server.url }, [server.pid!])
    }
    {
      await using service = await first.measure(settings)
      if (isLast) memory.push(await memoryAtRest('memory at rest, after a first start', service))
    }
    const inTurns = [measureLater, measureRunning]
    for (const measure of round % 2 === 0 ? inTurns : inTurns.reverse()) await measure()
  }
  const floor = running.row()
  const row = later.row()
  const times = row.p50Ms / floor.p50Ms
  const target = { text: `at most ${mostTimes} times the floor`, met: times <= mostTimes }
  return {
    bench: 'start',
    title: `from the start of the process until it is ready, medians of ${rounds}`,
    rows: [floor, { ...row, times, target }, first.row(), ...memory],
  }
}

/** Settings of several services that start one after the other on the same data. */
function settingsIn(dataDir: string): Record<string, string> {
  const secret = () => randomBytes(32).toString('hex')
  return {
    DATA_DIR: dataDir,
    TICKWRIGHT_ADMIN_PASSWORD: secret(),
    TICKWRIGHT_ADMIN_API_KEY: secret(),
    TICKWRIGHT_ADMIN_API_SECRET: secret(),
  }
}

/** Starts of one kind. */
class Starts {
  readonly #name: string
  readonly #ms: number[] = []
  readonly #cpuMs: number[] = []

  constructor(name: string) {
    this.#name = name
  }

  /** `pids`: processes that work for the service, but are not its children. */
  async measure(settings: Record<string, string>, pids: readonly number[] = []): Promise<ServiceProcess> {
    const cpuBefore = cpuSeconds(pids)
    const startedAt = performance.now()
    const service = await startServiceProcess({ settings })
    this.#ms.push(performance.now() - startedAt)
    const cpu = cpuSeconds([service.pid, ...pids])
    if (cpu !== undefined && cpuBefore !== undefined) this.#cpuMs.push((cpu - cpuBefore) * 1000)
    return service
  }

  row(): Row & { p50Ms: number } {
    const row = { name: this.#name, p50Ms: median(this.#ms), mostMs: Math.max(...this.#ms) }
    return this.#cpuMs.length === 0 ? row : { ...row, cpuMs: median(this.#cpuMs) }
  }
}

async function memoryAtRest(name: string, { access, pid }: ServiceProcess): Promise<Row> {
  await sleep(restMs)
  const executors = await readMetric(access.baseUrl, 'tickwright_executors_alive')
  const bytes = memoryBytes([pid])
  if (bytes === undefined) return { name }
  const memoryMb = bytes / 2 ** 20
  const mostMb = mostRestMb + executors * mostExecutorMb
  const text = `at most ${mostRestMb} MB, and ${mostExecutorMb} MB for each of ${executors} executors`
  return { name, memoryMb, target: { text, met: memoryMb <= mostMb } }
}
