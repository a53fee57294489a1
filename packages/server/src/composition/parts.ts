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
import { createCatalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import { ExchangeConnections } from '../connections/exchange-connections.ts'
import { TradingSwitch } from '../connections/trading-switch.ts'
import { openDatabase } from '../db/open.ts'
import { UserLimits } from '../db/user-limits.ts'
import { ExchangeRates } from '../market/exchange-rates.ts'
import { MissingPrices } from '../market/missing-prices.ts'
import { openMarket } from '../market/open-market.ts'
import { StrategyPrices } from '../market/strategy-prices.ts'
import { openNews } from '../notifications/open.ts'
import { Metrics } from '../ops/metrics.ts'
import { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { OutsideParts } from '../outgoing/outside.ts'
import { createSigner } from '../outgoing/signing.ts'
import { sandboxOpener } from '../runs/sandbox.ts'
import { openVault } from '../secrets/open.ts'
import { Strategies } from '../strategies/strategies.ts'
import { checkCredentials, credentialFields } from '../trading/live/credentials.ts'
import { BotWebhooks } from '../webhooks/bot-webhooks.ts'
import { DataWebhooks } from '../webhooks/data-webhooks.ts'
import { Switchboard } from './switchboard.ts'

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Opens what every role works with. What has to be closed again is put on `acquired`. */
export async function openParts(config: Config, logger: Logger, acquired: AsyncDisposableStack) {
  const metrics = new Metrics()
  const database = await openDatabase(config, acquired, (err) => logger.error({ err }, 'database in trouble'))
  const vault = await openVault(config, database)
  const strategyRequests = new StrategyRequests(vault)
  const audit = new AuditLog(database, strategyRequests)
  const refusals = new Refusals(audit, (err) => logger.error({ err }, 'refusals not recorded'))
  acquired.defer(() => refusals.close())
  const limits = new UserLimits(config.userLimits)
  const keys = await ApiKeys.open(
    database,
    vault,
    config.timestampToleranceSeconds,
    (refusal) => refusals.note(refusal),
    limits,
  )
  const catalogue = await createCatalogue(database, {
    onError: (err) => logger.error({ err }, 'exchange settings not refreshed'),
  })
  acquired.defer(() => catalogue.close())
  const market = await openMarket(config, logger)
  acquired.defer(() => market.close())
  metrics.gauge('tickwright_symbols_watched', 'Symbols whose prices are watched.', () => market.watched)
  const outgoing = new OutgoingHttp({
    publicUrl: config.publicUrl,
    allow: config.httpAllow,
    mark: (strategyId, target) => [strategyHeader, strategyRequests.mark(strategyId, target)],
  })
  acquired.defer(() => outgoing.close())
  const tradingSwitch = await TradingSwitch.open(database, {
    onChange: (state) => logger.info(state, 'trading switched'),
    onError: (err) => logger.error({ err }, 'trading switch not read'),
  })
  acquired.defer(() => tradingSwitch.close())
  const syntax = new SyntaxChecker()
  acquired.defer(() => syntax.close())

  const providerHttp = new ProviderHttp({ publicUrl: config.publicUrl, allow: config.httpAllow })
  acquired.defer(() => providerHttp.close())
  const providers = new Providers(providerHttp)

  const switchboard = new Switchboard(database, logger)
  const outside: OutsideParts = {
    send: (ownerId, request, signal) => outgoing.request(ownerId, request, signal),
    rates: new ExchangeRates(market, catalogue),
    sign: createSigner(),
  }
  return {
    config,
    logger,
    metrics,
    database,
    vault,
    limits,
    audit,
    strategyRequests,
    keys,
    catalogue,
    market,
    switchboard,
    outside,
    prices: new StrategyPrices(market, catalogue, new MissingPrices(logger)),
    openSandbox: sandboxOpener(config, logger),
    news: acquired.use(await openNews({ config, database, vault, limits, http: outgoing, metrics, logger })),
    webhooks: await DataWebhooks.open({ database, vault, limits, publicUrl: config.publicUrl }),
    botWebhooks: await BotWebhooks.open({ database, vault, limits, publicUrl: config.publicUrl }),
    strategies: new Strategies({
      database,
      limits,
      syntax,
      exchangeExists: (id) => catalogue.find(id) !== undefined,
      onChange: (strategyId) => switchboard.changed({ strategyId }),
      onSchedule: () => switchboard.scheduled(),
    }),
    connections: new ExchangeConnections({
      database,
      vault,
      limits,
      catalogue,
      credentialFields,
      checkCredentials: (venue, credentials) =>
        checkCredentials({ venue, credentials, endpoints: config.exchangeEndpoints }),
    }),
    providers,
    aiConnections: new AiConnections({ database, vault, limits, http: providerHttp, providers }),
    aiBudgets: new DatabaseBudgets(database),
    tradingSwitch,
    // Orders that are sized by made-up prices must never reach an exchange.
    isLiveAllowed: () => market.kind === 'live' && tradingSwitch.isLive(),
  }
}
