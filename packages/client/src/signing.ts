/** Signs with the cryptography of browsers and Node. */

import { need } from './arguments.ts'
import type { Sign } from './transport.ts'

const encoder = new TextEncoder()

/** Signs with HMAC-SHA256 and the UTF-8 bytes of the secret. Needs WebCrypto: in browsers, a page with HTTPS. */
export function hmacSigner(secret: string): Sign {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = once(() => subtle().importKey('raw', encoder.encode(secret), algorithm, false, ['sign']))
  return async (payload) => {
    const signature = await subtle().sign(algorithm, await key(), encoder.encode(payload))
    return [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/**
 * Signs with ML-DSA-44. The secret is Base64 of PKCS#8, as the service generates it, of the 32-byte seed, or of the
 * 2,560-byte expanded key, which WebCrypto does not accept. Needs Node 24.6 or later, or a browser whose WebCrypto
 * supports the algorithm; otherwise signing rejects.
 * @throws {TypeError} if the secret is not such a key, as far as this is known before its first use
 */
export function mlDsaSigner(secret: string): Sign {
  const pkcs8 = pkcs8Of(secret)
  const sign = nodeSigner(pkcs8) ?? webSigner(pkcs8)
  return async (payload) => {
    const signature = new Uint8Array(await sign(encoder.encode(payload)))
    return btoa(String.fromCharCode(...signature))
  }
}

const mlDsaKey =
  'an ML-DSA-44 private key: Base64 of PKCS#8, its 32-byte seed or its expanded key (with Node, 24.6 or later is needed)'

/** DER of the version and algorithm (2.16.840.1.101.3.4.3.17) in a PKCS#8 of an id-ml-dsa-44 key. */
const mlDsa44 = [
  0x02, 0x01, 0x00, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11,
]

/** The bytes before a key in PKCS#8 (RFC 9881, section 6): the form `seed` with 32 bytes, `expandedKey` with 2,560. */
const prefixes: Record<number, number[]> = {
  32: [0x30, 0x34, ...mlDsa44, 0x04, 0x22, 0x80, 0x20],
  2560: [0x30, 0x82, 0x0a, 0x18, ...mlDsa44, 0x04, 0x82, 0x0a, 0x04, 0x04, 0x82, 0x0a, 0x00],
}

function pkcs8Of(secret: string): Bytes {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret)
  need(isBase64, 'apiSecret', mlDsaKey)
  const bytes = Uint8Array.from(atob(secret), (character) => character.charCodeAt(0))
  return Uint8Array.of(...(prefixes[bytes.length] ?? []), ...bytes)
}

type Bytes = Uint8Array<ArrayBuffer>
type SignBytes = (payload: Bytes) => Uint8Array | Promise<ArrayBuffer>

/** `undefined` outside Node. Node's WebCrypto supports the algorithm too, but warns that it is experimental. */
function nodeSigner(pkcs8: Bytes): SignBytes | undefined {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (crypto === undefined) return undefined
  const read = () => crypto.createPrivateKey({ key: pkcs8 as Buffer, format: 'der', type: 'pkcs8' })
  const key = undefinedIfItThrows(read)
  need(key?.asymmetricKeyType === 'ml-dsa-44', 'apiSecret', mlDsaKey)
  return (payload) => crypto.sign(null, payload, key)
}

function webSigner(pkcs8: Bytes): SignBytes {
  const algorithm = { name: 'ML-DSA-44' }
  const key = once(() => subtle().importKey('pkcs8', pkcs8, algorithm, false, ['sign']))
  return async (payload) => subtle().sign(algorithm, await key(), payload)
}

function subtle(): SubtleCrypto {
  const available = globalThis.crypto?.subtle
  if (available === undefined) throw new Error('WebCrypto is not available here. Pass a sign function.')
  return available
}

/** Calls `make` at the first use, and keeps the result. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function undefinedIfItThrows<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
