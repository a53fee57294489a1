import type { Violation } from '@tickwright/sandbox'
import type { Journal } from './journal.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { HeldStrategy } from './leases.ts'
import type { QueuedRun } from './queued-run.ts'
import { nextViolationCount, suspensionMs } from './suspension.ts'

/** A run that takes longer than this is shown as `RUNNING` while it does. */
const showStartAfterMs = 250

/** Shows a run as under way if it takes long; to be cleared at its end. */
export function showStart(
  journal: Pick<Journal, 'write'>,
  strategy: HeldStrategy,
  run: QueuedRun,
  startedAtMs: number,
): NodeJS.Timeout {
  return setTimeout(() => {
    const entry = { kind: 'start', ...whose(strategy, run), startedAtMs } as const
    // Only for show: what becomes of the run is written at its end.
    journal.write(entry).catch(() => undefined)
  }, showStartAfterMs)
}

/** What each entry of a run's record begins with. */
export function whose(strategy: HeldStrategy, run: QueuedRun) {
  return { runId: run.id, strategyId: run.strategyId, userId: strategy.userId, claim: strategy }
}

/** Why a run whose turn has come must not begin, if so. */
export function reasonToSkip(strategy: HeldStrategy, nowMs: number): string | undefined {
  if (!strategy.active) return 'The strategy was not active when the turn of this run came.'
  if (strategy.suspendedUntilMs > nowMs) return 'The strategy was suspended when the turn of this run came.'
  return undefined
}

export function skipped(strategy: HeldStrategy, run: QueuedRun, message: string): FinishEntry {
  return withoutRunning(strategy, run, 'SKIPPED', { name: 'Skipped', message })
}

/** The end of a run that has not begun. */
export function withoutRunning(
  strategy: HeldStrategy,
  run: QueuedRun,
  status: 'SKIPPED' | 'FAILED',
  { name, message }: { name: string; message: string },
): FinishEntry {
  return {
    kind: 'finish',
    ...whose(strategy, run),
    status,
    startedAtMs: null,
    finishedAtMs: Date.now(),
    durationMs: null,
    error: { name, message, line: null, column: null },
    violation: null,
    log: null,
    http: [],
    storage: undefined,
    suspension: null,
  }
}

/** Suspends a strategy for what its run broke. */
export function suspend(
  strategy: HeldStrategy,
  run: QueuedRun,
  violation: Violation,
  nowMs: number,
): FinishEntry['suspension'] {
  strategy.violationCount = nextViolationCount(strategy.violationCount, strategy.lastViolationAtMs, nowMs)
  strategy.lastViolationAtMs = nowMs
  strategy.suspendedUntilMs = nowMs + suspensionMs(strategy.violationCount)
  return {
    untilMs: strategy.suspendedUntilMs,
    violationCount: strategy.violationCount,
    why: { run_id: run.id, ...violation },
  }
}
