import assert from 'node:assert/strict'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const webhooks = '/api/v2/webhook/data'
const keys = '/api/v2/api/key'

type Sending = [method: string, path: string, body?: unknown]

/** Sends a request with an `Idempotency-Key`, signed as the client signs it. */
async function sendWith(client: Client, key: string, [method, path, body]: Sending): Promise<ApiAnswer> {
  return client.api(method, path, body, { 'idempotency-key': key })
}

const isReplayed = ({ headers }: ApiAnswer) => headers.get('idempotency-replayed') === 'true'

async function namesOf(client: Client): Promise<string[]> {
  const all = await expect(200, client.api('GET', webhooks))
  return all.map(({ name }: { name: string }) => name)
}

withAccount('a repeat gets the first answer, and has no effect', async (account) => {
  const create: Sending = ['POST', webhooks, { name: 'once' }]
  const first = await sendWith(account, 'create', create)
  assert.equal(first.status, 201)
  assert.equal(isReplayed(first), false)
  for (let n = 0; n < 3; n++) {
    const again = await sendWith(account, 'create', create)
    assert.deepEqual([again.status, again.body, isReplayed(again)], [201, first.body, true])
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  }
  assert.deepEqual(await namesOf(account), ['once'])

  const own = `${webhooks}/${first.body.id}`
  const rename: Sending = ['PUT', own, { name: 'renamed' }]
  await expect(200, sendWith(account, 'rename', rename))
  await expect(200, account.api('PUT', own, { name: 'by someone else' }))
  assert.equal((await expect(200, sendWith(account, 'rename', rename))).name, 'renamed')
  assert.deepEqual(await namesOf(account), ['by someone else'])

  const remove: Sending = ['DELETE', own]
  for (const replayed of [false, true]) {
    const gone = await sendWith(account, 'remove', remove)
    assert.deepEqual([gone.status, gone.body, isReplayed(gone)], [200, { message: 'Success' }, replayed])
  }
  assert.equal((await sendWith(account, 'another', remove)).status, 404)
})

withAccount('of fifty at once one takes effect', async (account) => {
  const sending: Sending = ['POST', webhooks, { name: 'at once' }]
  const all = await Promise.all(Array.from({ length: 50 }, () => sendWith(account, 'one key', sending)))
  const made = all.filter((answer) => answer.status === 201 && !isReplayed(answer))
  assert.equal(made.length, 1)
  for (const answer of all) {
    if (answer.status === 201) assert.deepEqual(answer.body, made[0]!.body)
    else {
      assert.deepEqual([answer.status, answer.body.code], [409, 'idempotency_under_way'])
      assert.equal(answer.headers.get('retry-after'), '1')
    }
  }
  assert.deepEqual(await namesOf(account), ['at once'])
  assert.deepEqual((await sendWith(account, 'one key', sending)).body, made[0]!.body)
})

withAccount('a key is its user’s alone, and one with each of their API keys', async (account, service) => {
  const sending: Sending = ['POST', webhooks, { name: 'mine' }]
  const first = await expect(201, sendWith(account, 'shared', sending))
  const foreign = await sendWith(service, 'shared', sending)
  assert.deepEqual([foreign.status, isReplayed(foreign)], [201, false])
  const made = await expect(201, account.api('POST', keys, { name: 'second', algorithm: 'HMAC' }))
  const second = service.as({ key: made.api_key, secret: made.api_secret })
  const again = await sendWith(second, 'shared', sending)
  assert.deepEqual([again.body, isReplayed(again)], [first, true])
})

withAccount('a key that stands for another request is refused', async (account) => {
  const first = await expect(201, sendWith(account, 'taken', ['POST', webhooks, { name: 'first' }]))
  const own = `${webhooks}/${first.id}`
  const others: Sending[] = [
    ['POST', webhooks, { name: 'second' }],
    ['POST', '/api/v2/webhook/bot', { name: 'first' }],
    ['PUT', own, { name: 'first' }],
    ['DELETE', own],
  ]
  for (const other of others) {
    const { status, body } = await sendWith(account, 'taken', other)
    assert.deepEqual([status, body.code], [409, 'idempotency_key_reused'], other.join(' '))
  }
  // Another spelling of the same body is the same request.
  const spelled = await sendWith(account, 'taken', ['POST', webhooks, ' { "name" : "first" } '])
  assert.deepEqual([spelled.body, isReplayed(spelled)], [first, true])
  assert.deepEqual(await namesOf(account), ['first'])
})

