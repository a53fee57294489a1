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

/** Passwords that were forgotten. */
export function resetRoutes({ passwordChanges, refuseLocked }: Accounts, cookie: SessionCookie): Routes {
  return (scope) => {
    scope.post(
      '/user/password/reset',
      {
        onRequest: ({ ip }) => refuseLocked(['mail_address'], ip),
        schema: {
          tags,
          security: [],
          summary:
            'Ask for a link to set a new password; the answer is the same whether there is such a user',
          body: Type.Object({ email: Email }),
          response: { 202: SuccessMessage, ...errorResponses(400, 403, 415, 429, 500) },
        },
      },
      async ({ body, ip }, reply) => {
        await passwordChanges.askForReset(body.email, ip)
        return reply.code(202).send(success)
      },
    )

    scope.put(
      '/user/password/reset',
      {
        onRequest: ({ ip }) => refuseLocked(['token'], ip),
        schema: {
          tags,
          security: [],
          summary: 'Set a new password by a link, and sign in',
          description:
            'All sessions end; the second factor and API keys stay. Where the second factor is on, `totp` is needed to sign in.',
          body: Type.Object({ token: LinkToken, password: NewPassword, totp: Type.Optional(Code) }),
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
}

/** The password and the second factor of those who are known. */
export function passwordRoutes(accounts: Accounts): Routes {
  return (scope) => {
    addPassword(scope, accounts)
    addSecondFactor(scope, accounts)
  }
}

function addPassword(scope: App, { users, passwordChanges }: Accounts): void {
  scope.put(
    '/user/password',
    {
      schema: {
        ...common,
        summary: 'Change your password; all other sessions end',
        body: Type.Object({ password: Password, new_password: NewPassword }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 415, 429, 500, 503) },
      },
    },
    async ({ principal, body, ip }) => {
      const user = await users.get(principal, principal.userId)
      const wish = { current: body.password, password: body.new_password }
      await passwordChanges.change(principal, user, wish, ip)
      return success
    },
  )
}

function addSecondFactor(scope: App, { users, secondFactor }: Accounts): void {
  const path = '/user/totp'
  scope.post(
    path,
    {
      schema: {
        ...common,
        summary: 'Make a secret for a second factor (TOTP); it counts once a code of it was given',
        body: Type.Object({ password: Password }),
        response: {
          201: Type.Object({
            secret: Type.String({ description: 'Base32.' }),
            uri: Type.String({ description: 'What the QR code for an authenticator holds.' }),
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

  scope.put(
    path,
    {
      schema: {
        ...common,
        summary: 'Switch the second factor on by its first code; recovery codes are shown once',
        body: Type.Object({ code: Code }),
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

  scope.delete(
    path,
    {
      schema: {
        ...common,
        summary: 'Switch the second factor off; the password and a code go in the body',
        body: Type.Object({ password: Password, code: Code }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 409, 415, 429, 500, 503) },
      },
    },
    async ({ principal, body, ip }) => {
      await secondFactor.switchOff(await users.get(principal, principal.userId), body, ip)
      return success
    },
  )
}
