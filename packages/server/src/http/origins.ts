import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Whether a page of this service sent the request: according to `Origin`, otherwise `Sec-Fetch-Site`, otherwise
 * `Referer`.
 * @returns `undefined` if the request has none of them, as from a program that is not a browser
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean | undefined {
  const { origin, referer, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return isOwn(origin, headers.host, publicUrl)
  if (site !== undefined) return site === 'same-origin'
  if (referer !== undefined) return isOwn(URL.parse(referer)?.origin ?? '', headers.host, publicUrl)
  return undefined
}

/**
 * The public address is accepted. So is the address that the request was sent to, if it is an IP address or
 * `localhost`. Anyone could point another name at this service.
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