withAccount('a request that is refused before it starts leaves the key free', async (account) => {
  const path = webhooks
  const headers = { 'idempotency-key': 'free' }
  assert.equal((await account.send('POST', path, { body: { name: 'x' }, headers })).status, 401)
  const refused: [status: number, body: unknown][] = [
    [400, { name: 7 }],
    [400, '{'],
    [413, { name: 'x'.repeat(1024 * 1024) }],
  ]
  for (const [status, body] of refused) {
    assert.equal((await sendWith(account, 'free', ['POST', path, body])).status, status)
  }
  const answer = await sendWith(account, 'free', ['POST', path, { name: 'corrected' }])
  assert.deepEqual([answer.status, isReplayed(answer)], [201, false])
})

withAccount('a refusal by the route is a first answer too', async (account) => {
  const sending: Sending = ['PUT', `${webhooks}/77777`, { name: 'x' }]
  const first = await sendWith(account, 'refused', sending)
  assert.equal(first.status, 404)
  const again = await sendWith(account, 'refused', sending)
  assert.deepEqual([again.status, again.body, isReplayed(again)], [404, first.body, true])
})

withAccount('a key is 1 to 255 printable ASCII characters, sent once', async (account, service) => {
  const sending: Sending = ['POST', webhooks, { name: 'x' }]
  for (const key of ['k', '~'.repeat(255), 'with, a comma and "quotes"']) {
    assert.equal((await sendWith(account, key, sending)).status, 201, key)
  }
  for (const key of ['', 'x'.repeat(256), 'gr\u00fc\u00dfe', 'a\tb']) {
    const { status, body } = await sendWith(account, key, sending)
    assert.deepEqual([status, body.details?.[0].field], [400, 'headers.idempotency-key'], JSON.stringify(key))
  }
  const body = '{"name":"x"}'
  const signed = Object.entries(signedHeaders(administratorKey, 'POST', webhooks, body))
  const lines = [...signed, ['content-type', 'application/json']].map(([name, value]) => `${name}: ${value}`)
  const twice = ['Idempotency-Key: a', 'idempotency-key: a']
  const sent = await sendOnWire(service.url, {
    method: 'POST',
    target: webhooks,
    headers: [...lines, ...twice],
    body,
  })
  assert.equal(sent.status, 400)
  assert.match(sent.body.error, /idempotency-key more than once/)
})

type Operation = { security?: unknown[]; parameters?: { name: string; in: string }[] }

withService(
  'every operation that changes something takes a key, and a key can demand one',
  async (service) => {
    const settings = { name: 'careful', algorithm: 'HMAC', idempotency: 'required' }
    const made = await expect(201, service.api('POST', keys, settings))
    assert.equal(made.idempotency, 'required')
    const careful = service.as({ key: made.api_key, secret: made.api_secret })
    const { paths } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
    let changing = 0
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
      if (!path.startsWith('/api/v2/')) continue
      for (const [method, { security, parameters = [] }] of Object.entries(methods)) {
        const changes = method !== 'get'
        const takes = parameters.some((each) => each.in === 'header' && each.name === 'idempotency-key')
        assert.equal(takes, changes, `${method} ${path}`)
        const isForGuests = security?.length === 0
        if (!changes || isForGuests) continue
        changing++
        const own = path.replaceAll(/\{\w+\}/g, '77777')
        const answer = await careful.api(method.toUpperCase(), own, method === 'delete' ? undefined : {})
        assert.deepEqual(
          [answer.status, answer.body.code],
          [400, 'idempotency_key_missing'],
          `${method} ${own}`,
        )
      }
    }
    assert.ok(changing > 60)

    assert.equal((await careful.api('GET', webhooks)).status, 200)
    assert.equal((await sendWith(careful, 'given', ['POST', webhooks, { name: 'x' }])).status, 201)
    const own = `${keys}/${made.id}`
    // It applies only to requests with that key, and until it is changed.
    assert.equal(
      (await expect(200, service.api('PUT', own, { idempotency: 'optional' }))).idempotency,
      'optional',
    )
    assert.equal((await careful.api('POST', webhooks, { name: 'x' })).status, 201)
    assert.equal((await service.api('PUT', own, { idempotency: 'sometimes' })).status, 400)
    assert.equal((await expect(200, service.api('PUT', own, { name: 'renamed' }))).idempotency, 'optional')
  },
)

withService(
  'an agent comes in with a key that demands an Idempotency-Key, and needs none',
  async (service) => {
    const settings = { name: 'agent', algorithm: 'HMAC', mcp: 'write', idempotency: 'required' }
    const { mcp_token } = await expect(201, service.api('POST', keys, settings))
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_webhook', arguments: { kind: 'data', name: 'by an agent' } },
    }
    const answer = await service.send('POST', '/mcp', {
      body: call,
      headers: { authorization: `Bearer ${mcp_token}`, accept: 'application/json, text/event-stream' },
    })
    assert.equal(answer.status, 200)
    assert.ok((await namesOf(service)).includes('by an agent'), JSON.stringify(answer.body))
  },
)
