import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './certificate.ts'

/** A server on this machine that records each request and each connection. */
export type WatchedServer = AsyncDisposable & {
  /** For example `http://127.0.0.1:4711`. */
  origin: string
  /** `host:port`, the format of `HTTP_ALLOW`. */
  host: string
  port: number
  server: Server
  /** How many connections it has accepted. */
  connectionCount: number
  openSockets: Set<Socket>
  /** The method and target of each request, such as `GET /a?b`. */
  requests: string[]
}

/** Listens on a loopback address. Disposing ends all connections. */
export async function startWatchedServer(
  listener: RequestListener,
  options: { address?: string; port?: number; tls?: Certificate } = {},
): Promise<WatchedServer> {
  const { address = '127.0.0.1', tls } = options
  const server = tls === undefined ? createServer() : createSecureServer(tls)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, address, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const openSockets = new Set<Socket>()
  const watched: WatchedServer = {
    origin: `${tls === undefined ? 'http' : 'https'}://${host}`,
    host,
    port,
    server,
    connectionCount: 0,
    openSockets,
    requests: [],
    [Symbol.asyncDispose]: async () => {
      for (const socket of openSockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('connection', (socket: Socket) => {
    watched.connectionCount++
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
  })
  server.on('request', (request, response) => {
    watched.requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  return watched
}
