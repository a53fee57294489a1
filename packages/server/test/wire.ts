import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A raw answer; `body` is parsed if it is JSON. */
export type WireAnswer = {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
  body: any
}

/** A request that no HTTP client would send: raw header lines, a raw target, chunks. */
export type WireRequest = {
  method?: string
  target: string
  /** Lines without line ends. */
  headers?: string[]
  /** Sent with its length; an array is sent in chunks, without a length. */
  body?: string | Uint8Array | (string | Uint8Array)[]
  /** Reads only the head of the answer and what comes with it: a stream has no end. */
  isStream?: boolean
}

/** Sends a request on a new connection. The head is Latin-1: one byte per character. */
export function sendOnWire(baseUrl: string, request: WireRequest): Promise<WireAnswer> {
  const { method = 'GET', target, headers = [], body, isStream = false } = request
  const framing = Array.isArray(body)
    ? ['Transfer-Encoding: chunked']
    : body === undefined
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...headers,
    ...framing,
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return sendBytes(baseUrl, Buffer.concat([head, ...encodeBody(body)]), isStream)
}

/** Sends any bytes, such as several requests at once, and resolves with all that comes back before the service closes. */
export async function exchangeBytes(baseUrl: string, bytes: Uint8Array): Promise<Buffer> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return buffer(socket)
}

/** Sends any bytes, and reads one answer until the service closes the connection, or only the head of a stream. */
export async function sendBytes(baseUrl: string, bytes: Uint8Array, isStream = false): Promise<WireAnswer> {
  if (!isStream) return parseAnswer(await exchangeBytes(baseUrl, bytes))
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const read: Buffer[] = []
  for await (const chunk of socket) {
    read.push(chunk)
    // A refusal ends with the connection.
    const text = Buffer.concat(read).toString('latin1')
    if (text.includes('\r\n\r\n') && /^content-type: text\/event-stream/im.test(text)) break
  }
  return parseAnswer(Buffer.concat(read))
}

function encodeBody(body: WireRequest['body']): Uint8Array[] {
  if (body === undefined) return []
  if (!Array.isArray(body)) return [Buffer.from(body)]
  const chunks = body.map((part) => Buffer.from(part))
  return [
    ...chunks.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n\r\n'),
  ]
}

function parseAnswer(bytes: Buffer): WireAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const [statusLine, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const text = bytes.subarray(end + 4).toString('utf8')
  const isJson = headers['content-type']?.startsWith('application/json') && text !== ''
  return { status: Number(statusLine?.split(' ')[1]), headers, body: isJson ? JSON.parse(text) : text }
}
