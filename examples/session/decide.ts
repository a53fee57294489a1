import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '@tickwright/client'
import type { MovedClock } from './moved-clock.ts'

/** The service lets an account bring 20 series of candles up to date in a second. A decision needs one or two. */
const leastMs = 60

export type Action = 'LONG' | 'SHORT' | 'EXIT'

/** A decision of the session. `at` is on the clock of the candles, when the model had answered. */
export type Decision = { at: number; action: Action; size: number | null; said: string | null }

/** What became of a session over its candles. `failures` are numbers of runs by the kind of their failure. */
export type Decided = {
  runs: number
  decisions: Decision[]
  tokens: { input: number; output: number }
  failures: Record<string, number>
  /** The sentence with which the service refused to spend more, or `null`. */
  budgetEnded: string | null
}

export type DecideOptions = {
  client: ApiClient
  sessionId: number
  clock: MovedClock
  /** When it decides, in Unix milliseconds, on the clock of the candles that open at `from`. */
  times: readonly number[]
  from: number
  /** All tokens that the session may spend. */
  tokens: number
  onProgress(done: number): void
  /** Ends it early. */
  stop?: AbortSignal
}

/**
 * Has a session decide at each of these times, one after another, with what it stored and did before. Nothing that it
 * can ask for is later than that time. It ends early if the budget of the session does.
 */
export async function decide(options: DecideOptions): Promise<Decided> {
  const { client, sessionId, clock, times, from, onProgress } = options
  const decided: Decided = {
    ...{ runs: 0, decisions: [], tokens: { input: 0, output: 0 }, failures: {}, budgetEnded: null },
  }
  let storage: unknown = null
  let last: { action: Action | null; price: null; at: string | null } = {
    action: null,
    price: null,
    at: null,
  }
  const keepBudget = budgetKeeper(options, decided)
  for (const [index, time] of times.entries()) {
    if (options.stop?.aborted) break
    await keepBudget()
    const pause = sleep(leastMs)
    clock.moveTo(time - from)
    const run = await client.strategies.llmSessions.test(sessionId, { storage, last_trigger: last })
    decided.tokens.input += run.tokens.input
    decided.tokens.output += run.tokens.output
    const failure = run.error?.name ?? run.violation?.rule
    if (failure === 'budget') {
      decided.budgetEnded = run.error!.message
      break
    }
    decided.runs += 1
    if (failure !== undefined) decided.failures[failure] = (decided.failures[failure] ?? 0) + 1
    if (run.status === 'SUCCEEDED') storage = run.storage.after
    if (run.action !== null) {
      const { action, options } = run.action
      // The model has thought for a while, so nobody can have traded at the price that it saw.
      const at = time + Math.max(1, Math.ceil(run.duration_ms))
      const size = typeof options.size === 'number' ? options.size : null
      decided.decisions.push({ at, action, size, said: run.response })
      last = { action, price: null, at: new Date(at).toISOString() }
    }
    onProgress(index + 1)
    await pause
  }
  return decided
}

/** The budget of a session is one of a day, and renews at midnight (UTC). What was spent before stays spent. */
function budgetKeeper({ client, sessionId, tokens }: DecideOptions, { tokens: spent }: Decided) {
  const today = () => new Date().toISOString().slice(0, 10)
  let day = today()
  return async () => {
    if (day === today()) return
    day = today()
    const left = Math.max(1, tokens - spent.input - spent.output)
    await client.strategies.llmSessions.update(sessionId, { tokens_per_day: left })
  }
}
