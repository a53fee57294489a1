/** The decisions that the model of a reaction has made live, for a backtest on the same deliveries. */
import type { LastTrigger, Violation } from '@tickwright/sandbox'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { runs, runTranscripts, signals } from '../../db/schema.ts'
import { storageDigest } from '../../runs/transcript-basis.ts'
import { type Decisions, noTrigger } from '../decide.ts'
import type { Decided } from '../host.ts'
import type { MarketData } from '../market-data.ts'
import { type DecisionContext, type MissingReason, missingReasons, whyMissing } from '../model/missing.ts'
import { ModelPass, underRules } from '../model/model-pass.ts'
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
export async function recordedDecisions(db: Db, data: MarketData, asked: Asked): Promise<Recorded> {
  const { deliveries, question, start } = asked
  const pass = new ModelPass(start.lastTrigger ?? noTrigger)
  const counts: RecordedCounts = { recorded: 0, missing: {} }
  let storage = start.storage === undefined ? undefined : storageDigest(start.storage)
  let begun: Pick<DecisionContext, 'lastAction' | 'lastActionAt'> | undefined =
    start.lastTrigger && standingOf(start.lastTrigger)
  for await (const [index, found] of foundBy(db, asked)) {
    const moment = { run: index, atMs: deliveries.times[index]! }
    if (!pass.begins(moment.atMs)) continue
    const reasons = found.map((run) => {
      const sent = pass.lastSignalAt(run.startedMs)
      const last = sent === undefined ? begun : standingOf({ action: sent.action, at: sent.atMs })
      return whyMissing(
        run,
        { question, storage, lastAction: undefined, lastActionAt: undefined, ...last },
        data,
      )
    })
    const run = found[reasons.indexOf(null)]
    if (run === undefined) {
      const reason = reasons.at(-1) ?? 'no_run'
      counts.missing[reason] = (counts.missing[reason] ?? 0) + 1
      pass.fail(moment, { name: reason, message: missingReasons[reason] })
      continue
    }
    const { kept, lastAction, lastActionAt } = run.basis!
    counts.recorded += 1
    storage = kept
    begun ??= { lastAction, lastActionAt }
    underRules(pass, moment, () => {
      if (run.signal !== null) pass.act(decidedOf(run.signal, data))
    })
    if (run.violation !== null) pass.violate(moment, run.violation as Violation)
  }
  return { ...counts, decisions: pass.end(null) }
}

function standingOf({ action, at }: Pick<LastTrigger, 'action' | 'at'>) {
  return { lastAction: action, lastActionAt: at }
}

type Found = Awaited<ReturnType<typeof runsOn>>[number]

/** The runs on each delivery, in their order. */
async function* foundBy(db: Db, { strategyId, deliveries }: Asked): AsyncGenerator<[number, Found[]]> {
  const { ids } = deliveries
  for (let first = 0; first < ids.length; first += runsAtOnce) {
    const page = ids.slice(first, first + runsAtOnce)
    const found = Map.groupBy(await runsOn(db, strategyId, page), ({ deliveryId }) => deliveryId)
    for (const [index, id] of page.entries()) yield [first + index, found.get(id) ?? []]
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
  return rows.map(({ startedAt, finishedAt, ...row }) => {
    const startedMs = startedAt?.getTime() ?? 0
    return { ...row, startedMs, endedMs: finishedAt?.getTime() ?? startedMs }
  })
}

/** When it was sent live, and so after the model had thought, and its owner had approved it if that was needed. */
function decidedOf({ action, price, options, createdAt }: Found['signal'] & {}, data: MarketData): Decided {
  const atMs = createdAt.getTime()
  return { index: data.firstFrom(atMs + 1) - 1, atMs, action, price: price ?? data.priceAt(atMs), options }
}
