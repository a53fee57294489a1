import { ConnectionError } from '@tickwright/client'
import { jsonOf, refusalOf } from './refusal.ts'

type Posted = { status: number; text: string; retryAfter: string | null }

/** Longer than the service takes, so that nobody waits for an answer that got lost. */
const answerTimeoutMs = 30_000

/**
 * The sender of a form. A payload whose answer was lost may have been taken: if it is sent again as it is, it has the
 * same key, so that the service takes it only once.
 */
export class PayloadSender {
  #open: { url: string; payload: string; key: string } | null = null

  /** As {@link postTo}. */
  async post(url: string, payload: string, password = ''): Promise<Posted> {
    const isSame = this.#open?.url === url && this.#open.payload === payload
    const key = isSame ? this.#open!.key : newKey()
    this.#open = { url, payload, key }
    const posted = await postTo(url, payload, password, key)
    // A proxy may answer although the service has taken the payload.
    if (posted.status < 500) this.#open = null
    return posted
  }

  /**
   * The same.
   * @returns the id of the delivery, also if an earlier attempt has made it
   * @throws {ApiError} if it is refused
   */
  async deliver(url: string, payload: string, password = ''): Promise<number> {
    const { status, text, retryAfter } = await this.post(url, payload, password)
    if (status !== 202 && status !== 200) throw refusalOf(status, text, retryAfter)
    return (jsonOf(text) as { id: number }).id
  }
}

function newKey(): string {
  return `dashboard-${Date.now()}-${Math.random().toString(36).slice(2)}`
}

/**
 * Posts a payload to a webhook, as any sender does: without the session. With the same key, the service takes a payload
 * only once.
 * @returns the answer as it came
 * @throws {ConnectionError} if nobody answers
 */
async function postTo(url: string, payload: string, password: string, key: string): Promise<Posted> {
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
