import { createSecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { Semaphore } from '../base/semaphore.ts'
import { abortable } from '../outgoing/abortable.ts'
import { Connections } from '../outgoing/connections.ts'
import { HttpFailure } from '../outgoing/http-failure.ts'
import { createNameResolver, type Resolve, resolveAsSystem } from '../outgoing/name-resolver.ts'
import { followRedirect, type OutgoingRequest } from '../outgoing/outgoing-request.ts'
import { rawByteLimit, readText } from '../outgoing/response-text.ts'
import { RefusedAddress, type Target, TargetRules } from '../outgoing/target.ts'

export type ProviderHttpOptions = {
  publicUrl: string
  /** Private hosts that may be reached all the same, as `host:port`; they may be spoken to without TLS, too. */
  allow: Iterable<string>
  /** How names are resolved; by default as for requests of strategies. */
  resolve?: Resolve
  /** Certificates of authorities in PEM to trust in place of Node's own. */
  ca?: string
}

export type ProviderAnswer = { status: number; headers: Record<string, string>; text: string }

const mostRedirects = 3
/** Over all users; further requests wait, within their time. */
const mostAtOnce = 256

/**
 * Makes the requests to providers of models. As with those of strategies, none reaches what is not public; besides, a
 * key is sent over TLS only, and no redirect takes it or the prompt to another origin.
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

  /** @throws {RefusedAddress} as far as that can be told without resolving its name */
  check(url: URL): Target {
    const target = this.#rules.check(url)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && target.trusted))
      throw new RefusedAddress('scheme')
    return target
  }

  /**
   * The whole answer, whatever its status, at most 1 MB of it.
   * @throws {RefusedAddress}
   * @throws {HttpFailure} when there is no connection, or the answer is too large or no HTTP
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

  /** Ends what is under way, and makes no further requests. */
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
    throw new HttpFailure(502, `There were more than ${mostRedirects} redirects.`)
  }
}

/** Those that matter to whoever reads the answer: the body is plain text by now. */
function plain(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = ['content-type', 'retry-after'].map((name) => [name, headers[name]] as const)
  return Object.fromEntries(shown.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
