import type { BenchContext, Benchmark } from './context.ts'
import { type Filled, startFilled } from './filled.ts'
import type { LoadGenerator } from './load.ts'
import type { LoadPlan, LoadRequest } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import type { Row, Section } from './report.ts'
import { listRows } from './scale-lists.ts'
import { runWaiter } from './service-metrics.ts'
import { median, spread } from './statistics.ts'

const connections = 64
const mostTimes = 1.1
const pageLimit = 50

/**
 * What a payload, a run and a page of a list cost with little in the database, with many strategies, and with many
 * stored deliveries, runs and signals; and how long each list takes with the latter.
 */
export const scale: Benchmark = { name: 'scale', run }

/** Something that is done many times, on each of the databases. */
type Work = {
  name: string
  count: number
  plan(service: Filled): Omit<LoadPlan, 'until'>
  /** Whether it goes on after the answers. */
  hasRuns?: true
}

/** One round: CPU seconds and seconds. */
type Cost = { cpu: number; seconds: number }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  const few = { strategies: 100, stored: 1_000 }
  const manyStrategies = quick ? 10_000 : 100_000
  const manyStored = quick ? 100_000 : 10_000_000
  const rounds = quick ? 3 : 5
  await using resources = new AsyncDisposableStack()
  const services = {
    [`${count(few.strategies)} strategies, ${count(few.stored)} stored`]: few,
    [`${count(manyStrategies)} strategies`]: { ...few, strategies: manyStrategies },
    [`${count(manyStored)} stored`]: { ...few, stored: manyStored },
  }
  const contenders = []
  for (const [name, fill] of Object.entries(services)) {
    const service = resources.use(await startFilled(backend, fill))
    contenders.push({ name, service, settle: runWaiter(service.access.baseUrl) })
  }
  const rows: Row[] = []
  for (const work of works(quick)) {
    const costs = contenders.map((): Cost[] => [])
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { service, settle }] of contenders.entries()) {
        const cost = await costOf(generator, work, service, settle)
        // The first round warms up.
        if (round > 0) costs[index]!.push(cost)
      }
    }
    rows.push(...contenders.map(({ name }, index) => rowOf(work, name, costs[index]!, costs[0]!)))
  }
  rows.push(...(await listRows(generator, contenders.at(-1)!.service, quick)))
  return { bench: 'scale', title: 'cost as the database grows, compared with little in it', rows }
}

function works(quick: boolean): Work[] {
  const page = (what: string, path: (service: Filled) => string): Work => ({
    name: `first page of ${what}`,
    count: quick ? 100 : 200,
    plan: (service) =>
      planOf(service, [{ method: 'GET', path: path(service), signWith: service.access }], 200),
  })
  const query = `page=1&limit=${pageLimit}`
  const firstOf = ({ reactions }: Filled) => reactions[0]!
  return [
    {
      name: 'payload',
      count: quick ? 2_000 : 8_000,
      plan: (service) => planOf(service, [post(service.plainPath, 0)], 202),
    },
    {
      name: 'run',
      count: quick ? 500 : 2_500,
      plan: (service) =>
        planOf(
          service,
          service.reactions.map(({ path }, index) => post(path, index)),
          202,
        ),
      hasRuns: true,
    },
    page('runs', (service) => `/api/v2/strategy/reaction/code/${firstOf(service).id}/runs?${query}`),
    page('deliveries', (service) => `/api/v2/webhook/data/${firstOf(service).webhookId}/deliveries?${query}`),
    page('signals', (service) => `/api/v2/signal?strategy_id=${firstOf(service).id}&${query}`),
  ]
}

function post(path: string, index: number): LoadRequest {
  return { method: 'POST', path, body: candlePayload(index) }
}

function planOf({ access }: Filled, requests: LoadRequest[], status: number): Omit<LoadPlan, 'until'> {
  return { url: access.baseUrl, requests, connections, perSecond: null, status }
}

async function costOf(
  generator: LoadGenerator,
  work: Work,
  service: Filled,
  settle: (accepted: number) => Promise<void>,
): Promise<Cost> {
  const cpuBefore = cpuSeconds(service.pids) ?? 0
  const startedMs = performance.now()
  const { answered } = await generator.run({ ...work.plan(service), until: { answers: work.count } })
  if (work.hasRuns) await settle(answered)
  const seconds = (performance.now() - startedMs) / 1000
  return { cpu: ((cpuSeconds(service.pids) ?? 0) - cpuBefore) / answered, seconds: seconds / answered }
}

/** `times`: the median over the rounds of how much more it costs than with `few`, in CPU time. */
function rowOf({ name }: Work, where: string, costs: readonly Cost[], few: readonly Cost[]): Row {
  const row: Row = {
    name: `${name}, ${where}`,
    perSecond: spread(costs.map(({ seconds }) => 1 / seconds)),
    perCpuSecond: median(costs.map(({ cpu }) => 1 / cpu)),
  }
  if (costs === few) return row
  const times = median(costs.map(({ cpu }, round) => cpu / few[round]!.cpu))
  return { ...row, times, target: { text: `at most ${mostTimes} times the cost`, met: times <= mostTimes } }
}

function count(value: number): string {
  return value.toLocaleString('en')
}
