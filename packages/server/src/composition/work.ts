import { startBots } from '../bots/start.ts'
import { Node } from '../db/node.ts'
import { mailStop } from '../mail/mailer.ts'
import { Retention } from '../ops/retention.ts'
import { startWorker, type Worker } from '../runs/worker.ts'
import { startSchedules } from '../schedules/start.ts'
import type { Parts } from './parts.ts'

/** The work that this node does on its own. */
export type Work = {
  /** Executes runs, if this node has the role `worker`. */
  worker: Worker | undefined
}

/** Starts the work that the roles of this node include. */
export async function startWork(parts: Parts, acquired: AsyncDisposableStack): Promise<Work> {
  const { config, logger, metrics, switchboard, storage, market } = parts
  const { database } = storage
  const worker = config.roles.has('worker') ? await startWorkers(parts, acquired) : undefined
  if (config.roles.has('scheduler')) {
    const retention = new Retention(database, config.retentionDays, (err) =>
      logger.error({ err }, 'retention failed'),
    )
    retention.start()
    acquired.defer(() => retention.stop())
  }
  const schedules = await startSchedules({
    config,
    database,
    market: market.feed,
    prices: market.prices,
    catalogue: market.catalogue,
    metrics,
    logger,
    handOver: (runs) => switchboard.queued(runs),
  })
  acquired.use(schedules)
  return { worker }
}

/** Has bots follow signals, and executes the runs of strategies. */
async function startWorkers(parts: Parts, acquired: AsyncDisposableStack): Promise<Worker> {
  const { config, storage, logger, metrics, news, strategies, switchboard, market, ai, code, trading } = parts
  const { database, vault } = storage
  const { audience, mailer } = news
  const node = new Node(database)
  await node.start((err) => logger.error({ err }, 'heartbeat failed'))
  acquired.defer(() => node.stop())
  const bots = await startBots({
    config,
    database,
    node,
    market: market.feed,
    prices: market.prices,
    catalogue: market.catalogue,
    connections: trading.connections,
    isHalted: () => trading.tradingSwitch.isHaltedNow(),
    isLiveAllowed: trading.isLiveAllowed,
    subscribers: audience,
    metrics,
    logger,
  })
  acquired.defer(() => bots.stop())
  switchboard.connectBots(bots)
  const worker = await startWorker({
    config,
    database,
    node,
    vault,
    logger,
    metrics,
    openSandbox: code.openSandbox,
    outside: code.outside,
    prices: market.prices,
    aiConnections: ai.connections,
    providers: ai.providers,
    aiBudgets: ai.budgets,
    onBots: (botIds) => switchboard.signalled(botIds),
    deactivate: async (id, runId, notify) => {
      await strategies.deactivate(id, notify ? (tx, stopped) => mailStop(tx, stopped, runId) : undefined)
      if (notify) mailer.told()
    },
    audience,
  })
  acquired.defer(() => worker.stop())
  switchboard.connectWorker(worker)
  return worker
}
