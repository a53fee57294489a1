import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Whether a page of this service sent the request: by `Origin`, else by `Sec-Fetch-Site`, else by `Referer`.
 * @returns `undefined` where none of them tells, as with a program that is no browser
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean | undefined {
  const { origin, referer, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return isOwn(origin, headers.host, publicUrl)
  if (site !== undefined) return site === 'same-origin'
  if (referer !== undefined) return isOwn(URL.parse(referer)?.origin ?? '', headers.host, publicUrl)
  return undefined
}

/**
 * The public address counts, and the one that the request was sent to, where that cannot be a name which somebody
 * else has pointed here: an IP address, or this machine itself.
 */
function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) return false
  return url.host === host?.toLowerCase() && cannotBeRebound(url.hostname)
}

function cannotBeRebound(hostname: string): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}
