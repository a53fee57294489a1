import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect } from '../../test/reaction.ts'
import { type Account, withSharedAccount } from '../../test/shared-account.ts'

const path = '/api/v2/api/key'
const rawKeyBytes = 1312

function makePair() {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44')
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return { privateKey, spki, raw: spki.subarray(-rawKeyBytes) }
}

const make = (service: Account, publicKey?: string) =>
  service.api('POST', path, {
    name: 'post-quantum',
    algorithm: 'ML-DSA',
    ...(publicKey === undefined ? {} : { public_key: publicKey }),
  })

/** Sends a request signed with an ML-DSA-44 key. */
function ask(
  service: Account,
  apiKey: string,
  privateKey: KeyObject,
  change: {
    method?: string
    body?: string
    signedPath?: string
    context?: Buffer
    encoding?: BufferEncoding
  } = {},
) {
  const { method = 'GET', body, signedPath = path, encoding = 'base64' } = change
  const timestamp = String(Math.floor(Date.now() / 1000))
  const payload = Buffer.from(`${method}${signedPath}${body ?? ''}${timestamp}`)
  const key = change.context === undefined ? privateKey : { key: privateKey, context: change.context }
  const signature = sign(null, payload, key).toString(encoding)
  const headers = { 'api-key': apiKey, timestamp, signature }
  return service.send(method, path, { body, headers })
}

withSharedAccount(
  'a pair that the service creates signs requests; its private half is PKCS#8 in Base64',
  async (service) => {
    const made = await expect(201, make(service))
    assert.equal(made.algorithm, 'ML-DSA')
    assert.match(made.api_secret, /^[A-Za-z0-9+/]+=*$/)
    const privateKey = createPrivateKey({
      key: Buffer.from(made.api_secret, 'base64'),
      format: 'der',
      type: 'pkcs8',
    })
    assert.equal(privateKey.asymmetricKeyType, 'ml-dsa-44')
    assert.equal((await ask(service, made.api_key, privateKey)).status, 200)
    const body = ' {"name":"grüße","algorithm":"HMAC"}\n'
    assert.equal((await ask(service, made.api_key, privateKey, { method: 'POST', body })).status, 201)
  },
)

withSharedAccount(
  'a user’s own public key works raw and as SPKI, and no secret is shown',
  async (service) => {
    for (const form of ['raw', 'spki'] as const) {
      const pair = makePair()
      const made = await expect(201, make(service, pair[form].toString('base64')))
      assert.ok(!('api_secret' in made))
      assert.equal((await ask(service, made.api_key, pair.privateKey)).status, 200, form)
      assert.equal((await ask(service, made.api_key, makePair().privateKey)).status, 401, form)
    }
  },
)

withSharedAccount(
  'only a signature of this request, in Base64 and with an empty context, is valid',
  async (service) => {
    const pair = makePair()
    const { api_key: key } = await expect(201, make(service, pair.raw.toString('base64')))
    const refused = await Promise.all([
      ask(service, key, pair.privateKey, { signedPath: '/api/v2/webhook/data' }),
      ask(service, key, pair.privateKey, { context: Buffer.from('context') }),
      ask(service, key, pair.privateKey, { encoding: 'hex' }),
      ...['A', 'AAAA', '='.repeat(8), 'A'.repeat(3228), '0'.repeat(64), 'not base64!'].map((signature) => {
        const timestamp = String(Math.floor(Date.now() / 1000))
        return service.send('GET', path, { headers: { 'api-key': key, timestamp, signature } })
      }),
    ])
    for (const { status, body } of refused) {
      assert.equal(status, 401)
      assert.equal(body.code, 'auth_invalid')
    }
  },
)

withSharedAccount(
  'an invalid ML-DSA-44 public key is refused, and the error names the field',
  async (service) => {
    const { spki, raw, privateKey } = makePair()
    const larger = generateKeyPairSync('ml-dsa-65').publicKey.export({ format: 'der', type: 'spki' })
    const elliptic = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
    const refused: [what: string, key: string][] = [
      ['nothing', ''],
      ['text', 'public key'],
      ['a byte too few', raw.subarray(1).toString('base64')],
      ['a byte too many', Buffer.concat([raw, Buffer.alloc(1)]).toString('base64')],
      ['a cut SPKI', spki.subarray(0, -1).toString('base64')],
      ['an SPKI of another algorithm', elliptic.toString('base64')],
      ['ML-DSA-65', larger.toString('base64')],
      ['hex', raw.toString('hex')],
      ['Base64 in lines', `${raw.toString('base64').slice(0, 64)}\n${raw.toString('base64').slice(64)}`],
      ['a private key', privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')],
      ['far too much', 'A'.repeat(5000)],
    ]
    for (const [what, key] of refused) {
      const { status, body } = await make(service, key)
      assert.equal(status, 400, what)
      assert.deepEqual(
        body.details.map(({ field }: { field: string }) => field),
        ['body.public_key'],
        what,
      )
    }
  },
)

withSharedAccount('a key has one algorithm: a public key is refused for HMAC', async (service) => {
  const publicKey = makePair().raw.toString('base64')
  const body = { name: 'mixed', algorithm: 'HMAC', public_key: publicKey }
  const refused = await service.api('POST', path, body)
  assert.equal(refused.status, 400)
  assert.equal(refused.body.details[0].field, 'body.public_key')
  const hmac = await expect(201, service.api('POST', path, { name: 'plain', algorithm: 'HMAC' }))
  const rotated = await service.api('POST', `${path}/${hmac.id}/rotate`, { public_key: publicKey })
  assert.equal(rotated.status, 400)
  assert.equal(
    (await service.as({ key: hmac.api_key, secret: hmac.api_secret }).api('GET', path)).status,
    200,
  )
  assert.equal((await ask(service, hmac.api_key, makePair().privateKey)).status, 401)
  // The public half is not secret, so nobody may be able to sign with it.
  const own = await expect(201, make(service, publicKey))
  assert.equal((await service.as({ key: own.api_key, secret: publicKey }).api('GET', path)).status, 401)
})

withSharedAccount('rotation replaces the pair with one of the service or of the user', async (service) => {
  const first = makePair()
  const second = makePair()
  const made = await expect(201, make(service, first.raw.toString('base64')))
  const rotate = (body?: unknown) => expect(200, service.api('POST', `${path}/${made.id}/rotate`, body))
  assert.equal((await ask(service, made.api_key, first.privateKey)).status, 200)
  assert.ok(!('api_secret' in (await rotate({ public_key: second.spki.toString('base64') }))))
  assert.equal((await ask(service, made.api_key, first.privateKey)).status, 401)
  assert.equal((await ask(service, made.api_key, second.privateKey)).status, 200)
  const third = (await rotate()).api_secret
  const privateKey = createPrivateKey({ key: Buffer.from(third, 'base64'), format: 'der', type: 'pkcs8' })
  assert.equal((await ask(service, made.api_key, second.privateKey)).status, 401)
  assert.equal((await ask(service, made.api_key, privateKey)).status, 200)
})
