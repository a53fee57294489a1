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
export type { Answer, Method, OutgoingRequest, Send, Sign } from './transport.ts'

export type ApiClientOptions = {
  /** Origin of the service, such as `https://trading.example.com`. */
  baseUrl: string
  /** The public half of an API key. */
  apiKey: string
  /** How often a request is sent again; 0 for never. What changes something takes effect once all the same. Default: 2. */
  retries?: number
  /** How long to wait for the whole answer to one sending. Default: 30,000 ms. */
  timeoutMs?: number
} & (
  | {
      /** The other half. */
      apiSecret: string
      /** The kind of the key. Default: `HMAC`. */
      algorithm?: 'HMAC' | 'ML-DSA'
    }
  | {
      /** Signs in place of `apiSecret`, such as with a key that never leaves a device. */
      sign: Sign
    }
)

/**
 * Makes a client that signs what it sends, and sends it with `fetch`.
 * @throws {TypeError} that names the option which is missing or not what it should be
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  needRecord(options, 'options')
  const { baseUrl, apiKey, retries = 2, timeoutMs = 30_000 } = options
  need(Number.isInteger(retries) && retries >= 0, 'retries', 'a whole number from 0 on')
  need(Number.isInteger(timeoutMs) && timeoutMs > 0, 'timeoutMs', 'a whole number of milliseconds')
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

/** 128 random bits. Unlike `randomUUID`, what this needs is also there in pages that are not secure. */
function newKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
