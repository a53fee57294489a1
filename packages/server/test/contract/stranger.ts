/**
 * A client written only from the documentation, with `fetch`, `node:crypto` and none of the project's code: it gets what
 * any other client gets.
 */
import { createHmac } from 'node:crypto'

export type Reply = {
  status: number
  type: string
  /** As a browser would send it back; empty without one. */
  cookie: string
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
  body: any
}

export type Sending = {
  method: string
  /** With the query. */
  target: string
  body?: string
  /** The signed part of the target. Default: all of it. */
  signedTarget?: string
  /** The signed body. Default: the sent body. */
  signedBody?: string
  /** In addition to the headers of the signature, or instead of them. */
  headers?: Record<string, string>
}

export type Sender = (sending: Sending) => Promise<Reply>

/** Signs with HMAC: METHOD + PATH + BODY + TIMESTAMP. */
export function hmacClient(origin: string, key: { key: string; secret: string }): Sender {
  return async (sending) => {
    const { method, target, body, headers } = sending
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signedBody = sending.signedBody ?? body ?? ''
    const payload = method + (sending.signedTarget ?? target) + signedBody + timestamp
    const signature = createHmac('sha256', key.secret).update(payload).digest('hex')
    const own: Record<string, string> = { 'api-key': key.key, timestamp, signature }
    if (body !== undefined) own['content-type'] = 'application/json'
    return reply(
      await fetch(origin + target, { method, headers: { ...own, ...headers }, body: body ?? null }),
    )
  }
}

/** Sends without any signature. */
export function unsignedClient(origin: string): Sender {
  return async ({ method, target, body, headers = {} }) => {
    const own: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    return reply(
      await fetch(origin + target, { method, headers: { ...own, ...headers }, body: body ?? null }),
    )
  }
}

async function reply(response: Response): Promise<Reply> {
  const type = response.headers.get('content-type') ?? ''
  if (type === 'text/event-stream') {
    // It does not end.
    await response.body?.cancel()
    return { status: response.status, type, cookie: '', body: '' }
  }
  const text = await response.text()
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return {
    status: response.status,
    type,
    cookie: cookies.join('; '),
    body: type.startsWith('application/json') ? JSON.parse(text) : text,
  }
}
