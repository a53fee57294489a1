import { createApiClient } from '@tickwright/client'
import { setUpReaction } from '../examples/set-up.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadGenerator } from './load.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import { type Latencies, latenciesAgainstFloor, type MostTimes, type Row, type Section } from './report.ts'
import { succeededRuns } from './runs-of.ts'
import { runWaiter } from './service-metrics.ts'
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
export const latency: Benchmark = { name: 'latency', run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const settings = { ...(await backend.emptyDatabase()), CODE_FILE: typicalCodeFile }
  const floor = resources.use(await startFloor({ file: 'inline-runs.ts', settings }))
  const { signallers, access } = resources.use(await startSignallers(backend))
  const client = createApiClient(access)
  const quiet = { name: 'quiet', code: typicalCode, sendSignal: false }
  const onOne: Signaller[] = [{ ...(await setUpReaction(client, quiet)), client }]

  const settle = runWaiter(access.baseUrl)
  const signalled = (perSecond: number, ms: number) =>
    untilEnded({ generator, signallers, settle }, perSecond, ms)
  const onOneReaction = (perSecond: number, ms: number) =>
    untilEnded({ generator, signallers: onOne, settle }, perSecond, ms)

  // Warm up first: neither cold runs nor a strategy's first runs, which are on probation, are measured.
  await signalled(200, 5000)
  await onOneReaction(200, 500)

  // The service counts an account's actions over a second. Between two phases with signals there is a longer one
  // without, so that the second phase starts at zero.
  const ms = quick ? 1200 : 1700
  const pairs = (quick ? quickRates : rates).map((perSecond) => {
    // One at a time, the 99th percentile needs more time to have enough values.
    const phaseMs = perSecond === oneAtATime ? 4 * ms : ms
    return {
      perSecond,
      floor: new Phase(`floor: inline, answered when stored, ${label(perSecond)}`, () =>
        floorLatencies(generator, floor.url, perSecond, phaseMs),
      ),
      ours: new Phase(`signal committed, ${signallers.length} reactions, ${label(perSecond)}`, () =>
        signalled(perSecond, phaseMs),
      ),
    }
  })
  const onOnePhase = new Phase('run ended, one reaction, 200 a second', () => onOneReaction(200, ms))
  const phases = [...pairs.flatMap((pair) => [pair.floor, pair.ours]), onOnePhase]
  for (let round = 0; round < (quick ? 1 : 2); round++) for (const phase of phases) await phase.measure()

  const floorAt200 = pairs.find(({ perSecond }) => perSecond === 200)!.floor.latencies()
  const read = await timeUntilRead(signallers.slice(0, quick ? 20 : 60))
  const rows: Row[] = [
    ...pairs.flatMap((pair) => {
      const floor = pair.floor.latencies()
      return [floor, latenciesAgainstFloor(pair.ours.latencies(), floor, targets.get(pair.perSecond))]
    }),
    latenciesAgainstFloor(onOnePhase.latencies(), floorAt200),
    latenciesOf('signal seen by a reader who keeps asking', read),
  ]
  return { bench: 'latency', title: 'POST to committed signal, RSI and EMA over 200 stored prices', rows }
}

const targets = new Map<number, MostTimes>([
  [oneAtATime, { p50: 1.5, p99: 1.2 }],
  [200, { p50: 3, p99: 4 }],
])

/** One kind of load, measured in turn with others, round after round. Percentiles are over all its rounds. */
class Phase {
  readonly #name: string
  readonly #measure: () => Promise<number[]>
  readonly #latenciesMs: number[] = []

  constructor(name: string, measure: () => Promise<number[]>) {
    this.#name = name
    this.#measure = measure
  }

  async measure(): Promise<void> {
    this.#latenciesMs.push(...(await this.#measure()))
  }

  latencies(): Latencies {
    return latenciesOf(this.#name, this.#latenciesMs)
  }
}

function latenciesOf(name: string, latenciesMs: readonly number[]): Latencies {
  return { name, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

function label(perSecond: number): string {
  return perSecond === oneAtATime ? 'one at a time' : `${perSecond} a second`
}

/** Signallers of one service. `settle` waits until the runs of this many more payloads have ended. */
type Measured = {
  generator: LoadGenerator
  signallers: readonly Signaller[]
  settle(accepted: number): Promise<void>
}

/** From each POST to the end of the run that it caused, in ms. */
export async function untilEnded(measured: Measured, perSecond: number, ms: number): Promise<number[]> {
  const runs = await endedRuns(measured, perSecond, ms)
  return runs.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs)
}

/**
 * When each payload was sent, and when its run ended, in Unix ms.
 * @param onSettled called when all runs have ended, before their records are read
 */
export async function endedRuns(
  { generator, signallers, settle }: Measured,
  perSecond: number | null,
  ms: number,
  onSettled: () => void = () => undefined,
): Promise<{ sentAtMs: number; endedAtMs: number }[]> {
  const paths = signallers.map(({ url }) => new URL(url).pathname)
  const { origin } = new URL(signallers[0]!.url)
  const { answers } = await generator.run({
    ...planFor(origin, paths, perSecond),
    until: { ms },
    keepAnswers: true,
  })
  await settle(answers.length)
  onSettled()
  const endedAtMs = await endsOf(signallers, answers)
  return answers.map(({ id, sentAtMs }) => {
    const ended = endedAtMs.get(id)
    if (ended === undefined) throw new Error(`Delivery ${id} triggered no run.`)
    return { sentAtMs, endedAtMs: ended }
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

function planFor(url: string, paths: readonly string[], perSecond: number | null): Omit<LoadPlan, 'until'> {
  const requests = paths.map((path, index) => ({ method: 'POST' as const, path, body: candlePayload(index) }))
  return { url, requests, connections, perSecond, status: 202 }
}
