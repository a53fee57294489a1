import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

export type SignatureAlgorithm = 'HMAC' | 'ML-DSA'

/** What a signature is checked with: an HMAC secret, or an ML-DSA-44 public key. */
export type VerificationKey =
  | { algorithm: 'HMAC'; secret: string }
  | { algorithm: 'ML-DSA'; publicKey: KeyObject }

/** What is signed: `METHOD + PATH + BODY + TIMESTAMP`, without separators. `path` is the request target as sent. */
export type SignedRequest = {
  method: string
  path: string
  body: Buffer | undefined
  timestamp: string
  /** A signature without the body counts as well. */
  mayLeaveBodyUnsigned: boolean
}

/** Raw size of an ML-DSA-44 public key (FIPS 204, table 2). */
export const mlDsaPublicKeyBytes = 1312

/** DER of a SubjectPublicKeyInfo for id-ml-dsa-44 (2.16.840.1.101.3.4.3.17, RFC 9881) up to the raw key. */
const mlDsaSpkiPrefix = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')

const hexDigest = /^[0-9a-f]{64}$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A path with or without a query, of the characters that RFC 3986 allows there (sections 3.3 and 3.4). */
const requestTarget = /^\/(?:[\w\-.~!$&'()*+,;=:@/?]|%[\dA-Fa-f]{2})*$/
/** What a JSON text can begin with that is an object or an array. None of these bytes is in a request target. */
const bodyStarts = new Set(Buffer.from('{[ \t\r\n'))
/** Unix seconds from 2001 to 2286. */
const wholeSeconds = /^[1-9]\d{9}$/

/**
 * Whether `signature` is one of this request under this key: lower-case hex for HMAC, Base64 for ML-DSA. For
 * GET a signature over the path without its query counts too, because clients differ there.
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
 * Whether the signed text can be read as one request only. Nothing separates its parts, so their forms have to: the
 * method has no slash and the path begins with one, the path has no character that a body begins with, and
 * the timestamp is the last ten characters. Without these rules, a signature of `DELETE /user/20` would be one
 * of `DELETE /user/2` as well, with a zero before the timestamp.
 */
export function isUnambiguous({ path, body, timestamp }: SignedRequest): boolean {
  const isBodyOne = body === undefined || body.length === 0 || bodyStarts.has(body[0]!)
  return isBodyOne && isWholeSeconds(timestamp) && requestTarget.test(path)
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
