import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createSigner } from './signing.ts'

type MlDsaPair = {
  about: string
  seed: string
  expandedKey: string
  publicKey: string
  message: string
  deterministicSignature: string
}

type MlDsaVectors = { source: string; pairs: MlDsaPair[]; broken: { about: string; expandedKey: string }[] }

const vectors: MlDsaVectors = JSON.parse(
  await readFile(new URL('ml-dsa-44.vectors.json', import.meta.url), 'utf8'),
)
const sign = createSigner()

/** From RFC 4231, section 4, with SHA-256, without the keys and data that are not UTF-8 text. */
const hmacVectors = [
  {
    about: 'test case 1',
    key: '\x0b'.repeat(20),
    data: 'Hi There',
    mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    about: 'test case 2',
    key: 'Jefe',
    data: 'what do ya want for nothing?',
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
]

test('HMAC gives the values of RFC 4231, in lower-case hex', async () => {
  for (const { about, key, data, mac } of hmacVectors) {
    assert.equal(await sign(data, key, 'HMAC'), mac, about)
  }
})

test('HMAC uses secret and payload as UTF-8, and both can be empty', async () => {
  // Made with: printf 'grüße €' | openssl dgst -sha256 -hmac 'schlüssel'
  assert.equal(
    await sign('grüße €', 'schlüssel', 'HMAC'),
    '8010f9e80786a6c9b66c4e77992485964a906166d3e9e06296e0e43c151fe2c5',
  )
  // The known value for an empty key and an empty message.
  assert.equal(await sign('', '', 'HMAC'), 'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad')
})

for (const pair of vectors.pairs) {
  const message = Buffer.from(pair.message, 'hex')
  const publicKey = publicKeyOf(Buffer.from(pair.publicKey, 'hex'))

  test(`ML-DSA-44 signs with each form of the same key, for the public key of the vector: ${pair.about}`, async () => {
    assert.ok(verify(null, message, publicKey, Buffer.from(pair.deterministicSignature, 'hex')))
    for (const [form, secret] of Object.entries(formsOf(pair))) {
      const signature = await sign(message.toString(), secret, 'ML-DSA')
      assert.match(signature, /^[A-Za-z0-9+/]{3227}=$/, form)
      assert.ok(verify(null, message, publicKey, Buffer.from(signature, 'base64')), form)
      assert.ok(!verify(null, Buffer.from('another'), publicKey, Buffer.from(signature, 'base64')), form)
    }
  })
}

test('ML-DSA-44 signatures are hedged: the same key signs the same payload differently each time', async () => {
  const [pair] = vectors.pairs
  const secret = Buffer.from(pair!.seed, 'hex').toString('base64')
  const payload = Buffer.from(pair!.message, 'hex').toString()
  const signatures = await Promise.all(Array.from({ length: 5 }, () => sign(payload, secret, 'ML-DSA')))
  const deterministic = Buffer.from(pair!.deterministicSignature, 'hex').toString('base64')
  assert.equal(new Set([...signatures, deterministic]).size, 6)
})

test('a payload is signed as UTF-8 and with an empty context', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const signature = Buffer.from(await sign('grüße €', secret, 'ML-DSA'), 'base64')
  const payload = Buffer.from('grüße €', 'utf8')
  assert.ok(verify(null, payload, publicKey, signature))
  assert.ok(!verify(null, payload, { key: publicKey, context: Buffer.from('x') }, signature))
})

test('a secret that is not an ML-DSA-44 private key rejects, and is not quoted', async () => {
  const pair = vectors.pairs[0]!
  const expanded = Buffer.from(pair.expandedKey, 'hex')
  const seed = Buffer.from(pair.seed, 'hex')
  const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' })
  const own = pkcs8(generateKeyPairSync('ml-dsa-44').privateKey)
  const changed = Buffer.from(expanded)
  changed[100]! ^= 1 // within tr, the hash of the public key
  const refused: [about: string, secret: string][] = [
    ['nothing', ''],
    ['text', 'a secret of the other kind'],
    ['hex', pair.seed],
    ['Base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    [
      'Base64 in lines',
      `${expanded.toString('base64').slice(0, 64)}\n${expanded.toString('base64').slice(64)}`,
    ],
    ['a seed with a byte too few', seed.subarray(1).toString('base64')],
    ['a seed with a byte too many', Buffer.concat([seed, seed.subarray(0, 1)]).toString('base64')],
    ['an expanded key with a byte too few', expanded.subarray(1).toString('base64')],
    [
      'an expanded key with a byte too many',
      Buffer.concat([expanded, seed.subarray(0, 1)]).toString('base64'),
    ],
    ['an expanded key that was changed', changed.toString('base64')],
    ['a cut PKCS#8', own.subarray(0, -1).toString('base64')],
    ['a public key', Buffer.from(pair.publicKey, 'hex').toString('base64')],
    ['ML-DSA-65', pkcs8(generateKeyPairSync('ml-dsa-65').privateKey).toString('base64')],
    ['Ed25519', pkcs8(generateKeyPairSync('ed25519').privateKey).toString('base64')],
    ...vectors.broken.map(({ about, expandedKey }): [string, string] => [
      about,
      Buffer.from(expandedKey, 'hex').toString('base64'),
    ]),
  ]
  for (const [about, secret] of refused) {
    await assert.rejects(
      sign('payload', secret, 'ML-DSA'),
      { name: 'Error', message: /^The secret is not an ML-DSA-44 private key/ },
      about,
    )
    const error: Error = await sign('payload', secret, 'ML-DSA').catch((reason) => reason)
    assert.ok(secret === '' || !`${error.stack} ${error.cause}`.includes(secret), about)
  }
})

function formsOf({ seed, expandedKey }: MlDsaPair): Record<string, string> {
  const algorithm = '300b0609608648016503040311'
  const seedChoice = `8020${seed}`
  const keyChoice = `04820a00${expandedKey}`
  const both = `30820a26${`0420${seed}`}${keyChoice}`
  // RFC 9881, section 6: the three forms of a private key within PKCS#8.
  const documents = {
    'PKCS#8 with the seed': `3034020100${algorithm}0422${seedChoice}`,
    'PKCS#8 with the expanded key': `30820a18020100${algorithm}04820a04${keyChoice}`,
    'PKCS#8 with both': `30820a3e020100${algorithm}04820a2a${both}`,
  }
  const forms = { seed, 'expanded key': expandedKey, ...documents }
  return Object.fromEntries(
    Object.entries(forms).map(([form, hex]) => [form, Buffer.from(hex, 'hex').toString('base64')]),
  )
}

/** Reads the 1,312 bytes of a public key (RFC 9881, section 4). */
function publicKeyOf(raw: Buffer): KeyObject {
  const prefix = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')
  return createPublicKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'spki' })
}
