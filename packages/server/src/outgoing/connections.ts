import type { Socket } from 'node:net'
import { Client } from 'undici'
import { type Dialling, dial } from './dial.ts'
import { ConnectionLost, exchange, type Intake, type RawResponse } from './exchange.ts'
import { type AnswerHead, exchangeHead } from './exchange-head.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { Target } from './target.ts'

/** A connection to one origin, for one request at a time. */
type Connection = { origin: string; client: Client; socket: Socket }

/** How many unused connections stay open; how long, in ms; and how long at most if the server offers more. */
const mostIdle = 256
const idleMs = 4_000
const longestIdleMs = 30_000

/**
 * Sends requests over connections, and keeps these for a while for further requests.
 *
 * {@link dial} opens each connection, so every address has been checked. A reused connection needs no new check: a new
 * answer of a name server does not change where it leads.
 */
export class Connections {
  #dialling: Dialling
  #intake: Intake = { bytes: 0 }
  /** The least recently used first. */
  #idle = new Set<Connection>()
  #closed = false

  constructor(dialling: Dialling) {
    this.#dialling = dialling
  }

  /**
   * Sends a request and reads the complete answer. If `signal` aborts, the connection is closed.
   * @param byteLimit maximum size of the body as it is sent, in bytes
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
        // The server may have closed the connection at that moment. Only a GET is sent again: others may have had an effect.
        if (!(error instanceof ConnectionLost) || request.method !== 'GET') throw error
      }
    }
    return this.#sendOver(await this.#open(target, signal), request, byteLimit, signal)
  }

  /**
   * Sends a request over a new connection that nothing else uses, and returns the head of the answer, with the beginning
   * of its body.
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

  /** Closes all unused connections, and from now on each connection that becomes unused. */
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
        // A client that loses its connection would open another one. This client has only one.
        const only = sockets.pop()
        // undici does not continue if the callback runs before `connect` has returned.
        queueMicrotask(() => {
          if (only === undefined) done(Object.assign(new Error('Closed.'), { code: 'ECONNRESET' }), null)
          else done(null, only)
        })
      },
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: longestIdleMs,
      // The caller limits the time of the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection = { origin: target.url.origin, client, socket }
    socket.once('close', () => this.#idle.delete(connection))
    return connection
  }

  #takeIdle(origin: string): Connection | undefined {
    // The most recently used one, so that superfluous ones time out.
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
