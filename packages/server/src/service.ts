import { SyntaxChecker } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import { ensureAdministrator, type FirstStart } from './accounts/administrator.ts'
import { ApiKeys } from './accounts/api-keys.ts'
import { apiKeyRoutes } from './accounts/routes.ts'
import { createCatalogue } from './catalogue/catalogue.ts'
import { exchangeRoutes } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { openDatabase } from './db/open.ts'
import { Folders } from './folders/folders.ts'
import { folderRoutes } from './folders/routes.ts'
import { OutgoingHttp } from './host/outgoing-http.ts'
import type { OutsideParts } from './host/outside.ts'
import { createSigner } from './host/signing.ts'
import { buildApp } from './http/app.ts'
import type { App } from './http/types.ts'
import { ExchangeRates } from './market/exchange-rates.ts'
import type { Market } from './market/market.ts'
import { openMarket } from './market/open-market.ts'
import { StrategyPrices } from './market/strategy-prices.ts'
import type { PartHealth } from './ops/health.ts'
import { createLogger } from './ops/logger.ts'
import { Metrics } from './ops/metrics.ts'
import { Retention } from './ops/retention.ts'
import { opsRoutes } from './ops/routes.ts'
import { type Change, tellOfChange, tellOfRuns } from './runs/dispatcher.ts'
import type { QueuedRun } from './runs/queued-run.ts'
import { runRoutes } from './runs/routes.ts'
import { Runs } from './runs/runs.ts'
import { sandboxOpener } from './runs/sandbox.ts'
import { startWorker, type Worker } from './runs/worker.ts'
import { tellOfSchedules } from './schedules/schedules.ts'
import { startSchedules } from './schedules/start.ts'
import { openVault } from './secrets/open.ts'
import { signalRoutes } from './signals/routes.ts'
import { Signals } from './signals/signals.ts'
import { type Example, makeExample } from './strategies/example.ts'
import { strategyKinds } from './strategies/kinds.ts'
import { folderContent, strategyRoutes, webhookReactionRoutes } from './strategies/routes.ts'
import { Strategies } from './strategies/strategies.ts'
import { testRunRoutes } from './test-runs/routes.ts'
import { TestRuns } from './test-runs/test-runs.ts'
import { Trials } from './test-runs/trials.ts'
import { variableRoutes } from './variables/routes.ts'
import { Variables } from './variables/variables.ts'
import { dataWebhookRoutes } from './webhooks/data-webhook-routes.ts'
import { DataWebhooks } from './webhooks/data-webhooks.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { Ingestion } from './webhooks/ingestion.ts'
import { ingestionRoutes } from './webhooks/ingestion-routes.ts'
import { TokenBuckets } from './webhooks/token-buckets.ts'

/** A service that is ready but listens nowhere yet. */
export type Service = AsyncDisposable & {
  app: App
  logger: Logger
  /** What a first start made, to be shown once. */
  firstStart: (FirstStart & { example: Example | undefined }) | undefined
  /** Stops accepting, finishes or hands back what is under way, and closes everything; once. */
  close(): Promise<void>
}

