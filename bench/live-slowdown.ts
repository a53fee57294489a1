import { setUpReaction } from '../examples/set-up.ts'
import type { BenchContext } from './context.ts'
import { endedRuns, untilEnded } from './latency.ts'
import { openStreams, streamCount } from './live-delays.ts'
import type { Row } from './report.ts'
import { readMetric, runWaiter } from './service-metrics.ts'
import type { Signaller, Signallers } from './signallers.ts'
import { percentile, spread } from './statistics.ts'
import { typicalCode } from './typical-reaction.ts'

/** With streams, a run takes at most this many times as long as without. */
const mostTimes = 1.05
/** As in the benchmark `latency`. */
const perSecond = 50
/** Reactions that send no signal, so that their accounts may run as often as the service can. */
const quietCount = 50

/** The same work in turns, without a stream and with a hundred of the accounts that it is for, in the same service. */
export async function besideStreams(
  { generator, quick }: BenchContext,
  { signallers, access }: Signallers,
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
  const latencies = { without: [] as number[], with: [] as number[] }
  const rates = { without: [] as number[], with: [] as number[] }
  const measure = async (which: 'without' | 'with', counts: boolean) => {
    const spreadMs = await untilEnded(work, perSecond, quick ? 1_000 : 4_000)
    const runs = await endedRuns({ ...work, signallers: quiet }, null, quick ? 200 : 1_000)
    if (!counts) return
    latencies[which].push(...spreadMs)
    const firstMs = Math.min(...runs.map(({ sentAtMs }) => sentAtMs))
    const lastMs = Math.max(...runs.map(({ endedAtMs }) => endedAtMs))
    rates[which].push((runs.length * 1000) / (lastMs - firstMs))
  }
  await measure('without', false)
  for (let round = 0; round < (quick ? 1 : 6); round++) {
    const withStreams = async () => {
      const accesses = signallers.slice(0, streamCount).map((one) => one.access)
      await using _ = await openStreams(accesses, ['run', 'signal', 'delivery'], () => undefined)
      await measure('with', true)
    }
    const withoutStreams = () => measure('without', true)
    const inTurns = [withoutStreams, withStreams]
    for (const each of round % 2 === 0 ? inTurns : inTurns.reverse()) await each()
  }
  const p50 = { without: percentile(latencies.without, 0.5), with: percentile(latencies.with, 0.5) }
  const [before, beside] = [spread(rates.without), spread(rates.with)]
  const times = p50.with / p50.without
  const ratio = beside.median / before.median
  const text = `at most ${mostTimes} times the time`
  return [
    { name: `POST to run ended, no stream, ${perSecond} a second`, ...tail(latencies.without, p50.without) },
    {
      name: `the same beside ${streamCount} streams of these runs`,
      ...tail(latencies.with, p50.with),
      times,
      target: { text, met: times <= mostTimes },
    },
    { name: `runs of ${quietCount} reactions, no stream`, perSecond: before },
    {
      name: `the same beside ${streamCount} streams of these runs`,
      perSecond: beside,
      ratio,
      target: { text, met: ratio >= 1 / mostTimes },
    },
  ]
}

function tail(timesMs: readonly number[], p50Ms: number): Pick<Row, 'p50Ms' | 'p99Ms'> {
  return { p50Ms, p99Ms: percentile(timesMs, 0.99) }
}
