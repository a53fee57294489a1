import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { type ReactionOnWebhook, setUpReaction } from '../examples/set-up.ts'
import { startEmbeddedServer } from '../packages/server/src/db/embedded/server.ts'
import { createLogger } from '../packages/server/src/ops/logger.ts'
import type { Backend } from './backend.ts'
import type { BenchContext, Benchmark } from './context.ts'
import type { LoadGenerator } from './load.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import type { Row, Section } from './report.ts'
import { readMetric } from './service-metrics.ts'
import { median, spread } from './statistics.ts'
import { typicalCode } from './typical-reaction.ts'

const connections = 64
const reactionCount = 50
const workerCounts = [1, 2, 4]
const pollMs = 50
const stuckMs = 60_000

/** Runs of one database with one, two and four workers, each a process of its own, beside a node that accepts payloads. */
export const nodes: Benchmark = { name: 'nodes', run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  const { rounds, payloads } = quick ? { rounds: 2, payloads: 500 } : { rounds: 5, payloads: 2_500 }
  await using resources = new AsyncDisposableStack()
  const clusters: Cluster[] = []
  for (const workers of workerCounts) clusters.push(resources.use(await startCluster(backend, workers)))
  const records = clusters.map((cluster) => ({ cluster, rounds: [] as { seconds: number; cpu: number }[] }))
  for (let round = 0; round <= rounds; round++) {
    for (const record of records) {
      const cost = await runRound(generator, record.cluster, payloads)
      // The first round warms up.
      if (round > 0) record.rounds.push(cost)
    }
  }
  for (const cluster of clusters) await checkCounts(cluster)
  const [alone] = records
  const rows = records.map(({ cluster, rounds }): Row => {
    const row = {
      name: nameOf(cluster),
      perSecond: spread(rounds.map(({ seconds }) => 1 / seconds)),
      perCpuSecond: median(rounds.map(({ cpu }) => 1 / cpu)),
    }
    if (cluster === alone!.cluster) return row
    return { ...row, times: median(rounds.map(({ cpu }, round) => cpu / alone!.rounds[round]!.cpu)) }
  })
  return {
    bench: 'nodes',
    title: 'RSI and EMA over 200 stored prices, several workers on one database',
    rows,
  }
}

/** Nodes on one database. */
type Cluster = AsyncDisposable & {
  /** The origins of the workers. */
  workers: string[]
  /** The origin of the node that accepts payloads, and the paths of its webhooks. */
  api: string
  paths: string[]
  pids: readonly number[]
  /** How many payloads it has accepted. */
  accepted: number
  /** How many runs its database has. */
  storedRuns(): Promise<number>
}

async function startCluster(backend: Backend, workerCount: number): Promise<Cluster> {
  await using acquired = new AsyncDisposableStack()
  const server = await openServer(await backend.emptyDatabase(), acquired)
  const settings = {
    DATABASE_URL: server.url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    SANDBOX_EXECUTORS: '1',
  }
  const start = async (ROLES: string) =>
    acquired.use(await startServiceProcess({ settings: { ...settings, ROLES } }))
  const api = await start('api')
  const workers = await Promise.all(Array.from({ length: workerCount }, () => start('worker')))
  const client = createApiClient(api.access)
  const reactions: ReactionOnWebhook[] = []
  for (let n = 0; n < reactionCount; n++) {
    reactions.push(
      await setUpReaction(client, { name: `reaction ${n}`, code: typicalCode, sendSignal: false }),
    )
  }
  const kept = acquired.move()
  return {
    workers: workers.map(({ access }) => access.baseUrl),
    api: api.access.baseUrl,
    paths: reactions.map(({ url }) => new URL(url).pathname),
    pids: [...backend.pids, ...server.pids, api.pid, ...workers.map(({ pid }) => pid)],
    accepted: 0,
    storedRuns: async () => {
      let sum = 0
      for (const { reactionId } of reactions) {
        const list = await client.reactions.code.runs(reactionId, { page: 1, limit: 1 })
        sum += Array.isArray(list) ? list.length : list.total
      }
      return sum
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The database server that all nodes of a cluster share. */
async function openServer(
  { DATABASE_URL }: { DATABASE_URL?: string },
  acquired: AsyncDisposableStack,
): Promise<{ url: string; pids: number[] }> {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, pids: [] }
  const { path: dataDir } = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-nodes-')))
  const settings = { max_connections: 100 }
  const server = await startEmbeddedServer({ dataDir, logger: createLogger('warn'), settings })
  acquired.defer(() => server.close())
  return { url: server.url, pids: [server.pid] }
}

/** Per run, in seconds. */
async function runRound(
  generator: LoadGenerator,
  cluster: Cluster,
  payloads: number,
): Promise<{ seconds: number; cpu: number }> {
  const requests = cluster.paths.map((path, index) => ({
    method: 'POST' as const,
    path,
    body: candlePayload(index),
  }))
  const cpuBefore = cpuSeconds(cluster.pids) ?? 0
  const startedMs = performance.now()
  const plan = { url: cluster.api, requests, connections, perSecond: null, status: 202 }
  const { answered } = await generator.run({ ...plan, until: { answers: payloads } })
  cluster.accepted += answered
  await untilEnded(cluster)
  const seconds = (performance.now() - startedMs) / 1000
  return { seconds: seconds / answered, cpu: ((cpuSeconds(cluster.pids) ?? 0) - cpuBefore) / answered }
}

async function untilEnded(cluster: Cluster): Promise<void> {
  const deadlineMs = performance.now() + stuckMs
  for (;;) {
    const ended = sumOf(await endedRuns(cluster))
    if (ended >= cluster.accepted) return
    if (performance.now() > deadlineMs) {
      throw new Error(`${ended} of ${cluster.accepted} runs have ended, and no more do.`)
    }
    await sleep(pollMs)
  }
}

/** How many runs each worker has executed. */
function endedRuns({ workers }: Cluster): Promise<number[]> {
  return Promise.all(workers.map((origin) => readMetric(origin, 'tickwright_runs_total')))
}

/** @throws {Error} if a payload did not run exactly once */
async function checkCounts(cluster: Cluster): Promise<void> {
  const ended = sumOf(await endedRuns(cluster))
  const stored = await cluster.storedRuns()
  if (ended === cluster.accepted && stored === cluster.accepted) return
  throw new Error(`${nameOf(cluster)}: ${cluster.accepted} payloads, ${stored} runs stored, ${ended} ended.`)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function nameOf({ workers }: Cluster): string {
  return workers.length === 1 ? 'one worker' : `${workers.length} workers`
}
