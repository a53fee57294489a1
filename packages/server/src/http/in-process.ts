import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import type { Principal } from '../base/principal.ts'
import type { App } from './types.ts'

/** For whom a request is made, and from where they asked. */
export type Caller = { principal: Principal; ip: string }

/** `target` is the path with its query, and `body` a JSON text. */
export type InnerRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  target: string
  body?: string | undefined
}
export type InnerAnswer = { status: number; body: unknown }

/**
 * Requests to the API that are made within this process, for somebody who was let in already. They are answered by
 * the routes that answer all others. Whom a request is for is known by the very object that it is, which nobody
 * outside can make: no header has a part in it.
 */
export class InProcessApi {
  #principals = new WeakMap<IncomingMessage, Principal>()
  #caller = new AsyncLocalStorage<Principal>()
  #relay: FastifyInstance | undefined

  /** Whom a request is for that was made here; `undefined` for one that came from outside. */
  principalOf(request: IncomingMessage): Principal | undefined {
    return this.#principals.get(request)
  }

  /** @param app or a scope of it */
  async request(app: App, caller: Caller, { method, target, body }: InnerRequest): Promise<InnerAnswer> {
    this.#relay ??= this.#openRelay(app)
    const relay = this.#relay
    // It does not begin before it is awaited, which therefore belongs inside.
    const answer = await this.#caller.run(
      caller.principal,
      async () =>
        await relay.inject({
          method,
          url: target,
          remoteAddress: caller.ip,
          ...(body === undefined ? {} : { payload: body }),
          headers: body === undefined ? {} : { 'content-type': 'application/json' },
        }),
    )
    return { status: answer.statusCode, body: answer.json() }
  }

  /**
   * It listens nowhere and only hands on: the application itself takes nothing from within while it closes, when what
   * is under way has still to be answered.
   */
  #openRelay(app: App): FastifyInstance {
    const relay = fastify()
    relay.addHook('onRequest', (request, reply) => {
      this.#principals.set(request.raw, this.#caller.getStore()!)
      reply.hijack()
      app.routing(request.raw, reply.raw)
    })
    return relay
  }
}
