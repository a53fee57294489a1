import type { Violation } from '@tickwright/sandbox'
import type { HeldStrategy } from './held-strategy.ts'
import type { Journal } from './journal.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { QueuedRun } from './queued-run.ts'
import { suspend } from './strategy-state.ts'

/** A run that takes longer than this is shown as `RUNNING`. */
const showStartAfterMs = 250

/** Shows a run as `RUNNING` if it takes long. The caller clears the timer at its end. */
export function showStart(
  journal: Pick<Journal, 'write'>,
  strategy: HeldStrategy,
  run: QueuedRun,
  startedAtMs: number,
): NodeJS.Timeout {
  return setTimeout(() => {
    const { version } = strategy.settings
    const entry = { kind: 'start', ...entryFields(strategy, run), version, startedAtMs } as const
    // This is only for display, so a failure does no harm.
    journal.write(entry).catch(() => undefined)
  }, showStartAfterMs)
}

/** The fields that every journal entry of a run has. */
export function entryFields({ claim, settings }: HeldStrategy, run: QueuedRun) {
  return { runId: run.id, userId: settings.userId, claim }
}

/** The reason why a run whose turn has come must not start; `undefined` if it may. */
export function reasonToSkip({ state }: HeldStrategy, nowMs: number): string | undefined {
  if (!state.active) return "The strategy was not active when this run's turn came."
  if (state.suspendedUntilMs > nowMs) return "The strategy was suspended when this run's turn came."
  return undefined
}

export function skipped(strategy: HeldStrategy, run: QueuedRun, message: string): FinishEntry {
  return withoutRunning(strategy, run, 'SKIPPED', { name: 'Skipped', message })
}

/** The end of a run that never started. */
export function withoutRunning(
  strategy: HeldStrategy,
  run: QueuedRun,
  status: 'SKIPPED' | 'FAILED',
  { name, message }: { name: string; message: string },
): FinishEntry {
  return {
    kind: 'finish',
    ...entryFields(strategy, run),
    status,
    version: null,
    startedAtMs: null,
    finishedAtMs: Date.now(),
    durationMs: null,
    error: { name, message, line: null, column: null },
    violation: null,
    log: null,
    http: [],
    steps: null,
    seen: null,
    clock: null,
    storage: undefined,
    suspension: null,
  }
}

/** Suspends a strategy because of a violation, and returns the suspension for the journal. */
export function suspendFor(
  { state }: HeldStrategy,
  run: QueuedRun,
  violation: Violation,
  nowMs: number,
): FinishEntry['suspension'] {
  suspend(state, nowMs)
  return {
    untilMs: state.suspendedUntilMs,
    violationCount: state.violationCount,
    why: { run_id: run.id, ...violation },
  }
}
