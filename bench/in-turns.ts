import type { Latencies } from './report.ts'
import { percentile } from './statistics.ts'

/** Measures both in turn, so that other load on the machine affects both. The first tenth warms up and does not count. */
export async function inTurns<T>(
  count: number,
  ...subjects: [() => Promise<T>, () => Promise<T>]
): Promise<[T[], T[]]> {
  const times: [T[], T[]] = [[], []]
  for (let index = 0; index < count * 1.1; index++) {
    for (const [which, subject] of subjects.entries()) {
      const measured = await subject()
      if (index >= count / 10) times[which]!.push(measured)
    }
  }
  return times
}

export function latenciesOf(name: string, times: readonly number[]): Latencies {
  return { name, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}
