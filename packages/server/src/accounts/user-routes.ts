import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { given } from '../base/given.ts'
import type { Principal } from '../base/principal.ts'
import { signedRequest } from '../http/authentication.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { answerEvents, answerPage } from '../http/paging.ts'
import {
  EventQuery,
  EventsOf,
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
  link: Type.Optional(Type.String({ description: 'Shown only once, so that you can pass it on.' })),
  created_at: Timestamp,
  expires_at: Timestamp,
})

const AuditRecord = Type.Object({
  id: Type.Integer(),
  event: Type.String({ description: 'docs/accounts.md lists all events.' }),
  by_user_id: Nullable(Type.Integer({ description: 'null: unknown.' })),
  by_strategy_id: Nullable(
    Type.Integer({
      description: 'The strategy whose code sent the request; 0: a test run; null: no strategy.',
    }),
  ),
  ip: Nullable(Type.String()),
  details: Type.Object({}, { additionalProperties: true }),
  created_at: Timestamp,
})

/** The route that creates accounts. */
export function signUpRoutes(accounts: Accounts, cookie: SessionCookie): Routes {
  return (scope) => createAccount(scope, accounts, cookie)
}

/** Routes for users, invitations and the audit log. */
export function userRoutes(accounts: Accounts): Routes {
  return (scope) => {
    listInvitations(scope, accounts)
    invite(scope, accounts)
    withdrawInvitation(scope, accounts)
    readAuditLog(scope, accounts)
    listUsers(scope, accounts)
    readUser(scope, accounts)
    changeUser(scope, accounts)
    deleteUser(scope, accounts)
  }
}

function createAccount(scope: App, { signUp, refuseLocked }: Accounts, cookie: SessionCookie): void {
  scope.post(
    '/user',
    {
      // Before the body is read, nobody knows whether it asks for a link or uses one.
      onRequest: ({ ip }) => refuseLocked(['mail_address', 'token'], ip),
      schema: {
        tags,
        security: [],
        summary: 'Create your account with an invitation, or request a link if sign-up is open',
        description:
          'With `invitation` and `password`, it creates the account and signs in. Without `invitation`, it sends a link to `email` and stores nothing else; the answer is the same whether that address has an account or not.',
        body: Type.Object(
          {
            email: Type.Optional(NewEmail),
            name: Type.Optional(UserName),
            password: Type.Optional(NewPassword),
            invitation: Type.Optional(LinkToken),
          },
          {
            examples: [
              {
                invitation: 'pJ3yQGkq1T0mXbUqz8vO5cVnH2sLw9RfYdAeKiZtM4o',
                password: 'correct horse battery',
                name: 'Ada',
              },
            ],
          },
        ),
        response: {
          201: UserRecord,
          202: SuccessMessage,
          ...errorResponses(400, 403, 409, 415, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { invitation, email, password, name } = request.body
      if (invitation === undefined) {
        await signUp.ask(demand('email', email), request.ip)
        return reply.code(202).send(success)
      }
      const account = given({ invitation, password: demand('password', password), email, name })
      const { ip, headers } = request
      const { user, token } = await signUp.accept(account, { ip, userAgent: headers['user-agent'] ?? '' })
      cookie.set(reply, token)
      return reply.code(201).send(presentUser(user))
    },
  )
}

function listInvitations(scope: App, { signUp }: Accounts): void {
  scope.get(
    '/user/invitation',
    {
      schema: {
        ...common,
        summary: 'List the invitations that are still valid (administrators)',
        description: 'Includes those of other administrators. Links are shown only when they are created.',
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
}

function invite(scope: App, { signUp }: Accounts): void {
  scope.post(
    '/user/invitation',
    {
      schema: {
        ...common,
        summary: 'Invite a person by mail (administrators)',
        description:
          'The link is valid once, for seven days, and replaces an earlier one to the same address. The response shows it too, so that you can pass it on.',
        body: Type.Object(
          { email: NewEmail, role: Type.Optional(Role) },
          { examples: [{ email: 'ada@example.com', role: 'user' }] },
        ),
        response: { 201: InvitationRecord, ...errorResponses(400, 401, 403, 409, 415, 500) },
      },
    },
    async ({ principal, body: { email, role = 'user' }, ip }, reply) => {
      demandAdministrator(principal)
      const made = await signUp.invite({ userId: principal.userId, ip }, { email, role })
      return reply.code(201).send(presentInvitation(made))
    },
  )
}

function withdrawInvitation(scope: App, { signUp }: Accounts): void {
  scope.delete(
    '/user/invitation/:id',
    {
      schema: {
        ...common,
        summary: 'Withdraw an invitation (administrators)',
        description: 'Its link becomes invalid. An account that was already created with it stays.',
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

function readAuditLog(scope: App, { audit, users }: Accounts): void {
  scope.get(
    '/user/audit',
    {
      schema: {
        ...common,
        summary: 'List the security events of your account, newest first',
        description:
          'Sign-ins, refused passwords and signatures, and every change of a secret. The service keeps events for 365 days.',
        querystring: Type.Object({
          ...EventQuery.properties,
          user_id: Type.Optional({
            ...Id,
            description: 'The user whose events to list (administrators). Default: you.',
          }),
        }),
        response: { 200: EventsOf(AuditRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, query }) => {
      const { id } = await users.get(principal, query.user_id ?? principal.userId)
      return answerEvents(query, {
        list: async (window) => (await audit.list(id, window)).map(presentEvent),
        count: () => audit.count(id),
      })
    },
  )
}

function listUsers(scope: App, { users }: Accounts): void {
  scope.get(
    '/user',
    {
      schema: {
        ...common,
        summary: 'List all users (administrators)',
        description: 'In order of id.',
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
}

function readUser(scope: App, { users }: Accounts): void {
  scope.get(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Read a user: yourself, or, as an administrator, anyone',
        description: 'For other users, the answer is 404 unless you are an administrator.',
        params: IdParameter,
        response: { 200: UserRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => presentUser(await users.get(principal, params.id)),
  )
}

function changeUser(scope: App, { users }: Accounts): void {
  scope.put(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Change a user; only the given fields change',
        description:
          'Only administrators can change fields other than `name`. `DISABLED` signs the user out, and stops their API keys, strategies, webhooks and bots; these stay off when the user is `ACTIVE` again. Positions stay open.',
        params: IdParameter,
        body: Type.Partial(
          Type.Object({
            name: UserName,
            role: Role,
            status: userFields.status,
            totp: Type.Literal(false, {
              description: 'Turns the second factor off, for a user who has lost it.',
            }),
          }),
          { examples: [{ name: 'Ada Lovelace' }] },
        ),
        response: { 200: UserRecord, ...errorResponses(400, 401, 403, 404, 409, 415, 500) },
      },
    },
    async ({ principal, params, body: { name, role, status, totp }, ip }) =>
      presentUser(await users.change(principal, params.id, given({ name, role, status, totp }), ip)),
  )
}

function deleteUser(scope: App, { users, credentials }: Accounts): void {
  scope.delete(
    '/user/:id',
    {
      schema: {
        ...common,
        summary: 'Delete a user and everything that belongs to the user',
        description:
          'To delete yourself, send your password in the body. The answer is 409 while a live bot of the user holds a position, or an order is unsettled.',
        params: IdParameter,
        body: Type.Object(
          { password: Type.Optional(Password) },
          { examples: [{ password: 'correct horse battery' }] },
        ),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 404, 409, 415, 429, 500, 503) },
      },
      preValidation: allowMissingBody,
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

/** @throws {AppError} 400 if a field is missing that only some requests need */
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
