import type { Logger } from 'pino'
import { ensureAdministrator } from './accounts/administrator.ts'
import { IdempotentRequests } from './accounts/idempotent-requests.ts'
import { type Management, openManagement } from './composition/management.ts'
import { openParts, type Parts } from './composition/parts.ts'
import { agentRoutes, apiRoutes, browserRoutes, guestRoutes, intakeRoutes } from './composition/routes.ts'
import { startWork } from './composition/work.ts'
import type { Config } from './config.ts'
import { buildApp } from './http/app.ts'
import { InProcessApi } from './http/in-process.ts'
import type { App } from './http/types.ts'
import type { PartHealth } from './ops/health.ts'
import { createLogger } from './ops/logger.ts'
import { opsRoutes } from './ops/routes.ts'
import type { Made } from './start/welcome.ts'
import { makeExample } from './strategies/example.ts'

/** A service that is ready but listens nowhere yet. */
export type Service = AsyncDisposable & {
  app: App
  logger: Logger
  /** What a first start made, to be shown once. */
  firstStart: Made | undefined
  /** Stops accepting, finishes or hands back what is under way, and closes everything; once. */
  close(): Promise<void>
}

/** Builds every part of the service and hands each what it needs. */
export async function createService(config: Config): Promise<Service> {
  const logger = createLogger(config.logLevel)
  await using acquired = new AsyncDisposableStack()
  const parts = await openParts(config, logger, acquired)
  await startWork(parts, acquired)
  const management = openManagement(parts, acquired)
  const firstStart = await startAnew(parts, management)
  const app = await openApp(parts, management, acquired)
  acquired.defer(() => app.close())
  const kept = acquired.move()
  return {
    app,
    logger,
    firstStart,
    close: () => kept.disposeAsync(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** On an empty database: an administrator, and something to look at. */
async function startAnew(parts: Parts, { bots, passwords }: Management): Promise<Service['firstStart']> {
  const { config, database, keys, catalogue } = parts
  const made = await ensureAdministrator(database, keys, passwords, config.administrator)
  if (made === undefined) return undefined
  const simulatedMarketId = catalogue.simulated.id
  const example = config.example
    ? await makeExample(made.userId, { ...parts, bots, simulatedMarketId })
    : undefined
  return { ...made, example }
}

function openApp(parts: Parts, management: Management, acquired: AsyncDisposableStack): Promise<App> {
  const { config, logger, keys, market, metrics, strategyRequests } = parts
  const { sessions } = management.accounts
  const servesApi = config.roles.has('api')
  const inProcess = new InProcessApi()
  return buildApp({
    logger,
    authenticate: keys.authenticate,
    inProcess,
    idempotentRequests: new IdempotentRequests(parts.database, parts.vault),
    strategies: strategyRequests,
    sessions: {
      authenticate: (token) => sessions.authenticate(token),
      publicUrl: config.publicUrl,
    },
    trustedProxies: config.trustedProxies,
    market: market.kind,
    onResponse: (route, status, seconds) => metrics.requestSeconds.observe({ route, status }, seconds),
    openRoutes: [
      opsRoutes({ metrics, health: () => health(parts) }),
      ...(servesApi
        ? [...intakeRoutes(parts, acquired), ...browserRoutes(), ...agentRoutes(parts, inProcess)]
        : []),
    ],
    guestRoutes: servesApi ? guestRoutes(parts, management) : [],
    apiRoutes: servesApi ? apiRoutes(parts, management) : [],
  })
}

async function health({ database, market, switchboard }: Parts): Promise<Record<string, PartHealth>> {
  const databaseReady = await database.db.execute('select 1').then(
    () => true,
    () => false,
  )
  const { worker } = switchboard
  return {
    database: { ready: databaseReady, kind: database.kind },
    market: { ready: true, kind: market.kind, watched: market.watched },
    ...(worker === undefined ? {} : { worker: worker.health() }),
  }
}
