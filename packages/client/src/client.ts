/** The client without a platform: ECMAScript and nothing else, so that it also works in a strategy's isolate. */

import { need, needFunction, needRecord, needText } from './arguments.ts'
import { namespaces } from './namespaces.ts'
import { type Connection, createRequest, type Request } from './request.ts'
import { bind, type Namespace } from './resource.ts'
import type { Retries } from './retries.ts'
import type { Send, Sign } from './transport.ts'

export type ClientOptions = {
  /** Origin of the service, such as `https://trading.example.com`. */
  baseUrl: string
  /** The public half of an API key. */
  apiKey: string
  /** Signs with the other half. */
  sign: Sign
  send: Send
  /** The time in Unix milliseconds. Default: `Date.now`. */
  now?: () => number
  /** Without it, nothing is sent twice. */
  retries?: Retries
}

/** A client of the API. It keeps nothing between requests, and can make any number of them at once. */
export type ApiClient = {
  /** Any operation of the API, by its request line: `request('GET /api/v2/run/{id}', 12)`. */
  readonly request: Request
  /**
   * The same client, which sends this `Idempotency-Key` with what changes something, so that it takes effect once:
   * `client.withIdempotencyKey('order-17').bots.signal.create(…)`. A key stands for one request.
   */
  withIdempotencyKey(key: string): ApiClient
} & Namespace<typeof namespaces>

/** @throws {TypeError} that names the option which is missing or not what it should be */
export function createClient(options: ClientOptions): ApiClient {
  needRecord(options, 'options')
  const { baseUrl, apiKey, sign, send, now = Date.now, retries } = options
  need(isApiKey(apiKey), 'apiKey', 'an API key: visible ASCII characters')
  needFunction(sign, 'sign')
  needFunction(send, 'send')
  needFunction(now, 'now')
  return clientOf({ origin: originOf(baseUrl), apiKey, sign, send, now, retries })
}

function clientOf(connection: Connection): ApiClient {
  const request = createRequest(connection)
  const withIdempotencyKey = (idempotencyKey: string) => {
    need(
      isIdempotencyKey(idempotencyKey),
      'key',
      '1 to 255 printable ASCII characters, without a space at an end',
    )
    return clientOf({ ...connection, idempotencyKey })
  }
  return bind(request, namespaces, { request, withIdempotencyKey })
}

/** Spaces at the ends would be lost on the way. */
function isIdempotencyKey(value: unknown): boolean {
  return typeof value === 'string' && /^(?! )[ -~]{1,255}(?<! )$/.test(value)
}

function isApiKey(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/** What is signed begins at the first slash after the host, so that nothing may stand between the two. */
function originOf(baseUrl: unknown): string {
  needText(baseUrl, 'baseUrl')
  const origin = /^(https?:\/\/[^\s/?#@\\]+)\/?$/i.exec(baseUrl)?.[1]
  need(origin !== undefined, 'baseUrl', 'an origin such as https://trading.example.com')
  return origin
}
