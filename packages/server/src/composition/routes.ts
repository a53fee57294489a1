import { apiKeyRoutes } from '../accounts/api-key-routes.ts'
import { emailLinkRoutes, emailRoutes } from '../accounts/email-routes.ts'
import { limitRoutes } from '../accounts/limit-routes.ts'
import { passwordRoutes, resetRoutes } from '../accounts/password-routes.ts'
import { sessionRoutes, signInRoutes } from '../accounts/session-routes.ts'
import { signUpRoutes, userRoutes } from '../accounts/user-routes.ts'
import { credentialCheck } from '../accounts/valid-credentials.ts'
import { aiBudgetRoutes } from '../ai/budget-routes.ts'
import { aiConnectionRoutes } from '../ai/routes.ts'
import { SpentBudgets } from '../ai/spent-budgets.ts'
import { approvalRoutes } from '../approvals/routes.ts'
import { backtestRoutes } from '../backtests/jobs/routes.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import { botSignalRoutes } from '../bots/bot-signal-routes.ts'
import { findBotSignals } from '../bots/bot-signal-search.ts'
import { closeRoutes } from '../bots/close-routes.ts'
import { drawdownRoutes } from '../bots/drawdown-routes.ts'
import { equityRoutes } from '../bots/equity-routes.ts'
import { exportRoutes } from '../bots/export-routes.ts'
import { paymentRoutes } from '../bots/payment-routes.ts'
import { protectionRoutes } from '../bots/protection/routes.ts'
import { watchedPositions } from '../bots/protection/watched-positions.ts'
import { reconciliationRoutes } from '../bots/reconciliation/routes.ts'
import { botRecordRoutes, recordRoutes } from '../bots/record-routes.ts'
import { botFolderContent, botRoutes, botsOfRoutes } from '../bots/routes.ts'
import { SignalPreviewer } from '../bots/signal-preview.ts'
import { sizeRoutes } from '../bots/size-routes.ts'
import { whyHaltedFor } from '../bots/start.ts'
import { statsRoutes } from '../bots/stats-routes.ts'
import { storedKinds } from '../bots/stored/kinds.ts'
import { storedBotRoutes, storedBotsOfRoutes, storedFolderContent } from '../bots/stored/routes.ts'
import { tradeRoutes } from '../bots/trade-routes.ts'
import { exchangeRoutes } from '../catalogue/routes.ts'
import type { Config } from '../config.ts'
import { predictionConnectionRoutes } from '../connections/prediction-routes.ts'
import { exchangeConnectionRoutes } from '../connections/routes.ts'
import { mostWatched, tradingRoutes } from '../connections/trading-routes.ts'
import { deployRoutes } from '../deploy/routes.ts'
import { folderRoutes } from '../folders/routes.ts'
import type { InProcessApi } from '../http/in-process.ts'
import { SessionCookie } from '../http/session-cookie.ts'
import type { Routes } from '../http/types.ts'
import { liveRoutes } from '../live/routes.ts'
import { LiveStreams } from '../live/streams.ts'
import { Mails } from '../mail/mails.ts'
import { mailRoutes } from '../mail/routes.ts'
import { predictionMarketRoutes } from '../market/predictions/routes.ts'
import { marketRoutes } from '../market/routes.ts'
import { downloadRoutes } from '../market/stored/download-routes.ts'
import { Downloads } from '../market/stored/downloads.ts'
import { candleRoutes } from '../market/stored/routes.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { callbackRoutes } from '../notifications/callback-routes.ts'
import { notificationEndpointRoutes } from '../notifications/endpoint-routes.ts'
import { notificationRoutes } from '../notifications/routes.ts'
import { SystemReport } from '../ops/system.ts'
import { systemRoutes } from '../ops/system-routes.ts'
import { dashboardRoutes } from '../pages/dashboard-routes.ts'
import { schedulePreviewRoutes } from '../schedules/preview-routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { Search } from '../search/search.ts'
import { signalRoutes } from '../signals/routes.ts'
import { Signals } from '../signals/signals.ts'
import { checkRoutes } from '../strategies/check-routes.ts'
import { llmKinds, scheduledKinds, strategyKinds } from '../strategies/kinds.ts'
import { publicStrategyRoutes } from '../strategies/public-routes.ts'
import { PublicStrategies } from '../strategies/public-strategies.ts'
import { folderContent, strategyRoutes } from '../strategies/routes.ts'
import { runRoutes } from '../strategies/run-routes.ts'
import { Runs } from '../strategies/runs.ts'
import { triggerRoutes } from '../strategies/trigger-routes.ts'
import { versionRoutes } from '../strategies/version-routes.ts'
import { Versions } from '../strategies/versions.ts'
import { webhookReactionRoutes } from '../strategies/webhook-reaction-routes.ts'
import { llmTestRunRoutes } from '../test-runs/llm-routes.ts'
import { promptPreviewRoutes } from '../test-runs/preview-routes.ts'
import { testRunRoutes } from '../test-runs/routes.ts'
import { traceRoutes } from '../traces/routes.ts'
import { scheduleTraceRoutes } from '../traces/schedule-routes.ts'
import { ScheduleTraces } from '../traces/schedule-traces.ts'
import { Traces } from '../traces/traces.ts'
import { whereKeptRoutes } from '../trading/protection/where-kept-routes.ts'
import { variableRoutes } from '../variables/routes.ts'
import { VariableUses } from '../variables/variable-uses.ts'
import { deliveryRoutes } from '../webhooks/delivery-routes.ts'
import { Ingestion } from '../webhooks/ingestion.ts'
import { OutsideSignals } from '../webhooks/outside-signals.ts'
import { postPayloadRoutes } from '../webhooks/post-payload-routes.ts'
import { postSignalRoutes } from '../webhooks/post-signal-routes.ts'
import { RefusalWriter } from '../webhooks/refusal-writer.ts'
import { botRefusedRoutes, dataRefusedRoutes } from '../webhooks/refused-routes.ts'
import { sendSignalRoutes } from '../webhooks/send-signal-routes.ts'
import { botShareRoutes, dataShareRoutes } from '../webhooks/share-routes.ts'
import type { ExplainSignal } from '../webhooks/signal-answer.ts'
import { SignalDeliveries } from '../webhooks/signal-deliveries.ts'
import { signalDeliveryRoutes } from '../webhooks/signal-delivery-routes.ts'
import { testPayloadRoutes } from '../webhooks/test-payload-routes.ts'
import { TestPayloads } from '../webhooks/test-payloads.ts'
import { botWebhookRoutes, dataWebhookRoutes } from '../webhooks/webhook-routes.ts'
import { livePrices } from './live-prices.ts'
import { changesOf } from './live-refused.ts'
import { liveSources } from './live-sources.ts'
import type { Management } from './management.ts'
import type { Parts } from './parts.ts'
import type { Work } from './work.ts'

