import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { App, Routes } from '../http/types.ts'
import type { AuditEvent } from './audit-log.ts'
import type { Accounts } from './open.ts'
import {
  LinkToken,
  NewEmail,
  NewPassword,
  Password,
  presentUser,
  Role,
  UserName,
  UserRecord,
  userFields,
} from './schemas.ts'
import type { Invitation } from './sign-up.ts'

const tags = ['Users']
const common = { tags, security: signedRequest }
const success = { message: 'Success' as const }

const InvitationRecord = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: Role,
  link: Type.Optional(Type.String({ description: 'Shown once, to be handed over where no mail is sent.' })),
  created_at: Timestamp,
  expires_at: Timestamp,
})

const AuditRecord = Type.Object({
  id: Type.Integer(),
  event: Type.String({ description: 'See docs/accounts.md.' }),
  by_user_id: Nullable(Type.Integer({ description: 'null: somebody who is not known.' })),
  by_strategy_id: Nullable(
    Type.Integer({
      description:
        'The strategy whose code made the request; 0: a test run of code that is not saved; null: no strategy.',
    }),
  ),
  ip: Nullable(Type.String()),
  details: Type.Object({}, { additionalProperties: true }),
  created_at: Timestamp,
})

/** Where new users come in. */
export function signUpRoutes({ signUp, refuseLocked }: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    scope.post(
      '/user',
      {
        // Which of the two it is about, the body says.
        onRequest: ({ ip }) => refuseLocked(['mail_address', 'token'], ip),
        schema: {
          tags,
          security: [],
          summary: 'Sign up by an invitation; without one, where sign-up is open, ask for a link by mail',
          description:
            'With `invitation` and `password` it makes the account and signs in. Without `invitation`, a link is sent to `email`, and nothing else is stored; the answer is the same whether that address has an account.',
          body: Type.Object({
            email: Type.Optional(NewEmail),
            name: Type.Optional(UserName),
            password: Type.Optional(NewPassword),
            invitation: Type.Optional(LinkToken),
          }),
          response: {
            201: UserRecord,
            202: SuccessMessage,
            ...errorResponses(400, 403, 409, 415, 429, 500, 503),
          },
        },
      },
      async ({ body: { invitation, email, password, name }, ip, headers }, reply) => {
        if (invitation === undefined) {
          await signUp.ask(demand('email', email), ip)
          return reply.code(202).send(success)
        }
        const given = {
          invitation,
          password: demand('password', password),
          ...(email === undefined ? {} : { email }),
          ...(name === undefined ? {} : { name }),
        }
        const place = { ip, userAgent: headers['user-agent'] ?? '' }
        const { user, token } = await signUp.accept(given, place)
        cookie.set(reply, token)
        return reply.code(201).send(presentUser(user))
      },
    )
  }
}

/** Users, invitations and the audit log. */
export function userRoutes(accounts: Accounts): Routes {
  return (scope) => {
    addInvitations(scope, accounts)
    addAudit(scope, accounts)
    addUsers(scope, accounts)
  }
}

function addInvitations(scope: App, { signUp }: Accounts): void {
  const path = '/user/invitation'
  scope.get(
    path,
    {
      schema: {
        ...common,
        summary: 'List the invitations that can still be used (administrators)',
        querystring: PageQuery,
        response: { 200: ListOf(InvitationRecord), ...errorResponses(400, 401, 403, 500) },
      },
    },
    ({ principal, query }) => {
      demandAdministrator(principal)
      return answerPage(query, {
        list: async (window) => (await signUp.list(window)).map(presentInvitation),
        count: () => signUp.count(),
      })
    },
  )

  scope.post(
    path,
    {
      schema: {
        ...common,
        summary: 'Invite somebody by mail (administrators)',
        body: Type.Object({ email: NewEmail, role: Type.Optional(Role) }),
        response: { 201: InvitationRecord, ...errorResponses(400, 401, 403, 409, 415, 500) },
      },
    },
    async ({ principal, body: { email, role = 'user' }, ip }, reply) => {
      demandAdministrator(principal)
      const made = await signUp.invite({ userId: principal.userId, ip }, { email, role })
      return reply.code(201).send(presentInvitation(made))
    },
  )

  scope.delete(
    `${path}/:id`,
    {
      schema: {
        ...common,
        summary: 'Withdraw an invitation (administrators)',
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 404, 500) },
      },
    },
    async ({ principal, params, ip }) => {
      demandAdministrator(principal)
      await signUp.revoke({ userId: principal.userId, ip }, params.id)
      return success
    },
  )
}

