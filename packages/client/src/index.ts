/** The official client of the Tickwright API, for Node and browsers. */

import { need, needFunction, needRecord, needText } from './arguments.ts'
import { type ApiClient, createClient, originOf } from './client.ts'
import { fetchSend, fetchStream } from './fetch.ts'
import { createLive, type Live } from './live.ts'
import { signed } from './request.ts'
import { requestLine } from './request-line.ts'
import { hmacSigner, mlDsaSigner } from './signing.ts'
import type { Sign } from './transport.ts'

export type * from './api-types.ts'
export { type ApiClient, type ClientOptions, createClient } from './client.ts'
export { eachOf } from './each-of.ts'
export { ApiError, ConnectionError } from './errors.ts'
export type { Live, LiveEvent, LiveKind, LiveOptions, LiveRecords, LiveStatus } from './live.ts'
export type { Operation, Request } from './request.ts'
export { type RequestLine, requestLine } from './request-line.ts'
export type { Retries } from './retries.ts'
export type { Method, OutgoingRequest, Send, Sign, TransportAnswer } from './transport.ts'
export { type WaitOptions, waitForBacktest } from './wait-for-backtest.ts'

export type ApiClientOptions = {
  /** How often a failed request is retried; 0 for never. A retried change takes effect once. Default: 2. */
  retries?: number
  /** How long to wait for the whole answer to one attempt. Default: 30,000 ms. */
  timeoutMs?: number
} & (KeyOptions | SessionOptions)

type SessionOptions = {
  /** Uses the session of the signed-in user, on a page of the service itself, instead of an API key. */
  session: true
  /** Origin of the service. Default: that of the page. */
  baseUrl?: string
}

type KeyOptions = {
  /** Origin of the service, such as `https://trading.example.com`. */
  baseUrl: string
  /** The public half of an API key. */
  apiKey: string
} & (
  | {
      /** The secret of the API key. */
      apiSecret: string
      /** The algorithm of the key. Default: `HMAC`. */
      algorithm?: 'HMAC' | 'ML-DSA'
    }
  | {
      /** Signs instead of `apiSecret`, for example with a key that never leaves a device. */
      sign: Sign
    }
)

/** A client with the stream of what happens. */
export type LiveApiClient = ApiClient & {
  /**
   * What happens in the account, as it happens: `for await (const event of client.live({ kinds: ['run'] }))`. It connects
   * again when the connection is lost, and goes on after the last event. If the service refuses, the loop throws an
   * `ApiError`.
   */
  readonly live: Live
}

/**
 * Creates a client that sends with `fetch`: requests signed with an API key or, on a page of the service, with the
 * session of the signed-in user.
 * @throws {TypeError} that names the missing or invalid option
 */
export function createApiClient(options: ApiClientOptions): LiveApiClient {
  needRecord(options, 'options')
  const { retries = 2, timeoutMs = 30_000 } = options
  need(Number.isInteger(retries) && retries >= 0, 'retries', 'a whole number, 0 or greater')
  need(
    Number.isInteger(timeoutMs) && timeoutMs > 0,
    'timeoutMs',
    'a whole number of milliseconds, greater than 0',
  )
  const retrying = { most: retries, sleep, newKey }
  if ('session' in options) {
    const baseUrl = options.baseUrl ?? originOfPage() ?? ''
    const send = fetchSend(timeoutMs, 'same-origin')
    const client = createClient({ ...options, baseUrl, send, retries: retrying })
    return withLive(client, { origin: originOf(baseUrl), key: undefined }, 'same-origin')
  }
  const { baseUrl, apiKey } = options
  const sign = signerOf(options)
  const client = createClient({
    baseUrl,
    apiKey,
    sign,
    send: fetchSend(timeoutMs, 'omit'),
    retries: retrying,
  })
  return withLive(client, { origin: originOf(baseUrl), key: { apiKey, sign } }, 'omit')
}

function withLive(
  client: ApiClient,
  connection: { origin: string; key: { apiKey: string; sign: Sign } | undefined },
  credentials: 'omit' | 'same-origin',
): LiveApiClient {
  const open = fetchStream(
    (query) =>
      signed({ ...connection, now: Date.now }, requestLine('GET /api/v2/live?{query}', [query]), undefined),
    credentials,
  )
  // The namespaces of the client are getters, which must stay so.
  const members = Object.getOwnPropertyDescriptors(client)
  const live = { value: createLive(open), enumerable: true }
  return Object.freeze(Object.defineProperties({}, { ...members, live })) as LiveApiClient
}

/** `undefined` outside a browser. */
function originOfPage(): string | undefined {
  return (globalThis as { location?: { origin: string } }).location?.origin
}

function signerOf(options: KeyOptions): Sign {
  if ('sign' in options) {
    needFunction(options.sign, 'sign')
    return options.sign
  }
  const { apiSecret, algorithm = 'HMAC' } = options
  needText(apiSecret, 'apiSecret')
  need(algorithm === 'HMAC' || algorithm === 'ML-DSA', 'algorithm', "'HMAC' or 'ML-DSA'")
  return algorithm === 'HMAC' ? hmacSigner(apiSecret) : mlDsaSigner(apiSecret)
}

/** 128 random bits. Unlike `randomUUID`, this also works in pages without HTTPS. */
function newKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
