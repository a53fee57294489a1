import { createSecureContext } from 'node:tls'
import { type HttpRequest, type HttpResponse, httpTimeoutMs } from '@tickwright/sandbox'
import { LRUCache } from 'lru-cache'
import { Semaphore } from '../base/semaphore.ts'
import { abortable } from './abortable.ts'
import { Connections } from './connections.ts'
import type { RawResponse } from './exchange.ts'
import type { AnswerHead } from './exchange-head.ts'
import { HttpCache, type HttpResult } from './http-cache.ts'
import { HttpFailure } from './http-failure.ts'
import { createNameResolver, type Resolve, resolveAsSystem } from './name-resolver.ts'
import { fingerprint, followRedirect, type OutgoingRequest, readRequest } from './outgoing-request.ts'
import { rawByteLimit, readText } from './response-text.ts'
import { RefusedAddress, TargetRules } from './target.ts'

export type OutgoingHttpOptions = {
  /** The service's own origin. Strategies may reach it, even at a private address. */
  publicUrl: string
  /** More hosts that strategies may reach, as `host:port`. */
  allow: Iterable<string>
  /** Makes the header by which the service recognises its own strategies. Default: no header. */
  mark?(strategyId: number, target: { method: string; path: string }): [name: string, value: string]
  /** Resolves the names that strategies use. Default: `createNameResolver`. */
  resolve?: Resolve
  /** The answer that a name leads to no public address takes at least this long, in ms. Default: half a second. */
  unknownNameMs?: number
  /** Certificates of authorities in PEM, instead of Node's own list. */
  ca?: string
  /** Maximum time of a whole request of a strategy. Default: `httpTimeoutMs`. */
  timeoutMs?: number
}

const mostRedirects = 5

/** Requests of all strategies at a time; others wait, and their time runs. Each request has at most one socket. */
const mostAtOnce = 1_024

/**
 * The implementation of `$.Http`: it sends the requests of strategies, and only to public addresses.
 *
 * A request has `httpTimeoutMs` in total: for the name, the connection, redirects and the body. A failure is an answer
 * too, with the reason as text: 403 for a refused address; 502 for a server that cannot be reached, or whose answer is
 * invalid or over 1 MB; 504 for a server that takes too long.
 */
export class OutgoingHttp {
  #rules: TargetRules
  #connections: Connections
  #cache = new HttpCache()
  #places = new Semaphore(mostAtOnce)
  #inProgress = new Set<AbortController>()
  #closed = false
  #timeoutMs: number
  #mark: OutgoingHttpOptions['mark']

  constructor(options: OutgoingHttpOptions) {
    const { publicUrl, allow, resolve = createNameResolver(), ca, timeoutMs = httpTimeoutMs } = options
    this.#timeoutMs = timeoutMs
    this.#mark = options.mark
    this.#rules = new TargetRules(publicUrl, allow)
    this.#connections = new Connections({
      resolve,
      resolveTrusted: resolveAsSystem,
      ...(options.unknownNameMs === undefined ? {} : { unknownNameMs: options.unknownNameMs }),
      secureContext: createSecureContext(ca === undefined ? {} : { ca }),
      sessions: new LRUCache({ max: 1_000 }),
    })
  }

  /**
   * Answers a request of a strategy, from the cache if the same request was answered in the last 5 seconds.
   * @param signal aborts the request and closes its sockets, unless another caller waits for the same request
   * @throws {TypeError} for an invalid address or header; and the reason of `signal`
   */
  async request(strategyId: number, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const outgoing = readRequest(request)
    return this.#cache.answer(strategyId, fingerprint(outgoing), signal, (ends) =>
      this.#answer(strategyId, outgoing, ends),
    )
  }

  /** @throws {RefusedAddress} if the text of the address alone shows that it is refused */
  check(url: URL): void {
    this.#rules.check(url)
  }

  /** The same, and an address without TLS is refused unless an administrator has allowed its host. */
  checkSecure(url: URL): void {
    this.#rules.checkSecure(url)
  }

  /**
   * Sends a request once, without following redirects, and returns the head of the answer with the beginning of its body.
   * @param timeoutMs for the whole request
   * @throws {RefusedAddress} if the address is not public, and the reason of `signal`
   * @throws {HttpFailure} if there is no answer
   */
  async deliver(request: OutgoingRequest, timeoutMs: number, signal: AbortSignal): Promise<AnswerHead> {
    const ends = new AbortController()
    const abort = () => ends.abort(signal.reason)
    const expire = () => ends.abort(new HttpFailure(504, `There was no answer within ${timeoutMs} ms.`))
    signal.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => setImmediate(expire), timeoutMs)
    try {
      signal.throwIfAborted()
      return await this.#connections.sendAlone(this.#rules.check(request.url), request, ends.signal)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Aborts all requests, and sends no more. */
  close(): void {
    this.#closed = true
    this.#connections.close()
    for (const ends of this.#inProgress) ends.abort(new HttpFailure(502, 'The service is shutting down.'))
  }

  async #answer(strategyId: number, request: OutgoingRequest, signal: AbortSignal): Promise<HttpResult> {
    const ends = new AbortController()
    const abort = () => ends.abort(signal.reason)
    const expire = () => ends.abort(new HttpFailure(504, `There was no answer within ${this.#timeoutMs} ms.`))
    signal.addEventListener('abort', abort, { once: true })
    // Reads the sockets once more first: an answer that arrived in time counts, even if this process was busy.
    const timer = setTimeout(() => setImmediate(expire), this.#timeoutMs)
    this.#inProgress.add(ends)
    if (this.#closed) this.close()
    try {
      const response = await this.#follow(strategyId, request, ends.signal)
      return {
        status: response.status,
        text: await abortable(readText(response), ends.signal),
        answered: true,
      }
    } catch (error) {
      if (error instanceof RefusedAddress) return { status: 403, text: error.message, answered: false }
      if (error instanceof HttpFailure) return { status: error.status, text: error.message, answered: false }
      throw error
    } finally {
      this.#inProgress.delete(ends)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** The answer after all redirects. Each of them is checked like the first address. */
  async #follow(strategyId: number, first: OutgoingRequest, signal: AbortSignal): Promise<RawResponse> {
    const leave = await this.#enter(signal)
    try {
      let request = first
      for (let redirects = 0; redirects <= mostRedirects; redirects++) {
        const target = this.#rules.check(request.url)
        // Added to each request by itself, so that a redirect to another server does not take the header along.
        const sent = this.#marked(strategyId, request)
        const response = await this.#connections.send(target, sent, rawByteLimit, signal)
        const next = followRedirect(request, response.status, response.headers.location)
        if (next === null) return response
        request = next
      }
      throw new HttpFailure(502, `There were more than ${mostRedirects} redirects.`)
    } finally {
      leave()
    }
  }

  /** A request to the API of this service gets a header that names the strategy. */
  #marked(strategyId: number, request: OutgoingRequest): OutgoingRequest {
    const { method, url, headers } = request
    const isApi = this.#rules.isOwn(url) && /^\/(?:api|mcp)(?:\/|$)/.test(url.pathname)
    if (this.#mark === undefined || !isApi) return request
    const mark = this.#mark(strategyId, { method, path: url.pathname + url.search })
    return { ...request, headers: new Map([...headers, mark]) }
  }

  /** Waits for a place among the current requests. Resolves to a function that gives it back. */
  async #enter(signal: AbortSignal): Promise<() => void> {
    const place = this.#places.acquire()
    try {
      return await abortable(place, signal)
    } catch (error) {
      void place.then((leave) => leave())
      throw error
    }
  }
}
