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
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
  created_at: Timestamp,
  last_seen_at: Timestamp,
})

/** Where users sign in. */
export function signInRoutes({ signIn, refuseLocked }: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    scope.post(
      '/user/session',
      {
        onRequest: ({ ip }) => refuseLocked(['address'], ip),
        schema: {
          tags,
          security: [],
          summary: 'Sign in; the session comes as a cookie',
          description:
            'With a second factor, `totp` is needed as well: without it the answer to a right password is 401 with the code `auth_code_missing`.',
          body: Type.Object({ email: Email, password: Password, totp: Type.Optional(Code) }),
          response: { 200: UserRecord, ...errorResponses(400, 401, 403, 415, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const { user, token } = await signIn.signIn(
          request.body,
          placeOf(request),
          readSessionCookie(request),
        )
        cookie.set(reply, token)
        return presentUser(user)
      },
    )
  }
}

/** Who one is, and where one is signed in. */
export function sessionRoutes(accounts: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    addMe(scope, accounts)
    addEnds(scope, accounts, cookie)
    addList(scope, accounts)
  }
}

function addMe(scope: App, { users, secondFactor }: Accounts): void {
  for (const path of ['/user/me', '/user/session']) {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'Who you are',
          response: { 200: Me, ...errorResponses(401, 500) },
        },
      },
      async ({ principal }) => ({
        ...presentUser(await users.get(principal, principal.userId)),
        totp: await secondFactor.isOn(principal.userId),
      }),
    )
  }
}

function addEnds(scope: App, { signIn }: Accounts, cookie: SessionCookie): void {
  const response = { 200: SuccessMessage, ...errorResponses(401, 403, 500) }
  scope.delete(
    '/user/session',
    { schema: { ...common, summary: 'Sign out: end the session that asks, if one does', response } },
    async ({ principal: { userId, sessionId }, ip }, reply) => {
      if (sessionId !== undefined) await signIn.signOut(userId, sessionId, ip)
      cookie.clear(reply)
      return success
    },
  )

  scope.delete(
    '/user/sessions',
    {
      schema: {
        ...common,
        summary: 'Sign out everywhere: end all sessions, that which asks included',
        response,
      },
    },
    async ({ principal, ip }, reply) => {
      await signIn.signOutEverywhere(principal.userId, ip)
      cookie.clear(reply)
      return success
    },
  )

  scope.delete(
    '/user/sessions/:id',
    {
      schema: {
        ...common,
        summary: 'End a session',
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

function addList(scope: App, { sessions }: Accounts): void {
  scope.get(
    '/user/sessions',
    {
      schema: {
        ...common,
        summary: 'List where you are signed in, the latest use first',
        querystring: PageQuery,
        response: { 200: ListOf(SessionRecord), ...errorResponses(400, 401, 500) },
      },
    },
    ({ principal: { userId, sessionId }, query }) =>
      answerPage(query, {
        list: async (window) =>
          (await sessions.list(userId, window)).map((session) => present(session, sessionId)),
        count: () => sessions.count(userId),
      }),
  )
}

/** Where a request comes from, as far as it says so. */
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
