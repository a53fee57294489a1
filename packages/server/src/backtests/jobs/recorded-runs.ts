/** The decisions that the model of a reaction has made live, for a backtest on the same deliveries. */
import type { LastTrigger, Violation } from '@tickwright/sandbox'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { runs, runTranscripts, signals } from '../../db/schema.ts'
import { storageDigest } from '../../runs/transcript-basis.ts'
import { type Decisions, noTrigger } from '../decide.ts'
import type { MarketTimes } from '../market-times.ts'
import type { RecordedDecision } from '../model/live-model.ts'
import { type DecisionContext, findDecision, type MissingReason, missingReasons } from '../model/missing.ts'
import { decidedOf, ModelPass, underRules } from '../model/model-pass.ts'
import type { FoundDeliveries } from './stored-deliveries.ts'

/** To read more of them at once would hold up the node for longer: it also trades. */
const runsAtOnce = 500

/** What is `undefined` begins as the first recorded decision found it. */
type Start = { storage: string | null | undefined; lastTrigger: LastTrigger | undefined }

/** `question`: its digest. */
type Asked = { strategyId: number; question: string; deliveries: FoundDeliveries; start: Start }

/** How many deliveries have a recorded decision, and why the others have none. */
type RecordedCounts = { recorded: number; missing: Partial<Record<MissingReason, number>> }

type Recorded = RecordedCounts & { decisions: Decisions }

/** Goes along deliveries, in their order. A delivery whose decision was made with something else decides nothing. */
export async function recordedDecisions(db: Db, data: MarketTimes, asked: Asked): Promise<Recorded> {
  const { deliveries, question, start } = asked
  const pass = new ModelPass(start.lastTrigger ?? noTrigger)
  const counts: RecordedCounts = { recorded: 0, missing: {} }
  let storage = start.storage === undefined ? undefined : storageDigest(start.storage)
  let begun: Pick<DecisionContext, 'lastAction' | 'lastActionAt'> | undefined =
    start.lastTrigger && standingOf(start.lastTrigger)
  for await (const [index, found] of foundBy(db, asked)) {
    const moment = { run: index, atMs: deliveries.times[index]! }
    if (!pass.begins(moment.atMs)) continue
    await holdPrices(data, found)
    const decision = findDecision(
      found,
      (startedMs) => {
        const sent = pass.lastSignalAt(startedMs)
        const last = sent === undefined ? begun : standingOf({ action: sent.action, at: sent.atMs })
        return { question, storage, lastAction: undefined, lastActionAt: undefined, ...last }
      },
      data,
    )
    if ('reason' in decision) {
      const { reason } = decision
      counts.missing[reason] = (counts.missing[reason] ?? 0) + 1
      pass.fail(moment, { name: reason, message: missingReasons[reason] })
      continue
    }
    const { run } = decision
    const { kept, lastAction, lastActionAt } = run.basis!
    counts.recorded += 1
    storage = kept
    begun ??= { lastAction, lastActionAt }
    underRules(pass, moment, () => {
      if (run.signal !== null) pass.act(decidedOf(run.signal, data))
    })
    if (run.violation !== null) pass.violate(moment, run.violation)
  }
  return { ...counts, decisions: pass.end(null) }
}

/** What a look at recorded decisions needs to know of the market. */
export async function holdPrices(data: MarketTimes, found: readonly RecordedDecision[]): Promise<void> {
  await data.hold(
    found.flatMap(({ startedMs, endedMs, signal }) => [
      { fromMs: startedMs, toMs: endedMs },
      ...(signal === null ? [] : [{ fromMs: signal.atMs, toMs: signal.atMs }]),
    ]),
  )
}

function standingOf({ action, at }: Pick<LastTrigger, 'action' | 'at'>) {
  return { lastAction: action, lastActionAt: at }
}

/** The runs on each delivery, in their order. */
export async function* foundBy(
  db: Db,
  { strategyId, deliveries }: Pick<Asked, 'strategyId' | 'deliveries'>,
): AsyncGenerator<[number, RecordedDecision[]]> {
  const { ids } = deliveries
  for (let first = 0; first < ids.length; first += runsAtOnce) {
    const page = ids.slice(first, first + runsAtOnce)
    const found = Map.groupBy(await runsOn(db, strategyId, page), ({ deliveryId }) => deliveryId)
    for (const [index, id] of page.entries()) {
      yield [first + index, (found.get(id) ?? []).map(({ deliveryId: _of, ...run }) => run)]
    }
  }
}

async function runsOn(db: Db, strategyId: number, deliveryIds: readonly number[]) {
  const { action, price, options, createdAt } = signals
  const { deliveryId, status, startedAt, finishedAt, violation } = runs
  const rows = await db
    .select({
      ...{ deliveryId, status, startedAt, finishedAt, violation, basis: runTranscripts.basis },
      signal: { action, price, options, createdAt },
    })
    .from(runs)
    .leftJoin(runTranscripts, eq(runTranscripts.runId, runs.id))
    .leftJoin(signals, eq(signals.runId, runs.id))
    .where(and(eq(runs.strategyId, strategyId), inArray(runs.deliveryId, [...deliveryIds])))
    .orderBy(runs.id)
  return rows.map(({ startedAt, finishedAt, signal, violation, ...row }) => {
    const startedMs = startedAt?.getTime() ?? 0
    return {
      ...{ ...row, startedMs, endedMs: finishedAt?.getTime() ?? startedMs },
      violation: violation as Violation | null,
      signal: signal && {
        ...{ action: signal.action, price: signal.price, options: signal.options },
        // After the model had thought, and its owner had approved it if that was needed.
        atMs: signal.createdAt.getTime(),
      },
    }
  })
}
