import assert from 'node:assert/strict'
import {
  mlDsaKeyObject,
  mlDsaPublicKeyBytes,
  rawMlDsaPublicKey,
  readMlDsaPublicKey,
} from '../../packages/server/src/accounts/signature.ts'
import { textTarget } from '../target.ts'

const raw = Buffer.alloc(mlDsaPublicKeyBytes, 7)
const spki = mlDsaKeyObject(raw).export({ format: 'der', type: 'spki' })

/** An accepted key is also a key for OpenSSL, and is the same if read again. */
export default textTarget({
  seeds: [raw.toString('base64'), spki.toString('base64'), 'AAAA', '='],
  words: ['=', '==', '+', '/', '-', '_', '\n', 'MIIFMjALBglghkgBZQMEAxEDggUhAA'],
  byteLimit: 2_000,
  check: (text) => {
    const key = readMlDsaPublicKey(text)
    if (key === undefined) return
    assert.equal(key.length, mlDsaPublicKeyBytes)
    assert.deepEqual(rawMlDsaPublicKey(mlDsaKeyObject(key)), key)
    assert.deepEqual(readMlDsaPublicKey(key.toString('base64')), key)
  },
})
