import { hash } from 'node:crypto'
import type { HttpMethod, HttpRequest } from '@tickwright/sandbox'
import { HttpFailure } from './http-failure.ts'

/** A request as the service sends it. Header names are in lower case; `body` is sent as UTF-8. */
export type OutgoingRequest = {
  method: HttpMethod
  url: URL
  headers: ReadonlyMap<string, string>
  body: string | null
}

/** Headers about the connection or the client, not about the request (RFC 9110, section 7.6.1). Code cannot set them. */
const ownHeaders = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive'],
  ...['te', 'trailer', 'trailers', 'transfer-encoding', 'upgrade'],
])

/**
 * Headers in which a proxy names the sender. A server that trusts this machine as a proxy, such as this service itself,
 * would believe them. Code cannot set them.
 */
const senderHeaders = new Set([
  ...['client-ip', 'do-connecting-ip', 'forwarded', 'real-ip', 'remote-addr', 'true-client-ip', 'via'],
  ...['wl-proxy-client-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-host', 'x-original-forwarded-for'],
  ...['x-original-host', 'x-originating-ip', 'x-real-ip', 'x-remote-addr', 'x-remote-ip', 'x-true-client-ip'],
])
/** The last prefix is that of this service. */
const senderPrefixes = [
  'proxy-',
  'x-forwarded',
  'x-envoy-',
  'x-appengine-',
  'x-arr-',
  'cf-',
  'fastly-',
  'fly-',
  'tickwright-',
]

/** Headers without credentials, which may follow a redirect to another origin. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'cache-control', 'content-type', 'user-agent'])

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** RFC 9110, sections 5.6.2 and 5.5. Characters above Latin-1 cannot be sent. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Turns a request of strategy code into one that can be sent.
 * @throws {TypeError} that names the invalid address or header
 */
export function readRequest(request: HttpRequest): OutgoingRequest {
  const url = readUrl(request)
  if (url === null || !isWeb(url)) {
    throw new TypeError('url must be an absolute http: or https: address, such as https://host/path.')
  }
  url.hash = ''
  const headers = new Map([
    ['accept', '*/*'],
    ['user-agent', 'Tickwright'],
  ])
  const { method, body } = request
  if (body !== null && (method === 'POST' || method === 'PUT'))
    headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(request.headers)) {
    if (!headerName.test(name))
      throw new TypeError(`headers: ${JSON.stringify(name)} is not a valid header name.`)
    if (!headerValue.test(value)) {
      throw new TypeError(
        `headers: the value of ${name} contains characters that are not allowed in headers.`,
      )
    }
    const known = name.toLowerCase()
    if (!isReserved(known)) headers.set(known, value)
  }
  return { method, url, headers, body }
}

/** Whether code cannot set a header. Some servers treat `_` like `-`, as CGI does, so both count. */
function isReserved(name: string): boolean {
  const plain = name.replaceAll('_', '-')
  if (ownHeaders.has(plain) || senderHeaders.has(plain)) return true
  return senderPrefixes.some((prefix) => plain.startsWith(prefix))
}

/** The address with its `params`, or `null` if it is invalid. The query that `url` already has stays unchanged. */
export function readUrl({ url: text, params }: Pick<HttpRequest, 'url' | 'params'>): URL | null {
  const url = URL.parse(text)
  if (url === null || params.length === 0) return url
  const added = new URLSearchParams(params).toString()
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url
}

/** Equal for identical requests. It is a hash in hex, so that the cache keeps no secret of a header. */
export function fingerprint({ method, url, headers, body }: OutgoingRequest): string {
  return hash('sha256', JSON.stringify([method, url.href, [...headers].sort(), body]))
}

/**
 * The next request after a redirect, by the rules of the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch); `null` if the answer is not a redirect.
 * @throws {HttpFailure} 502 if it leads to no http: or https: address
 */
export function followRedirect(
  request: OutgoingRequest,
  status: number,
  location: string | undefined,
): OutgoingRequest | null {
  if (!redirectStatuses.has(status) || location === undefined) return null
  const url = URL.parse(location, request.url)
  if (url === null || !isWeb(url))
    throw new HttpFailure(502, 'The redirect leads to no http: or https: address.')
  url.hash = ''
  const becomesGet = status === 303 || (status <= 302 && request.method === 'POST')
  const headers = [...request.headers].filter(([name]) => {
    if (becomesGet && name.startsWith('content-')) return false
    return url.origin === request.url.origin || harmlessHeaders.has(name)
  })
  return {
    method: becomesGet ? 'GET' : request.method,
    url,
    headers: new Map(headers),
    body: becomesGet ? null : request.body,
  }
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}
