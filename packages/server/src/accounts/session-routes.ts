import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, PageQuery, SuccessMessage, Timestamp } from '../http/schemas.ts'
import { readSessionCookie, type SessionCookie } from '../http/session-cookie.ts'
import type { App, Routes } from '../http/types.ts'
import type { Accounts } from './open.ts'
import { Code, Email, Password, presentUser, UserRecord, userFields } from './schemas.ts'
import type { Place, Session } from './sessions.ts'

const tags = ['Users']
const common = { tags, security: signedRequest }
const success = { message: 'Success' as const }

const Me = Type.Object({
  ...userFields,
  totp: Type.Boolean({ description: 'Whether the second factor is on.' }),
})

const SessionRecord = Type.Object({
  id: Type.Integer(),
  ip: Type.String(),
  user_agent: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  created_at: Timestamp,
  last_seen_at: Timestamp,
})

/** The route that signs users in. */
export function signInRoutes(accounts: Accounts, cookie: SessionCookie): Routes {
  return (scope) => startSession(scope, accounts, cookie)
}

/** Routes for the caller's own record and sessions. */
export function sessionRoutes(accounts: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    readMe(scope, '/user/me', accounts)
    readMe(scope, '/user/session', accounts)
    endCurrentSession(scope, accounts, cookie)
    signOutEverywhere(scope, accounts, cookie)
    endSession(scope, accounts)
    listSessions(scope, accounts)
  }
}

function startSession(scope: App, { signIn, refuseLocked }: Accounts, cookie: SessionCookie): void {
  scope.post(
    '/user/session',
    {
      onRequest: ({ ip }) => refuseLocked(['address'], ip),
      schema: {
        tags,
        security: [],
        summary: 'Sign in; the response sets the session cookie',
        description:
          'If the second factor is on, `totp` is needed too: without it, the response to a right password is 401 with the code `auth_code_missing`.',
        body: Type.Object(
          { email: Email, password: Password, totp: Type.Optional(Code) },
          { examples: [{ email: 'ada@example.com', password: 'correct horse battery' }] },
        ),
        response: { 200: UserRecord, ...errorResponses(400, 401, 403, 415, 429, 500, 503) },
      },
    },
    async (request, reply) => {
      const former = readSessionCookie(request)
      const { user, token } = await signIn.signIn(request.body, placeOf(request), former)
      cookie.set(reply, token)
      return presentUser(user)
    },
  )
}

function readMe(scope: App, path: string, { users, secondFactor }: Accounts): void {
  scope.get(
    path,
    {
      schema: {
        ...common,
        summary: 'Read your own user',
        description: 'Works with a session and with a signature, so that you can check either.',
        response: { 200: Me, ...errorResponses(401, 500) },
      },
    },
    async ({ principal }) => ({
      ...presentUser(await users.get(principal, principal.userId)),
      totp: await secondFactor.isOn(principal.userId),
    }),
  )
}

function endCurrentSession(scope: App, { signIn }: Accounts, cookie: SessionCookie): void {
  scope.delete(
    '/user/session',
    {
      schema: {
        ...common,
        summary: 'Sign out',
        description: 'Ends the session of this request. A signed request has none, and ends nothing.',
        response: { 200: SuccessMessage, ...errorResponses(401, 403, 500) },
      },
    },
    async ({ principal: { userId, sessionId }, ip }, reply) => {
      if (sessionId !== undefined) await signIn.signOut(userId, sessionId, ip)
      cookie.clear(reply)
      return success
    },
  )
}

function signOutEverywhere(scope: App, { signIn }: Accounts, cookie: SessionCookie): void {
  scope.delete(
    '/user/sessions',
    {
      schema: {
        ...common,
        summary: 'Sign out everywhere',
        description:
          'Ends all your sessions, on all nodes, including the session of this request. API keys stay.',
        response: { 200: SuccessMessage, ...errorResponses(401, 403, 500) },
      },
    },
    async ({ principal, ip }, reply) => {
      await signIn.signOutEverywhere(principal.userId, ip)
      cookie.clear(reply)
      return success
    },
  )
}

function endSession(scope: App, { signIn }: Accounts): void {
  scope.delete(
    '/user/sessions/:id',
    {
      schema: {
        ...common,
        summary: 'End one of your sessions',
        description: 'The browser that used it is signed out at its next request.',
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 404, 500) },
      },
    },
    async ({ principal, params, ip }) => {
      await signIn.endSession(principal.userId, params.id, ip)
      return success
    },
  )
}

function listSessions(scope: App, { sessions }: Accounts): void {
  scope.get(
    '/user/sessions',
    {
      schema: {
        ...common,
        summary: 'List your sessions, most recently used first',
        description:
          'Each names the address and the browser that signed in. Sessions that have ended are not listed.',
        querystring: PageQuery,
        response: { 200: ListOf(SessionRecord), ...errorResponses(400, 401, 500) },
      },
    },
    // Not `listRoute`: the list marks the session of the request.
    ({ principal: { userId, sessionId }, query }) =>
      answerPage(query, {
        list: async (window) =>
          (await sessions.list(userId, window)).map((session) => present(session, sessionId)),
        count: () => sessions.count(userId),
      }),
  )
}

/** The address and the browser that a request names. */
export function placeOf({ ip, headers }: FastifyRequest): Place {
  return { ip, userAgent: headers['user-agent'] ?? '' }
}

function present(session: Session, currentId: number | undefined) {
  return {
    id: session.id,
    ip: session.ip,
    user_agent: session.userAgent,
    current: session.id === currentId,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
  }
}
