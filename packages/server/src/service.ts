import { SyntaxChecker } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import { ensureAdministrator, type FirstStart } from './accounts/administrator.ts'
import { ApiKeys } from './accounts/api-keys.ts'
import { apiKeyRoutes } from './accounts/routes.ts'
import { Bots } from './bots/bots.ts'
import { botRecordRoutes, recordRoutes } from './bots/record-routes.ts'
import { Records } from './bots/records.ts'
import { botRoutes } from './bots/routes.ts'
import { startBots } from './bots/start.ts'
import { type BotWorker, tellOfBots } from './bots/worker.ts'
import { createCatalogue } from './catalogue/catalogue.ts'
import { exchangeRoutes } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import { ExchangeConnections } from './connections/exchange-connections.ts'
import { exchangeConnectionRoutes } from './connections/routes.ts'
import { tradingRoutes } from './connections/trading-routes.ts'
import { TradingSwitch } from './connections/trading-switch.ts'
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
import { Node } from './runs/node.ts'
import type { QueuedRun } from './runs/queued-run.ts'
import { runRoutes } from './runs/routes.ts'
import { Runs } from './runs/runs.ts'
import { sandboxOpener } from './runs/sandbox.ts'
import { startWorker, type Worker } from './runs/worker.ts'
import { tellOfSchedules } from './schedules/schedules.ts'
import { startSchedules } from './schedules/start.ts'
import { openVault } from './secrets/open.ts'
import { OutsideSignals } from './signals/outside-signals.ts'
import { signalRoutes } from './signals/routes.ts'
import { Signals } from './signals/signals.ts'
import { type Example, makeExample } from './strategies/example.ts'
import { strategyKinds } from './strategies/kinds.ts'
import { folderContent, strategyRoutes, webhookReactionRoutes } from './strategies/routes.ts'
import { Strategies } from './strategies/strategies.ts'
import { testRunRoutes } from './test-runs/routes.ts'
import { TestRuns } from './test-runs/test-runs.ts'
import { Trials } from './test-runs/trials.ts'
import { checkCredentials, credentialFields } from './trading/live/credentials.ts'
import { variableRoutes } from './variables/routes.ts'
import { Variables } from './variables/variables.ts'
import { BotWebhooks } from './webhooks/bot-webhooks.ts'
import { DataWebhooks } from './webhooks/data-webhooks.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { Ingestion } from './webhooks/ingestion.ts'
import { ingestionRoutes, signalIngestionRoutes } from './webhooks/ingestion-routes.ts'
import { TokenBuckets } from './webhooks/token-buckets.ts'
import { botWebhookRoutes, dataWebhookRoutes } from './webhooks/webhook-routes.ts'

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
  const botWebhooks = await BotWebhooks.open(database, vault, config.publicUrl)

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
  const connections = new ExchangeConnections({
    database,
    vault,
    catalogue,
    credentialFields,
    checkCredentials: (venue, credentials) =>
      checkCredentials({ venue, credentials, endpoints: config.exchangeEndpoints }),
  })
  const tradingSwitch = await TradingSwitch.open(database, {
    onChange: (state) => logger.info(state, 'trading switched'),
    onError: (err) => logger.error({ err }, 'trading switch not read'),
  })
  acquired.defer(() => tradingSwitch.close())
  // Orders that are sized by made-up prices must never reach an exchange.
  const isLiveAllowed = () => market.kind === 'live' && tradingSwitch.isLive()
  let bots: Pick<BotWorker, 'announce' | 'stop'> | undefined
  const onBots = (botIds: number[]) => {
    if (bots !== undefined) return bots.announce(botIds)
    tellOfBots(database, botIds).catch((err: unknown) => logger.error({ err }, 'bots not told of signals'))
  }
  if (config.roles.has('worker')) {
    const node = new Node(database)
    await node.start((err) => logger.error({ err }, 'heartbeat failed'))
    acquired.defer(() => node.stop())
    bots = await startBots({
      config,
      database,
      node,
      market,
      catalogue,
      connections,
      isHalted: () => tradingSwitch.isHalted(),
      isLiveAllowed,
      metrics,
      logger,
    })
    acquired.defer(() => bots?.stop())
    worker = await startWorker({
      config,
      database,
      node,
      vault,
      logger,
      metrics,
      openSandbox,
      outside,
      prices,
      deactivate: (id) => strategies.deactivate(id),
      onBots,
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
  const outsideSignals = new OutsideSignals(database, onBots)
  acquired.defer(() => outsideSignals.drain())
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

  const botsOfUsers = new Bots({
    database,
    catalogue,
    isLiveAllowed,
    onChange: async () => undefined,
  })
  const firstStart = await ensureAdministrator(database, keys, config.administrator)
  const simulatedMarketId = catalogue.simulated.id
  const example =
    firstStart !== undefined && config.example
      ? await makeExample(firstStart.userId, {
          webhooks,
          botWebhooks,
          strategies,
          bots: botsOfUsers,
          simulatedMarketId,
        })
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
  const records = new Records(database, prices)
  const app = await buildApp({
    logger,
    authenticate: keys.authenticate,
    market: market.kind,
    onResponse: (route, status, seconds) => metrics.requestSeconds.observe({ route, status }, seconds),
    openRoutes: [
      opsRoutes({ metrics, health: () => health(database, market, worker) }),
      ...(servesApi
        ? [
            ingestionRoutes({ webhooks, ingestion, ...intakeLimits(config) }),
            signalIngestionRoutes({
              webhooks: botWebhooks,
              signals: outsideSignals,
              ...intakeLimits(config),
            }),
          ]
        : []),
    ],
    apiRoutes: servesApi
      ? [
          exchangeRoutes(catalogue),
          apiKeyRoutes(keys),
          dataWebhookRoutes(webhooks, deliveries),
          botWebhookRoutes(botWebhooks),
          ...strategyKinds.flatMap((kind) => [
            strategyRoutes(strategies, kind),
            folderRoutes(folders, folderContent(strategies, kind)),
          ]),
          webhookReactionRoutes(strategies, webhooks),
          variableRoutes(variables),
          testRunRoutes(trials),
          runRoutes(new Runs(database), strategies),
          signalRoutes(new Signals(database)),
          exchangeConnectionRoutes(connections),
          tradingRoutes(tradingSwitch),
          botRoutes(botsOfUsers, records),
          botRecordRoutes(botsOfUsers, records),
          recordRoutes(records),
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

/** For webhooks of one kind; those of another are counted apart. */
function intakeLimits({ webhookRate, webhookBurst, payloadByteLimit }: Config) {
  return {
    rateLimits: new TokenBuckets(webhookRate, webhookBurst),
    rechecks: new TokenBuckets(20, 100),
    payloadByteLimit,
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
