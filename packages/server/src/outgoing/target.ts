import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** The destination of a request. A trusted one can have a private address, because the administrator allows it. */
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
 * Ports above 1023 that are not for the web: those that the Fetch standard blocks
 * (https://fetch.spec.whatwg.org/#port-blocking), and two services that skip lines that they cannot parse and obey others.
 */
const closedPorts = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679],
  ...[6697, 10_080],
  6379, // Redis
  11_211, // memcached
])

/**
 * Names that mean this machine or its network, whatever a resolver says (RFC 6761, RFC 6762, RFC 8375, and `internal` of
 * ICANN), and names that end in two dots, such as `localhost..`, which are invalid.
 */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)?$/

/** Decides about addresses by their text alone, before names are resolved. */
export class TargetRules {
  #publicOrigin: string
  #allow: ReadonlySet<string>

  /**
   * @param publicUrl the service's own origin, trusted with exactly this scheme, host and port
   * @param allow more trusted hosts as `host:port`. Each matches only as it is listed: `localhost` is not `127.0.0.1`.
   */
  constructor(publicUrl: string, allow: Iterable<string>) {
    this.#publicOrigin = new URL(publicUrl).origin
    this.#allow = new Set(Array.from(allow, normalized))
  }

  /** Whether it is an address of this service. */
  isOwn(url: URL): boolean {
    return url.origin === this.#publicOrigin
  }

  /** @throws {RefusedAddress} if no request may go there. The addresses of a name that passes must still be checked. */
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

  /** @throws {RefusedAddress} also for an address without TLS, unless it is trusted */
  checkSecure(url: URL): Target {
    const target = this.check(url)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && target.trusted)) {
      throw new RefusedAddress('scheme')
    }
    return target
  }
}

/** The host of a URL for sockets and resolvers: without brackets around IPv6, and without a dot at the end of a name. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
}

/** The port of a URL, or the default port of its scheme. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/** Below 1024, too many other services read text: mail, printers, name servers. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !closedPorts.has(port))
}

/** Writes `127.1:8080` or `[::0]:80` in the form of a parsed URL. An entry that no URL can have matches nothing. */
function normalized(entry: string): string {
  const url = URL.parse(`http://${entry}`)
  return url === null ? entry : `${url.hostname}:${portOf(url)}`
}
