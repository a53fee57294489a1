import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type TObject, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { errorResponses } from './schemas.ts'
import type { App } from './types.ts'

/** The first answer to a request, byte for byte. */
export type KeptAnswer = { status: number; contentType: string; etag?: string | undefined; body: Buffer }

/** A key that this request may use. When the outcome is known, exactly one of the three methods is called, once. */
export type Claim = {
  /** The request had its effect. Repeats get this answer. */
  answered(answer: KeptAnswer): Promise<void>
  /** The request had no effect. The key is free again. */
  withdrawn(): Promise<void>
  /** The request may have had an effect. Repeats are told so, and never executed. */
  unknown(): Promise<void>
}

/** Decides which request with a key is executed: the first one, across all nodes. */
export type IdempotentRequests = {
  /**
   * @param request text that a repeat must have in common with the first request
   * @returns the answer of the first request, if there was one
   * @throws {AppError} 409 if a different request has used the key, or if the first answer is not there
   */
  claim(userId: number, key: string, request: string): Promise<Claim | KeptAnswer>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a changing request with an `Idempotency-Key`, once it may be executed. */
    idempotency: { claim: Claim; error?: Error } | undefined
  }
}

const header = 'idempotency-key'
const Key = {
  minLength: 1,
  maxLength: 255,
  // Printable ASCII.
  pattern: '^[ -~]*$',
}
const keyOfRequest = Type.String({
  ...Key,
  description:
    'The request takes effect once. A repeat with this key within 24 hours gets the first answer, with the header `idempotency-replayed: true`.',
})
const keyOfGuest = Type.String({
  ...Key,
  description: 'Accepted without effect, because repeating this request does no harm.',
})

/**
 * Makes every route of `scope` that changes something accept an `Idempotency-Key`. One place does it, so no route can
 * forget it. A request that is refused before its handler runs leaves no trace. One without the header costs nothing.
 */
export function takeIdempotencyKeys(scope: App, requests: IdempotentRequests): void {
  scope.decorateRequest('idempotency', undefined)
  const claim = claimWith(requests)
  scope.addHook('onRoute', (route) => {
    if (!isChanging(route)) return
    describeKey(route, keyOfRequest)
    route.preValidation = [demandKey, ...hooksOf(route.preValidation)]
    // After the route's own hooks, so right before its handler.
    route.preHandler = [...hooksOf(route.preHandler), claim]
    route.onError = [...hooksOf(route.onError), noteError]
    route.onSend = [...hooksOf(route.onSend), settle]
  })
}

/**
 * Guests have no account that could keep a key, and need none: a link counts once, signing in again only creates
 * another session, and mails are limited. Their routes accept the header, so that a client can send it everywhere.
 */
export function acceptGuestsKeys(scope: App): void {
  scope.addHook('onRoute', (route) => {
    if (isChanging(route)) describeKey(route, keyOfGuest)
  })
}

type Route = RouteOptions & { routePath: string; path: string; prefix: string }

function isChanging({ method }: Route): boolean {
  return [method].flat().some((each) => !['GET', 'HEAD', 'OPTIONS'].includes(each))
}

function describeKey(route: Route, key: typeof keyOfRequest): void {
  const own = Type.Object({ [header]: Type.Optional(key) })
  const others = route.schema?.headers as TObject | undefined
  route.schema = {
    ...route.schema,
    headers: { ...own, ...others, properties: { ...own.properties, ...others?.properties } },
    response: { ...errorResponses(400, 409), ...(route.schema?.response as object) },
  }
}

function hooksOf<Hook>(hooks: Hook | Hook[] | undefined): Hook[] {
  return hooks === undefined ? [] : ([hooks].flat() as Hook[])
}

function demandKey(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const isMissing = request.principal.demandsIdempotencyKey === true && request.headers[header] === undefined
  done(isMissing ? keyMissing() : undefined)
}

function claimWith(requests: IdempotentRequests) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const key = request.headers[header]
    if (typeof key !== 'string') {
      done()
      return
    }
    requests.claim(request.principal.userId, key, textOf(request)).then((claimed) => {
      if ('body' in claimed) {
        reply.header('idempotency-replayed', 'true')
        if (claimed.etag !== undefined) reply.header('etag', claimed.etag)
        reply.code(claimed.status).type(claimed.contentType).send(claimed.body)
      } else {
        request.idempotency = { claim: claimed }
        done()
      }
    }, done)
  }
}

/**
 * A repeat must have the same text: method, address, condition and parsed body, so spacing and escapes may differ. Without
 * the condition, a repeat with another one would get an answer that was given under the first.
 */
function textOf({ method, raw, body, headers }: FastifyRequest): string {
  const ifMatch = headers['if-match']
  const condition = ifMatch === undefined ? '' : ` ${JSON.stringify(ifMatch)}`
  return `${method} ${raw.url}${condition}\n${JSON.stringify(body) ?? ''}`
}

function noteError(request: FastifyRequest, _reply: FastifyReply, error: Error, done: () => void): void {
  if (request.idempotency !== undefined) request.idempotency.error = error
  done()
}

/** Runs before the answer goes out. Otherwise, after a crash, a repeat could get a different answer. */
function settle(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const { idempotency } = request
  if (idempotency === undefined) {
    done(null, payload)
    return
  }
  request.idempotency = undefined
  settled(idempotency, reply, payload)
    // The answer is still correct. The key stays taken, and a repeat is told that the outcome is unknown.
    .catch((err) =>
      request.log.error({ err, requestId: request.id }, 'answer to an idempotent request not kept'),
    )
    .finally(() => done(null, payload))
}

function settled(
  { claim, error }: NonNullable<FastifyRequest['idempotency']>,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { statusCode: status } = reply
  // The handler refused before it did anything. The next attempt may succeed.
  if (status === 429 || (status >= 500 && error instanceof AppError)) return claim.withdrawn()
  if (status >= 500 || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return claim.unknown()
  const contentType = String(reply.getHeader('content-type') ?? 'application/json')
  const etag = reply.getHeader('etag') as string | undefined
  return claim.answered({ status, contentType, etag, body: Buffer.from(payload) })
}

function keyMissing(): AppError {
  return new AppError(
    'idempotency_key_missing',
    'This API key requires the header Idempotency-Key with every request that changes something.',
  )
}
