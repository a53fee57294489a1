import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import type { Principal } from '../base/principal.ts'
import type { App } from './types.ts'

/** The user a request is made for, and the address that the user asked from. */
export type Caller = { principal: Principal; ip: string }

/** `target` is the path with its query, and `body` a JSON text. */
export type InnerRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  target: string
  body?: string | undefined
  ifMatch?: string
  /** The request takes effect once, however often it is made with this key. */
  idempotencyKey?: string
}
export type InnerAnswer = { status: number; body: unknown; etag: string | undefined }

/**
 * Requests that this process makes to its own API, for a user who is already authenticated. The same routes answer them
 * as all others. The request object itself identifies the user, and no header does. So a request from outside can never
 * pass for one of these.
 */
export class InProcessApi {
  #principals = new WeakMap<IncomingMessage, Principal>()
  #caller = new AsyncLocalStorage<Principal>()
  #relay: FastifyInstance | undefined

  /** The user that a request of this process is for; `undefined` for a request from outside. */
  principalOf(request: IncomingMessage): Principal | undefined {
    return this.#principals.get(request)
  }

  /** @param app the application, or a scope of it */
  async request(
    app: App,
    caller: Caller,
    { method, target, body, ifMatch, idempotencyKey }: InnerRequest,
  ): Promise<InnerAnswer> {
    this.#relay ??= this.#openRelay(app)
    const relay = this.#relay
    // `inject` starts when it is awaited, so the await has to be inside.
    const answer = await this.#caller.run(
      caller.principal,
      async () =>
        await relay.inject({
          method,
          url: target,
          remoteAddress: caller.ip,
          ...(body === undefined ? {} : { payload: body }),
          headers: {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
        }),
    )
    return { status: answer.statusCode, body: answer.json(), etag: answer.headers.etag as string | undefined }
  }

  /**
   * It listens nowhere and only forwards. While the application closes, it accepts nothing through its own `inject`,
   * but calls in progress still need answers.
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
