import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Accounts } from './open.ts'
import { Code, LinkToken, NewEmail, Password } from './schemas.ts'

const tags = ['Users']
const path = '/user/email'

/** Where users ask for a new address. */
export function emailRoutes(accounts: Accounts): Routes {
  return (scope) => askForNewEmail(scope, accounts)
}

/** Where anyone with the link from the mail confirms the new address. */
export function emailLinkRoutes(accounts: Accounts): Routes {
  return (scope) => confirmNewEmail(scope, accounts)
}

function askForNewEmail(scope: App, { users, emailChanges }: Accounts): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Change your e-mail address',
        description:
          'Mails a link to the new address; the change takes effect when the link is opened, within a day. The answer is the same if the address belongs to another account. Without a mail server, the change takes effect at once, or the answer is 409.',
        body: Type.Object(
          { email: NewEmail, password: Password, totp: Type.Optional(Code) },
          { examples: [{ email: 'ada@example.com', password: 'correct horse battery' }] },
        ),
        response: {
          200: Type.Object({
            changed: Type.Boolean({
              description: 'false: the change takes effect when the mailed link is opened.',
            }),
          }),
          ...errorResponses(400, 401, 403, 409, 415, 429, 500, 503),
        },
      },
    },
    async ({ principal, body, ip }) => {
      const user = await users.get(principal, principal.userId)
      return { changed: await emailChanges.ask(user, body, ip) }
    },
  )
}

function confirmNewEmail(scope: App, { emailChanges, refuseLocked }: Accounts): void {
  scope.put(
    path,
    {
      onRequest: ({ ip }) => refuseLocked(['token'], ip),
      schema: {
        tags,
        security: [],
        summary: 'Confirm a new e-mail address by a link',
        description:
          'The link proves that the mailbox exists and is yours. Afterwards you sign in with the new address. Sessions and API keys stay.',
        body: Type.Object(
          { token: LinkToken },
          { examples: [{ token: 'pJ3yQGkq1T0mXbUqz8vO5cVnH2sLw9RfYdAeKiZtM4o' }] },
        ),
        response: {
          200: Type.Object({ email: Type.String({ description: 'The new address.' }) }),
          ...errorResponses(400, 403, 409, 415, 429, 500),
        },
      },
    },
    async ({ body, ip }) => ({ email: await emailChanges.confirm(body.token, ip) }),
  )
}
