import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

export type SignatureAlgorithm = 'HMAC' | 'ML-DSA'

/** The key that checks a signature: an HMAC secret, or an ML-DSA-44 public key. */
export type VerificationKey =
  | { algorithm: 'HMAC'; secret: string }
  | { algorithm: 'ML-DSA'; publicKey: KeyObject }

/** The signed text is `METHOD + PATH + BODY + TIMESTAMP`, without separators. `path` is the request target as sent. */
export type SignedRequest = {
  method: string
  path: string
  body: Buffer | undefined
  timestamp: string
  /** Whether a signature without the body is valid too. */
  mayLeaveBodyUnsigned: boolean
}

/** Raw size of an ML-DSA-44 public key (FIPS 204, table 2). */
export const mlDsaPublicKeyBytes = 1312

/** The DER bytes before the raw key in a SubjectPublicKeyInfo of id-ml-dsa-44 (2.16.840.1.101.3.4.3.17, RFC 9881). */
const mlDsaSpkiPrefix = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')

const hexDigest = /^[0-9a-f]{64}$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A path with or without a query, with the characters that RFC 3986 allows there (sections 3.3 and 3.4). */
const requestTarget = /^\/(?:[\w\-.~!$&'()*+,;=:@/?]|%[\dA-Fa-f]{2})*$/
/** The possible first bytes of a JSON object or array. A request target contains none of them. */
const bodyStarts = new Set(Buffer.from('{[ \t\r\n'))
/** Unix seconds from 2001 to 2286. */
const wholeSeconds = /^[1-9]\d{9}$/

/**
 * Checks a signature of a request: lower-case hex for HMAC, Base64 for ML-DSA. For GET, a signature over the path without
 * its query is valid too, because clients differ.
 */
export function verifySignature(key: VerificationKey, request: SignedRequest, signature: string): boolean {
  if (matches(key, request, signature)) return true
  if (request.mayLeaveBodyUnsigned && request.body !== undefined) {
    return matches(key, { ...request, body: undefined }, signature)
  }
  const queryAt = request.path.indexOf('?')
  if (request.method !== 'GET' || queryAt === -1) return false
  return matches(key, { ...request, path: request.path.slice(0, queryAt) }, signature)
}

/**
 * Whether the signed text stands for exactly one request. It has no separators, so the forms of its parts must separate
 * them: the method has no slash and the path begins with one, the path contains no character that a body begins with,
 * and the timestamp is the last ten characters. Without these rules, a signature of `DELETE /user/20` would also be
 * valid for `DELETE /user/2`, with a zero before the timestamp.
 */
export function isUnambiguous({ path, body, timestamp }: SignedRequest): boolean {
  const isBodyClear = body === undefined || body.length === 0 || bodyStarts.has(body[0]!)
  return isBodyClear && isWholeSeconds(timestamp) && requestTarget.test(path)
}

export function isWholeSeconds(timestamp: string): boolean {
  return wholeSeconds.test(timestamp)
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
 * @returns the raw bytes, or `undefined` if it is neither
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
