import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { LRUCache } from 'lru-cache'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { Resolve } from './name-resolver.ts'
import { isPublicAddress } from './public-address.ts'
import { hostOf, noPublicAddress, portOf, RefusedAddress, type Target } from './target.ts'

export type Dialling = {
  /** For names that users choose. */
  resolve: Resolve
  /** For names that the administrator has allowed. */
  resolveTrusted: Resolve
  /** What it takes at least to be told that a name leads to no public address, in ms; by default half a second. */
  unknownNameMs?: number
  secureContext: SecureContext
  /** TLS sessions by origin: taking one up again saves the server's certificates, and some milliseconds. */
  sessions: LRUCache<string, Buffer>
}

/** How many addresses of a name are tried, and how long each but the last may take to accept, in ms. */
const mostAddresses = 4
const attemptMs = 500
/** More than most name servers take, so that an answer from the hosts file is not known by its speed. */
const defaultUnknownNameMs = 500

/**
 * Opens a connection. Of a name that is not trusted every address has to be public, and what is dialled is one of the
 * addresses that were checked: nothing is resolved a second time. Until it is handed over, `signal` closes it.
 * @throws {RefusedAddress} for an address that is not public
 * @throws {HttpFailure} 502 when a name leads to no public address, nobody accepts, or TLS fails
 */
export async function dial(target: Target, dialling: Dialling, signal: AbortSignal): Promise<Socket> {
  const addresses = await findAddresses(target, dialling, signal)
  const socket = await dialFirst(addresses.slice(0, mostAddresses), portOf(target.url), signal)
  return target.url.protocol === 'https:' ? secure(socket, target.url, dialling, signal) : socket
}

async function findAddresses(target: Target, dialling: Dialling, signal: AbortSignal): Promise<string[]> {
  const host = hostOf(target.url)
  if (isIP(host) !== 0) {
    if (!target.trusted && !isPublicAddress(host)) throw new RefusedAddress('host')
    return [host]
  }
  if (!target.trusted) return publicAddressesOf(host, dialling, signal)
  const addresses = await abortable(dialling.resolveTrusted(host), signal).catch((error) => {
    signal.throwIfAborted()
    throw new HttpFailure(502, `The host name could not be resolved${codeOf(error)}.`, error)
  })
  if (addresses.length === 0) throw new HttpFailure(502, 'The host name has no address.')
  return addresses
}

/**
 * A name that leads inside is answered as one that does not exist, and takes as long: nobody finds out which names the
 * network has that this service stands in.
 */
async function publicAddressesOf(
  name: string,
  { resolve, unknownNameMs = defaultUnknownNameMs }: Dialling,
  signal: AbortSignal,
): Promise<string[]> {
  const startedMs = performance.now()
  let cause: unknown
  try {
    const addresses = await abortable(resolve(name), signal)
    // Also those that would not be dialled: a name that leads inside at all is not one for outside.
    if (addresses.length > 0 && addresses.every(isPublicAddress)) return addresses
  } catch (error) {
    signal.throwIfAborted()
    cause = error
  }
  // A timer drops fractions of a millisecond.
  const leftMs = Math.ceil(unknownNameMs - (performance.now() - startedMs))
  if (leftMs > 0) await abortable(sleep(leftMs, undefined, { signal, ref: false }), signal)
  throw new HttpFailure(502, noPublicAddress, cause)
}

async function dialFirst(addresses: string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown
  for (const [index, host] of addresses.entries()) {
    const isLast = index === addresses.length - 1
    const socket = connectTcp({ host, port, noDelay: true })
    try {
      return await opened(socket, 'connect', signal, isLast ? null : attemptMs)
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw new HttpFailure(502, `The connection failed${codeOf(failure)}.`, failure)
}

async function secure(tcp: Socket, url: URL, dialling: Dialling, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url)
  const { secureContext, sessions } = dialling
  const session = sessions.get(url.origin)
  const socket = connectTls({
    socket: tcp,
    // What the certificate has to be for; an address is not sent as a server name (RFC 6066, section 3).
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(session !== undefined && { session }),
    secureContext,
    ALPNProtocols: ['http/1.1'],
  })
  socket.on('session', (latest) => sessions.set(url.origin, latest))
  try {
    return await opened(socket, 'secureConnect', signal, null)
  } catch (error) {
    signal.throwIfAborted()
    throw new HttpFailure(502, `The TLS connection failed${codeOf(error)}.`, error)
  }
}

/** Resolves to the socket once `event` has come; otherwise destroys it. `timeoutMs` may be without end. */
async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  timeoutMs: number | null,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // This listener stays: an error before the next one listens would end the process.
  socket.on('error', reject)
  socket.once(event, resolve)
  const timeout = () => reject(Object.assign(new Error('Nobody accepts.'), { code: 'ETIMEDOUT' }))
  const timer = timeoutMs === null ? undefined : setTimeout(timeout, timeoutMs)
  try {
    await abortable(promise, signal)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
