import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { createSigner } from '../../packages/server/src/outgoing/signing.ts'
import { textTarget } from '../target.ts'

const sign = createSigner()
const { privateKey } = generateKeyPairSync('ml-dsa-44')
const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
const seed = pkcs8.subarray(pkcs8.indexOf(Buffer.from('8020', 'hex')) + 2).subarray(0, 32)

/** Any secret of a strategy gives a signature, or an error that does not quote the secret. */
export default textTarget({
  seeds: [pkcs8.toString('base64'), seed.toString('base64'), '', 'AAAA'],
  words: ['=', 'MDQCAQAwCwYJYIZIAWUDBAMRBCKAIA', '+', '/', '\n'],
  byteLimit: 4_000,
  check: async (secret) => {
    assert.equal(await sign('a', secret, 'HMAC'), createHmac('sha256', secret).update('a').digest('hex'))
    try {
      const signature = await sign('a', secret, 'ML-DSA')
      assert.equal(Buffer.from(signature, 'base64').length, 2_420)
    } catch (error) {
      assert.ok(
        error instanceof Error && error.message.startsWith('The secret is not an ML-DSA-44'),
        String(error),
      )
    }
  },
})
