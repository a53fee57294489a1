import { setUpReaction } from '../examples/set-up.ts'
import type { BenchContext } from './context.ts'
import { endedRuns, untilEnded } from './latency.ts'
import { streamCount } from './live-delays.ts'
import { cpuSeconds } from './processes.ts'
import type { Row } from './report.ts'
import { readMetric, runWaiter } from './service-metrics.ts'
import type { Signaller, Signallers } from './signallers.ts'
import { median, middleMean, percentile, spread } from './statistics.ts'
import { openReaders } from './stream-readers.ts'
import { typicalCode } from './typical-reaction.ts'

/** With streams, a run takes at most this many times as long as without. */
const mostTimes = 1.05
/** As in the benchmark `latency`. */
const perSecond = 50
/** Reactions that send no signal, so that their accounts may run as often as the service can. */
const quietCount = 50

/** In each round, the work is done once without and once with streams. Short rounds, because the machine's speed drifts. */
const rounds = 18
const steadyMs = 1_500
const fullLoadMs = 2_000

/** What was measured in all rounds: of each rate, one for each round. */
class Figures {
  readonly latenciesMs: number[] = []
  readonly perSecond: number[] = []
  readonly perCpuSecond: number[] = []

  get p50Ms(): number {
    return percentile(this.latenciesMs, 0.5)
  }

  get p99Ms(): number {
    return percentile(this.latenciesMs, 0.99)
  }

  /** Runs per second of the CPU time of the service and its database. */
  get cpuRate(): number | null {
    return this.perCpuSecond.length === 0 ? null : median(this.perCpuSecond)
  }
}

/**
 * The same work in turns, without a stream and with a hundred of the accounts that it is for, in the same service.
 * @param databasePids the processes of its database
 */
export async function besideStreams(
  { generator, quick }: BenchContext,
  { signallers, access, pid }: Signallers,
  databasePids: readonly number[],
): Promise<Row[]> {
  const settle = runWaiter(access.baseUrl)
  const work = { generator, signallers, settle }
  // The waiter counts from the start of the service.
  await settle(await readMetric(access.baseUrl, 'tickwright_runs_total'))
  const quiet = await Promise.all(
    signallers.slice(0, quietCount).map(async ({ client }): Promise<Signaller> => {
      const reaction = { name: 'quiet', code: typicalCode, sendSignal: false }
      return { ...(await setUpReaction(client, reaction)), client }
    }),
  )
  const pids = [pid, ...databasePids]
  const measure = async (figures: Figures) => {
    figures.latenciesMs.push(...(await untilEnded(work, perSecond, quick ? 1_000 : steadyMs)))
    const cpuBefore = cpuSeconds(pids) ?? 0
    let cpu = 0
    const runs = await endedRuns({ ...work, signallers: quiet }, null, quick ? 500 : fullLoadMs, () => {
      cpu = (cpuSeconds(pids) ?? 0) - cpuBefore
    })
    const firstMs = Math.min(...runs.map(({ sentAtMs }) => sentAtMs))
    const lastMs = Math.max(...runs.map(({ endedAtMs }) => endedAtMs))
    figures.perSecond.push((runs.length * 1000) / (lastMs - firstMs))
    if (cpu > 0) figures.perCpuSecond.push(runs.length / cpu)
    return runs.length
  }
  const [without, beside] = [new Figures(), new Figures()]
  const withoutStreams = () => measure(without)
  const withStreams = async () => {
    const accesses = signallers.slice(0, streamCount).map((one) => one.access)
    await using readers = await openReaders(accesses, ['run', 'signal', 'delivery'])
    // At least the payload and the end of each run.
    await readers.received(2 * (await measure(beside)))
  }
  await measure(new Figures())
  for (let round = 0; round < (quick ? 1 : rounds); round++) {
    const inTurns = [withoutStreams, withStreams]
    for (const each of round % 2 === 0 ? inTurns : inTurns.reverse()) await each()
  }
  return rowsOf(without, beside)
}

function rowsOf(without: Figures, beside: Figures): Row[] {
  const [before, after] = [spread(without.perSecond), spread(beside.perSecond)]
  // The clock has whole milliseconds, so a median of a few of them says nothing about 5 %.
  const times = middleMean(beside.latenciesMs) / middleMean(without.latenciesMs)
  const ratio = ofNeighbours(beside.perSecond, without.perSecond)
  const cpuRatio = without.cpuRate === null ? null : ofNeighbours(beside.perCpuSecond, without.perCpuSecond)
  const text = `at most ${mostTimes} times the time`
  const name = `the same beside ${streamCount} streams of these runs`
  return [
    {
      name: `POST to run ended, no stream, ${perSecond} a second`,
      ...{ p50Ms: without.p50Ms, p99Ms: without.p99Ms },
    },
    {
      ...{ name, p50Ms: beside.p50Ms, p99Ms: beside.p99Ms, times },
      target: { text, met: times <= mostTimes },
    },
    {
      name: `runs of ${quietCount} reactions, no stream`,
      ...{ perSecond: before, perCpuSecond: without.cpuRate },
    },
    {
      ...{ name, perSecond: after, perCpuSecond: beside.cpuRate },
      ...{ ratio, cpuRatio },
      target: { text, met: ratio >= 1 / mostTimes },
    },
  ]
}

/** The median of the ratios of each round: its halves follow each other, so the machine was about as fast for both. */
function ofNeighbours(beside: readonly number[], without: readonly number[]): number {
  return median(beside.map((rate, round) => rate / without[round]!))
}
