import { type ApiClient, ConnectionError, createClient, type Send } from '@tickwright/client'
import { Failure } from './failures.ts'
import type { Profile } from './profiles/profiles.ts'

/** A short session, for what an API key cannot do: make the first one. */
export type SignedIn = {
  email: string
  makeKey(name: string): Promise<Pick<Profile, 'apiKey' | 'apiSecret' | 'apiKeyId'>>
  /** A key that is already gone is no failure. */
  revokeKey(id: number): Promise<void>
  /** Signs out. */
  end(): Promise<void>
}

type Credentials = {
  url: string
  email: string
  password: string
  /** Called only if the account has a second factor. */
  askCode: () => Promise<string>
}

const timeoutMs = 30_000

/** Signs in as a person does. @throws {ApiError} if the service refuses */
export async function signIn({ url, email, password, askCode }: Credentials): Promise<SignedIn> {
  const client = createClient({ baseUrl: url, session: true, send: sendWithCookie(url) })
  const user = await startSession(client, { email, password }, askCode)
  return {
    email: user.email,
    async makeKey(name) {
      const made = await client.apiKeys.create({ name, algorithm: 'HMAC' })
      if (made.api_secret === undefined) throw new Failure('The service returned no secret for the API key.')
      return { apiKey: made.api_key, apiSecret: made.api_secret, apiKeyId: made.id }
    },
    async revokeKey(id) {
      await client.apiKeys.delete(id).catch((error: { status?: number }) => {
        if (error.status !== 404) throw error
      })
    },
    async end() {
      await client.users.sessions.signOut()
    },
  }
}

async function startSession(
  client: ApiClient,
  credentials: { email: string; password: string },
  askCode: () => Promise<string>,
) {
  // No method of the client signs in: it has a key. So the types do not know this operation.
  const request = client.request as unknown as (line: string, body: object) => Promise<{ email: string }>
  const start = (fields: object) => request('POST /api/v2/user/session {body}', { ...credentials, ...fields })
  try {
    return await start({})
  } catch (error) {
    if ((error as { code?: string }).code !== 'auth_code_missing') throw error
    return await start({ totp: await askCode() })
  }
}

/**
 * Sends requests as a page of the service does: with the cookie that the sign-in has set, which stays in memory, and
 * with the origin, without which the service takes no changes by session.
 */
function sendWithCookie(origin: string): Send {
  let cookie: string | undefined
  return async ({ method, url, headers, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, origin, ...(cookie === undefined ? {} : { cookie }) },
        body: body ?? null,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
      return { status: response.status, text }
    } catch (cause) {
      throw new ConnectionError(`${method} ${url} failed`, { cause })
    }
  }
}
