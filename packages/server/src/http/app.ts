import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { type Gate, requirePrincipal, welcomeGuests } from './authentication.ts'
import { answerClientError } from './client-errors.ts'
import { closeRequests } from './closed-requests.ts'
import { compilersFactory } from './compilers.ts'
import { allowOtherOrigins } from './cross-origin.ts'
import { endConnectionsOnClose } from './end-connections.ts'
import { answerFailure, installErrorHandler } from './error-handler.ts'
import { acceptGuestsKeys, type IdempotentRequests, takeIdempotencyKeys } from './idempotency.ts'
import { bodyLimit, limitRequests } from './limits.ts'
import { describeApi } from './openapi.ts'
import { ErrorBody } from './schemas.ts'
import { loadCookies } from './session-cookie.ts'
import { demandSingleHeaders } from './single-headers.ts'
import type { App, Routes } from './types.ts'

const requestTimeoutMs = 30_000

export type AppParts = Gate & {
  logger: FastifyBaseLogger
  /** Reverse proxies whose word for a sender's address is taken. */
  trustedProxies?: string[]
  /** Has a changing request under `/api/v2` take effect once, where it has an `Idempotency-Key`. */
  idempotentRequests?: IdempotentRequests
  /** Under `/api/v2`, for those alone whom the gate knows. */
  apiRoutes: Routes[]
  /** Under `/api/v2`, for those who are about to become known. */
  guestRoutes?: Routes[]
  /** Everything else. */
  openRoutes: Routes[]
  /** Where prices come from, said with every answer where they are not live. */
  market: 'live' | 'sim' | 'replay'
  /** Knows which requests were made by strategies; default: none was. */
  strategies?: { read(request: IncomingMessage): number | undefined; run(id: number, work: () => void): void }
  /** Told of each answer: the route's pattern (never an address), its status, and how long it took. */
  onResponse?(route: string, status: number, seconds: number): void
}

/** Builds the HTTP application; it listens nowhere yet. */
export async function buildApp(parts: AppParts): Promise<App> {
  const app: App = fastify({
    loggerInstance: parts.logger,
    // A line for each request would cost more than most requests do; failures and outcomes are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // Nor is a logger made for each: the few lines that are about a request name it themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit,
    ...(parts.trustedProxies?.length ? { trustProxy: parts.trustedProxies } : {}),
    // A sender that trickles its request in holds a connection no longer than this.
    requestTimeout: requestTimeoutMs,
    // Looked at below, where a refusal is answered in the shape of every error.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 500 },
    schemaController: { compilersFactory },
    frameworkErrors: answerFailure,
    clientErrorHandler: answerClientError,
    // What is under way while the service drains is still answered.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  app.addSchema(ErrorBody)
  installErrorHandler(app)
  limitRequests(app)
  demandSingleHeaders(app)
  endConnectionsOnClose(app)
  const { onResponse } = parts
  if (onResponse !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      onResponse(request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
  }
  // All that an API needs of the usual security headers; pages get theirs where they are served.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (parts.market !== 'live') reply.header('x-tickwright-market', parts.market)
    done()
  })
  const { strategies } = parts
  if (strategies !== undefined) {
    // Once the body is there: reading it loses who asked for what. And before it is known who signed.
    app.addHook('preValidation', (request, _reply, done) => {
      const strategyId = strategies.read(request.raw)
      if (strategyId === undefined) done()
      else strategies.run(strategyId, done)
    })
  }
  allowOtherOrigins(app)
  await describeApi(app)
  await loadCookies(app)
  for (const routes of parts.openRoutes) await app.register(async (scope: App) => routes(scope))
  await app.register(
    async (scope: App) => {
      requirePrincipal(scope, parts)
      closeRequests(scope)
      if (parts.idempotentRequests !== undefined) takeIdempotencyKeys(scope, parts.idempotentRequests)
      for (const routes of parts.apiRoutes) routes(scope)
    },
    { prefix: '/api/v2' },
  )
  const { sessions, guestRoutes = [] } = parts
  if (sessions !== undefined) {
    await app.register(
      async (scope: App) => {
        welcomeGuests(scope, sessions.publicUrl)
        closeRequests(scope)
        acceptGuestsKeys(scope)
        for (const routes of guestRoutes) routes(scope)
      },
      { prefix: '/api/v2' },
    )
  }
  return app
}
