import { type ApiClient, createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { type ReactionOnWebhook, setUpReaction } from '../examples/set-up.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadGenerator } from './load.ts'
import type { LoadPlan, LoadRequest } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import { type Row, ratioOf, type Section } from './report.ts'
import { succeededRuns, untilIdle } from './runs-of.ts'
import { median, spread } from './statistics.ts'
import { typicalCode, typicalCodeFile } from './typical-reaction.ts'

const connections = 64
const manyReactions = 50
const leastPerSecond = 1000
/** The newest runs of each reaction: checking all would take longer than running them. */
const checkedRuns = 100

/** Reactions end to end: the service stores and queues each payload, runs the code, and commits the outcome. */
export const runs: Benchmark = { name: 'runs', perBackend: true, run }

/** Something that processes payloads. `finish` resolves with the time (Unix ms) at which the last one was done. */
type Contender = {
  name: string
  plan: Omit<LoadPlan, 'until'>
  pids: readonly number[]
  finish(posted: number): Promise<number>
}

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const settings = { ...(await backend.emptyDatabase()), CODE_FILE: typicalCodeFile }
  const floor = resources.use(await startFloor({ file: 'inline-runs.ts', settings }))
  const service = resources.use(await startServiceProcess({ settings: await backend.emptyDatabase() }))
  const client = createApiClient(service.access)
  const contender = async (name: string, reactionCount: number): Promise<Contender> => {
    const reactions: ReactionOnWebhook[] = []
    for (let n = 0; n < reactionCount; n++) {
      reactions.push(
        await setUpReaction(client, { name: `${name} ${n}`, code: typicalCode, sendSignal: false }),
      )
    }
    return {
      name,
      plan: planFor(
        reactions.map(({ url }) => new URL(url).pathname),
        service.access.baseUrl,
      ),
      pids: [service.pid, ...backend.pids],
      finish: (posted) => lastEnd(client, reactions, posted),
    }
  }
  const floorPaths = Array.from({ length: manyReactions }, (_, index) => `/${index}`)
  const rows = await race(
    generator,
    [
      {
        name: 'floor: inline, without sandbox and queue',
        plan: planFor(floorPaths, floor.url),
        pids: [floor.pid, ...backend.pids],
        finish: async () => Date.now(),
      },
      await contender(`${manyReactions} reactions, a webhook each`, manyReactions),
      await contender('one reaction', 1),
    ],
    quick ? { rounds: 2, payloads: 500 } : { rounds: 3, payloads: 2500 },
  )
  return { bench: 'runs', title: `RSI and EMA over 200 stored prices, ${backend.label}`, rows }
}

function planFor(paths: readonly string[], url: string): Omit<LoadPlan, 'until'> {
  const requests: LoadRequest[] = paths.map((path, index) => ({
    method: 'POST',
    path,
    body: candlePayload(index),
  }))
  return { url, requests, connections, perSecond: null, status: 202 }
}

/** Gives each contender the same payloads in turn, round after round; the first round warms up and does not count. */
async function race(
  generator: LoadGenerator,
  contenders: readonly Contender[],
  { rounds, payloads }: { rounds: number; payloads: number },
): Promise<Row[]> {
  const records = contenders.map((contender) => ({
    contender,
    perSecond: [] as number[],
    perCpuSecond: [] as number[],
  }))
  for (let round = 0; round <= rounds; round++) {
    for (const { contender, perSecond, perCpuSecond } of records) {
      const cpuBefore = cpuSeconds(contender.pids)
      const startedAtMs = Date.now()
      const { answered } = await generator.run({ ...contender.plan, until: { answers: payloads } })
      const finishedAtMs = await contender.finish(answered)
      const cpu = (cpuSeconds(contender.pids) ?? 0) - (cpuBefore ?? 0)
      if (round === 0) continue
      perSecond.push((answered * 1000) / (finishedAtMs - startedAtMs))
      if (cpu > 0) perCpuSecond.push(answered / cpu)
    }
  }
  const [floor, ...ours] = records.map(
    ({ contender, perSecond, perCpuSecond }): Row => ({
      name: contender.name,
      perSecond: spread(perSecond),
      perCpuSecond: perCpuSecond.length === 0 ? null : median(perCpuSecond),
    }),
  )
  return [floor!, ...ours.map((row) => besideFloor(row, floor!))]
}

function besideFloor(row: Row, floor: Row): Row {
  const rate = row.perSecond!.median
  return {
    ...row,
    ratio: rate / floor.perSecond!.median,
    cpuRatio: ratioOf(row.perCpuSecond ?? null, floor.perCpuSecond ?? null),
    target: { text: `at least ${leastPerSecond}/s`, met: rate >= leastPerSecond },
  }
}

/** When the last run of these reactions ended, in Unix milliseconds. All must have succeeded. */
async function lastEnd(
  client: ApiClient,
  reactions: readonly ReactionOnWebhook[],
  posted: number,
): Promise<number> {
  const each = Math.ceil(posted / reactions.length)
  const ends: number[] = []
  for (const { reactionId } of reactions) {
    await untilIdle(client, reactionId)
    for (const run of await succeededRuns(client, reactionId, Math.min(each, checkedRuns))) {
      ends.push(Date.parse(run.finished_at))
    }
  }
  return Math.max(...ends)
}
