import type { IncomingMessage } from 'node:http'
import { AppError } from '../base/errors.ts'
import type { App } from './types.ts'

/**
 * Headers that a request may have only once. If there are two, Node keeps the first or joins them, depending on the
 * header. A proxy in front may choose differently, and then the two would see different requests.
 */
const single = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'expect'],
  ...['api-key', 'timestamp', 'signature', 'authorization', 'origin', 'sec-fetch-site', 'referer'],
  ...['x-key', 'idempotency-key', 'webhook-id', 'tickwright-strategy'],
])

/** A name or an address, with or without a port (RFC 9110, section 7.2). */
const hostForm = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

/** Refuses requests that a proxy and this service could understand differently. */
export function demandSingleHeaders(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = problemOf(request.raw)
    done(problem === undefined ? undefined : new AppError('request_malformed', problem))
  })
}

function problemOf({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const repeated = isAnyRepeated(rawHeaders, headers) ? repeatedOf(rawHeaders) : undefined
  if (repeated !== undefined) return `The request has the header ${repeated} more than once.`
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'The request has no header host.'
  return hostForm.test(host) ? undefined : 'The header host is not a host name or address.'
}

/** Almost no request repeats a header. Then there are as many names as lines, and the search is not needed. */
function isAnyRepeated(rawHeaders: string[], headers: IncomingMessage['headers']): boolean {
  let names = 0
  for (const _ in headers) names++
  return names * 2 !== rawHeaders.length
}

function repeatedOf(rawHeaders: string[]): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (seen.has(name) && single.has(name)) return name
    seen.add(name)
  }
  return undefined
}