/**
 * `open`: routes that senders post to. Anyone who knows an address may. `api`: signals that users send with their
 * signature, at the same rate.
 */
export function intakeRoutes(
  parts: Parts,
  acquired: AsyncDisposableStack,
): { open: Routes[]; api: Routes[] } {
  const { config, logger, news, switchboard, webhooks, live, market } = parts
  const { tradingSwitch, isLiveAllowed } = parts.trading
  const { database } = parts.storage
  const ingestion = new Ingestion(database, (runs) => switchboard.queued(runs), live.announce)
  acquired.defer(() => ingestion.drain())
  const onBots = (botIds: number[]) => switchboard.signalled(botIds)
  const signals = new OutsideSignals({
    database,
    onBotSignals: onBots,
    audience: news.audience,
    announce: live.announce,
    onCallbacks: (signalIds) => switchboard.calledBack(signalIds),
  })
  acquired.defer(() => signals.drain())
  const refusalsOf = (kind: keyof typeof webhooks) => {
    const refusals = new RefusalWriter({
      write: async (posts) => {
        for (const written of await webhooks[kind].refused.write(posts)) {
          for (const change of changesOf(kind, written)) live.announce(change)
        }
      },
      onError: (err) => logger.error({ err }, 'refused posts not written'),
      onLost: (posts) => logger.warn({ posts }, 'refused posts not counted'),
    })
    acquired.defer(() => refusals.close())
    return refusals
  }
  const { data, bot } = webhooks
  const limits = intakeLimits(config)
  const previewer = new SignalPreviewer({
    ...{ database, catalogue: market.catalogue, market: market.feed },
    whyHalted: (mode, purpose) =>
      whyHaltedFor(
        { whyHalted: (halted) => tradingSwitch.whyHaltedNow(halted), isLiveAllowed },
        mode,
        purpose,
      ),
  })
  const explain: ExplainSignal = (of, signal, patienceMs) => previewer.plans(of, signal, patienceMs)
  return {
    open: [
      postPayloadRoutes({ webhooks: data, ingestion, refusals: refusalsOf('data'), ...intakeLimits(config) }),
      postSignalRoutes({
        ...{ webhooks: bot, signals, explain, callbacks: news.callbackHosts },
        ...{ refusals: refusalsOf('bot'), ...limits },
      }),
    ],
    api: [sendSignalRoutes({ webhooks: bot, signals, explain, rateLimits: limits.rateLimits })],
  }
}

