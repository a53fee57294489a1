/** The client without a platform: it needs only ECMAScript, so it also works in a strategy's isolate. */

import { need, needFunction, needRecord, needText } from './arguments.ts'
import { namespaces } from './namespaces.ts'
import { type Connection, createRequest, type Request } from './request.ts'
import { bind, type Namespace } from './resource.ts'
import type { Retries } from './retries.ts'
import type { Send, Sign } from './transport.ts'

export type ClientOptions = {
  /** Origin of the service, such as `https://trading.example.com`. */
  baseUrl: string
  send: Send
  /** The time in Unix milliseconds. Default: `Date.now`. */
  now?: () => number
  /** Without it, the client retries nothing. */
  retries?: Retries
} & (
  | {
      /** The public half of an API key. */
      apiKey: string
      /** Signs with the secret of the API key. */
      sign: Sign
    }
  | {
      /** Signs nothing: `send` adds the cookie of a session. */
      session: true
    }
)

/** What sends requests for a client, whose names are added to it. */
export type Sender = {
  readonly request: Request
  withIdempotencyKey(key: string): Sender
}

/** A client of the API. It keeps no state between requests, and can send any number of them at once. */
export type ApiClient = {
  /** Any operation of the API, by its request line: `request('GET /api/v2/run/{id}', 12)`. */
  readonly request: Request
  /**
   * The same client, which sends this `Idempotency-Key` with each changing request, so that the request takes effect
   * once: `client.withIdempotencyKey('order-17').bots.signal.create(…)`. Use a key for one request only.
   */
  withIdempotencyKey(key: string): ApiClient
} & Namespace<typeof namespaces>

/** @throws {TypeError} that names the missing or invalid option */
export function createClient(options: ClientOptions): ApiClient {
  return withNames(createSender(options))
}

function withNames(sender: Sender): ApiClient {
  const { request } = sender
  const withIdempotencyKey = (key: string) => withNames(sender.withIdempotencyKey(key))
  return bind(request, namespaces, { request, withIdempotencyKey })
}

/** @throws {TypeError} that names the missing or invalid option */
export function createSender(options: ClientOptions): Sender {
  needRecord(options, 'options')
  const { baseUrl, send, now = Date.now, retries } = options
  const key = keyIn(options)
  needFunction(send, 'send')
  needFunction(now, 'now')
  return senderOf({ origin: originOf(baseUrl), key, send, now, retries })
}

function keyIn(options: ClientOptions): Connection['key'] {
  if ('session' in options) {
    need(options.session === true, 'session', 'true')
    need(!('apiKey' in options), 'apiKey', 'absent: a session signs nothing')
    return undefined
  }
  const { apiKey, sign } = options
  need(isApiKey(apiKey), 'apiKey', 'an API key: visible ASCII characters')
  needFunction(sign, 'sign')
  return { apiKey, sign }
}

function senderOf(connection: Connection): Sender {
  const withIdempotencyKey = (idempotencyKey: string) => {
    need(
      isIdempotencyKey(idempotencyKey),
      'key',
      '1 to 255 printable ASCII characters, without a space at an end',
    )
    return senderOf({ ...connection, idempotencyKey })
  }
  return { request: createRequest(connection), withIdempotencyKey }
}

/** HTTP would drop spaces at the ends. */
function isIdempotencyKey(value: unknown): boolean {
  return typeof value === 'string' && /^(?! )[ -~]{1,255}(?<! )$/.test(value)
}

function isApiKey(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/** The signed path begins at the first slash after the host, so nothing may follow the origin. */
export function originOf(baseUrl: unknown): string {
  needText(baseUrl, 'baseUrl')
  const origin = /^(https?:\/\/[^\s/?#@\\]+)\/?$/i.exec(baseUrl)?.[1]
  need(origin !== undefined, 'baseUrl', 'an origin such as https://trading.example.com')
  return origin
}
