import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

export type SignatureAlgorithm = 'HMAC' | 'ML-DSA'

/** What a signature is checked with: an HMAC secret, or an ML-DSA-44 public key. */
export type VerificationKey =
  | { algorithm: 'HMAC'; secret: string }
  | { algorithm: 'ML-DSA'; publicKey: KeyObject }

/** What is signed: `METHOD + PATH + BODY + TIMESTAMP`, without separators. `path` is the request target as sent. */
export type SignedRequest = { method: string; path: string; body: Buffer | undefined; timestamp: string }

/** Raw size of an ML-DSA-44 public key (FIPS 204, table 2). */
export const mlDsaPublicKeyBytes = 1312

/** DER of a SubjectPublicKeyInfo for id-ml-dsa-44 (2.16.840.1.101.3.4.3.17, RFC 9881) up to the raw key. */
const mlDsaSpkiPrefix = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')

const hexDigest = /^[0-9a-f]{64}$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Whether `signature` is one of this request under this key: lower-case hex for HMAC, Base64 for ML-DSA. For
 * GET a signature over the path without its query counts too, and for DELETE one without the body, because clients
 * differ there.
 */
export function verifySignature(key: VerificationKey, request: SignedRequest, signature: string): boolean {
  if (matches(key, request, signature)) return true
  if (request.method === 'DELETE' && request.body !== undefined) {
    return matches(key, { ...request, body: undefined }, signature)
  }
  const queryAt = request.path.indexOf('?')
  if (request.method !== 'GET' || queryAt === -1) return false
  return matches(key, { ...request, path: request.path.slice(0, queryAt) }, signature)
}

function matches(key: VerificationKey, request: SignedRequest, signature: string): boolean {
  const head = request.method + request.path
  if (key.algorithm === 'HMAC') {
    if (!hexDigest.test(signature)) return false
    const hmac = createHmac('sha256', key.secret)
    if (request.body === undefined) hmac.update(head + request.timestamp)
    else hmac.update(head).update(request.body).update(request.timestamp)
    return timingSafeEqual(hmac.digest(), Buffer.from(signature, 'hex'))
  }
  if (!base64.test(signature)) return false
  const payload = Buffer.concat([
    Buffer.from(head),
    request.body ?? Buffer.alloc(0),
    Buffer.from(request.timestamp),
  ])
  return verify(null, payload, key.publicKey, Buffer.from(signature, 'base64'))
}

/**
 * Reads an ML-DSA-44 public key: Base64 of its 1,312 raw bytes or of its SPKI form.
 * @returns the raw bytes, or `undefined` when it is neither
 */
export function readMlDsaPublicKey(text: string): Buffer | undefined {
  const bytes = base64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  const isSpki =
    bytes.length === mlDsaSpkiPrefix.length + mlDsaPublicKeyBytes &&
    bytes.subarray(0, mlDsaSpkiPrefix.length).equals(mlDsaSpkiPrefix)
  const raw = isSpki ? bytes.subarray(mlDsaSpkiPrefix.length) : bytes
  return raw.length === mlDsaPublicKeyBytes ? raw : undefined
}

export function mlDsaKeyObject(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([mlDsaSpkiPrefix, raw]), format: 'der', type: 'spki' })
}

export function rawMlDsaPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(mlDsaSpkiPrefix.length)
}
