import type { Logger } from 'pino'
import { Outage } from '../base/outage.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { MarketCandles } from '../market/candles/market-candles.ts'
import type { Market } from '../market/market.ts'
import type { StrategyPrices } from '../market/strategy-prices.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { Firing } from './firing.ts'
import { Scheduler } from './scheduler.ts'
import { Ticks } from './ticks.ts'
import { UpcomingPrices } from './upcoming-prices.ts'

export type SchedulesParts = {
  config: Pick<Config, 'roles'>
  database: Database
  market: Market
  prices: StrategyPrices
  candles: MarketCandles
  catalogue: Pick<Catalogue, 'find'>
  metrics: Metrics
  logger: Logger
  /** Receives the stored runs, right after their commit. */
  handOver(runs: QueuedRun[]): void
}

/** Starts the work with schedules and prices that belongs to this node's roles. It ends when the result is disposed of. */
export async function startSchedules(parts: SchedulesParts): Promise<AsyncDisposable> {
  await using acquired = new AsyncDisposableStack()
  const { roles } = parts.config
  if (roles.has('scheduler')) await startScheduler(parts, acquired)
  if (roles.has('market')) await startTicks(parts, acquired)
  if (roles.has('worker')) startUpcomingPrices(parts, acquired)
  return acquired.move()
}

async function startScheduler(
  { database, metrics, logger, handOver }: SchedulesParts,
  acquired: AsyncDisposableStack,
): Promise<void> {
  const scheduler = new Scheduler({
    database,
    handOver,
    ...outageLog(logger, 'schedules held up', 'schedules go on'),
    onUnreadable: (err) => logger.error({ err }, 'a schedule cannot be read'),
    onFired: (lagsMs) => {
      for (const lagMs of lagsMs) metrics.scheduleLagSeconds.observe(lagMs / 1000)
    },
  })
  await scheduler.start()
  acquired.defer(() => scheduler.stop())
}

async function startTicks(
  { database, market, catalogue, metrics, logger, handOver }: SchedulesParts,
  acquired: AsyncDisposableStack,
): Promise<void> {
  const ticks = new Ticks({
    database,
    firing: new Firing(database),
    market,
    findExchange: (id) => catalogue.find(id),
    handOver,
    ...outageLog(logger, 'ticks held up', 'ticks go on'),
  })
  await ticks.start()
  acquired.defer(() => ticks.stop())
  metrics.gauge(
    'tickwright_symbols_followed',
    'Symbols whose prices trigger strategies.',
    () => ticks.followed,
  )
}

function startUpcomingPrices(
  { database, prices, candles, logger }: SchedulesParts,
  acquired: AsyncDisposableStack,
): void {
  const upcoming = new UpcomingPrices({
    database,
    ...{ prices, candles },
    ...outageLog(logger, 'prices not asked for in advance', 'prices asked for in advance again'),
  })
  upcoming.start()
  acquired.defer(() => upcoming.stop())
}

/** Logs the first failure of work that is tried again and again, and its recovery. */
function outageLog(logger: Logger, begin: string, end: string) {
  const outage = new Outage()
  return {
    onError: (err: unknown) => {
      if (outage.failed()) logger.error({ err }, begin)
    },
    onSuccess: () => {
      if (outage.worked()) logger.info(end)
    },
  }
}
