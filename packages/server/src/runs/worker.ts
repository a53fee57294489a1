import { totalmem } from 'node:os'
import type { SandboxStats } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import type { Announce } from '../live/changes.ts'
import type { PartHealth } from '../ops/health.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { OutsideParts } from '../outgoing/outside.ts'
import type { Vault } from '../secrets/vault.ts'
import { Signals } from '../signals/signals.ts'
import { ApprovalRequests } from './approval-requests.ts'
import { Dispatcher } from './dispatcher.ts'
import { type ExecutionParts, execute } from './execution.ts'
import type { HeldStrategy } from './held-strategy.ts'
import { Journal } from './journal.ts'
import type { Audience } from './journal-events.ts'
import type { FinishEntry } from './journal-statement.ts'
import { Leases } from './leases.ts'
import { StrategyLogs } from './model-logs.ts'
import { modelTextsOf } from './model-texts.ts'
import type { QueuedRun } from './queued-run.ts'
import type { OpenSandbox } from './sandbox.ts'
import { standingOf } from './standing.ts'
import { executeModelRun, type ThinkingParts } from './thinking.ts'
import { Transcripts } from './transcripts.ts'

export type WorkerParts = {
  config: Pick<Config, 'sandboxExecutors' | 'probationPriority'>
  database: Database
  /** This process, alive until after this worker has stopped. */
  node: Node
  vault: Vault
  logger: Logger
  metrics: Metrics
  openSandbox: OpenSandbox
  outside: OutsideParts
  prices: ThinkingParts['prices']
  charts: ThinkingParts['charts']
  aiConnections: ThinkingParts['connections']
  providers: ThinkingParts['providers']
  aiBudgets: ThinkingParts['budgets']
  changes: ThinkingParts['changes']
  deactivate: ExecutionParts['deactivate']
  /** Called with the bots that have signals to follow. */
  onBots(botIds: number[]): void
  audience: Audience
  announce: Announce
}

/** When the service stops, a model call has this long to finish. Then it is cancelled. */
const thinkingGraceMs = 3_000

/** The part of a process that executes runs. */
export type Worker = Pick<Dispatcher, 'offer' | 'look' | 'changed'> & {
  health(): PartHealth
  executors(): SandboxStats
  /** Finishes the current runs and releases every strategy. */
  stop(): Promise<void>
}

/** Starts the sandbox and everything that executes runs in it. Looks for runs that an earlier process left. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  await using acquired = new AsyncDisposableStack()
  const { config, database, node, logger, metrics } = parts
  const sandbox = await parts.openSandbox({
    executors: config.sandboxExecutors,
    probation: true,
    probationPriority: config.probationPriority,
    warmIsolates: warmIsolates(config.sandboxExecutors, memoryBytes()),
  })
  acquired.defer(() => sandbox.close())

  const leases = new Leases(database, node)
  acquired.defer(() => leases.stop())
  const journal = new Journal(
    database,
    node.id,
    (err) => logger.error({ err }, 'journal waits for the database'),
    parts.onBots,
    parts.audience,
    parts.announce,
  )
  acquired.defer(() => journal.drain())

  const execution: ExecutionParts = {
    sandbox,
    vault: parts.vault,
    journal,
    outside: parts.outside,
    prices: parts.prices,
    deactivate: async (strategyId, runId, notify) => {
      await parts.deactivate(strategyId, runId, notify)
      logger.info({ strategyId, runId, notify }, 'strategy stopped itself')
    },
    onSignal: ({ settings }, { id, action, symbols, price }) =>
      logger.info({ strategyId: settings.id, signalId: id, action, symbols, price }, 'signal'),
  }
  const thinking: ThinkingParts = {
    ...execution,
    prices: parts.prices,
    connections: parts.aiConnections,
    providers: parts.providers,
    budgets: parts.aiBudgets,
    changes: parts.changes,
    transcripts: new Transcripts(database, node.id, {
      mail: () => parts.audience.onTold(),
      retry: (err) => logger.error({ err }, 'transcripts wait for the database'),
    }),
    approvals: new ApprovalRequests(
      database,
      node.id,
      () => parts.audience.onTold(),
      (err) => logger.error({ err }, 'approvals wait for the database'),
      parts.announce,
    ),
    logs: new StrategyLogs(database, new Signals(database)),
    standing: standingOf(database),
    textsOf: modelTextsOf(database),
    charts: parts.charts,
  }
  const stopping = new AbortController()
  const dispatcher = new Dispatcher({
    database,
    leases,
    journal,
    execute: (strategy, run) =>
      strategy.settings.llm === null
        ? execute(execution, strategy, run)
        : executeModelRun(thinking, strategy, strategy.settings.llm, run, stopping.signal),
    onFinished: (strategy, run, finish) => report(logger, metrics, strategy, run, finish),
    onError: (err, strategyId) => logger.error({ err, strategyId }, 'runs are delayed'),
  })
  await dispatcher.start()
  acquired.defer(async () => {
    const timer = setTimeout(() => stopping.abort(), thinkingGraceMs)
    await dispatcher.stop()
    clearTimeout(timer)
  })
  metrics.gauge('tickwright_run_queues', 'Strategies that this process works on.', () => dispatcher.runQueues)
  metrics.gauge('tickwright_executors_alive', 'Executor processes.', () => sandbox.stats().alive)

  const kept = acquired.move()
  return {
    offer: (runs) => dispatcher.offer(runs),
    look: (ids) => dispatcher.look(ids),
    changed: (what) => dispatcher.changed(what),
    health: () => {
      const stats = sandbox.stats()
      return { ready: stats.alive > 0 && node.mayWork(), ...stats }
    },
    executors: () => sandbox.stats(),
    stop: () => kept.disposeAsync(),
  }
}

/** The approximate memory of a warm isolate. */
const isolateBytes = 4 * 1024 * 1024

/**
 * The number of isolates that each executor keeps warm. Together they take a quarter of the memory: without a warm
 * isolate, a run takes ten times as long to start.
 */
export function warmIsolates(executors: number, totalBytes: number): number {
  return Math.min(512, Math.max(16, Math.floor(totalBytes / 4 / isolateBytes / executors)))
}

/** The memory that this process may use: the machine's, or less in a container. */
function memoryBytes(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}

function report(
  logger: Logger,
  metrics: Metrics,
  { settings }: HeldStrategy,
  run: QueuedRun,
  finish: FinishEntry,
): void {
  metrics.runs.inc({ status: finish.status })
  if (finish.durationMs !== null) metrics.runSeconds.observe(finish.durationMs / 1000)
  const fields = {
    strategyId: settings.id,
    runId: run.id,
    status: finish.status,
    durationMs: finish.durationMs,
  }
  // Most runs succeed, and a line for each would hide the others. A strategy without a price skips a run each time it is
  // due: the record of the run says why, and the market logs the outage once.
  if (finish.status === 'SUCCEEDED' || finish.status === 'SKIPPED') logger.debug(fields, 'run ended')
  else logger.info({ ...fields, error: finish.error?.name, violation: finish.violation }, 'run ended')
}
