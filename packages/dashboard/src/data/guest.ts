import { ConnectionError } from '@tickwright/client'
import { jsonOf, refusalOf } from './refusal.ts'

/** Longer than the service takes, so that nobody waits for an answer that got lost. */
const answerTimeoutMs = 30_000

/** Requests of people who are not signed in. The client library has only what needs a session or a key. */
export async function askAsGuest(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: Record<string, unknown>,
): Promise<unknown> {
  let response: Response
  let text: string
  try {
    response = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    text = await response.text()
  } catch (cause) {
    throw new ConnectionError('The service does not answer.', { cause })
  }
  const answer = jsonOf(text)
  if (response.ok && answer !== undefined) return answer
  throw refusalOf(response.status, text, response.headers.get('retry-after'))
}

export type Credentials = { email: string; password: string; totp?: string }

export async function signIn(credentials: Credentials): Promise<void> {
  await askAsGuest('POST', '/api/v2/user/session', credentials)
}
