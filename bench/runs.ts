import { type ApiClient, createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { type ReactionOnWebhook, setUpReaction } from '../examples/set-up.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadGenerator } from './load.ts'
import type { LoadPlan, LoadRequest } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import { againstFloor, type Rate, type Row, type Section } from './report.ts'
import { succeededRuns } from './runs-of.ts'
import { runWaiter } from './service-metrics.ts'
import { median, spread } from './statistics.ts'
import { typicalCode, typicalCodeFile } from './typical-reaction.ts'

const connections = 64
const manyReactions = 50
const least = { ratio: 0.6, cpuRatio: 0.35 }
/** The newest runs of each reaction: checking all would take longer than running them. */
const checkedRuns = 100

/** Reactions end to end: the service stores and queues each payload, runs the code, and commits the outcome. */
export const runs: Benchmark = { name: 'runs', run }

/** Something that processes payloads. */
type Contender = {
  name: string
  plan: Omit<LoadPlan, 'until'>
  pids: readonly number[]
  /** Waits until the work of this many answers is done. */
  settle(answered: number): Promise<void>
  /** When the work of the last of these answers was done, in Unix ms. */
  finishedAt(answered: number): Promise<number>
}

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const settings = { ...(await backend.emptyDatabase()), CODE_FILE: typicalCodeFile }
  const floor = resources.use(await startFloor({ file: 'inline-runs.ts', settings }))
  const service = resources.use(await startServiceProcess({ settings: await backend.emptyDatabase() }))
  const client = createApiClient(service.access)
  const settle = runWaiter(service.access.baseUrl)
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
      settle,
      finishedAt: (answered) => lastEnd(client, reactions, answered),
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
        settle: async () => {},
        finishedAt: async () => Date.now(),
      },
      await contender(`${manyReactions} reactions, a webhook each`, manyReactions),
      await contender('one reaction', 1),
    ],
    quick ? { rounds: 2, payloads: 500 } : { rounds: 3, payloads: 2500 },
  )
  return { bench: 'runs', title: `RSI and EMA over 200 stored prices`, rows }
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
      await contender.settle(answered)
      const cpu = (cpuSeconds(contender.pids) ?? 0) - (cpuBefore ?? 0)
      const finishedAtMs = await contender.finishedAt(answered)
      if (round === 0) continue
      perSecond.push((answered * 1000) / (finishedAtMs - startedAtMs))
      if (cpu > 0) perCpuSecond.push(answered / cpu)
    }
  }
  const [floor, ...ours] = records.map(
    ({ contender, perSecond, perCpuSecond }): Rate => ({
      name: contender.name,
      perSecond: spread(perSecond),
      perCpuSecond: perCpuSecond.length === 0 ? null : median(perCpuSecond),
    }),
  )
  const [many, one] = ours
  return [floor!, againstFloor(many!, floor!, least), againstFloor(one!, floor!)]
}

/** When the last run of these idle reactions ended, in Unix ms. All must have succeeded. */
async function lastEnd(
  client: ApiClient,
  reactions: readonly ReactionOnWebhook[],
  answered: number,
): Promise<number> {
  const each = Math.ceil(answered / reactions.length)
  const ends: number[] = []
  for (const { reactionId } of reactions) {
    for (const run of await succeededRuns(client, reactionId, Math.min(each, checkedRuns))) {
      ends.push(Date.parse(run.finished_at))
    }
  }
  return Math.max(...ends)
}
