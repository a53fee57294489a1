import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { Candle } from './candles/csv.ts'
import type { Feed, Payload } from './feed.ts'

/** The service lets an account act five times a second; a sixth action suspends the strategy. */
const actionsPerSecond = 5
/** The example reaction rests for 24 candles after an action, so that so many hold one action at the most. */
const candlesPerAction = 24
/** A second, and what a clock may be read early or late by. */
const actionWindowMs = 1_050
/** Asking keeps the service from its work; in this time it does some dozen runs. */
const pollMs = 40

export type Signal = { id: number; run_id: number; action: 'LONG' | 'SHORT' | 'EXIT'; candle: Candle }

export type Progress = { candles: number; posted: number; succeeded: number; failed: number; signals: number }

export type Backfill = {
  signals: Signal[]
  succeeded: number
  failed: number
  /** What the first failed run said. */
  firstFailure: string | null
}

type Run = {
  id: number
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED'
  signal_id: number | null
  error: { name: string; message: string } | null
  violation: { rule: string; limit: number; actual: number } | null
}

type SignalAnswer = { id: number; run_id: number; action: Signal['action']; options: { id?: string } }

/** Where the candles go: the feed of a webhook, and the one reaction that is attached to it. */
export type Destination = { api: Api; feed: Feed; reactionId: number }

/**
 * Posts candles in order to the webhook of the example reaction, as fast as the reaction may act on them, and
 * waits until every one has been run.
 *
 * In live trading a candle comes once a minute or less. Here they come by the thousand a second, and the
 * service's limit of five actions a second would be met. So no more candles are under way at any time than can
 * hold the actions that are left in this second.
 * @throws {Error} when the reaction was suspended or switched off under way
 */
export async function backfill(
  { api, feed, reactionId }: Destination,
  candles: readonly Candle[],
  onProgress: (progress: Progress) => void,
): Promise<Backfill> {
  const byTime = new Map(candles.map((candle) => [String(candle.time), candle]))
  const done: Backfill = { signals: [], succeeded: 0, failed: 0, firstFailure: null }
  const actions = new ActionBudget()
  let posted = 0
  for (let ended = 0; ended < candles.length; ) {
    const next = candles.slice(posted, Math.max(posted, ended + actions.left() * candlesPerAction))
    await feed.post(next.map(payloadOf))
    posted += next.length
    await sleep(pollMs)
    const runs = await endedRuns(api, reactionId, posted - ended)
    ended += runs.length
    for (const run of runs) countRun(done, run)
    const acting = new Set(runs.filter((run) => run.signal_id !== null).map((run) => run.id))
    actions.spend(acting.size)
    for (const answer of await signalsOf(api, reactionId, acting)) {
      const candle = byTime.get(answer.options.id ?? '')
      if (candle !== undefined) done.signals.push({ ...answer, candle })
    }
    onProgress({ ...done, candles: candles.length, posted, signals: done.signals.length })
  }
  return done
}

function payloadOf(candle: Candle): Payload {
  // The reaction needs `time` and `last`; the rest is there for the reader's own experiments.
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
      throw new Error(`Run ${run.id} broke the rule "${run.violation?.rule}" and suspended the reaction.`)
    default:
      throw new Error(`Run ${run.id} ended as ${run.status}: the reaction is no longer active.`)
  }
}

/** Those of the newest `count` runs that have ended, oldest first. A reaction's runs end in order. */
async function endedRuns(api: Api, reactionId: number, count: number): Promise<Run[]> {
  if (count === 0) return []
  const path = `/api/v2/strategy/reaction/code/${reactionId}/runs?page=1&limit=${count}`
  const { items } = await api.request<{ items: Run[] }>('GET', path)
  return items.filter(hasEnded).reverse()
}

function hasEnded(run: Run): boolean {
  return run.status !== 'QUEUED' && run.status !== 'RUNNING'
}

/** The signals of these runs, which are the newest that have any, oldest first. */
async function signalsOf(api: Api, reactionId: number, runs: ReadonlySet<number>): Promise<SignalAnswer[]> {
  if (runs.size === 0) return []
  // A later run may have acted since.
  const path = `/api/v2/signal?strategy_id=${reactionId}&page=1&limit=${runs.size + actionsPerSecond}`
  const { items } = await api.request<{ items: SignalAnswer[] }>('GET', path)
  return items.filter((signal) => runs.has(signal.run_id)).reverse()
}

/** Keeps count of what was acted on lately. It counts from when an action was heard of, which is never early. */
class ActionBudget {
  #spentAt: number[] = []

  /** How many actions are left in the running second. */
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
