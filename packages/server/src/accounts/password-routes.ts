import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, SuccessMessage } from '../http/schemas.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { App, Routes } from '../http/types.ts'
import type { Accounts } from './open.ts'
import { Code, Email, LinkToken, NewPassword, Password } from './schemas.ts'

const tags = ['Users']
const common = { tags, security: signedRequest }
const success = { message: 'Success' as const }

/** Routes for users who have forgotten their password. */
export function resetRoutes(accounts: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    askForReset(scope, accounts)
    resetPassword(scope, accounts, cookie)
  }
}

/** Routes for the password and the second factor of the caller. */
export function passwordRoutes(accounts: Accounts): Routes {
  return (scope) => {
    changePassword(scope, accounts)
    prepareSecondFactor(scope, accounts)
    turnSecondFactorOn(scope, accounts)
    turnSecondFactorOff(scope, accounts)
  }
}

function askForReset(scope: App, { passwordChanges, refuseLocked }: Accounts): void {
  scope.post(
    '/user/password/reset',
    {
      onRequest: ({ ip }) => refuseLocked(['mail_address'], ip),
      schema: {
        tags,
        security: [],
        summary: 'Request a link to set a new password',
        description:
          'The answer is the same whether the address has an account or not: only its owner gets a mail. The link is valid once, for one hour.',
        body: Type.Object({ email: Email }, { examples: [{ email: 'ada@example.com' }] }),
        response: { 202: SuccessMessage, ...errorResponses(400, 403, 415, 429, 500) },
      },
    },
    async ({ body, ip }, reply) => {
      await passwordChanges.askForReset(body.email, ip)
      return reply.code(202).send(success)
    },
  )
}

function resetPassword(scope: App, { passwordChanges, refuseLocked }: Accounts, cookie: SessionCookie): void {
  scope.put(
    '/user/password/reset',
    {
      onRequest: ({ ip }) => refuseLocked(['token'], ip),
      schema: {
        tags,
        security: [],
        summary: 'Set a new password by a link, and sign in',
        description:
          'All sessions end; the second factor and the API keys stay. If the second factor is on, `totp` is needed to sign in.',
        body: Type.Object(
          { token: LinkToken, password: NewPassword, totp: Type.Optional(Code) },
          {
            examples: [
              { token: 'pJ3yQGkq1T0mXbUqz8vO5cVnH2sLw9RfYdAeKiZtM4o', password: 'correct horse battery' },
            ],
          },
        ),
        response: {
          200: Type.Object({ signed_in: Type.Boolean() }),
          ...errorResponses(400, 401, 403, 415, 429, 500, 503),
        },
      },
    },
    async ({ body, ip, headers }, reply) => {
      const place = { ip, userAgent: headers['user-agent'] ?? '' }
      const { token } = await passwordChanges.reset(body, place)
      if (token !== undefined) cookie.set(reply, token)
      return { signed_in: token !== undefined }
    },
  )
}

function changePassword(scope: App, { users, passwordChanges }: Accounts): void {
  scope.put(
    '/user/password',
    {
      schema: {
        ...common,
        summary: 'Change your password',
        description: 'All other sessions end; the session of this request and the API keys stay.',
        body: Type.Object(
          { password: Password, new_password: NewPassword },
          { examples: [{ password: 'correct horse battery', new_password: 'another horse battery' }] },
        ),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 415, 429, 500, 503) },
      },
    },
    async ({ principal, body, ip }) => {
      const user = await users.get(principal, principal.userId)
      const changes = { current: body.password, password: body.new_password }
      await passwordChanges.change(principal, user, changes, ip)
      return success
    },
  )
}

function prepareSecondFactor(scope: App, { users, secondFactor }: Accounts): void {
  scope.post(
    '/user/totp',
    {
      schema: {
        ...common,
        summary: 'Create a secret for a second factor (TOTP)',
        description:
          'Scan the URI as a QR code with an authenticator app, then turn the second factor on with a first code. Until then, signing in works as before.',
        body: Type.Object({ password: Password }, { examples: [{ password: 'correct horse battery' }] }),
        response: {
          201: Type.Object({
            secret: Type.String({ description: 'Base32.' }),
            uri: Type.String({ description: 'The content of the QR code for an authenticator app.' }),
          }),
          ...errorResponses(400, 401, 403, 409, 415, 429, 500, 503),
        },
      },
    },
    async ({ principal, body, ip }, reply) => {
      const user = await users.get(principal, principal.userId)
      return reply.code(201).send(await secondFactor.prepare(user, body.password, ip))
    },
  )
}

function turnSecondFactorOn(scope: App, { secondFactor }: Accounts): void {
  scope.put(
    '/user/totp',
    {
      schema: {
        ...common,
        summary: 'Turn the second factor on with a first code; only this response shows the recovery codes',
        description:
          'From then on, signing in needs a code. A recovery code can replace a code once, for example if you lose your phone.',
        body: Type.Object({ code: Code }, { examples: [{ code: '123456' }] }),
        response: {
          200: Type.Object({ recovery_codes: Type.Array(Type.String()) }),
          ...errorResponses(400, 401, 403, 409, 415, 429, 500),
        },
      },
    },
    async ({ principal, body, ip }) => ({
      recovery_codes: await secondFactor.switchOn(principal.userId, body.code, ip),
    }),
  )
}

function turnSecondFactorOff(scope: App, { users, secondFactor }: Accounts): void {
  scope.delete(
    '/user/totp',
    {
      schema: {
        ...common,
        summary: 'Turn the second factor off',
        description:
          'Send the password and a code in the body. An administrator does this for a user who has lost both.',
        body: Type.Object(
          { password: Password, code: Code },
          { examples: [{ password: 'correct horse battery', code: '123456' }] },
        ),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 409, 415, 429, 500, 503) },
      },
    },
    async ({ principal, body, ip }) => {
      await secondFactor.switchOff(await users.get(principal, principal.userId), body, ip)
      return success
    },
  )
}
