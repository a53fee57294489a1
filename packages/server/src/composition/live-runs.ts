import type { Change } from '../live/changes.ts'
import type { Source } from '../live/source.ts'
import type { EndedRun } from '../runs/journal.ts'
import { finishedRow } from '../runs/journal-statement.ts'
import type { JustQueued } from '../runs/queued-run.ts'
import { presentRun } from '../strategies/run-routes.ts'
import type { Run, Runs } from '../strategies/runs.ts'
import { type Owners, ofUsers, type Shown, storedOrRead, together } from './live-reading.ts'

/** Shows runs that this node has just stored, or whose end it has just written, as it has written them; reads the others. */
export function runSource(runs: Runs, strategies: Owners): Source {
  const ownersOf = (changes: Change[]) => strategies.of(changes.map(({ strategyId }) => strategyId))
  const read = ofUsers(
    ownersOf,
    together((userIds, ids) => runs.byId(userIds, ids)),
    show,
  )
  return storedOrRead(ownersOf, async () => (_userId, kept: JustQueued | EndedRun) => show(runOf(kept)), read)
}

function show(run: Run): Shown {
  return [presentRun(run), { strategyId: run.strategyId, runId: run.id }]
}

/** The run as `Runs.byId` would read it right after it was stored, or after its end was written. */
function runOf(kept: JustQueued | EndedRun): Run {
  return 'queued' in kept ? queuedRun(kept) : endedRun(kept)
}

function queuedRun({ queued: { id, strategyId, trigger, deliveryId, queuedAtMs } }: JustQueued): Run {
  return {
    ...{ id, strategyId, trigger, deliveryId, status: 'QUEUED', queuedAt: new Date(queuedAtMs) },
    ...{ dueAt: null, startedAt: null, finishedAt: null, durationMs: null, version: null },
    ...{ error: null, violation: null, log: null, http: null, signalId: null, approvalId: null },
  }
}

function endedRun({ entry, known }: EndedRun): Run {
  const { id, strategy_id: strategyId, status, version, error, violation, log, http } = finishedRow(entry)
  const { trigger, deliveryId, queuedAtMs, signalId } = known
  return {
    ...{ id, strategyId, status, version, error, violation, log, http },
    ...{ trigger, deliveryId, signalId },
    dueAt: null,
    queuedAt: new Date(queuedAtMs),
    startedAt: entry.startedAtMs === null ? null : new Date(entry.startedAtMs),
    finishedAt: new Date(entry.finishedAtMs),
    durationMs: entry.durationMs,
    // Code asks for no approval.
    approvalId: null,
  }
}
