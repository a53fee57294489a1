import { createSecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { Semaphore } from '../base/semaphore.ts'
import { abortable } from '../outgoing/abortable.ts'
import { Connections } from '../outgoing/connections.ts'
import { HttpFailure } from '../outgoing/http-failure.ts'
import { createNameResolver, type Resolve, resolveAsSystem } from '../outgoing/name-resolver.ts'
import { followRedirect, type OutgoingRequest } from '../outgoing/outgoing-request.ts'
import { rawByteLimit, readText } from '../outgoing/response-text.ts'
import { type Target, TargetRules } from '../outgoing/target.ts'

export type ProviderHttpOptions = {
  publicUrl: string
  /** Private hosts that requests may reach, as `host:port`, with or without TLS. */
  allow: Iterable<string>
  /** Resolves names. Default: as for requests of strategies. */
  resolve?: Resolve
  /** Certificate authorities, in PEM, to trust instead of Node's own. */
  ca?: string
}

export type ProviderAnswer = { status: number; headers: Record<string, string>; text: string }

const mostRedirects = 3
/** For all users together. Further requests wait until their deadline. */
const mostAtOnce = 256

/**
 * Makes the requests to providers of models. Like requests of strategies, they reach public addresses only. A key is
 * sent over TLS only, and no redirect sends it or the prompt to another origin.
 */
export class ProviderHttp {
  #rules: TargetRules
  #connections: Connections
  #places = new Semaphore(mostAtOnce)
  #closing = new AbortController()

  constructor({ publicUrl, allow, resolve = createNameResolver(), ca }: ProviderHttpOptions) {
    this.#rules = new TargetRules(publicUrl, allow)
    this.#connections = new Connections({
      resolve,
      resolveTrusted: resolveAsSystem,
      secureContext: createSecureContext(ca === undefined ? {} : { ca }),
      sessions: new LRUCache({ max: 100 }),
    })
  }

  /** @throws {RefusedAddress} if the URL alone, without resolving its name, is not allowed */
  check(url: URL): Target {
    return this.#rules.checkSecure(url)
  }

  /**
   * Resolves with the complete answer, whatever its status; at most 1 MB.
   * @throws {RefusedAddress}
   * @throws {HttpFailure} if there is no connection, or if the answer is too large or not HTTP
   * @throws the reason of `signal`
   */
  async send(request: OutgoingRequest, signal: AbortSignal): Promise<ProviderAnswer> {
    const ends = AbortSignal.any([signal, this.#closing.signal])
    const place = this.#places.acquire()
    try {
      await abortable(place, ends)
    } catch (error) {
      void place.then((leave) => leave())
      throw error
    }
    try {
      return await this.#follow(request, ends)
    } finally {
      void place.then((leave) => leave())
    }
  }

  /** Aborts all requests and accepts no more. */
  close(): void {
    this.#closing.abort(new HttpFailure(502, 'The service is shutting down.'))
    this.#connections.close()
  }

  async #follow(first: OutgoingRequest, signal: AbortSignal): Promise<ProviderAnswer> {
    let request = first
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await this.#connections.send(this.check(request.url), request, rawByteLimit, signal)
      const next = followRedirect(request, response.status, response.headers.location)
      if (next === null) {
        const text = await abortable(readText(response), signal)
        return { status: response.status, headers: plain(response.headers), text }
      }
      if (next.url.origin !== request.url.origin) {
        throw new HttpFailure(
          502,
          'The provider redirects to another address. The service does not follow such redirects.',
        )
      }
      request = next
    }
    throw new HttpFailure(502, `The provider redirects more than ${mostRedirects} times.`)
  }
}

/** The headers that readers of an answer need. The others describe an encoding that is already decoded. */
function plain(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = ['content-type', 'retry-after'].map((name) => [name, headers[name]] as const)
  return Object.fromEntries(shown.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
