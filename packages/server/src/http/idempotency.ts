import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { errorResponses } from './schemas.ts'
import type { App } from './types.ts'

/** An answer as it was first given. */
export type KeptAnswer = { status: number; contentType: string; body: Buffer }

/** A key that this request may use. One of the three methods is called once, when it is known what came of it. */
export type Claim = {
  /** Its effect is known: repeats get this answer. */
  answered(answer: KeptAnswer): Promise<void>
  /** It had no effect: the key is free again. */
  withdrawn(): Promise<void>
  /** Nobody knows whether it had an effect: repeats are told so, and never carried out. */
  unknown(): Promise<void>
}

/** Who may carry out a request with a key: the first that asks, on all nodes together. */
export type IdempotentRequests = {
  /**
   * @param request what a repeat has to be equal in
   * @returns what the key stands for already, where it does
   * @throws {AppError} 409 when the key stands for another request, or for one whose answer is not there
   */
  claim(userId: number, key: string, request: string): Promise<Claim | KeptAnswer>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On a changing request with an `Idempotency-Key`, once it may be carried out. */
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
    'Has the request take effect once: a repeat with this key within 24 hours gets the first answer, with the header `idempotency-replayed: true`.',
})
const keyOfGuest = Type.String({
  ...Key,
  description: 'Accepted, and without a meaning: to repeat this request does no harm.',
})

/**
 * Has every route of `scope` that changes something take an `Idempotency-Key`: one place, so that no route can
 * forget it. A request that is refused before its handler leaves no trace. One without the header costs nothing.
 */
export function takeIdempotencyKeys(scope: App, requests: IdempotentRequests): void {
  scope.decorateRequest('idempotency', undefined)
  const claim = claimWith(requests)
  scope.addHook('onRoute', (route) => {
    if (!isChanging(route)) return
    describeKey(route, keyOfRequest)
    route.preValidation = [demandKey, ...hooksOf(route.preValidation)]
    // After the hooks of the route itself, and so right before its handler.
    route.preHandler = [...hooksOf(route.preHandler), claim]
    route.onError = [...hooksOf(route.onError), noteError]
    route.onSend = [...hooksOf(route.onSend), settle]
  })
}

/**
 * Guests have no account to keep a key for, and need none: a link counts once, to sign in again is to have another
 * session, and mails are limited. Their routes take the header, so that a client can send it with all it changes.
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
  route.schema = {
    ...route.schema,
    headers: Type.Object({ [header]: Type.Optional(key) }),
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
        reply.code(claimed.status).type(claimed.contentType).send(claimed.body)
      } else {
        request.idempotency = { claim: claimed }
        done()
      }
    }, done)
  }
}

/** What a repeat has to be equal in. The body as it was understood: its spelling may differ. */
function textOf({ method, raw, body }: FastifyRequest): string {
  return `${method} ${raw.url}\n${JSON.stringify(body) ?? ''}`
}

function noteError(request: FastifyRequest, _reply: FastifyReply, error: Error, done: () => void): void {
  if (request.idempotency !== undefined) request.idempotency.error = error
  done()
}

/** Before the answer goes out, so that nobody has seen an answer that a crash could make another. */
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
    // The answer is true all the same. The key stays taken, and a repeat is told that nobody knows.
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
  // The handler itself refused, before it did anything: what it waits for may be there at the next attempt.
  if (status === 429 || (status >= 500 && error instanceof AppError)) return claim.withdrawn()
  if (status >= 500 || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return claim.unknown()
  const contentType = String(reply.getHeader('content-type') ?? 'application/json')
  return claim.answered({ status, contentType, body: Buffer.from(payload) })
}

function keyMissing(): AppError {
  return new AppError(
    'idempotency_key_missing',
    'This API key demands the header Idempotency-Key with every request that changes something.',
  )
}
