import type { LoadGenerator } from './load.ts'
import type { LoadPlan } from './load-plan.ts'
import { cpuSeconds } from './processes.ts'
import { median, type Spread, spread } from './statistics.ts'

/** A server under load. `pids`: the processes that do its work, including those of its database. */
export type Subject = {
  name: string
  plan: Omit<LoadPlan, 'until'>
  pids: readonly number[]
  /** Ends a round early, for servers that still have work after the answers. */
  mostAnswers?: number
  /** Waits after a round until the work of all its answers is done. */
  settle?: (answered: number) => Promise<void>
}

/** Medians over the rounds. `perCpuSecond`: answers per second of CPU time, if that is known. */
export type Measured = {
  name: string
  perSecond: Spread
  perCpuSecond: number | null
  p50Ms: number
  p99Ms: number
}

/** V8 and the database take this long until they work at full speed. */
const warmUpMs = 3000

/**
 * Puts each subject under load in turn, round after round, so that other load on the machine affects all of them
 * equally. The first round of each warms up and does not count.
 */
export async function measureInTurns(
  generator: LoadGenerator,
  subjects: readonly Subject[],
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Measured[]> {
  const records = subjects.map((subject) => ({ subject, rounds: [] as RoundRecord[] }))
  for (let round = 0; round <= rounds; round++) {
    for (const record of records) {
      const measured = await runRound(generator, record.subject, round === 0 ? Math.min(ms, warmUpMs) : ms)
      if (round > 0) record.rounds.push(measured)
    }
  }
  return records.map(({ subject, rounds }) => summarise(subject.name, rounds))
}

type RoundRecord = { perSecond: number; perCpuSecond: number | null; p50Ms: number; p99Ms: number }

async function runRound(generator: LoadGenerator, subject: Subject, ms: number): Promise<RoundRecord> {
  const cpuBefore = cpuSeconds(subject.pids)
  const { answered, seconds, p50Ms, p99Ms } = await generator.run({
    ...subject.plan,
    until: { ms, ...(subject.mostAnswers === undefined ? {} : { answers: subject.mostAnswers }) },
  })
  const cpuAfter = cpuSeconds(subject.pids)
  await subject.settle?.(answered)
  const cpu = cpuBefore === undefined || cpuAfter === undefined ? 0 : cpuAfter - cpuBefore
  return { perSecond: answered / seconds, perCpuSecond: cpu > 0 ? answered / cpu : null, p50Ms, p99Ms }
}

function summarise(name: string, rounds: readonly RoundRecord[]): Measured {
  const perCpuSecond = rounds.map((round) => round.perCpuSecond).filter((rate) => rate !== null)
  return {
    name,
    perSecond: spread(rounds.map((round) => round.perSecond)),
    perCpuSecond: perCpuSecond.length === 0 ? null : median(perCpuSecond),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }
}
