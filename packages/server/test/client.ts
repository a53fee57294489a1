import { createHmac } from 'node:crypto'

export type Answer = {
  status: number
  headers: Headers
  /** Parsed where it is JSON, else text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
  body: any
}

/** A body that is text or bytes is sent as it is; anything else as JSON. */
export type RequestOptions = { body?: unknown; headers?: Record<string, string> }

export type Client = {
  /** Sends a request without credentials; a path or a whole URL. */
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Sends a request signed with the key of this client. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The same service, asked by someone else. */
  as(key: HmacKey): Client
}

export type HmacKey = { key: string; secret: string }

/** Speaks to the service at `baseUrl` (an origin) over HTTP. */
export function createClient(baseUrl: string, key: HmacKey): Client {
  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    const content = encode(body)
    const response = await fetch(new URL(path, baseUrl), {
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
  return {
    send,
    api: (method, path, body, headers) => {
      const content = encode(body)
      const signed = signedHeaders(key, method, path, content)
      return send(method, path, { body: content, headers: { ...signed, ...headers } })
    },
    as: (other) => createClient(baseUrl, other),
  }
}

/** The three headers of a request signed now, or at `timestamp`, in Unix seconds. */
export function signedHeaders(
  { key, secret }: HmacKey,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  timestamp = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const signature = createHmac('sha256', secret)
    .update(method + path)
    .update(body ?? '')
    .update(String(timestamp))
    .digest('hex')
  return { 'api-key': key, timestamp: String(timestamp), signature }
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}
