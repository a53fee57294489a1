import { setTimeout as sleep } from 'node:timers/promises'
import type { RunHost, Sandbox } from '../packages/sandbox/src/index.ts'
import { requestOf } from './run-request.ts'

/** Well-behaved strategies: the input of each run, and the value that it must store. */
export type Neighbours = {
  strategyIds: readonly number[]
  code: string
  storage: string
  data: string
  expected: string
}

/**
 * Runs the strategies in turn, at a fixed rate, for `ms`. As in the service, runs of one strategy wait for each other.
 * Resolves to the time from when each run was due to its outcome, in ms.
 * @throws {Error} if a run fails or stores another value
 */
export async function runSteadily(
  sandbox: Sandbox,
  { strategyIds, code, storage, data, expected }: Neighbours,
  { perSecond, ms }: { perSecond: number; ms: number },
): Promise<number[]> {
  const latenciesMs: number[] = []
  const failures: unknown[] = []
  const last = new Map<number, Promise<void>>()
  const runOnce = async (strategyId: number, dueAt: number) => {
    // A timer may fire a little early.
    const since = Math.min(dueAt, performance.now())
    await last.get(strategyId)
    const outcome = await sandbox.run(requestOf({ strategyId, code, storage, data }))
    latenciesMs.push(performance.now() - since)
    if (outcome.storage !== expected) throw new Error(`A run failed: ${JSON.stringify(outcome)}`)
  }
  const startedAt = performance.now()
  const count = Math.round((perSecond * ms) / 1000)
  for (let n = 0; n < count && failures.length === 0; n++) {
    const dueAt = startedAt + (n * 1000) / perSecond
    await sleep(Math.max(0, dueAt - performance.now()))
    const strategyId = strategyIds[n % strategyIds.length]!
    const run = runOnce(strategyId, dueAt).catch((error) => void failures.push(error))
    last.set(strategyId, run)
  }
  await Promise.all(last.values())
  if (failures.length > 0) throw failures[0]
  return latenciesMs
}

/** Runs each of these codes as a separate strategy, again and again, until `stop` is aborted. */
export async function runWithoutRest(
  sandbox: Sandbox,
  strategies: readonly { strategyId: number; code: string }[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    strategies.map(async ({ strategyId, code }) => {
      while (!signal.aborted) {
        const outcome = await sandbox.run(requestOf({ strategyId, code, host: obliging }))
        // It would never run, and would load only this process.
        if (outcome.violation?.rule === 'forbidden_identifier') throw new Error(outcome.error!.message)
      }
    }),
  )
}

const obliging: Partial<RunHost> = { stop: async () => true }
