/** Other languages test their clients against `clients/signing-vectors.json`. So our client and the service must agree with it. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { read } from '../../../test/repository.ts'
import {
  isUnambiguous,
  mlDsaKeyObject,
  readMlDsaPublicKey,
  type VerificationKey,
  verifySignature,
} from '../../server/src/accounts/signature.ts'
import { signedHeaders } from '../../server/src/notifications/signature.ts'
import type { Method } from '../src/index.ts'
import { signed } from '../src/request.ts'
import { hmacSigner, mlDsaSigner } from '../src/signing.ts'

type Vector = {
  about: string
  algorithm: 'HMAC' | 'ML-DSA'
  secret: string
  /** Of `ML-DSA` only. */
  public_key?: string
  method: Method
  path: string
  /** Empty: the request has none. */
  body: string
  timestamp: string
  signature: string
}

type Notification = {
  about: string
  secret: string
  /** The time of the receiver, in Unix seconds. */
  now: number
  id: string
  timestamp: string
  body: string
  signature: string
  valid: boolean
}

const { requests, refused, notifications } = JSON.parse(await read('clients/signing-vectors.json')) as {
  requests: (Vector & { signed: string })[]
  refused: Vector[]
  notifications: Notification[]
}

/** Whether the service takes the signature, apart from the age of the timestamp. */
function isAccepted(vector: Vector): boolean {
  const { method, path, timestamp, signature } = vector
  const body = vector.body === '' ? undefined : Buffer.from(vector.body)
  const request = { method, path, body, timestamp, mayLeaveBodyUnsigned: false }
  return isUnambiguous(request) && verifySignature(verificationKey(vector), request, signature)
}

function verificationKey({ algorithm, secret, public_key = '' }: Vector): VerificationKey {
  if (algorithm === 'HMAC') return { algorithm, secret }
  return { algorithm, publicKey: mlDsaKeyObject(readMlDsaPublicKey(public_key)!) }
}

for (const vector of requests) {
  test(`the client signs a request, and the service accepts it: ${vector.about}`, async () => {
    const { algorithm, secret, method, path, body, timestamp } = vector
    assert.equal(vector.signed, method + path + body + timestamp)
    assert.ok(isAccepted(vector))

    const texts: string[] = []
    const signer = algorithm === 'HMAC' ? hmacSigner(secret) : mlDsaSigner(secret)
    const sign = (text: string) => {
      texts.push(text)
      return signer(text)
    }
    const key = { apiKey: 'key-1', sign }
    // Any moment of the second.
    const now = () => Number(timestamp) * 1000 + 999
    const line = { method, target: path, body: body === '' ? undefined : body }
    const { headers } = await signed({ origin: 'https://trading.example.com', key, now }, line, undefined)
    assert.deepEqual(texts, [vector.signed])
    assert.equal(headers.timestamp, timestamp)
    // ML-DSA makes another signature each time.
    if (algorithm === 'HMAC') assert.equal(headers.signature, vector.signature)
    assert.ok(isAccepted({ ...vector, signature: headers.signature! }))
  })
}

for (const vector of refused) {
  test(`the service refuses ${vector.about}`, () => assert.ok(!isAccepted(vector)))
}

for (const { about, secret, now, id, timestamp, body, signature, valid } of notifications) {
  test(`a library for Standard Webhooks ${valid ? 'accepts' : 'refuses'} a notification: ${about}`, () => {
    mock.timers.enable({ apis: ['Date'], now: now * 1000 })
    try {
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
      const verify = () => new Webhook(secret).verify(body, headers)
      if (!valid) return assert.throws(verify)
      assert.doesNotThrow(verify)
      const ours = signedHeaders(id, Number(timestamp), body, [secret])['webhook-signature']!
      assert.ok(signature.split(' ').includes(ours))
    } finally {
      mock.timers.reset()
    }
  })
}

test('the vectors have both kinds of keys, and both outcomes', () => {
  assert.deepEqual(new Set(requests.map(({ algorithm }) => algorithm)), new Set(['HMAC', 'ML-DSA']))
  assert.ok(refused.length > 10)
  assert.deepEqual(new Set(notifications.map(({ valid }) => valid)), new Set([true, false]))
})
