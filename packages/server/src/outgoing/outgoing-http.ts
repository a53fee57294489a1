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
  /** The service's own origin, which strategies may reach wherever it is. */
  publicUrl: string
  /** More of those, as `host:port`. */
  allow: Iterable<string>
  /** The header by which the service knows the requests that strategies make of it; default: they have none. */
  mark?(strategyId: number, target: { method: string; path: string }): [name: string, value: string]
  /** How the names that strategies ask for are resolved; by default as `createNameResolver` does. */
  resolve?: Resolve
  /** What it takes at least to be told that a name leads to no public address, in ms; by default half a second. */
  unknownNameMs?: number
  /** Certificates of authorities in PEM to trust in place of Node's own. */
  ca?: string
  /** For all that a request of a strategy takes. Default: `httpTimeoutMs`. */
  timeoutMs?: number
}

const mostRedirects = 5

/** Requests under way over all strategies; further ones wait, within their time. Each has one socket at most. */
const mostAtOnce = 1_024

/**
 * What stands behind `$.Http`: makes the requests of strategies, and lets none of them reach what is not public.
 *
 * A request has `httpTimeoutMs` for all that it takes: name, connection, redirects, body. What goes wrong is an answer
 * too, with its reason as text: 403 for a refused address, 502 for a remote that cannot be reached or understood, or whose
 * answer is over 1 MB, 504 for one that takes too long.
 */
export class OutgoingHttp {
  #rules: TargetRules
  #connections: Connections
  #cache = new HttpCache()
  #places = new Semaphore(mostAtOnce)
  #underWay = new Set<AbortController>()
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
   * Answers a request of a strategy, from its cache if it was answered in the last 5 seconds.
   * @param signal ends it at once, with all its sockets, unless the same request is waited for elsewhere
   * @throws {TypeError} for what is no address, or a header that cannot be sent; and the reason of `signal`
   */
  async request(strategyId: number, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const outgoing = readRequest(request)
    return this.#cache.answer(strategyId, fingerprint(outgoing), signal, (ends) =>
      this.#answer(strategyId, outgoing, ends),
    )
  }

  /** @throws {RefusedAddress} for what can be told to be refused without asking for its name */
  check(url: URL): void {
    this.#rules.check(url)
  }

  /**
   * Sends a request once, and follows no redirect; what the answer says besides its head is thrown away.
   * @param timeoutMs for all that it takes
   * @throws {RefusedAddress} when it leads to no public address, and the reason of `signal`
   * @throws {HttpFailure} when there is no answer
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

  /** Ends what is under way, and makes no further requests. */
  close(): void {
    this.#closed = true
    this.#connections.close()
    for (const ends of this.#underWay) ends.abort(new HttpFailure(502, 'The service is shutting down.'))
  }

  async #answer(strategyId: number, request: OutgoingRequest, signal: AbortSignal): Promise<HttpResult> {
    const ends = new AbortController()
    const abort = () => ends.abort(signal.reason)
    const expire = () => ends.abort(new HttpFailure(504, `There was no answer within ${this.#timeoutMs} ms.`))
    signal.addEventListener('abort', abort, { once: true })
    // One more look at what has come in: an answer that was in time must not be late because this process was.
    const timer = setTimeout(() => setImmediate(expire), this.#timeoutMs)
    this.#underWay.add(ends)
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
      this.#underWay.delete(ends)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** The answer at the end of all redirects. Each of them is checked like the first address. */
  async #follow(strategyId: number, first: OutgoingRequest, signal: AbortSignal): Promise<RawResponse> {
    const leave = await this.#enter(signal)
    try {
      let request = first
      for (let redirects = 0; redirects <= mostRedirects; redirects++) {
        const target = this.#rules.check(request.url)
        // On its way out alone: what a redirect leads to is asked without, unless that is this service again.
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

  /** What goes to the API of this very service says which strategy asks. */
  #marked(strategyId: number, request: OutgoingRequest): OutgoingRequest {
    const { method, url, headers } = request
    const isApi = this.#rules.isOwn(url) && /^\/(?:api|mcp)(?:\/|$)/.test(url.pathname)
    if (this.#mark === undefined || !isApi) return request
    const mark = this.#mark(strategyId, { method, path: url.pathname + url.search })
    return { ...request, headers: new Map([...headers, mark]) }
  }

  /** Takes a place among those under way; resolves to what gives it back. */
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