function addAudit(scope: App, { audit, users }: Accounts): void {
  scope.get(
    '/user/audit',
    {
      schema: {
        ...common,
        summary: 'What became of your account and its secrets, the newest first',
        querystring: Type.Object({
          ...PageQuery.properties,
          user_id: Type.Optional({
            ...Id,
            description: 'Whose log to read (administrators). Default: yours.',
          }),
        }),
        response: { 200: ListOf(AuditRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, query }) => {
      const { id } = await users.get(principal, query.user_id ?? principal.userId)
      return answerPage(query, {
        list: async (window) => (await audit.list(id, window)).map(presentEvent),
        count: () => audit.count(id),
      })
    },
  )
}

function addUsers(scope: App, { users, credentials }: Accounts): void {
  scope.get(
    '/user',
    {
      schema: {
        ...common,
        summary: 'List all users (administrators)',
        querystring: PageQuery,
        response: { 200: ListOf(UserRecord), ...errorResponses(400, 401, 403, 500) },
      },
    },
    ({ principal, query }) => {
      demandAdministrator(principal)
      return answerPage(query, {
        list: async (window) => (await users.list(window)).map(presentUser),
        count: () => users.count(),
      })
    },
  )

  scope.get(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Read a user: yourself, or, as an administrator, anyone',
        params: IdParameter,
        response: { 200: UserRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => presentUser(await users.get(principal, params.id)),
  )

  scope.put(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Change a user; what is left out stays',
        description:
          'All but the name is for administrators. Who is DISABLED is signed out, their API keys stop working, and their strategies, webhooks and bots are switched off; they stay off when the user is ACTIVE again. Positions stay open.',
        params: IdParameter,
        body: Type.Partial(
          Type.Object({
            name: UserName,
            role: Role,
            status: userFields.status,
            totp: Type.Literal(false, {
              description: 'Switches the second factor off, for one who has lost it.',
            }),
          }),
        ),
        response: { 200: UserRecord, ...errorResponses(400, 401, 403, 404, 409, 415, 500) },
      },
    },
    async ({ principal, params, body, ip }) =>
      presentUser(await users.change(principal, params.id, body, ip)),
  )

  scope.delete(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Delete a user with all that is theirs',
        description: 'To delete yourself, send your password in the body.',
        params: IdParameter,
        body: Type.Object({ password: Type.Optional(Password) }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 404, 409, 415, 429, 500, 503) },
      },
      // The body may be left out.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    async ({ principal, params, body, ip }) => {
      const { email } = await users.get(principal, params.id)
      if (params.id === principal.userId) {
        await credentials.checkPassword({ email, password: demand('password', body.password) }, ip)
      }
      await users.delete(principal, params.id, ip)
      return success
    },
  )
}

function demandAdministrator({ role }: Principal): void {
  if (role !== 'admin') throw new AppError('access_denied', 'Only an administrator may do this.')
}

/** @throws {AppError} 400 where a field is missing that only some requests need */
function demand(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new AppError('request_invalid', `Invalid request: body.${name} is required.`, {
    details: [{ field: `body.${name}`, message: 'is required' }],
  })
}

function presentInvitation({ id, email, role, link, createdAt, expiresAt }: Invitation) {
  return {
    id,
    email,
    role,
    ...(link === undefined ? {} : { link }),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }
}

function presentEvent({ id, event, byUserId, byStrategyId, ip, details, createdAt }: AuditEvent) {
  return {
    id,
    event,
    by_user_id: byUserId,
    by_strategy_id: byStrategyId,
    ip,
    details,
    created_at: createdAt.toISOString(),
  }
}
