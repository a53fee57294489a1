import type { Socket } from 'node:net'
import { Client } from 'undici'
import { type Dialling, dial } from './dial.ts'
import { ConnectionLost, exchange, type Intake, type RawResponse } from './exchange.ts'
import { type AnswerHead, exchangeHead } from './exchange-head.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { Target } from './target.ts'

/** A connection to one origin, for one request at a time. */
type Connection = { origin: string; client: Client; socket: Socket }

/** How many connections may stay open unused; how long, in ms; and how long if the server offers more. */
const mostIdle = 256
const idleMs = 4_000
const longestIdleMs = 30_000

/**
 * Sends requests over connections, which are kept for a while to be used again.
 *
 * Each was opened by {@link dial}: none exists whose address was not checked. Using one again needs no new check, since
 * whatever a name server says by now does not change where it leads.
 */
export class Connections {
  #dialling: Dialling
  #intake: Intake = { bytes: 0 }
  /** The longest unused first. */
  #idle = new Set<Connection>()
  #closed = false

  constructor(dialling: Dialling) {
    this.#dialling = dialling
  }

  /**
   * Once `signal` is aborted, the connection is closed.
   * @param byteLimit most bytes of a body as it was sent
   * @throws as {@link dial} and {@link exchange} do
   */
  async send(
    target: Target,
    request: OutgoingRequest,
    byteLimit: number,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const idle = this.#takeIdle(target.url.origin)
    if (idle !== undefined) {
      try {
        return await this.#sendOver(idle, request, byteLimit, signal)
      } catch (error) {
        // The server may have closed it just then. Anything but a GET could have had an effect, and is not sent twice.
        if (!(error instanceof ConnectionLost) || request.method !== 'GET') throw error
      }
    }
    return this.#sendOver(await this.#open(target, signal), request, byteLimit, signal)
  }

  /**
   * Sends a request over a connection of its own, which nothing else uses, and answers what comes before the body.
   * @throws as {@link dial} and {@link exchangeHead} do
   */
  async sendAlone(target: Target, request: OutgoingRequest, signal: AbortSignal): Promise<AnswerHead> {
    const connection = await this.#open(target, signal)
    try {
      return await exchangeHead(connection.client, request, signal)
    } finally {
      end(connection)
    }
  }

  /** Ends what is unused now, and from now on what becomes unused. */
  close(): void {
    this.#closed = true
    for (const connection of this.#idle) end(connection)
    this.#idle.clear()
  }

  async #sendOver(connection: Connection, request: OutgoingRequest, byteLimit: number, signal: AbortSignal) {
    try {
      const response = await exchange(connection.client, request, byteLimit, this.#intake, signal)
      this.#keep(connection)
      return response
    } catch (error) {
      end(connection)
      throw error
    }
  }

  async #open(target: Target, signal: AbortSignal): Promise<Connection> {
    const socket = await dial(target, this.#dialling, signal)
    const sockets = [socket]
    const client = new Client(target.url.origin, {
      connect: (_options, done) => {
        // A client that has lost its connection would make another. This one gets none.
        const only = sockets.pop()
        // Not at once: undici does not go on if it is called back before its call has returned.
        queueMicrotask(() => {
          if (only === undefined) done(Object.assign(new Error('Closed.'), { code: 'ECONNRESET' }), null)
          else done(null, only)
        })
      },
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: longestIdleMs,
      // The time is kept for the whole of a request, elsewhere.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection = { origin: target.url.origin, client, socket }
    socket.once('close', () => this.#idle.delete(connection))
    return connection
  }

  #takeIdle(origin: string): Connection | undefined {
    // Of several the one that was used last, so that those which are too many time out.
    const connection = [...this.#idle].findLast((one) => one.origin === origin && !one.socket.destroyed)
    if (connection !== undefined) this.#idle.delete(connection)
    return connection
  }

  #keep(connection: Connection): void {
    if (this.#closed || connection.socket.destroyed) {
      end(connection)
      return
    }
    this.#idle.add(connection)
    if (this.#idle.size <= mostIdle) return
    const [longestUnused] = this.#idle
    this.#idle.delete(longestUnused!)
    end(longestUnused!)
  }
}

function end({ client, socket }: Connection): void {
  socket.destroy()
  client.destroy().catch(() => {})
}
