import { openSandbox, type Sandbox } from '../packages/sandbox/src/index.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { hostileStrategies } from './hostile.ts'
import { type Neighbours, runSteadily, runWithoutRest } from './neighbours.ts'
import type { Row, Section } from './report.ts'
import { percentile } from './statistics.ts'
import { typicalCode } from './typical-reaction.ts'
import { typicalRun } from './typical-run.ts'

const perSecond = 50
const neighbourCount = 10
const firstHostileId = 1_000
const mostTimes = 3

/** Latencies of well-behaved strategies beside hostile ones that run without a pause in the same sandbox. */
export const attack: Benchmark = { name: 'attack', run }

async function run({ quick }: BenchContext): Promise<Section> {
  const plan = quick
    ? { rounds: 1, peaceMs: 4_000, attackMs: 12_000 }
    : { rounds: 2, peaceMs: 10_000, attackMs: 20_000 }
  const rows: Row[] = []
  for (const jit of [true, false]) rows.push(...(await measure(jit, plan)))
  const title = `${perSecond} runs a second of ${neighbourCount} strategies, RSI and EMA over 200 stored prices`
  return { bench: 'attack', title, rows }
}

type Plan = { rounds: number; peaceMs: number; attackMs: number }

async function measure(jit: boolean, { rounds, peaceMs, attackMs }: Plan): Promise<Row[]> {
  await using sandbox = await openSandbox({ executors: 2, probation: true, jit })
  const strategyIds = Array.from({ length: neighbourCount }, (_, index) => index + 1)
  const neighbours: Neighbours = { strategyIds, code: typicalCode, ...(await typicalRun()) }
  // Warm up first: cold runs are not measured.
  await runSteadily(sandbox, neighbours, { perSecond: 10 * perSecond, ms: 3_000 })
  const inPeace: number[] = []
  const underAttack: number[] = []
  for (let round = 0; round < rounds; round++) {
    inPeace.push(...(await runSteadily(sandbox, neighbours, { perSecond, ms: peaceMs })))
    underAttack.push(...(await besideHostile(sandbox, neighbours, attackMs)))
  }
  const suffix = jit ? '' : ', no JIT'
  const peace = rowOf(`in peace${suffix}`, inPeace)
  const attacked = rowOf(`beside ${hostileStrategies.length} hostile strategies${suffix}`, underAttack)
  const times = attacked.p99Ms / peace.p99Ms
  const target = { text: `p99 at most ${mostTimes} times that in peace`, met: times <= mostTimes }
  return [peace, { ...attacked, times, target }]
}

/** The latencies of well-behaved strategies, in ms, while the hostile ones run in the same sandbox. */
export async function besideHostile(sandbox: Sandbox, neighbours: Neighbours, ms: number): Promise<number[]> {
  const attackers = hostileStrategies.map(({ code }, index) => ({ strategyId: firstHostileId + index, code }))
  const stop = new AbortController()
  const attack = runWithoutRest(sandbox, attackers, stop.signal)
  const latenciesMs = await runSteadily(sandbox, neighbours, { perSecond, ms }).finally(() => {
    stop.abort()
    return attack
  })
  // The lost isolates must exist again before the next peaceful round.
  await runSteadily(sandbox, neighbours, { perSecond: 5 * perSecond, ms: 1_000 })
  return latenciesMs
}

function rowOf(name: string, latenciesMs: readonly number[]): Row & { p99Ms: number } {
  return {
    name,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    mostMs: percentile(latenciesMs, 1),
  }
}
