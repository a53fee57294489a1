import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient, Signal as ApiSignal, List, Operations } from '@tickwright/client'
import type { Candle } from './candles/csv.ts'
import type { Feed, Payload } from './feed.ts'
import { itemsOf } from './page.ts'

/** An account may act five times a second; a sixth action suspends the strategy. */
const actionsPerSecond = 5
/** The example reaction pauses for 24 candles after an action, so 24 candles cause at most one action. */
const candlesPerAction = 24
/** A second, and a tolerance for reading the clock early or late. */
const actionWindowMs = 1_050
/** Looking costs the service time. In the shortest pause it does some dozen runs. Each look in vain doubles the pause. */
const [shortestPauseMs, longestPauseMs] = [40, 640]

export type Signal = { action: 'LONG' | 'SHORT' | 'EXIT'; candle: Candle }

export type Progress = { candles: number; posted: number; succeeded: number; failed: number; signals: number }

export type Backfill = {
  signals: Signal[]
  succeeded: number
  failed: number
  /** The error of the first failed run. */
  firstFailure: string | null
}

type Runs = Operations['GET /api/v2/strategy/reaction/code/{id}/runs?{query}']['answer']
type Run = Runs extends List<infer Item> ? Item : never

/** Where the candles go: the feed of a webhook, and its only reaction. */
export type Destination = { client: ApiClient; feed: Feed; reactionId: number }

/**
 * Posts candles in order to the webhook of the example reaction, as fast as the reaction may act on them, and waits
 * until each of them has been run.
 *
 * In live trading, a candle arrives at most once a minute. Here thousands arrive in a second, and would exceed the
 * service's limit of five actions a second. So this function posts only as many candles at a time as can cause the
 * actions that are left in this second.
 * @throws {Error} if the reaction is suspended or switched off meanwhile
 */
export async function backfill(
  { client, feed, reactionId }: Destination,
  candles: readonly Candle[],
  onProgress: (progress: Progress) => void,
): Promise<Backfill> {
  const byTime = new Map(candles.map((candle) => [String(candle.time), candle]))
  const done: Backfill = { signals: [], succeeded: 0, failed: 0, firstFailure: null }
  const actions = new ActionBudget()
  let posted = 0
  let pauseMs = shortestPauseMs
  for (let ended = 0; ended < candles.length; ) {
    const next = candles.slice(posted, Math.max(posted, ended + actions.left() * candlesPerAction))
    await feed.post(next.map(payloadOf))
    posted += next.length
    await sleep(pauseMs)
    const runs = await endedRuns(client, reactionId, posted - ended)
    pauseMs = runs.length > 0 ? shortestPauseMs : Math.min(2 * pauseMs, longestPauseMs)
    ended += runs.length
    for (const run of runs) countRun(done, run)
    const acting = new Set(runs.filter((run) => run.signal_id !== null).map((run) => run.id))
    actions.spend(acting.size)
    for (const { action, options } of await signalsOf(client, reactionId, acting)) {
      const candle = byTime.get(options.id ?? '')
      if (candle !== undefined) done.signals.push({ action, candle })
    }
    onProgress({ ...done, candles: candles.length, posted, signals: done.signals.length })
  }
  return done
}

function payloadOf(candle: Candle): Payload {
  // The reaction needs `time` and `last`. The other fields are for your own experiments.
  const { close: last, ...others } = candle
  return { key: `candle-${candle.time}`, body: JSON.stringify({ ...others, last }) }
}

function countRun(done: Backfill, run: Run): void {
  switch (run.status) {
    case 'SUCCEEDED':
      done.succeeded++
      return
    case 'FAILED':
      done.failed++
      done.firstFailure ??= run.error === null ? 'unknown' : `${run.error.name}: ${run.error.message}`
      return
    case 'VIOLATION':
      throw new Error(
        `Run ${run.id} broke the rule "${run.violation?.rule}", and the service suspended the reaction.`,
      )
    default:
      throw new Error(`Run ${run.id} ended as ${run.status}: the reaction is no longer active.`)
  }
}

/** The ended runs among the newest `count`, oldest first. A reaction's runs end in order. */
async function endedRuns(client: ApiClient, reactionId: number, count: number): Promise<Run[]> {
  if (count === 0) return []
  const runs = itemsOf(await client.reactions.code.runs(reactionId, { page: 1, limit: count }))
  return runs.filter(hasEnded).reverse()
}

function hasEnded(run: Run): boolean {
  return run.status !== 'QUEUED' && run.status !== 'RUNNING'
}

/** The signals of these runs, oldest first. The runs must be the newest ones with signals. */
async function signalsOf(
  client: ApiClient,
  reactionId: number,
  runs: ReadonlySet<number>,
): Promise<ApiSignal[]> {
  if (runs.size === 0) return []
  // Later runs may have acted meanwhile.
  const limit = runs.size + actionsPerSecond
  const signals = itemsOf(await client.signals.list({ strategy_id: reactionId, page: 1, limit }))
  return signals.filter(({ run_id }) => run_id !== null && runs.has(run_id)).reverse()
}

/** Counts recent actions, from the moment when this process learns of them, which is never too early. */
class ActionBudget {
  #spentAt: number[] = []

  /** How many actions are left in this second. */
  left(): number {
    const now = performance.now()
    this.#spentAt = this.#spentAt.filter((at) => now - at < actionWindowMs)
    return actionsPerSecond - this.#spentAt.length
  }

  spend(actions: number): void {
    const now = performance.now()
    for (let n = 0; n < actions; n++) this.#spentAt.push(now)
  }
}
