import { Expiry } from '../approvals/expiry.ts'
import { BacktestWorker } from '../backtests/jobs/worker.ts'
import { startBots } from '../bots/start.ts'
import { simulatedMarket } from '../catalogue/entries.ts'
import { type ExecutorCounts, Node } from '../db/node.ts'
import { mailStop } from '../mail/mailer.ts'
import { SeenPrices } from '../market/seen/seen-prices.ts'
import { Downloader } from '../market/stored/downloader.ts'
import { Retention } from '../ops/retention.ts'
import { holdRun } from '../runs/run-hold.ts'
import { startWorker, type Worker } from '../runs/worker.ts'
import { startSchedules } from '../schedules/start.ts'
import { CallbackTeller } from '../webhooks/callbacks/teller.ts'
import type { Parts } from './parts.ts'

/** The work that this node does on its own. */
export type Work = {
  /** Executes runs, if this node has the role `worker`. */
  worker: Worker | undefined
  /** Downloads candles, if this node has the role `worker`. */
  downloader: Downloader | undefined
  /** This process, as the other nodes see it. Only nodes with the role `worker` or `backtest` hold anything. */
  node: Node
}

/** Starts the work that the roles of this node include. */
export async function startWork(parts: Parts, acquired: AsyncDisposableStack): Promise<Work> {
  const { config, logger, metrics, switchboard, storage, market, live } = parts
  const { database } = storage
  let worker: Worker | undefined
  const node = new Node(database, { roles: config.roles, executors: () => countsOf(worker) })
  await node.start((err) => logger.error({ err }, 'heartbeat failed'))
  acquired.defer(() => node.stop())
  let downloader: Downloader | undefined
  if (config.roles.has('worker')) {
    startSeenPrices(parts, acquired)
    worker = await startWorkers(parts, node, acquired)
    downloader = startDownloads(parts, node, acquired)
  }
  // Test runs and backtests are code of users, too. Their sandboxes open only with the first of them.
  else if (config.demandsFullContainment && (config.roles.has('api') || config.roles.has('backtest')))
    await tryContainment(parts)
  if (config.roles.has('backtest')) await startBacktests(parts, node, acquired)
  if (config.roles.has('scheduler')) {
    const retention = new Retention(database, config.retentionDays, (err) =>
      logger.error({ err }, 'retention failed'),
    )
    retention.start()
    acquired.defer(() => retention.stop())
    const expiry = new Expiry({
      database,
      announce: live.announce,
      onError: (err) => logger.error({ err }, 'expired approvals not ended'),
    })
    expiry.start()
    acquired.defer(() => expiry.stop())
  }
  const schedules = await startSchedules({
    config,
    database,
    market: market.feed,
    prices: market.prices,
    candles: market.candles,
    catalogue: market.catalogue,
    metrics,
    logger,
    handOver: (runs) => switchboard.queued(runs),
  })
  acquired.use(schedules)
  return { worker, downloader, node }
}

/** Keeps the prices that the strategies of this node see, except those of a candle file or of a simulated exchange. */
function startSeenPrices(
  { config, storage: { database }, stored, market: { feed }, logger }: Parts,
  acquired: AsyncDisposableStack,
): void {
  if (config.seenCandles === 0 || feed.kind === 'replay') return
  const seen = new SeenPrices({
    ...{ database, store: stored, most: config.seenCandles },
    isKept: ({ exchange }) => feed.kind === 'live' || exchange === simulatedMarket.exchange,
    onError: (err) => logger.error({ err }, 'seen prices not stored'),
  })
  feed.onSeen((venue, symbol, quote) => seen.see(venue, symbol, quote))
  seen.start()
  acquired.defer(() => seen.stop())
}

function startDownloads(
  { storage: { database }, stored, market, logger }: Parts,
  node: Node,
  acquired: AsyncDisposableStack,
): Downloader {
  const downloader = new Downloader({
    ...{ database, node, store: stored, source: market.history },
    onError: (err) => logger.error({ err }, 'download held up'),
  })
  downloader.start()
  acquired.defer(() => downloader.stop())
  return downloader
}

/** @throws if this machine cannot contain code as the settings demand */
async function tryContainment({ code }: Parts): Promise<void> {
  await using _ = await code.openSandbox({ executors: 1 })
}

function countsOf(worker: Worker | undefined): ExecutorCounts | undefined {
  if (worker === undefined) return undefined
  const { executors, alive, running, queued } = worker.executors()
  return { executors, alive, running, queued }
}

/** Executes backtests, at a lower priority than everything else. */
async function startBacktests(parts: Parts, node: Node, acquired: AsyncDisposableStack): Promise<void> {
  const { config, storage, logger, news, live, code, ai } = parts
  const backtests = new BacktestWorker({
    ...{ config, database: storage.database, vault: storage.vault, node, ai },
    ...{ subscribers: news.audience, announce: live.announce, send: code.outside.send },
    onError: (err, backtestId) => logger.error({ err, backtestId }, 'backtest held up'),
  })
  await backtests.start()
  acquired.defer(() => backtests.stop())
}

/** Has bots follow signals, and executes the runs of strategies. */
async function startWorkers(parts: Parts, node: Node, acquired: AsyncDisposableStack): Promise<Worker> {
  const { config, storage, logger, metrics, news, strategies, switchboard, market, ai, code, trading, live } =
    parts
  const { database, vault } = storage
  const { audience, mailer } = news
  const callbacks = new CallbackTeller({
    database,
    onTold: audience.onTold,
    onError: (err) => logger.error({ err }, 'callbacks held up'),
  })
  callbacks.start()
  acquired.defer(() => callbacks.stop())
  switchboard.connectCallbacks(callbacks)
  const bots = await startBots({
    config,
    database,
    node,
    market: market.feed,
    candles: market.candles,
    rates: market.history,
    prices: market.prices,
    catalogue: market.catalogue,
    connections: trading.connections,
    whyHalted: (purpose) => trading.tradingSwitch.whyHaltedIfKnown(purpose),
    isLiveAllowed: trading.isLiveAllowed,
    subscribers: audience,
    onChange: (change) => {
      live.announce(change)
      callbacks.noticed(change)
    },
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
    charts: market.charts,
    aiConnections: ai.connections,
    providers: ai.providers,
    aiBudgets: ai.budgets,
    changes: parts.changes,
    onBots: (botIds) => switchboard.signalled(botIds),
    deactivate: async (id, runId, notify) => {
      await strategies.deactivate(id, async (tx, stopped) => {
        // Where the run has been given up, its owner may have activated the strategy again.
        if ((await holdRun(tx, { id: runId, strategyId: id }, node.id)) === undefined) {
          throw new Error('The strategy was not stopped, because another node takes over this run.')
        }
        if (notify) await mailStop(tx, stopped, runId)
      })
      if (notify) mailer.told()
    },
    audience,
    announce: live.announce,
  })
  acquired.defer(() => worker.stop())
  switchboard.connectWorker(worker)
  return worker
}
