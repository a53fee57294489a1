import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type HttpAnswer = {
  status: number
  /** The status line and the headers, unchanged. */
  head: string
  body: Buffer
}

type Waiting = { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void }

const noBody = Buffer.alloc(0)

/**
 * One kept-alive HTTP/1.1 connection. Several requests may be in flight at once (pipelining): the service processes
 * them in the order in which they were sent.
 *
 * It reads only answers as this service sends them: every answer with a body has a `content-length`.
 */
export class HttpConnection {
  #socket: Socket
  #waiting: Waiting[] = []
  #received: Buffer = noBody
  /** The answer whose head has arrived, but whose body has not. */
  #pending: { status: number; head: string; bodyBytes: number } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The other side closed the connection.')))
  }

  /** Connects to the origin of `url`, `http:` or `https:`. Rejects if nobody answers there. */
  static connect(url: string): Promise<HttpConnection> {
    const { protocol, hostname, port } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const secure = protocol === 'https:'
    const at = { host, port: Number(port) || (secure ? 443 : 80), noDelay: true }
    return new Promise((resolve, reject) => {
      const socket = secure ? connectTls({ ...at, servername: host }) : connectTcp(at)
      socket.once('error', reject)
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject)
        resolve(new HttpConnection(socket))
      })
    })
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Sends a request built by {@link httpRequest}. Rejects if the connection is lost before the answer. */
  send(request: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.#socket.writable) return reject(new Error('The connection is closed.'))
      this.#waiting.push({ resolve, reject })
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    while (this.#received.length > 0) {
      this.#pending ??= this.#takeHead()
      if (this.#pending === undefined) return
      const { status, head, bodyBytes } = this.#pending
      if (this.#received.length < bodyBytes) return
      const body = this.#take(bodyBytes)
      this.#pending = undefined
      this.#waiting.shift()?.resolve({ status, head, body })
    }
  }

  #takeHead(): { status: number; head: string; bodyBytes: number } | undefined {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const head = this.#take(end + 4).toString('latin1')
    const status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    // These two never have a body, even if they have a content-length (RFC 9112, section 6.3).
    if (status === 304 || status === 204) return { status, head, bodyBytes: 0 }
    if (length !== undefined) return { status, head, bodyBytes: Number(length) }
    this.#fail(new Error(`Cannot read an answer without a content-length: ${head.split('\r\n')[0]}`))
    this.close()
    return undefined
  }

  #take(bytes: number): Buffer {
    const taken = this.#received.subarray(0, bytes)
    this.#received = this.#received.subarray(bytes)
    return taken
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

/** The bytes of a request. `headers` need no `host` and no `content-length`; the body is sent unchanged. */
export function httpRequest(
  method: string,
  url: URL,
  headers: Record<string, string>,
  body: string | Buffer = '',
): Buffer {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (method !== 'GET') lines.push(`content-length: ${Buffer.byteLength(body)}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}
