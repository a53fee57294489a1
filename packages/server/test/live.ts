import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { administratorKey } from './environment.ts'
import { type LiveEvent, readEvents } from './live-events.ts'
import { expect } from './reaction.ts'
import { type HmacKey, signedHeaders } from './signed-headers.ts'

export type { LiveEvent }

export type OpenOptions = {
  /** Signs the request. Default: the administrator's. */
  key?: HmacKey
  /** Instead of a signature. */
  cookie?: string
  lastEventId?: string
}

/** A live stream that a test reads. Disposing closes it. */
export type TestStream = AsyncDisposable &
  ReturnType<typeof readEvents> & {
    headers: Headers
    /** The next event of this kind. */
    ofKind(kind: string): Promise<LiveEvent>
  }

/** Sends the request, whatever the answer is. */
export async function requestLive(
  url: string,
  query = '',
  { key = administratorKey, cookie, lastEventId }: OpenOptions = {},
): Promise<{ response: Response; abort: AbortController }> {
  const path = `/api/v2/live${query}`
  const abort = new AbortController()
  const response = await fetch(`${url}${path}`, {
    signal: abort.signal,
    headers: {
      ...(cookie === undefined ? signedHeaders(key, 'GET', path) : { cookie }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  })
  return { response, abort }
}

/** Opens a stream. @throws unless the answer is 200 */
export async function openLive(url: string, query = '', options: OpenOptions = {}): Promise<TestStream> {
  const { response, abort } = await requestLive(url, query, options)
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
  const events = readEvents(response.body!)
  return {
    ...events,
    headers: response.headers,
    ofKind: (kind) => events.find((event) => event.kind === kind),
    [Symbol.asyncDispose]: async () => abort.abort(),
  }
}

/** A key of this account, to sign requests that the client library does not send. */
export async function keyOf(account: Client): Promise<HmacKey> {
  const made = await expect(201, account.api('POST', '/api/v2/api/key', { name: 'live', algorithm: 'HMAC' }))
  return { key: made.api_key, secret: made.api_secret }
}
