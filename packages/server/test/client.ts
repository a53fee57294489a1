import { createClient as createLibraryClient, type Operation } from '@tickwright/client'
import { type HmacKey, hmac, signedHeaders } from './signed-headers.ts'

export { type HmacKey, signedHeaders } from './signed-headers.ts'

/** An answer of the service, whatever its status. */
export type ApiAnswer = {
  status: number
  headers: Headers
  /** Parsed if it is JSON, otherwise text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
  body: any
}

/** A body that is text or bytes is sent unchanged; anything else as JSON. */
export type RequestOptions = { body?: unknown; headers?: Record<string, string> }

export type Client = {
  /** Sends a request without credentials, to a path or a whole URL. */
  send(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer>
  /** Sends a request signed with the key of this client. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  /** A client of the same service for another user. */
  as(key: HmacKey): Client
}

/** A client of the service at `baseUrl` (an origin), for tests that look at statuses and headers. */
export function createClient(baseUrl: string, key: HmacKey): Client {
  const send: Client['send'] = (method, path, options) => exchange(method, new URL(path, baseUrl), options)
  return {
    send,
    api: (method, path, body, headers = {}) => {
      if (isForLibrary(path, body)) return askByLibrary({ baseUrl, key }, method, path, { body, headers })
      // The library sends objects only.
      const content = encode(body)
      const signed = signedHeaders(key, method, path, content)
      return send(method, path, { body: content, headers: { ...signed, ...headers } })
    },
    as: (other) => createClient(baseUrl, other),
  }
}

/** Has the client library write and sign a request, and returns the answer as it came. */
async function askByLibrary(
  { baseUrl, key }: { baseUrl: string; key: HmacKey },
  method: string,
  path: string,
  { body, headers }: RequestOptions,
): Promise<ApiAnswer> {
  let answer: ApiAnswer | undefined
  const { request } = createLibraryClient({
    baseUrl,
    apiKey: key.key,
    sign: (payload) => hmac(key.secret, payload),
    send: async (outgoing) => {
      answer = await exchange(outgoing.method, new URL(outgoing.url), {
        body: outgoing.body,
        headers: { ...outgoing.headers, ...headers },
      })
      // The caller reads `answer` instead of what the library makes of this text.
      return { status: answer.status, text: '{}' }
    },
  })
  const operation = `${method} ${path}${body === undefined ? '' : ' {body}'}` as Operation
  await request(operation, ...([body] as never)).catch((error: unknown) => {
    // A refusal is an answer too.
    if (answer === undefined) throw error
  })
  return answer!
}

/** Whether the library sends exactly this path and body. */
function isForLibrary(path: string, body: unknown): boolean {
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body)
  return (body === undefined || (isRecord && !(body instanceof Uint8Array))) && /^\/[^\s{}]*$/.test(path)
}

async function exchange(
  method: string,
  url: URL,
  { body, headers = {} }: RequestOptions = {},
): Promise<ApiAnswer> {
  const content = encode(body)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(content === undefined ? {} : { body: content }),
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: await (isJson ? response.json() : response.text()),
  }
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}
