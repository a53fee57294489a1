import type { runs, Suspension } from '../db/schema.ts'
import { nextViolationCount, suspensionMs } from '../runs/suspension.ts'

/** A run that the schedule or a price queued, as far as it explains what became of the times. */
export type ScheduledRun = Pick<
  typeof runs.$inferSelect,
  'id' | 'status' | 'dueAt' | 'queuedAt' | 'startedAt' | 'finishedAt' | 'error'
>

/** A run that broke a rule, and so suspended the strategy. */
export type Violation = Pick<typeof runs.$inferSelect, 'id' | 'finishedAt' | 'violation'>

/** What is stored of a strategy and its schedule now. */
export type ScheduledStrategy = {
  status: 'ACTIVE' | 'INACTIVE'
  updatedAt: Date
  suspendedUntil: Date | null
  suspension: Suspension | null
  /** `null` if the strategy is inactive. */
  nextRunAt: Date | null
}

/** The records around the times. Both lists are newest first. */
export type ScheduleFacts = {
  strategy: ScheduledStrategy
  runs: readonly ScheduledRun[]
  violations: readonly Violation[]
}

/** What became of one time of a schedule. */
export type ScheduleTime = {
  at: Date
  outcome: 'RUN' | 'JOINED' | 'NONE' | 'PENDING'
  /** For `NONE`, the run that stood in the way, if one did. */
  run: { id: number; status: ScheduledRun['status'] } | null
  /** Why the time had no run of its own, or why that run was skipped. */
  reason: string | null
}

/** The record of a run says a little later than the run itself that it has started. */
const startNotedMs = 1_000

/**
 * Tells what became of each time. The service stores nothing about a time that queues no run, so that a suspended
 * strategy costs nothing. The runs around the time, the suspensions and the strategy as it is now tell the reason.
 */
export function explainTimes(times: readonly number[], facts: ScheduleFacts): ScheduleTime[] {
  const suspensions = suspensionsOf(facts)
  const own = new Map(facts.runs.map((run) => [run.dueAt?.getTime(), run]))
  return times.map((atMs) => {
    const at = new Date(atMs)
    const run = own.get(atMs)
    if (run === undefined) return { at, ...explainMissing(atMs, facts, suspensions) }
    const reason = run.status === 'SKIPPED' ? (run.error?.message ?? null) : null
    return { at, outcome: 'RUN', run: shown(run), reason }
  })
}

type Explained = Omit<ScheduleTime, 'at'>

function explainMissing(
  atMs: number,
  { strategy, runs }: ScheduleFacts,
  suspensions: readonly Suspended[],
): Explained {
  const joined = runs.find(({ dueAt, queuedAt }) => dueAt !== null && isIn(atMs, dueAt, queuedAt))
  if (joined !== undefined) {
    const reason = `The service was late. At ${iso(joined.queuedAt)}, it queued one run for all times since ${iso(joined.dueAt!)}.`
    return { outcome: 'JOINED', run: shown(joined), reason }
  }
  const none = (reason: string, run: Explained['run'] = null): Explained => ({ outcome: 'NONE', run, reason })
  const waiting = waitingAt(runs, atMs)
  if (waiting !== undefined) return none(waitText(waiting, atMs), shown(waiting))
  const suspended = suspensions.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
  if (
    suspended !== undefined &&
    !runs.some(({ queuedAt }) => isIn(queuedAt.getTime(), suspended.fromMs, atMs))
  )
    return none(suspensionText(suspended, 'was'), { id: suspended.runId, status: 'VIOLATION' })
  const { status, updatedAt, nextRunAt } = strategy
  if (atMs <= updatedAt.getTime()) return none(changedText(updatedAt))
  if (status === 'INACTIVE') return none('The strategy was INACTIVE.')
  if (nextRunAt !== null && nextRunAt.getTime() <= atMs) return { ...none(pendingText), outcome: 'PENDING' }
  return none(unknownText)
}

const pendingText = 'The service has not got to this time yet. A node with the role scheduler does so.'
const unknownText =
  'No record says why. The runs of that time may be deleted, or the clock of a node may have been set.'

function changedText(updatedAt: Date): string {
  return `The strategy was changed later, at ${iso(updatedAt)}. Until then, it was INACTIVE or suspended, or it had another schedule.`
}

/**
 * Why a strategy gets no run now, whatever time it is; `null` if it may get one.
 * @param latest its latest run, if it has one
 */
export function obstacleNow(
  { status, suspension, suspendedUntil }: ScheduledStrategy,
  latest: ScheduledRun | undefined,
  nowMs: number,
): string | null {
  if (status === 'INACTIVE') return 'The strategy is INACTIVE.'
  if (suspension !== null && suspendedUntil !== null && suspendedUntil.getTime() > nowMs) {
    const { run_id: runId, rule } = suspension
    return suspensionText({ runId, rule, untilMs: suspendedUntil.getTime() }, 'is')
  }
  return latest?.status === 'QUEUED' ? waitText(latest, nowMs) : null
}

function waitingAt(runs: readonly ScheduledRun[], atMs: number): ScheduledRun | undefined {
  return runs.find(({ queuedAt, startedAt, finishedAt }) => {
    const endMs = (startedAt ?? finishedAt)?.getTime() ?? Number.POSITIVE_INFINITY
    return queuedAt.getTime() <= atMs && atMs < endMs + startNotedMs
  })
}

function waitText({ id, status, queuedAt, startedAt }: ScheduledRun, atMs: number): string {
  if (status === 'QUEUED')
    return `Run ${id} has waited for its turn since ${iso(queuedAt)}. Until it starts, no further run is queued.`
  const how =
    startedAt !== null && startedAt.getTime() <= atMs ? 'had only just started' : 'still waited for its turn'
  return `Run ${id} ${how}. Until a run has started, no further one is queued.`
}

/** A suspension, in Unix ms. */
type Suspended = { runId: number; rule: string; fromMs: number; untilMs: number }

/** Newest first. Only the latest one is stored; the violations tell how long the others lasted. */
function suspensionsOf({ strategy, violations }: ScheduleFacts): Suspended[] {
  let [count, lastMs] = [0, 0]
  return violations
    .flatMap(({ id, finishedAt, violation }) =>
      finishedAt === null || violation === null
        ? []
        : { id, rule: violation.rule, fromMs: finishedAt.getTime() },
    )
    .toReversed()
    .map(({ id, rule, fromMs }) => {
      count = nextViolationCount(count, lastMs, fromMs)
      lastMs = fromMs
      return { runId: id, rule, fromMs, untilMs: endOf(strategy, id, fromMs + suspensionMs(count)) }
    })
    .toReversed()
}

/** If the owner switches the strategy on, the suspension ends. */
function endOf(
  { suspension, suspendedUntil, updatedAt }: ScheduledStrategy,
  runId: number,
  untilMs: number,
): number {
  if (suspension?.run_id !== runId) return untilMs
  return suspendedUntil?.getTime() ?? Math.min(untilMs, updatedAt.getTime())
}

function suspensionText({ runId, rule, untilMs }: Omit<Suspended, 'fromMs'>, verb: 'is' | 'was'): string {
  return `The strategy ${verb} suspended until ${iso(untilMs)}, because run ${runId} broke the rule ${rule}.`
}

function shown({ id, status }: ScheduledRun): ScheduleTime['run'] {
  return { id, status }
}

/** Whether a time is later than `from`, and not later than `until`. */
function isIn(atMs: number, from: Date | number, until: Date | number): boolean {
  return Number(from) < atMs && atMs <= Number(until)
}

function iso(at: Date | number): string {
  return new Date(at).toISOString()
}
