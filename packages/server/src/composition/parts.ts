import { SyntaxChecker } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import { ApiKeys } from '../accounts/api-keys.ts'
import { AuditLog } from '../accounts/audit-log.ts'
import { Refusals } from '../accounts/refusals.ts'
import { StrategyRequests, strategyHeader } from '../accounts/strategy-requests.ts'
import { AiConnections } from '../ai/connections.ts'
import { DatabaseBudgets } from '../ai/database-budgets.ts'
import { ProviderHttp } from '../ai/provider-http.ts'
import { Providers } from '../ai/providers.ts'
import { StrategyPositions } from '../bots/strategy-positions.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import { ExchangeConnections } from '../connections/exchange-connections.ts'
import { PredictionConnections } from '../connections/prediction-connections.ts'
import { presentTrading } from '../connections/trading-routes.ts'
import { TradingSwitch } from '../connections/trading-switch.ts'
import type { Database } from '../db/database.ts'
import { Announcer } from '../live/announcer.ts'
import { MarketCandles } from '../market/candles/market-candles.ts'
import { Charts } from '../market/chart/charts.ts'
import { ExchangeRates } from '../market/exchange-rates.ts'
import { MissingPrices } from '../market/missing-prices.ts'
import { openMarket } from '../market/open-market.ts'
import { PredictionMarkets } from '../market/predictions/prediction-markets.ts'
import { CandleStore } from '../market/stored/candle-store.ts'
import { StrategyPrices } from '../market/strategy-prices.ts'
import { openNews } from '../notifications/open.ts'
import { storeForAll } from '../notifications/store.ts'
import { Metrics } from '../ops/metrics.ts'
import { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { OutsideParts } from '../outgoing/outside.ts'
import { createSigner } from '../outgoing/signing.ts'
import { sandboxOpener } from '../runs/sandbox.ts'
import { CheckQueue } from '../strategies/check-queue.ts'
import { ModelChanges } from '../strategies/model-changes.ts'
import { Strategies } from '../strategies/strategies.ts'
import { checkCredentials, credentialFields } from '../trading/live/credentials.ts'
import { BotWebhooks } from '../webhooks/bot-webhooks.ts'
import { DataWebhooks } from '../webhooks/data-webhooks.ts'
import { openStorage, type Storage } from './storage.ts'
import { Switchboard } from './switchboard.ts'

export type Parts = Awaited<ReturnType<typeof openParts>>

/**
 * Opens the parts that every role needs, in named groups. Each of them is complete when it is returned.
 * @param acquired gets everything that has to be closed again
 */
export async function openParts(config: Config, logger: Logger, acquired: AsyncDisposableStack) {
  const metrics = new Metrics()
  const storage = await openStorage(config, logger, acquired)
  const { database, vault, limits } = storage
  const live = await Announcer.open(database, (err) =>
    logger.error({ err }, 'other nodes not told of events'),
  )
  acquired.defer(() => live.close())
  const access = await openAccess(config, logger, storage, acquired)
  const market = await openMarkets({ config, logger, metrics, database }, acquired)
  const { catalogue, feed } = market
  const outgoing = new OutgoingHttp({
    publicUrl: config.publicUrl,
    allow: config.httpAllow,
    mark: (strategyId, target) => [strategyHeader, access.strategyRequests.mark(strategyId, target)],
  })
  acquired.defer(() => outgoing.close())
  const news = acquired.use(await openNews({ config, ...storage, http: outgoing, metrics, logger }))
  const tradingSwitch = await TradingSwitch.open(database, {
    onChange: (state) => logger.info(state, 'trading switched'),
    tell: (tx, state, changed) => storeForAll(tx, 'trading.switched', { ...presentTrading(state), changed }),
    onSet: () => {
      live.announce({ kind: 'trading_switch', id: 0 })
      news.audience.onTold()
    },
    onError: (err) => logger.error({ err }, 'trading switch not read'),
  })
  acquired.defer(() => tradingSwitch.close())
  const checker = new SyntaxChecker()
  acquired.defer(() => checker.close())
  const syntax = new CheckQueue(checker)
  const ai = openAi(config, storage, acquired)
  const switchboard = new Switchboard(database, logger, live.announce)
  const positions = new StrategyPositions(database, market.prices)
  const outside: OutsideParts = {
    send: (ownerId, request, signal) => outgoing.request(ownerId, request, signal),
    rates: new ExchangeRates(feed, catalogue),
    candles: market.candles,
    sign: createSigner(),
    positions: (strategyId) => positions.of(strategyId),
  }
  const strategies = new Strategies({
    database,
    limits,
    syntax,
    exchangeExists: (id) => catalogue.find(id) !== undefined,
    requests: access.strategyRequests,
    onChange: (strategyId) => {
      live.announce({ kind: 'status', id: strategyId, part: 'strategy' })
      return switchboard.changed({ strategyId })
    },
    onSchedule: () => switchboard.scheduled(),
  })
  const { publicUrl } = config
  return {
    config,
    logger,
    metrics,
    storage,
    access,
    market,
    ai,
    switchboard,
    live,
    outgoing,
    /** What code runs in, what it reaches, and what checks it. */
    code: { openSandbox: sandboxOpener(config, logger), outside, syntax },
    news,
    webhooks: {
      data: await DataWebhooks.open({ database, vault, limits, publicUrl, announce: live.announce }),
      bot: await BotWebhooks.open({ database, vault, limits, publicUrl, announce: live.announce }),
    },
    /** Stored candles and funding rates. */
    stored: new CandleStore(database, limits),
    strategies,
    changes: new ModelChanges(database, strategies),
    trading: {
      tradingSwitch,
      connections: new ExchangeConnections({
        ...storage,
        catalogue,
        credentialFields,
        checkCredentials: (venue, account) =>
          checkCredentials({ venue, ...account, endpoints: config.exchangeEndpoints }),
        allowWithdrawalKeys: config.allowWithdrawalKeys,
        onWithdrawals: (connection) =>
          logger.warn(connection, 'the key of an exchange connection may withdraw'),
      }),
      predictions: new PredictionConnections({
        ...{ database, vault, limits, catalogue },
        credentialFields: (exchange) => credentialFields(exchange, 'PREDICTION'),
      }),
      // Orders whose size comes from simulated prices must never reach an exchange.
      isLiveAllowed: () => feed.kind === 'live' && tradingSwitch.isLive(),
    },
  }
}

/** API keys, and records of who did what. */
async function openAccess(
  config: Config,
  logger: Logger,
  { database, vault, limits }: Storage,
  acquired: AsyncDisposableStack,
) {
  const strategyRequests = new StrategyRequests(vault)
  const audit = new AuditLog(database, strategyRequests)
  const refusals = new Refusals(audit, (err) => logger.error({ err }, 'refusals not recorded'))
  acquired.defer(() => refusals.close())
  const keys = await ApiKeys.open(
    database,
    vault,
    config.timestampToleranceSeconds,
    (refusal) => refusals.note(refusal),
    limits,
  )
  return { keys, audit, strategyRequests }
}

type MarketParts = { config: Config; logger: Logger; metrics: Metrics; database: Database }

/** The exchanges, and their prices: live, simulated or replayed. */
async function openMarkets(
  { config, logger, metrics, database }: MarketParts,
  acquired: AsyncDisposableStack,
) {
  const catalogue = await createCatalogue(database, {
    onError: (err) => logger.error({ err }, 'exchange settings not refreshed'),
  })
  acquired.defer(() => catalogue.close())
  const { market: feed, candles, source: history } = await openMarket(config, logger)
  acquired.defer(() => feed.close())
  metrics.gauge('tickwright_symbols_watched', 'Symbols whose prices are watched.', () => feed.watched)
  const byName = new MarketCandles({ candles, market: feed, catalogue })
  const predictions = new PredictionMarkets({ endpoints: config.exchangeEndpoints, logger })
  acquired.defer(() => predictions.close())
  return {
    ...{ catalogue, feed, history },
    prices: new StrategyPrices(feed, catalogue, new MissingPrices(logger)),
    candles: byName,
    charts: new Charts(byName, feed),
    predictions,
  }
}

/** Language models: the users' access to them, and what users may spend. */
function openAi(
  { publicUrl, httpAllow }: Config,
  { database, vault, limits }: Storage,
  acquired: AsyncDisposableStack,
) {
  const http = new ProviderHttp({ publicUrl, allow: httpAllow })
  acquired.defer(() => http.close())
  const providers = new Providers(http)
  return {
    providers,
    connections: new AiConnections({ database, vault, limits, http, providers }),
    budgets: new DatabaseBudgets(database),
  }
}
