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
  /** Resolves names that users choose. */
  resolve: Resolve
  /** Resolves names that the administrator has allowed. */
  resolveTrusted: Resolve
  /** The answer that a name leads to no public address takes at least this long, in ms. Default: half a second. */
  unknownNameMs?: number
  secureContext: SecureContext
  /** TLS sessions by origin. Resuming one saves the transfer of certificates, and some milliseconds. */
  sessions: LRUCache<string, Buffer>
}

/** How many addresses of a name are tried, and how long each except the last may take to accept, in ms. */
const mostAddresses = 4
const attemptMs = 500
/** Longer than most name servers need, so that the speed does not reveal an answer from the hosts file. */
const defaultUnknownNameMs = 500

/**
 * Opens a connection. All addresses of a name that is not trusted must be public. The connection goes to one of the
 * addresses that were checked, since the name is not resolved a second time. Until this resolves, `signal` closes it.
 * @throws {RefusedAddress} for an address that is not public
 * @throws {HttpFailure} 502 if a name leads to no public address, no server accepts, or TLS fails
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
 * A name with an internal address gets the same answer as a name that does not exist, after the same time. So nobody
 * can find out which names exist in the network of this service.
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
    // This includes addresses that would not be tried: a name with any internal address is refused.
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
    // The certificate must match this name. An address is not sent as a server name (RFC 6066, section 3).
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

/** Resolves to the socket after `event`; destroys the socket on an error. `timeoutMs` is `null` for no timeout. */
async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  timeoutMs: number | null,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // This listener stays: without any listener, an error would end the process.
  socket.on('error', reject)
  socket.once(event, resolve)
  const timeout = () =>
    reject(Object.assign(new Error('No server accepts the connection.'), { code: 'ETIMEDOUT' }))
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
