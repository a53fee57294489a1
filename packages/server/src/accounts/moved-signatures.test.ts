/**
 * The signed text has no separators between its parts. These tests split it into method, path, body and timestamp in
 * every possible way. Of all these requests, the service accepts only the one that was signed.
 */
import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { METHODS } from 'node:http'
import fc from 'fast-check'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import type { TestService } from '../../test/service.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'
import { AppError } from '../base/errors.ts'
import { users } from '../db/schema.ts'
import { Vault } from '../secrets/vault.ts'
import { ApiKeys } from './api-keys.ts'

type Parts = { method: string; path: string; body: string; timestamp: string }
type Key = { apiKey: string; sign(text: string): string }

const textOf = ({ method, path, body, timestamp }: Parts) => method + path + body + timestamp
const now = () => String(Math.floor(Date.now() / 1000))

/** Every way to read a signed text as a request with an HTTP method. */
function* splitsOf(text: string): Generator<Parts> {
  for (const method of METHODS.filter((each) => text.startsWith(each))) {
    for (let pathEnd = method.length + 1; pathEnd < text.length; pathEnd++) {
      for (let bodyEnd = pathEnd; bodyEnd < text.length; bodyEnd++) {
        const path = text.slice(method.length, pathEnd)
        yield { method, path, body: text.slice(pathEnd, bodyEnd), timestamp: text.slice(bodyEnd) }
      }
    }
  }
}

const hmacKey = (apiKey: string, secret: string): Key => ({
  apiKey,
  sign: (text) => createHmac('sha256', secret).update(text).digest('hex'),
})

