import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { Authenticate, Principal, SignedRequest } from '../base/principal.ts'
import { unknownFieldMessage } from '../base/unknown-field.ts'
import { parseJsonBody } from './json-body.ts'
import { demandScope, hideUrls } from './key-scopes.ts'
import { guestBodyLimit } from './limits.ts'
import { isFromOwnPage } from './origins.ts'
import { readSessionCookie, sessionCookieName } from './session-cookie.ts'
import type { App } from './types.ts'
import { sentenceOf } from './validation-problems.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who makes this request. Set before the handler runs, on every route under `/api/v2` except for guests. */
    principal: Principal
  }
  interface FastifyContextConfig {
    /** A signed DELETE may have a body that is not signed. */
    unsignedBody?: true
  }
}

/** A request is signed by three headers, each a security scheme of its own, or comes with the cookie of a session. */
export const signedRequest = [{ 'api-key': [], timestamp: [], signature: [] }, { session: [] }]

export const securitySchemes = {
  'api-key': { type: 'apiKey', in: 'header', name: 'api-key', description: 'The public key.' },
  timestamp: {
    type: 'apiKey',
    in: 'header',
    name: 'timestamp',
    description: 'Unix time in whole seconds: ten digits without a leading zero.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'signature',
    description:
      'Signature of METHOD + PATH + BODY + TIMESTAMP, concatenated without separators: HMAC-SHA256 as lower-case hex, or ML-DSA-44 as Base64.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description:
      'The cookie that a browser gets when its user signs in. It works only on pages of this service.',
  },
} as const

/** Finds out who is signed in, by the token of a session. */
export type SessionAuthenticator = {
  /** @throws {AppError} 401 if no session has this token */
  authenticate(token: string): Promise<Principal>
  /** The address of this service's pages. */
  publicUrl: string
}

/** The ways to find out who makes a request: by signature and, if the service has them, by session. */
export type Authenticators = {
  authenticate: Authenticate
  sessions?: SessionAuthenticator
  /** Knows the requests that this process makes to itself. */
  inProcess?: { principalOf(request: IncomingMessage): Principal | undefined }
}

/**
 * Admits only requests with a signature or a session to the routes of `scope`. Bodies stay bytes until that is checked,
 * so that the service parses nothing for strangers.
 */
export function requirePrincipal(scope: App, authenticators: Authenticators): void {
  takeBytes(scope)
  const check: preValidationHookHandler = (request, _reply, done) => {
    const body = request.body as Buffer | undefined
    const accept = (principal: Principal) => {
      request.principal = principal
      request.body = readBody(request, body)
      demandScope(request)
    }
    try {
      const principal = principalOf(request, body, authenticators)
      // A cached key is checked at once, without a turn of the event loop.
      if (principal instanceof Promise) principal.then(accept).then(() => done(), done)
      else {
        accept(principal)
        done()
      }
    } catch (error) {
      done(error as Error)
    }
  }
  scope.decorateRequest('principal')
  scope.addHook('preValidation', check)
  hideUrls(scope)
}

/** Admits anyone to the routes of `scope`, except pages of other origins. Their bodies are small. */
export function admitGuests(scope: App, publicUrl: string): void {
  takeBytes(scope)
  scope.addHook('onRoute', (route) => {
    route.bodyLimit = guestBodyLimit
  })
  scope.addHook('preValidation', (request, _reply, done) => {
    try {
      if (isFromOwnPage(request.headers, publicUrl) === false) throw originRefused()
      const body = request.body as Buffer | undefined
      if (body !== undefined) request.body = parseJsonBody(body)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Leaves the bodies of the routes of `scope` as bytes. They are parsed after authentication. */
export function takeBytes(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
}

/** If a request has any part of a signature, only that counts, and no cookie. */
function principalOf(
  request: FastifyRequest,
  body: Buffer | undefined,
  { authenticate, sessions, inProcess }: Authenticators,
): Principal | Promise<Principal> {
  const insider = inProcess?.principalOf(request.raw)
  if (insider !== undefined) return insider
  const signed = signatureOf(request, body)
  if (sessions !== undefined && !isSigned(signed)) {
    const token = readSessionCookie(request)
    if (token !== undefined) return sessionOf(request, token, sessions)
  }
  return authenticate(signed)
}

/** Collects the signed parts of a request. @param body the bytes that were received */
export function signatureOf(request: FastifyRequest, body: Buffer | undefined): SignedRequest {
  return {
    apiKey: header(request, 'api-key'),
    signature: header(request, 'signature'),
    timestamp: header(request, 'timestamp'),
    method: request.method,
    path: request.raw.url ?? request.url,
    body,
    mayLeaveBodyUnsigned:
      body !== undefined && request.method === 'DELETE' && request.routeOptions.config.unsignedBody === true,
    sender: request,
  }
}

/**
 * A body is empty or a JSON object, so that it cannot pass for a part of the path, which is signed just before it.
 * @returns `undefined` if it is empty
 * @throws {AppError} 400 if it is something else, or the route takes no body
 */
function readBody(request: FastifyRequest, bytes: Buffer | undefined): unknown {
  // Fastify does not read the body of a GET or HEAD request.
  if (bytes === undefined) {
    if (announcesBody(request)) throw bodyRefused('must be absent, because this request takes none')
    return undefined
  }
  const body = parseJsonBody(bytes)
  if (body === undefined) return undefined
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw bodyRefused('must be a JSON object')
  }
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined && config.unsignedBody !== true) {
    if (request.method === 'DELETE') throw bodyRefused('must be absent, because this request takes none')
    demandNoFields(body)
  }
  return body
}

/** A route without a body takes `{}` too, because many clients send it. */
function demandNoFields(body: object): void {
  const [name] = Object.keys(body)
  if (name === undefined) return
  const detail = { field: `body.${name}`, message: unknownFieldMessage(name, []) }
  throw new AppError('request_invalid', sentenceOf(detail), { details: [detail] })
}

function announcesBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
}

function bodyRefused(problem: string): AppError {
  return new AppError('request_invalid', `Invalid request: body ${problem}.`, {
    details: [{ field: 'body', message: problem }],
  })
}

/** Whether a request has any part of a signature. */
export function isSigned({ apiKey, signature }: SignedRequest): boolean {
  return apiKey !== undefined || signature !== undefined
}

/** A browser sends the cookie for any page that asks. So a request that changes something must come from our own page. */
function sessionOf(
  request: FastifyRequest,
  token: string,
  sessions: SessionAuthenticator,
): Promise<Principal> {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (!reads && isFromOwnPage(request.headers, sessions.publicUrl) !== true) throw originRefused()
  return sessions.authenticate(token)
}

export function originRefused(): AppError {
  return new AppError('origin_refused', 'Refused: a page of this service did not send the request.')
}

/** An empty header counts as absent: the API reference sends the headers that its user has not filled in. */
function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
