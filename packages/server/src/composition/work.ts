import { startBots } from '../bots/start.ts'
import { Node } from '../db/node.ts'
import { mailStop } from '../mail/mailer.ts'
import { Retention } from '../ops/retention.ts'
import { startWorker } from '../runs/worker.ts'
import { startSchedules } from '../schedules/start.ts'
import type { Parts } from './parts.ts'

/** Starts what this node does by itself, by its roles. */
export async function startWork(parts: Parts, acquired: AsyncDisposableStack): Promise<void> {
  const { config, database, logger, switchboard } = parts
  if (config.roles.has('worker')) await startWorkers(parts, acquired)
  if (config.roles.has('scheduler')) {
    const retention = new Retention(database, config.retentionDays, (err) =>
      logger.error({ err }, 'retention failed'),
    )
    retention.start()
    acquired.defer(() => retention.stop())
  }
  acquired.use(await startSchedules({ ...parts, handOver: (runs) => switchboard.queued(runs) }))
}

/** Works off runs of strategies, and signals of bots. */
async function startWorkers(parts: Parts, acquired: AsyncDisposableStack): Promise<void> {
  const { database, logger, news, strategies, switchboard, tradingSwitch } = parts
  const { audience, mailer } = news
  const node = new Node(database)
  await node.start((err) => logger.error({ err }, 'heartbeat failed'))
  acquired.defer(() => node.stop())
  const bots = await startBots({
    ...parts,
    node,
    subscribers: audience,
    isHalted: () => tradingSwitch.isHaltedNow(),
  })
  acquired.defer(() => bots.stop())
  switchboard.bots = bots
  const worker = await startWorker({
    ...parts,
    node,
    audience,
    onBots: (botIds) => switchboard.signalled(botIds),
    deactivate: async (id, runId, notify) => {
      await strategies.deactivate(id, notify ? (tx, stopped) => mailStop(tx, stopped, runId) : undefined)
      if (notify) mailer.told()
    },
  })
  acquired.defer(() => worker.stop())
  switchboard.worker = worker
}
