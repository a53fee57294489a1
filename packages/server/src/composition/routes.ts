import { apiKeyRoutes } from '../accounts/api-key-routes.ts'
import { emailLinkRoutes, emailRoutes } from '../accounts/email-routes.ts'
import { passwordRoutes, resetRoutes } from '../accounts/password-routes.ts'
import { sessionRoutes, signInRoutes } from '../accounts/session-routes.ts'
import { signUpRoutes, userRoutes } from '../accounts/user-routes.ts'
import { aiConnectionRoutes } from '../ai/routes.ts'
import { approvalRoutes } from '../approvals/routes.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import { closeRoutes } from '../bots/close-routes.ts'
import { paymentRoutes } from '../bots/payment-routes.ts'
import { reconciliationRoutes } from '../bots/reconciliation/routes.ts'
import { botRecordRoutes, recordRoutes } from '../bots/record-routes.ts'
import { botRoutes, webhookBotRoutes } from '../bots/routes.ts'
import { exchangeRoutes } from '../catalogue/routes.ts'
import type { Config } from '../config.ts'
import { exchangeConnectionRoutes } from '../connections/routes.ts'
import { tradingRoutes } from '../connections/trading-routes.ts'
import { folderRoutes } from '../folders/routes.ts'
import type { InProcessApi } from '../http/in-process.ts'
import { SessionCookie } from '../http/session-cookie.ts'
import type { Routes } from '../http/types.ts'
import { Mails } from '../mail/mails.ts'
import { mailRoutes } from '../mail/routes.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { notificationEndpointRoutes } from '../notifications/endpoint-routes.ts'
import { notificationRoutes } from '../notifications/routes.ts'
import { pageRoutes } from '../pages/routes.ts'
import { signalRoutes } from '../signals/routes.ts'
import { Signals } from '../signals/signals.ts'
import { strategyKinds } from '../strategies/kinds.ts'
import { publicStrategyRoutes } from '../strategies/public-routes.ts'
import { PublicStrategies } from '../strategies/public-strategies.ts'
import { folderContent, strategyRoutes } from '../strategies/routes.ts'
import { runRoutes } from '../strategies/run-routes.ts'
import { Runs } from '../strategies/runs.ts'
import { webhookReactionRoutes } from '../strategies/webhook-reaction-routes.ts'
import { llmTestRunRoutes } from '../test-runs/llm-routes.ts'
import { testRunRoutes } from '../test-runs/routes.ts'
import { variableRoutes } from '../variables/routes.ts'
import { deliveryRoutes } from '../webhooks/delivery-routes.ts'
import { Ingestion } from '../webhooks/ingestion.ts'
import { OutsideSignals } from '../webhooks/outside-signals.ts'
import { postPayloadRoutes } from '../webhooks/post-payload-routes.ts'
import { postSignalRoutes } from '../webhooks/post-signal-routes.ts'
import { botShareRoutes, dataShareRoutes } from '../webhooks/share-routes.ts'
import { botWebhookRoutes, dataWebhookRoutes } from '../webhooks/webhook-routes.ts'
import type { Management } from './management.ts'
import type { Parts } from './parts.ts'

/** Routes that senders post to. Anyone who knows an address may. */
export function intakeRoutes(parts: Parts, acquired: AsyncDisposableStack): Routes[] {
  const { config, news, switchboard, webhooks } = parts
  const { database } = parts.storage
  const ingestion = new Ingestion(database, (runs) => switchboard.queued(runs))
  acquired.defer(() => ingestion.drain())
  const signals = new OutsideSignals(database, (botIds) => switchboard.signalled(botIds), news.audience)
  acquired.defer(() => signals.drain())
  return [
    postPayloadRoutes({ webhooks: webhooks.data, ingestion, ...intakeLimits(config) }),
    postSignalRoutes({ webhooks: webhooks.bot, signals, ...intakeLimits(config) }),
  ]
}

/** Pages for browsers, open to anyone. */
export function browserRoutes(): Routes[] {
  return [pageRoutes()]
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
export function apiRoutes(parts: Parts, management: Management): Routes[] {
  const { news, strategies, webhooks, ai, trading } = parts
  const { database, vault } = parts.storage
  const { audit, keys } = parts.access
  const { accounts, bots, records, folders } = management
  return [
    exchangeRoutes(parts.market.catalogue),
    apiKeyRoutes(keys, audit),
    sessionRoutes(accounts, new SessionCookie(parts.config.publicUrl)),
    passwordRoutes(accounts),
    emailRoutes(accounts),
    userRoutes(accounts),
    dataWebhookRoutes(webhooks.data, audit),
    deliveryRoutes(webhooks.data, management.deliveries),
    botWebhookRoutes(webhooks.bot, audit),
    dataShareRoutes(webhooks.data),
    botShareRoutes(webhooks.bot),
    ...strategyKinds.flatMap((kind) => [
      publicStrategyRoutes(new PublicStrategies(database), kind),
      strategyRoutes(strategies, kind),
      folderRoutes(folders, folderContent(strategies, kind)),
    ]),
    webhookReactionRoutes(strategies, webhooks.data),
    variableRoutes(management.variables, audit),
    testRunRoutes(management.trials),
    llmTestRunRoutes(management.llmTrials),
    runRoutes(new Runs(database), strategies),
    approvalRoutes(management.approvals, audit),
    signalRoutes(new Signals(database)),
    exchangeConnectionRoutes(trading.connections, audit),
    aiConnectionRoutes(ai.connections, audit),
    tradingRoutes(trading.tradingSwitch),
    botRoutes(bots, records),
    closeRoutes(management.closes, audit),
    webhookBotRoutes(bots, webhooks.bot),
    botRecordRoutes(bots, records),
    reconciliationRoutes({
      ...{ bots, audit, reconciliations: management.reconciliations },
      onDecided: (botId) => parts.switchboard.compare(botId),
    }),
    recordRoutes(records),
    paymentRoutes(records),
    mailRoutes(new Mails(database, vault)),
    notificationEndpointRoutes(news.endpoints, audit),
    notificationRoutes(news.notifications),
  ]
}
