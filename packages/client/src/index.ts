/** The official client of the Tickwright API, for Node and browsers. */

import { need, needFunction, needRecord, needText } from './arguments.ts'
import { type ApiClient, createClient } from './client.ts'
import { fetchSend } from './fetch.ts'
import { hmacSigner, mlDsaSigner } from './signing.ts'
import type { Sign } from './transport.ts'

export type * from './api-types.ts'
export { type ApiClient, type ClientOptions, createClient } from './client.ts'
export { eachOf } from './each-of.ts'
export { ApiError, ConnectionError } from './errors.ts'
export type { Operation, Request } from './request.ts'
export { type RequestLine, requestLine } from './request-line.ts'
export type { Retries } from './retries.ts'
export type { Method, OutgoingRequest, Send, Sign, TransportAnswer } from './transport.ts'

export type ApiClientOptions = {
  /** Origin of the service, such as `https://trading.example.com`. */
  baseUrl: string
  /** The public half of an API key. */
  apiKey: string
  /** How often a failed request is retried; 0 for never. A retried change takes effect once. Default: 2. */
  retries?: number
  /** How long to wait for the whole answer to one attempt. Default: 30,000 ms. */
  timeoutMs?: number
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

/**
 * Creates a client that signs its requests and sends them with `fetch`.
 * @throws {TypeError} that names the missing or invalid option
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  needRecord(options, 'options')
  const { baseUrl, apiKey, retries = 2, timeoutMs = 30_000 } = options
  need(Number.isInteger(retries) && retries >= 0, 'retries', 'a whole number, 0 or greater')
  need(
    Number.isInteger(timeoutMs) && timeoutMs > 0,
    'timeoutMs',
    'a whole number of milliseconds, greater than 0',
  )
  return createClient({
    baseUrl,
    apiKey,
    sign: signerOf(options),
    send: fetchSend(timeoutMs),
    retries: { most: retries, sleep, newKey },
  })
}

function signerOf(options: ApiClientOptions): Sign {
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