const mlDsaKey = (apiKey: string, secret: string): Key => {
  const key = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
  return { apiKey, sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
}

async function makeKey(service: TestService, algorithm: 'HMAC' | 'ML-DSA'): Promise<Key> {
  const made = await expect(201, service.api('POST', '/api/v2/api/key', { name: 'split', algorithm }))
  return (algorithm === 'HMAC' ? hmacKey : mlDsaKey)(made.api_key, made.api_secret)
}

/** Whether the service accepted the signature for this request, with any outcome. */
async function isAccepted(service: TestService, key: Key, parts: Parts, signature: string): Promise<boolean> {
  const { method, path, body, timestamp } = parts
  const headers = [`api-key: ${key.apiKey}`, `timestamp: ${timestamp}`, `signature: ${signature}`]
  const typed = body === '' ? headers : [...headers, 'content-type: application/json']
  const sent = body === '' ? {} : { body }
  const answer = await sendOnWire(service.url, { method, target: path, headers: typed, ...sent })
  // The root shows anyone the same page, whatever is signed.
  if (answer.headers['content-type']?.startsWith('text/html')) return false
  const { code } = answer.body
  const refused = [400, 401, 404, 415].includes(answer.status)
  return (
    !refused || !['request_malformed', 'auth_invalid', 'auth_timestamp', 'route_not_found'].includes(code)
  )
}

async function assertOneIsAccepted(service: TestService, key: Key, signed: Parts): Promise<void> {
  const text = textOf(signed)
  const signature = key.sign(text)
  const accepted: Parts[] = []
  const splits = splitsOf(text)
  const sender = async () => {
    for (const parts of splits) if (await isAccepted(service, key, parts, signature)) accepted.push(parts)
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  assert.deepEqual(accepted, [signed], text)
}

withService('a signature is valid for a single request, however its text is split', async (service) => {
  const key = await makeKey(service, 'HMAC')
  const requests: [method: string, path: string, body?: string][] = [
    ['DELETE', '/api/v2/user/20'],
    ['DELETE', '/api/v2/env/1?x=17638560001'],
    ['GET', '/api/v2/run/17'],
    ['PUT', '/api/v2/env/7', ' {"value":"{}"}'],
  ]
  for (const [method, path, body = ''] of requests) {
    await assertOneIsAccepted(service, key, { method, path, body, timestamp: now() })
  }
})

withService('the same holds for an ML-DSA key', async (service) => {
  const key = await makeKey(service, 'ML-DSA')
  const timestamp = now()
  await assertOneIsAccepted(service, key, { method: 'DELETE', path: '/api/v2/env/35', body: '', timestamp })
  await assertOneIsAccepted(service, key, {
    method: 'PUT',
    path: '/api/v2/env/3',
    body: '{"a":5}',
    timestamp,
  })
})

withService('a signed DELETE of one thing deletes no other', async (service) => {
  const key = await makeKey(service, 'HMAC')
  const timestamp = now()
  const kept = await expect(201, service.api('POST', '/api/v2/env', { name: 'KEPT', value: 'x' }))
  const path = `/api/v2/env/${kept.id}`
  const moved: [signed: string, sent: Partial<Parts>][] = [
    [`DELETE${path}0${timestamp}`, { timestamp: `0${timestamp}` }],
    [`DELETE${path}5${timestamp}`, { body: '5', timestamp }],
    [`DELETE${path}${timestamp}0`, { timestamp: `${timestamp}0` }],
  ]
  for (const [signed, parts] of moved) {
    const sent = { method: 'DELETE', path, body: '', timestamp, ...parts }
    assert.equal(textOf(sent), signed)
    assert.equal(await isAccepted(service, key, sent, key.sign(signed)), false, signed)
  }
  await expect(200, service.api('GET', path))
})

withDatabase('no signed text can be read as two requests', async (place) => {
  await lookInto(place, async (database) => {
    const keys = await ApiKeys.open(database, new Vault(Buffer.alloc(32, 7)), 3600)
    const [user] = await database.db
      .insert(users)
      .values({ email: 'split@example.com', passwordHash: '', role: 'user' })
      .returning()
    const made = await keys.create(user!.id, { name: 'split', algorithm: 'HMAC' })
    const key = hmacKey(made.apiKey, made.apiSecret!)
    const pair = generateKeyPairSync('ml-dsa-44')
    const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const other = await keys.create(made.userId, { name: 'split', algorithm: 'ML-DSA', publicKey })
    const otherKey: Key = {
      apiKey: other.apiKey,
      sign: (text) => sign(null, Buffer.from(text), pair.privateKey).toString('base64'),
    }
    const isTaken = async (by: Key, parts: Parts, signature: string) => {
      try {
        await keys.authenticate(asked(by.apiKey, signature, parts))
        return true
      } catch (error) {
        assert.ok(error instanceof AppError && error.status < 500)
        return false
      }
    }
    let count = 0
    const hold = (by: Key) => async (parts: Parts) => {
      const signature = by.sign(textOf(parts))
      const taken: Parts[] = []
      for (const each of splitsOf(textOf(parts))) if (await isTaken(by, each, signature)) taken.push(each)
      assert.deepEqual(taken, (await isTaken(by, parts, signature)) ? [parts] : taken)
      assert.ok(taken.length <= 1, JSON.stringify(taken))
      count += taken.length
    }
    await fc.assert(fc.asyncProperty(requests, hold(key)), { numRuns: 150 })
    await fc.assert(fc.asyncProperty(requests, hold(otherKey)), { numRuns: 10 })
    assert.ok(count > 0)
  })
})

const asked = (apiKey: string, signature: string, { method, path, body, timestamp }: Parts) => ({
  apiKey,
  signature,
  timestamp,
  method,
  path,
  body: body === '' ? undefined : Buffer.from(body),
  mayLeaveBodyUnsigned: false,
  sender: { ip: '127.0.0.1' },
})

/** Paths and bodies that resemble each other, and timestamps. */
const piece = fc.constantFrom('/', '1', '0', now(), '{', '}', '?', '=', '%7B', '"', ':', '[', ' ', 'a', 'PUT')
const requests = fc.record(
  {
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
    path: fc.array(piece, { maxLength: 5 }).map((pieces) => `/${pieces.join('')}`),
    body: fc.oneof(
      fc.constant(''),
      fc.array(piece, { maxLength: 4 }).map((pieces) => `{${pieces.join('')}}`),
      fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
    ),
    timestamp: fc.constantFrom(now(), `0${now()}`, `${now()}0`, now().slice(1)),
  },
  { noNullPrototype: true },
)
