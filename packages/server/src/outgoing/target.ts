import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Where a request goes. A trusted one may be at a private address, because the administrator says so. */
export type Target = { url: URL; trusted: boolean }

const byAdministrator = 'An administrator can allow it: HTTP_ALLOW lists such hosts as host:port.'

/** What is wrong with the text of an address, and the way out. */
const refusals = {
  credentials: 'it contains a user name or password. Send them in a header instead.',
  host: `its host is not public. ${byAdministrator}`,
  port: `its port is not one of web servers. ${byAdministrator}`,
  scheme: `it must start with https://. ${byAdministrator}`,
}

/** A name that leads inside gets this answer, and so does one that does not exist. */
export const noPublicAddress =
  'The host name leads to no public address. An administrator can allow a private host: HTTP_ALLOW lists such hosts as host:port.'

/** Its message follows from the text of the address alone, so that nobody can map a network by trying addresses. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress'

  constructor(refusal: keyof typeof refusals) {
    super(`This address is refused: ${refusals[refusal]}`)
  }
}

/**
 * Ports that are not for the web although they are above 1023: those that the Fetch standard blocks
 * (https://fetch.spec.whatwg.org/#port-blocking), and two services that obey single lines of what they cannot parse.
 */
const closedPorts = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679],
  ...[6697, 10_080],
  6379, // Redis
  11_211, // memcached
])

/**
 * Names that mean this machine or this network, whatever a resolver says (RFC 6761, RFC 6762, RFC 8375, ICANN's
 * internal), and names that still end in a dot when the one of a full name is gone: `localhost..` is no name.
 */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)?$/

/** Decides about addresses as far as that can be done without asking for their names. */
export class TargetRules {
  #publicOrigin: string
  #allow: ReadonlySet<string>

  /**
   * @param publicUrl the service's own origin, trusted with exactly this scheme, host and port
   * @param allow more trusted hosts as `host:port`, which match as they are listed: `localhost` is not `127.0.0.1`
   */
  constructor(publicUrl: string, allow: Iterable<string>) {
    this.#publicOrigin = new URL(publicUrl).origin
    this.#allow = new Set(Array.from(allow, normalized))
  }

  /** Whether it is an address of this very service. */
  isOwn(url: URL): boolean {
    return url.origin === this.#publicOrigin
  }

  /** @throws {RefusedAddress} when no request may go there; names that pass have still to be resolved and checked */
  check(url: URL): Target {
    if (url.username !== '' || url.password !== '') throw new RefusedAddress('credentials')
    if (url.origin === this.#publicOrigin) return { url, trusted: true }
    const port = portOf(url)
    if (this.#allow.has(`${url.hostname}:${port}`)) return { url, trusted: true }
    const host = hostOf(url)
    const isClosed = isIP(host) === 0 ? localName.test(host) : !isPublicAddress(host)
    if (isClosed) throw new RefusedAddress('host')
    if (!isWebPort(port)) throw new RefusedAddress('port')
    return { url, trusted: false }
  }
}

/** The host of a URL as sockets and resolvers take it: no brackets around IPv6, no dot at the end of a full name. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
}

/** The port of a URL, also where it is that of its scheme. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/** Below 1024 there is too much else that reads text: mail, printers, name servers. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !closedPorts.has(port))
}

/** Writes `127.1:8080` or `[::0]:80` as a parsed URL has them. What no URL can have matches nothing. */
function normalized(entry: string): string {
  const url = URL.parse(`http://${entry}`)
  return url === null ? entry : `${url.hostname}:${portOf(url)}`
}
