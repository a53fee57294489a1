import { setTimeout as sleep } from 'node:timers/promises'
import { openSandbox } from '../packages/sandbox/src/index.ts'
import type { BenchContext, Benchmark } from './context.ts'
import type { Row, Section } from './report.ts'
import { requestOf } from './run-request.ts'
import { percentile } from './statistics.ts'

const runCount = 200
const answerMs = 1_700
const mostMs = 4_000
const code = `const { text } = await $.Http.get('https://example.com/')
$.log(text)`

/** Strategies that all wait for a remote answer, started together, each for the first time. */
export const waiting: Benchmark = { name: 'waiting', run }

async function run({ quick }: BenchContext): Promise<Section> {
  const rounds = quick ? 1 : 3
  const rows: Row[] = [rowOf('floor: the answers alone', await repeat(rounds, answersAlone))]
  for (const jit of [true, false]) {
    const name = jit ? 'sandbox, cold' : 'sandbox, cold, no JIT'
    const row = rowOf(name, await repeat(rounds, () => runsTogether(jit)))
    const met = row.mostMs <= mostMs
    rows.push({ ...row, target: { text: `all within ${mostMs / 1000} s`, met } })
  }
  const title = `${runCount} new strategies started together, each with an answer after ${answerMs / 1000} s`
  return { bench: 'waiting', title, rows }
}

/** When each strategy ended, in ms. */
type Round = () => Promise<number[]>

async function repeat(rounds: number, round: Round): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < rounds; n++) all.push(...(await round()))
  return all
}

function rowOf(name: string, endedAfterMs: readonly number[]): Row & { mostMs: number } {
  const at = (share: number) => percentile(endedAfterMs, share)
  return { name, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}

const answersAlone: Round = () => {
  const startedAt = performance.now()
  return Promise.all(
    Array.from({ length: runCount }, async () => {
      await sleep(answerMs)
      return performance.now() - startedAt
    }),
  )
}

async function runsTogether(jit: boolean): Promise<number[]> {
  await using sandbox = await openSandbox({ probation: true, jit })
  const host = {
    http: async () => {
      await sleep(answerMs)
      return { status: 200, text: 'the answer', cache: false }
    },
  }
  const startedAt = performance.now()
  return await Promise.all(
    Array.from({ length: runCount }, async (_, index) => {
      const outcome = await sandbox.run(requestOf({ strategyId: index + 1, code, host }))
      if (outcome.log !== 'the answer\n') throw new Error(`A run failed: ${JSON.stringify(outcome)}`)
      return performance.now() - startedAt
    }),
  )
}
