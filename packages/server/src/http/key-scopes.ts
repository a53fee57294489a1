import type { FastifyRequest, preSerializationHookHandler } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { KeyScope } from '../base/principal.ts'
import type { App } from './types.ts'

const prefix = '/api/v2'

/**
 * The changes that a key with the scope `deploy` may make: code and prompts with their folders and tests, webhooks, payloads
 * for tests, and backtests. What is missing here is refused, so a new route is closed to such keys until it has a line.
 */
const deployable: readonly RegExp[] = [
  /^(POST|PUT|DELETE) \/strategy\/(code|llm-session|reaction\/code|reaction\/llm)(\/folder)?(\/:id)?$/,
  /^POST \/strategy\/(code|llm-session|reaction\/code|reaction\/llm)(\/:id)?\/(duplicate|check|test|preview)$/,
  /^POST \/strategy\/(code|llm-session|reaction\/code|reaction\/llm)\/:id\/versions\/:version\/restore$/,
  /^(POST|PUT|DELETE) \/webhook\/(data|bot)(\/:id)?$/,
  /^(POST|DELETE) \/test-payload(\/:id)?$/,
  /^(POST|DELETE) \/backtest(\/:id)?$/,
  // It refuses such keys what changes a bot.
  /^POST \/deploy$/,
]

/** Fields with which a webhook is switched: what is off may trade when it is on. */
const switching = ['status']

/** Whether a key with this scope may make a request. @param url the route, such as `/api/v2/run/:id` */
export function isInScope(scope: KeyScope, method: string, url: string): boolean {
  if (scope === 'all' || method === 'GET' || method === 'HEAD') return true
  const line = `${method} ${url.slice(prefix.length)}`
  return scope === 'deploy' && deployable.some((pattern) => pattern.test(line))
}

/** @throws {AppError} 403 if the key of the request may not make it */
export function demandScope(request: FastifyRequest): void {
  const { principal, method, routeOptions, body } = request
  const { scope = 'all' } = principal
  if (scope === 'all' || isAlwaysAllowed(request)) return
  if (!isInScope(scope, method, routeOptions.url ?? '')) throw outOfScope(scope)
  if (method === 'GET') return
  const fields: Record<string, unknown> = Object(body)
  if (switching.some((field) => Object.hasOwn(fields, field)) || fields.visibility === 'PUBLIC')
    throw outOfScope(scope)
}

/** A key may always revoke itself, and try a deployment: the first takes rights away, the second changes nothing. */
function isAlwaysAllowed({ principal, method, routeOptions, params, body }: FastifyRequest): boolean {
  const line = `${method} ${(routeOptions.url ?? '').slice(prefix.length)}`
  if (line === 'DELETE /api/key/:id')
    return principal.apiKeyId !== undefined && String(principal.apiKeyId) === Object(params).id
  return principal.scope === 'read' && line === 'POST /deploy' && Object(body).dry_run === true
}

/**
 * Hides the URLs of webhooks from keys that may not trade: anyone who has the URL of a bot webhook without a password can
 * send signals.
 */
export function hideUrls(scope: App): void {
  scope.addHook('onRoute', (route) => {
    if (!route.url.startsWith(`${prefix}/webhook/`)) return
    route.preSerialization = [hide as never, route.preSerialization ?? []].flat()
  })
}

const hide: preSerializationHookHandler<unknown> = ({ principal }, _reply, answer, done) => {
  done(null, (principal.scope ?? 'all') === 'all' ? answer : withoutUrls(answer))
}

function withoutUrls(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutUrls)
  if (typeof answer !== 'object' || answer === null) return answer
  const { url, items } = answer as { url?: unknown; items?: unknown }
  return {
    ...answer,
    ...(typeof url === 'string' && { url: `${url.slice(0, url.lastIndexOf('/') + 1)}…` }),
    ...(items !== undefined && { items: withoutUrls(items) }),
  }
}

function outOfScope(scope: KeyScope): AppError {
  return new AppError(
    'access_denied',
    scope === 'read'
      ? 'This API key has the scope read: it changes nothing.'
      : 'This API key has the scope deploy: it changes only strategies, webhooks and test payloads, starts backtests, publishes nothing, and switches nothing on or off.',
  )
}
