import { ConnectionError } from '@tickwright/client'
import { jsonOf, refusalOf } from './refusal.ts'

type Posted = { status: number; text: string; retryAfter: string | null }

/** Longer than the service takes, so that nobody waits for an answer that got lost. */
const answerTimeoutMs = 30_000

/** With the same key, the service takes a payload only once. */
export function newKey(): string {
  return `dashboard-${Date.now()}-${Math.random().toString(36).slice(2)}`
}

/**
 * Posts a payload to a webhook, as any sender does: without the session, with a key so that a lost answer sends nothing
 * twice.
 * @returns the answer as it came
 * @throws {ConnectionError} if nobody answers
 */
export async function postTo(url: string, payload: string, password = '', key = newKey()): Promise<Posted> {
  // The service may be known by another name than the one in the address.
  const { pathname } = new URL(url)
  try {
    const response = await fetch(pathname, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(password === '' ? {} : { 'x-key': password }),
      },
      body: payload,
      credentials: 'omit',
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, text: await response.text(), retryAfter }
  } catch (cause) {
    throw new ConnectionError('The service does not answer.', { cause })
  }
}

/**
 * Posts a payload to a data webhook.
 * @returns the id of its delivery
 * @throws {ApiError} if it is refused
 */
export async function deliver(url: string, payload: string, key: string): Promise<number> {
  const { status, text, retryAfter } = await postTo(url, payload, '', key)
  if (status !== 202) throw refusalOf(status, text, retryAfter)
  return (jsonOf(text) as { id: number }).id
}