/** Pages for browsers, open to anyone. */
export function browserRoutes(): Routes[] {
  return [dashboardRoutes()]
}

/** Agents connect here. Their tools ask the routes of the API. */
export function agentRoutes({ config, access }: Parts, api: InProcessApi): Routes[] {
  return [mcpRoutes({ agents: access.keys, api, publicUrl: config.publicUrl })]
}

/** For webhooks of one kind. Those of the other kind have their own counts. */
function intakeLimits({ webhookRate, webhookBurst, payloadByteLimit }: Config) {
  return {
    rateLimits: new TokenBuckets(webhookRate, webhookBurst, 50_000),
    rechecks: new TokenBuckets(20, 100),
    payloadByteLimit,
  }
}

/** Routes for people who are not signed in yet. */
export function guestRoutes({ config }: Parts, { accounts }: Management): Routes[] {
  const cookie = new SessionCookie(config.publicUrl)
  return [
    signInRoutes(accounts, cookie),
    resetRoutes(accounts, cookie),
    signUpRoutes(accounts, cookie),
    emailLinkRoutes(accounts),
  ]
}

/** Routes for users, with a signature or a session. */
export function apiRoutes(
  parts: Parts,
  management: Management,
  { worker, downloader, node }: Work,
): Routes[] {
  const { news, strategies, webhooks, ai, trading } = parts
  const { database, vault } = parts.storage
  const { audit, keys } = parts.access
  const { accounts, bots, storedBots, records, folders } = management
  return [
    exchangeRoutes(parts.market.catalogue),
    whereKeptRoutes(parts.market.catalogue),
    marketRoutes(parts.market.candles),
    predictionMarketRoutes(parts.market.catalogue, parts.market.predictions),
    downloadRoutes(
      new Downloads({
        ...{ database, candles: parts.market.candles, market: parts.market.feed.kind },
        simulated: parts.market.catalogue.simulated.exchange,
        onDownload: () => downloader?.wake(),
      }),
    ),
    candleRoutes(parts.stored, management.imports),
    apiKeyRoutes(keys, audit),
    sessionRoutes(accounts, new SessionCookie(parts.config.publicUrl)),
    passwordRoutes(accounts),
    emailRoutes(accounts),
    userRoutes(accounts),
    limitRoutes(accounts.limits),
    dataWebhookRoutes(webhooks.data, audit),
    deliveryRoutes(webhooks.data, management.deliveries),
    testPayloadRoutes(new TestPayloads(database, parts.storage.limits, management.deliveries)),
    botWebhookRoutes(webhooks.bot, audit),
    signalDeliveryRoutes(webhooks.bot, new SignalDeliveries(database)),
    dataRefusedRoutes(webhooks.data),
    botRefusedRoutes(webhooks.bot),
    dataShareRoutes(webhooks.data),
    botShareRoutes(webhooks.bot),
    ...strategyKinds.flatMap((kind) => [
      publicStrategyRoutes(new PublicStrategies(database), kind),
      strategyRoutes(strategies, kind),
      versionRoutes({ strategies, versions: new Versions(database) }, kind),
      folderRoutes(folders, folderContent(strategies, kind)),
    ]),
    deployRoutes(management.deployments),
    schedulePreviewRoutes(),
    webhookReactionRoutes(strategies, webhooks.data),
    variableRoutes(management.variables, new VariableUses(database), audit),
    checkRoutes(parts.code.syntax),
    testRunRoutes(management.trials),
    llmTestRunRoutes(management.llmTrials),
    promptPreviewRoutes(management.llmTrials),
    backtestRoutes(management.backtests),
    runRoutes(new Runs(database), strategies),
    traceRoutes(new Traces(database)),
    ...scheduledKinds.map((kind) => triggerRoutes(management.manualRuns, kind)),
    ...scheduledKinds.map((kind) =>
      scheduleTraceRoutes(
        new ScheduleTraces({ database, findExchange: (id) => parts.market.catalogue.find(id) }),
        kind,
      ),
    ),
    approvalRoutes(management.approvals, audit, parts.changes),
    searchRoutes(new Search(database)),
    signalRoutes(new Signals(database)),
    exchangeConnectionRoutes(trading.connections, audit),
    predictionConnectionRoutes(trading.predictions, audit),
    aiConnectionRoutes(ai.connections, audit),
    liveRoutes(openLive(parts, management)),
    ...llmKinds.map((kind) => aiBudgetRoutes(new SpentBudgets(database), kind)),
    tradingRoutes(trading.tradingSwitch, audit, (userId) => watchedPositions(database, userId, mostWatched)),
    systemRoutes(
      new SystemReport({
        database,
        isEmbedded: parts.storage.server !== undefined,
        roles: parts.config.roles,
        market: parts.market.feed,
        nodeId: node.id,
        retentionDays: parts.config.retentionDays,
        sendsMail: parts.config.smtpUrl !== null,
        executors: () => worker?.executors(),
      }),
    ),
    botRoutes(bots, records),
    folderRoutes(folders, botFolderContent(bots)),
    closeRoutes(management.closes, audit),
    protectionRoutes(management.protections, audit),
    drawdownRoutes({ database, audit, onChange: parts.live.announce }),
    botsOfRoutes(bots, { webhooks: webhooks.bot, connections: trading.connections }),
    storedBotRoutes(storedBots),
    ...storedKinds.map((kind) => folderRoutes(folders, storedFolderContent(storedBots, kind))),
    storedBotsOfRoutes(storedBots, { webhooks: webhooks.bot, connections: trading.predictions }),
    botRecordRoutes(bots, records),
    botSignalRoutes((...asked) => findBotSignals(database, ...asked)),
    tradeRoutes(management),
    exportRoutes(bots, records, management.exports),
    statsRoutes({ bots, records, statistics: management.statistics }),
    equityRoutes(management.equities),
    sizeRoutes(management.sizes),
    reconciliationRoutes({
      ...{ bots, audit, reconciliations: management.reconciliations },
      onDecided: (botId) => parts.switchboard.compare(botId),
    }),
    recordRoutes(records),
    paymentRoutes(records),
    mailRoutes(new Mails(database, vault)),
    notificationEndpointRoutes(news.endpoints, audit),
    notificationRoutes(news.notifications),
    callbackRoutes(news.callbackHosts, audit),
  ]
}

function openLive(parts: Parts, management: Management): LiveStreams {
  const { config, storage, live, logger, metrics } = parts
  const streams = new LiveStreams({
    announcer: live,
    sources: liveSources(parts, management),
    check: credentialCheck(storage.database),
    limits: { ofUser: config.liveStreamsOfUser, ofNode: config.liveStreamsOfNode },
    followPrice: livePrices(parts.market),
    onError: (err) => logger.error({ err }, 'live streams held up'),
  })
  metrics.gauge('tickwright_live_streams', 'Open live streams.', () => streams.count)
  return streams
}
