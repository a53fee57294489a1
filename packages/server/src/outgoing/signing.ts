import { createHmac, createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { RunHost } from '@tickwright/sandbox'
import { LRUCache } from 'lru-cache'

/**
 * DER of a PKCS#8 for id-ml-dsa-44 (2.16.840.1.101.3.4.3.17, RFC 9881, section 6) up to the key itself, by the
 * size of that key (FIPS 204, table 2): the `seed` choice with 32 bytes, the `expandedKey` choice with 2,560.
 */
const pkcs8Prefixes = new Map([
  [32, Buffer.from('3034020100300b06096086480165030403110422' + '8020', 'hex')],
  [2560, Buffer.from('30820a18020100300b060960864801650304031104820a04' + '04820a00', 'hex')],
])

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const signInThread: (algorithm: null, data: Buffer, key: KeyObject) => Promise<Buffer> = promisify(sign)

/**
 * Makes the function behind `$.Http.generateSignature`. It signs the UTF-8 bytes of the payload:
 *
 * - `HMAC`: HMAC-SHA256 under the UTF-8 bytes of the secret, in lower-case hex.
 * - `ML-DSA`: ML-DSA-44 (FIPS 204), pure, with an empty context, in Base64. The secret is Base64 of the 32-byte
 *   seed, of the 2,560-byte expanded key, or of PKCS#8. Signatures are hedged, so two signatures of one payload differ.
 *
 * If the secret is not a key of the algorithm, it rejects with an `Error` that does not quote the secret.
 */
export function createSigner(): RunHost['sign'] {
  // Signing happens in a thread. Reading a key takes the event loop a tenth of a millisecond, so keys are cached.
  const keys = new LRUCache<string, KeyObject>({ max: 500 })

  return async (payload, secret, algorithm) => {
    if (algorithm === 'HMAC') return createHmac('sha256', secret).update(payload).digest('hex')
    algorithm satisfies 'ML-DSA'
    const name = hash('sha256', secret)
    const key = keys.get(name) ?? readPrivateKey(secret)
    keys.set(name, key)
    return (await signInThread(null, Buffer.from(payload), key)).toString('base64')
  }
}

function readPrivateKey(secret: string): KeyObject {
  const bytes = base64.test(secret) ? Buffer.from(secret, 'base64') : Buffer.alloc(0)
  const prefix = pkcs8Prefixes.get(bytes.length) ?? Buffer.alloc(0)
  const key = readPkcs8(Buffer.concat([prefix, bytes]))
  if (key?.asymmetricKeyType !== 'ml-dsa-44') {
    throw new Error(
      'The secret is not an ML-DSA-44 private key: it must be Base64 of the 32-byte seed, of the 2,560-byte expanded key, or of PKCS#8.',
    )
  }
  return key
}

/** @returns `null` if OpenSSL refuses the key, for example an expanded key with coefficients out of range */
function readPkcs8(der: Buffer): KeyObject | null {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } catch {
    return null
  }
}
