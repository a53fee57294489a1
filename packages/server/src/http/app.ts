import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import type { Facts } from './aliases/alias.ts'
import { acceptOtherNames } from './aliases/install.ts'
import { aliases } from './aliases/table.ts'
import { type Authenticators, admitGuests, requirePrincipal } from './authentication.ts'
import { answerClientError } from './client-errors.ts'
import { closeRequests } from './closed-requests.ts'
import { compilersFactory } from './compilers.ts'
import { allowOtherOrigins } from './cross-origin.ts'
import { ignoreLateRequests } from './early-answers.ts'
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
const noFacts: Facts = { credentialsOf: () => [], chainOf: () => null }

export type AppParts = Authenticators & {
  logger: FastifyBaseLogger
  /** Reverse proxies that are trusted to name a sender's address. */
  trustedProxies?: string[]
  /** Makes a changing request under `/api/v2` with an `Idempotency-Key` take effect once. */
  idempotentRequests?: IdempotentRequests
  /** Under `/api/v2`, for authenticated requests only. */
  apiRoutes: Routes[]
  /** Under `/api/v2`, for people who are not signed in yet. */
  guestRoutes?: Routes[]
  /** What the translation of other names has to know. Default: nothing. */
  aliasFacts?: Facts
  /** All other routes. */
  openRoutes: Routes[]
  /** The source of prices. Every response names it, unless it is live. */
  market: 'live' | 'sim' | 'replay'
  /** Knows which requests strategies made. Default: none. */
  strategies?: { read(request: IncomingMessage): number | undefined; run(id: number, work: () => void): void }
  /** Called for each response with the route's pattern (never an address), the status and the duration. */
  onResponse?(route: string, status: number, seconds: number): void
}

/** Builds the HTTP application; it listens nowhere yet. */
export async function buildApp(parts: AppParts): Promise<App> {
  const app: App = fastify({
    loggerInstance: parts.logger,
    // A log line for each request would cost more than most requests. Failures and outcomes are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // No logger for each request either: the few lines about a request name it themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit,
    ...(parts.trustedProxies?.length ? { trustProxy: parts.trustedProxies } : {}),
    // A sender that trickles its request can hold a connection for this long at most.
    requestTimeout: requestTimeoutMs,
    // Checked below, so that the refusal has the shape of every error.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 500 },
    schemaController: { compilersFactory },
    frameworkErrors: answerFailure,
    clientErrorHandler: answerClientError,
    // Requests in progress while the service drains are still answered.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  app.addSchema(ErrorBody)
  ignoreLateRequests(app)
  installErrorHandler(app)
  acceptOtherNames(app, aliases, parts.aliasFacts ?? noFacts)
  limitRequests(app)
  demandSingleHeaders(app)
  endConnectionsOnClose(app)
  const { onResponse } = parts
  if (onResponse !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      // A stream ends when its reader does, which says nothing about the service.
      const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
      if (!isStream)
        onResponse(request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
  }
  // The only usual security header that an API needs. Pages get theirs where they are served.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (parts.market !== 'live') reply.header('x-tickwright-market', parts.market)
    done()
  })
  const { strategies } = parts
  if (strategies !== undefined) {
    // After the body is read, because reading it loses the context. Before authentication, which may refuse.
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
        admitGuests(scope, sessions.publicUrl)
        closeRequests(scope)
        acceptGuestsKeys(scope)
        for (const routes of guestRoutes) routes(scope)
      },
      { prefix: '/api/v2' },
    )
  }
  return app
}
