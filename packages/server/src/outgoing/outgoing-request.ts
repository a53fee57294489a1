import { hash } from 'node:crypto'
import type { HttpMethod, HttpRequest } from '@tickwright/sandbox'
import { HttpFailure } from './http-failure.ts'

/** A request as it goes out. Header names are lower-case; `body` is sent as UTF-8. */
export type OutgoingRequest = {
  method: HttpMethod
  url: URL
  headers: ReadonlyMap<string, string>
  body: string | null
}

/** Headers that are about this connection or this client and not about the request (RFC 9110, section 7.6.1): not the code's to set. */
const ownHeaders = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive'],
  ...['te', 'trailer', 'trailers', 'transfer-encoding', 'upgrade'],
])

/**
 * Headers by which a proxy says for whom it asks. Whoever trusts this machine as a proxy, the service itself included,
 * would believe them of code.
 */
const senderHeaders = new Set([
  ...['client-ip', 'do-connecting-ip', 'forwarded', 'real-ip', 'remote-addr', 'true-client-ip', 'via'],
  ...['wl-proxy-client-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-host', 'x-original-forwarded-for'],
  ...['x-original-host', 'x-originating-ip', 'x-real-ip', 'x-remote-addr', 'x-remote-ip', 'x-true-client-ip'],
])
/** The last are this service's own. */
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

/** Headers that hold no credential, and so may follow a redirect to another origin. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'cache-control', 'content-type', 'user-agent'])

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** RFC 9110, sections 5.6.2 and 5.5. What is above Latin-1 cannot be sent. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Reads what the code asked for.
 * @throws {TypeError} naming what is wrong: an address that is none, a header that cannot be sent
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
      throw new TypeError(`headers: ${JSON.stringify(name)} is no valid header name.`)
    if (!headerValue.test(value)) {
      throw new TypeError(`headers: the value of ${name} has characters that no header can have.`)
    }
    const known = name.toLowerCase()
    if (!isNotCodes(known)) headers.set(known, value)
  }
  return { method, url, headers, body }
}

/** Whether a header is not for code to set. Servers that take `_` for `-`, as CGI does, find it also so. */
function isNotCodes(name: string): boolean {
  const plain = name.replaceAll('_', '-')
  if (ownHeaders.has(plain) || senderHeaders.has(plain)) return true
  return senderPrefixes.some((prefix) => plain.startsWith(prefix))
}

/** The address with its `params`, or `null` if it is none. What `url` has for a query stays as it is written. */
export function readUrl({ url: text, params }: Pick<HttpRequest, 'url' | 'params'>): URL | null {
  const url = URL.parse(text)
  if (url === null || params.length === 0) return url
  const added = new URLSearchParams(params).toString()
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url
}

/** Equal for requests that are alike: hex of a hash, so that no secret of a header is kept. */
export function fingerprint({ method, url, headers, body }: OutgoingRequest): string {
  return hash('sha256', JSON.stringify([method, url.href, [...headers].sort(), body]))
}

/**
 * What a redirect asks for, by the rules of the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch); `null` when the answer is none.
 * @throws {HttpFailure} 502 when it leads to no address
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
