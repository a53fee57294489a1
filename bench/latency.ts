import { createApiClient } from '@tickwright/client'
import { setUpReaction } from '../examples/set-up.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadGenerator } from './load.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import type { Row, Section } from './report.ts'
import { succeededRuns, untilIdle } from './runs-of.ts'
import { type Signaller, startSignallers, timeUntilRead } from './signallers.ts'
import { percentile } from './statistics.ts'
import { typicalCode, typicalCodeFile } from './typical-reaction.ts'

const connections = 16
/** So slow that never more than one is in flight. */
const oneAtATime = 20
const rates = [oneAtATime, 50, 200, 500]
const quickRates = [oneAtATime, 200]

/**
 * From the POST to the committed signal. A run waits for its action, which resolves when the signal is committed. The
 * run's record has the time of its end (`finished_at`), which is later than the commit by the way back into the sandbox
 * and out again. Both times are from this machine's clock, in whole milliseconds.
 */
export const latency: Benchmark = { name: 'latency', perBackend: true, run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const settings = { ...(await backend.emptyDatabase()), CODE_FILE: typicalCodeFile }
  const floor = resources.use(await startFloor({ file: 'inline-runs.ts', settings }))
  const { signallers, access } = resources.use(await startSignallers(backend))
  const client = createApiClient(access)
  const quiet = { name: 'quiet', code: typicalCode, sendSignal: false }
  const onOne: Signaller[] = [{ ...(await setUpReaction(client, quiet)), client }]

  // The service counts an account's actions over a second. Between two phases with signals there is a longer one
  // without, so that the second phase starts at zero.
  const ms = quick ? 1200 : 1700
  const phases: Phase[] = (quick ? quickRates : rates).flatMap((perSecond) => [
    {
      name: `floor: inline, answered when stored, ${label(perSecond)}`,
      measure: () => floorLatencies(generator, floor.url, perSecond, ms),
    },
    {
      name: `signal committed, ${signallers.length} reactions, ${label(perSecond)}`,
      measure: () => untilEnded(generator, signallers, perSecond, ms),
      target: targets.get(perSecond),
    },
  ])
  phases.push({
    name: 'run ended, one reaction, 200 a second',
    measure: () => untilEnded(generator, onOne, 200, ms),
  })

  // Warm up first: neither cold runs nor a strategy's first runs, which are on probation, are measured.
  await untilEnded(generator, signallers, 200, 5000)
  await untilEnded(generator, onOne, 200, 500)
  const rows = await measureAll(phases, quick ? 1 : 2)
  const read = await timeUntilRead(signallers.slice(0, quick ? 20 : 60))
  rows.push(rowOf('signal seen by a reader who keeps asking', read))
  return {
    bench: 'latency',
    title: `POST to committed signal, RSI and EMA over 200 stored prices, ${backend.label}`,
    rows,
  }
}

type Phase = {
  name: string
  /** Latencies in ms. */
  measure(): Promise<number[]>
  target?: LatencyTarget | undefined
}

type LatencyTarget = { text: string; isMet(p50Ms: number, p99Ms: number): boolean }

const targets = new Map<number, LatencyTarget>([
  [oneAtATime, { text: 'p50 at most 5 ms', isMet: (p50Ms) => p50Ms <= 5 }],
  [200, { text: 'p99 under 30 ms', isMet: (_, p99Ms) => p99Ms < 30 }],
])

/** Measures the phases in turn, round after round; percentiles are over all rounds of a phase. */
async function measureAll(phases: readonly Phase[], rounds: number): Promise<Row[]> {
  const records = phases.map((phase) => ({ phase, latenciesMs: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { phase, latenciesMs } of records) latenciesMs.push(...(await phase.measure()))
  }
  return records.map(({ phase, latenciesMs }) => rowOf(phase.name, latenciesMs, phase.target))
}

function rowOf(name: string, latenciesMs: readonly number[], target?: LatencyTarget): Row {
  const p50Ms = percentile(latenciesMs, 0.5)
  const p99Ms = percentile(latenciesMs, 0.99)
  if (target === undefined) return { name, p50Ms, p99Ms }
  return { name, p50Ms, p99Ms, target: { text: target.text, met: target.isMet(p50Ms, p99Ms) } }
}

function label(perSecond: number): string {
  return perSecond === oneAtATime ? 'one at a time' : `${perSecond} a second`
}

/** From each POST to the end of the run that it caused, in ms. */
async function untilEnded(
  generator: LoadGenerator,
  signallers: readonly Signaller[],
  perSecond: number,
  ms: number,
): Promise<number[]> {
  const paths = signallers.map(({ url }) => new URL(url).pathname)
  const { origin } = new URL(signallers[0]!.url)
  const { answers } = await generator.run({
    ...planFor(origin, paths, perSecond),
    until: { ms },
    keepAnswers: true,
  })
  const endedAtMs = await endsOf(signallers, answers)
  return answers.map(({ id, sentAtMs }) => {
    const ended = endedAtMs.get(id)
    if (ended === undefined) throw new Error(`Delivery ${id} triggered no run.`)
    return ended - sentAtMs
  })
}

/** When the run of each delivery ended, in Unix ms. */
async function endsOf(
  signallers: readonly Signaller[],
  answers: LoadResult['answers'],
): Promise<Map<number, number>> {
  const each = Math.ceil(answers.length / signallers.length)
  const ends = new Map<number, number>()
  const used = signallers.slice(0, answers.length)
  await Promise.all(
    used.map(async ({ client, reactionId }) => {
      await untilIdle(client, reactionId)
      for (const run of await succeededRuns(client, reactionId, each)) {
        ends.set(run.delivery_id!, Date.parse(run.finished_at))
      }
    }),
  )
  return ends
}

async function floorLatencies(
  generator: LoadGenerator,
  url: string,
  perSecond: number,
  ms: number,
): Promise<number[]> {
  const { answers } = await generator.run({
    ...planFor(url, ['/one'], perSecond),
    until: { ms },
    keepAnswers: true,
  })
  return answers.map(({ latencyMs }) => latencyMs)
}

function planFor(url: string, paths: readonly string[], perSecond: number): Omit<LoadPlan, 'until'> {
  const requests = paths.map((path, index) => ({ method: 'POST' as const, path, body: candlePayload(index) }))
  return { url, requests, connections, perSecond, status: 202 }
}
