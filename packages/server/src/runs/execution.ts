import type { RunOutcome, Sandbox } from '@tickwright/sandbox'
import { roundMs } from '../base/durations.ts'
import type { HttpCall } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { openVariables, UnreadableVariable } from '../variables/sealed-variables.ts'
import type { HeldStrategy } from './held-strategy.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { QueuedRun } from './queued-run.ts'
import { entryFields, reasonToSkip, showStart, skipped, suspendFor, withoutRunning } from './record.ts'
import { type HostParts, runHost } from './run-host.ts'
import { type Seen, seenToKeep } from './seen.ts'
import { fittingSteps } from './steps.ts'
import { setStorage } from './strategy-state.ts'

export type ExecutionParts = HostParts & { sandbox: Sandbox; vault: Vault }

/** Executes one run of code and updates the state of `strategy`. The caller writes the returned record. */
export async function execute(
  parts: ExecutionParts,
  strategy: HeldStrategy,
  run: QueuedRun,
): Promise<FinishEntry> {
  const { settings, state } = strategy
  const why = reasonToSkip(strategy, Date.now())
  if (why !== undefined) return skipped(strategy, run, why)
  let env: Record<string, string>
  try {
    env = openVariables(parts.vault, settings.userId, settings.variables)
  } catch (error) {
    if (!(error instanceof UnreadableVariable)) throw error
    return withoutRunning(strategy, run, 'FAILED', error)
  }
  const price = settings.usePrice ? await parts.prices.current(settings) : null
  if (price !== null && 'reason' in price) return skipped(strategy, run, price.reason)
  const startedAtMs = Date.now()
  const shown = showStart(parts.journal, strategy, run, startedAtMs)
  const lastTrigger = run.earlierSignal?.previousTrigger ?? state.lastTrigger
  const seen = { price, storage: state.storage, lastTrigger }
  const { host, httpCalls, signalId } = runHost(parts, strategy, run, env, price?.price ?? null)
  const outcome = await parts.sandbox
    .run({
      strategyId: settings.id,
      code: settings.code,
      input: {
        strategy: {
          id: settings.id,
          type: settings.type === 'code-strategy' ? settings.type : 'code-reaction',
          signal: settings.sendSignal ? { symbols: settings.symbols, lastTrigger } : null,
        },
        storage: seen.storage,
        request: run.request,
        price,
        env,
      },
      host,
    })
    .finally(() => clearTimeout(shown))
  if (outcome.storage !== undefined) setStorage(state, outcome.storage)
  const finishedAtMs = Date.now()
  const entry = finished(strategy, run, { outcome, seen, httpCalls, startedAtMs, finishedAtMs })
  return { ...entry, ...knownOf(run, signalId()) }
}

function knownOf(
  { stored, trigger }: QueuedRun,
  signalId: number | null | undefined,
): Pick<FinishEntry, 'known'> {
  return stored === undefined || signalId === undefined ? {} : { known: { ...stored, trigger, signalId } }
}

/** The status in the record, for each outcome in the sandbox. */
export const statusOf = {
  completed: 'SUCCEEDED',
  failed: 'FAILED',
  interrupted: 'FAILED',
  violation: 'VIOLATION',
} as const satisfies Record<RunOutcome['status'], FinishEntry['status']>

type Executed = {
  outcome: RunOutcome
  seen: Seen
  httpCalls: readonly HttpCall[]
  startedAtMs: number
  finishedAtMs: number
}

function finished(
  strategy: HeldStrategy,
  run: QueuedRun,
  { outcome, seen, httpCalls, startedAtMs, finishedAtMs }: Executed,
): FinishEntry {
  const fields = entryFields(strategy, run)
  return {
    kind: 'finish',
    ...fields,
    status: statusOf[outcome.status],
    version: strategy.settings.version,
    startedAtMs,
    finishedAtMs,
    durationMs: roundMs(outcome.durationMs),
    error: outcome.error,
    violation: outcome.violation,
    log: outcome.log === '' ? null : outcome.log,
    http: [...httpCalls],
    steps: outcome.steps && fittingSteps(outcome.steps),
    clock: outcome.clock,
    seen: seenToKeep(fields, seen, outcome.status !== 'completed', finishedAtMs),
    storage: outcome.storage,
    suspension:
      outcome.violation === null ? null : suspendFor(strategy, run, outcome.violation, finishedAtMs),
  }
}