/** Builds every part of the service and hands each what it needs: the one place where they meet. */
export async function createService(
  config: Config,
  logger = createLogger(config.logLevel),
): Promise<Service> {
  await using acquired = new AsyncDisposableStack()
  const metrics = new Metrics()
  const database = await openDatabase(config, acquired, (err) => logger.error({ err }, 'database in trouble'))
  const vault = await openVault(config, database)
  const keys = await ApiKeys.open(database, vault, config.timestampToleranceSeconds)
  const catalogue = await createCatalogue(database, {
    onError: (err) => logger.error({ err }, 'exchange settings not refreshed'),
  })
  acquired.defer(() => catalogue.close())
  const webhooks = await DataWebhooks.open(database, vault, config.publicUrl)

  const market = await openMarket(config, logger)
  acquired.defer(() => market.close())
  metrics.gauge('tickwright_symbols_watched', 'Symbols whose prices are watched.', () => market.watched)

  // The worker needs to switch strategies off, and strategies need to tell the worker of changes.
  let worker: Worker | undefined
  const onChange = (change: Change) =>
    worker === undefined ? tellOfChange(database, change) : worker.changed(change)
  const syntax = new SyntaxChecker()
  acquired.defer(() => syntax.close())
  const strategies = new Strategies({
    database,
    syntax,
    exchangeExists: (id) => catalogue.find(id) !== undefined,
    onChange: (strategyId) => onChange({ strategyId }),
    onSchedule: () => {
      tellOfSchedules(database).catch((err: unknown) => logger.error({ err }, 'schedulers not told'))
    },
  })
  const folders = new Folders({ database, onChange: (userId) => onChange({ userId }) })
  const variables = new Variables({ database, vault, onChange: (userId) => onChange({ userId }) })
  const outgoing = new OutgoingHttp({ publicUrl: config.publicUrl, allow: config.httpAllow })
  acquired.defer(() => outgoing.close())
  const outside: OutsideParts = {
    send: (ownerId, request, signal) => outgoing.request(ownerId, request, signal),
    rates: new ExchangeRates(market, catalogue),
    sign: createSigner(),
  }
  const prices = new StrategyPrices(market, catalogue)
  const openSandbox = sandboxOpener(config, logger)
  if (config.roles.has('worker')) {
    worker = await startWorker({
      config,
      database,
      vault,
      logger,
      metrics,
      openSandbox,
      outside,
      prices,
      deactivate: (id) => strategies.deactivate(id),
    })
    acquired.defer(() => worker?.stop())
  }

  const handOver = (runs: QueuedRun[]) => {
    if (worker !== undefined) worker.offer(runs)
    else tell(new Set(runs.map((run) => run.strategyId)))
  }
  const tell = (ids: Set<number>) => {
    tellOfRuns(database, [...ids]).catch((err: unknown) => logger.error({ err }, 'workers not told of runs'))
  }
  const deliveries = new Deliveries(database, (ids) =>
    worker === undefined ? tell(new Set(ids)) : worker.look(ids),
  )
  const ingestion = new Ingestion(database, handOver)
  acquired.defer(() => ingestion.drain())
  if (config.roles.has('scheduler')) {
    const retention = new Retention(database, config.retentionDays, (err) =>
      logger.error({ err }, 'retention failed'),
    )
    retention.start()
    acquired.defer(() => retention.stop())
  }

  acquired.use(
    await startSchedules({ config, database, market, prices, catalogue, metrics, logger, handOver }),
  )

  const firstStart = await ensureAdministrator(database, keys, config.administrator)
  const example =
    firstStart !== undefined && config.example
      ? await makeExample(firstStart.userId, webhooks, strategies, catalogue.simulated.id)
      : undefined

  const servesApi = config.roles.has('api')
  const testRuns = new TestRuns(() => openSandbox({ executors: 1, warmIsolates: 0 }), outside)
  acquired.defer(() => testRuns.close())
  const trials = new Trials({
    testRuns,
    strategies,
    prices,
    environment: (userId, folderId) => variables.applying(userId, folderId),
  })
  const app = await buildApp({
    logger,
    authenticate: keys.authenticate,
    market: market.kind,
    onResponse: (route, status, seconds) => metrics.requestSeconds.observe({ route, status }, seconds),
    openRoutes: [
      opsRoutes({ metrics, health: () => health(database, market, worker) }),
      ...(servesApi
        ? [
            ingestionRoutes({
              webhooks,
              ingestion,
              rateLimits: new TokenBuckets(config.webhookRate, config.webhookBurst),
              rechecks: new TokenBuckets(20, 100),
              payloadByteLimit: config.payloadByteLimit,
            }),
          ]
        : []),
    ],
    apiRoutes: servesApi
      ? [
          exchangeRoutes(catalogue),
          apiKeyRoutes(keys),
          dataWebhookRoutes(webhooks, deliveries),
          ...strategyKinds.flatMap((kind) => [
            strategyRoutes(strategies, kind),
            folderRoutes(folders, folderContent(strategies, kind)),
          ]),
          webhookReactionRoutes(strategies, webhooks),
          variableRoutes(variables),
          testRunRoutes(trials),
          runRoutes(new Runs(database), strategies),
          signalRoutes(new Signals(database)),
        ]
      : [],
  })
  acquired.defer(() => app.close())
  const kept = acquired.move()
  return {
    app,
    logger,
    firstStart: firstStart && { ...firstStart, example },
    close: () => kept.disposeAsync(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function health(
  database: Database,
  market: Market,
  worker: Worker | undefined,
): Promise<Record<string, PartHealth>> {
  const databaseReady = await database.db.execute('select 1').then(
    () => true,
    () => false,
  )
  return {
    database: { ready: databaseReady, kind: database.kind },
    market: { ready: true, kind: market.kind, watched: market.watched },
    ...(worker === undefined ? {} : { worker: worker.health() }),
  }
}
