import type { Logger } from 'pino'
import { AccountTokens } from './accounts/account-tokens.ts'
import { ensureAdministrator, firstToken } from './accounts/administrator.ts'
import { IdempotentRequests } from './accounts/idempotent-requests.ts'
import { linkRoutes, openChat, telegramRoutes } from './composition/chat.ts'
import { type Management, openManagement } from './composition/management.ts'
import { openParts, type Parts } from './composition/parts.ts'
import { agentRoutes, apiRoutes, browserRoutes, guestRoutes, intakeRoutes } from './composition/routes.ts'
import { startWork, type Work } from './composition/work.ts'
import type { Config } from './config.ts'
import { DatabaseHealth } from './db/database-health.ts'
import { buildApp } from './http/app.ts'
import { InProcessApi } from './http/in-process.ts'
import type { App } from './http/types.ts'
import { Heartbeat } from './notifications/heartbeat.ts'
import { isReady, type PartHealth } from './ops/health.ts'
import { createLogger } from './ops/logger.ts'
import { opsRoutes } from './ops/routes.ts'
import type { Made } from './start/welcome.ts'
import { makeExample } from './strategies/example.ts'

/** A service that is ready but listens nowhere yet. */
export type Service = AsyncDisposable & {
  app: App
  logger: Logger
  /** What the first start created, to be shown once. */
  firstStart: Made | undefined
  /** Accepts nothing more, finishes current work or leaves it to other nodes, and closes everything. Works once. */
  close(): Promise<void>
}

/** Builds every part of the service, and gives each one the parts that it needs. */
export async function createService(config: Config): Promise<Service> {
  const logger = createLogger(config.logLevel)
  await using acquired = new AsyncDisposableStack()
  const parts = await openParts(config, logger, acquired)
  const work = await startWork(parts, acquired)
  const management = openManagement(parts, acquired)
  const firstStart = await prepareFirstStart(parts, management)
  const databaseHealth = new DatabaseHealth(parts.storage.database)
  const readHealth = () => health(parts, work, databaseHealth)
  const inProcess = new InProcessApi()
  const chat = openChat(parts, management)
  const app = await openApp(parts, management, { work, readHealth, inProcess, chat }, acquired)
  acquired.defer(() => app.close())
  if (config.roles.has('api')) chat.start((caller, request) => inProcess.request(app, caller, request))
  acquired.defer(() => chat.stop())
  startHeartbeat(parts, readHealth, acquired)
  const kept = acquired.move()
  return {
    app,
    logger,
    firstStart,
    close: () => kept.disposeAsync(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** On an empty database, creates an administrator and an example to look at. */
async function prepareFirstStart(
  parts: Parts,
  { bots, passwords }: Management,
): Promise<Service['firstStart']> {
  const { config, storage, access, webhooks, strategies, market } = parts
  const made = await ensureAdministrator(storage.database, access.keys, passwords, config.administrator)
  if (made === undefined) return undefined
  const token = await firstToken(made, new AccountTokens(storage.database, storage.vault))
  if (!config.example) return { ...made, token, example: undefined }
  const example = await makeExample(made.userId, {
    webhooks: webhooks.data,
    botWebhooks: webhooks.bot,
    strategies,
    bots,
    simulatedMarketId: market.catalogue.simulated.id,
  })
  return { ...made, token, example }
}

type Chat = ReturnType<typeof openChat>
type Serving = { work: Work; readHealth: ReadHealth; inProcess: InProcessApi; chat: Chat }

function openApp(
  parts: Parts,
  management: Management,
  { work, readHealth, inProcess, chat }: Serving,
  acquired: AsyncDisposableStack,
): Promise<App> {
  const { config, logger, storage, access, market, metrics } = parts
  const { sessions } = management.accounts
  const servesApi = config.roles.has('api')
  const intake = servesApi ? intakeRoutes(parts, acquired) : { open: [], api: [] }
  return buildApp({
    logger,
    authenticate: access.keys.authenticate,
    inProcess,
    idempotentRequests: new IdempotentRequests(storage.database, storage.vault),
    aliasFacts: {
      credentialsOf: (exchangeId) => parts.trading.connections.requiredFields(exchangeId),
      chainOf: (exchangeId) => market.catalogue.find(exchangeId)?.chainId ?? null,
    },
    strategies: access.strategyRequests,
    sessions: {
      authenticate: (token) => sessions.authenticate(token),
      publicUrl: config.publicUrl,
    },
    trustedProxies: config.trustedProxies,
    market: market.feed.kind,
    onResponse: (route, status, seconds) => metrics.requestSeconds.observe({ route, status }, seconds),
    openRoutes: [
      opsRoutes({ metrics, health: readHealth }),
      ...intake.open,
      ...(servesApi ? [...browserRoutes(), ...agentRoutes(parts, inProcess), ...telegramRoutes(chat)] : []),
    ],
    guestRoutes: servesApi ? guestRoutes(parts, management) : [],
    apiRoutes: servesApi
      ? [...apiRoutes(parts, management, work), ...intake.api, linkRoutes(parts, chat)]
      : [],
  })
}

type ReadHealth = () => Promise<Record<string, PartHealth>>

/** Calls the address of `HEARTBEAT_URL`, if there is one, while every part of this node works. */
function startHeartbeat(
  { config, logger, outgoing }: Parts,
  readHealth: ReadHealth,
  acquired: AsyncDisposableStack,
): void {
  if (config.heartbeatUrl === null) return
  const heartbeat = new Heartbeat({
    url: new URL(config.heartbeatUrl),
    http: outgoing,
    isReady: async () => isReady(await readHealth()),
    onError: (error) => logger.warn({ reason: (error as Error).message }, 'heartbeat not delivered'),
  })
  acquired.defer(() => heartbeat.stop())
  heartbeat.start()
}

async function health(
  { storage: { server }, market: { feed } }: Parts,
  { worker }: Work,
  databaseHealth: DatabaseHealth,
): Promise<Record<string, PartHealth>> {
  const kind = server === undefined ? 'postgres' : 'embedded'
  const [report, trouble] = await Promise.all([databaseHealth.report(), server?.trouble()])
  return {
    database: trouble === undefined ? { ...report, kind } : { ready: false, reason: trouble, kind },
    market: { ready: true, kind: feed.kind, watched: feed.watched },
    ...(worker === undefined ? {} : { worker: worker.health() }),
  }
}
