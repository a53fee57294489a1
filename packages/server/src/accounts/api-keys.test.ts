import assert from 'node:assert/strict'
import { addUser, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { messageOf, postMessage } from '../../test/mcp.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withService } from '../../test/with-service.ts'

const path = '/api/v2/api/key'

async function make(client: Client, name = 'a key') {
  const made = await expect(201, client.api('POST', path, { name, algorithm: 'HMAC' }))
  const own = `${path}/${made.id}`
  return { made, own, key: { key: made.api_key as string, secret: made.api_secret as string } }
}

withService('a new key is answered 201 with its secret, which is never shown again', async (service) => {
  const { made, own, key } = await make(service, 'ключ 🔑')
  const { api_key, api_secret, mcp_token, created_at, id, ...rest } = made
  const told = { name: 'ключ 🔑', algorithm: 'HMAC', mcp: 'read', idempotency: 'optional', scope: 'all' }
  assert.deepEqual(rest, { ...told, last_used_at: null, rotated_at: null })
  assert.ok(Number.isSafeInteger(id))
  assert.ok(api_key.length >= 16 && api_secret.length >= 32 && api_key !== api_secret)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.equal((await service.as(key).api('GET', path)).status, 200)
  const later = [
    await expect(200, service.api('GET', path)),
    await expect(200, service.api('GET', `${path}?limit=200`)),
    await expect(200, service.api('PUT', own, { name: 'renamed' })),
  ]
  assert.ok(JSON.stringify(later).includes(api_key))
  assert.ok(!JSON.stringify(later).includes(api_secret) && !JSON.stringify(later).includes(mcp_token))
  assert.equal(later[2].name, 'renamed')
})

withService('secrets differ from key to key', async (service) => {
  const all = await Promise.all(Array.from({ length: 5 }, () => make(service)))
  assert.equal(new Set(all.flatMap(({ key }) => [key.key, key.secret])).size, 10)
})

withService('a name has 1 to 255 characters, and the algorithm is one of two', async (service) => {
  const fields = async (body: unknown) => {
    const answer = await service.api('POST', path, body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    return answer.body.details.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await fields({ name: '', algorithm: 'HMAC' }), ['body.name'])
  assert.deepEqual(await fields({ name: 'x'.repeat(256), algorithm: 'HMAC' }), ['body.name'])
  assert.deepEqual(await fields({ name: 5, algorithm: 'HMAC' }), ['body.name'])
  assert.deepEqual(await fields({ algorithm: 'HMAC' }), ['body.name'])
  assert.ok((await fields({ name: 'x' })).includes('body.algorithm'))
  assert.ok((await fields({ name: 'x', algorithm: 'hmac' })).includes('body.algorithm'))
  assert.ok((await fields({})).length >= 2)
  assert.ok((await fields({ name: 'x', algorithm: 'HMAC', mcp: 'all' })).includes('body.mcp'))
  await make(service, '😀'.repeat(255))
})

withService(
  'the name and the rights of a key change independently, and an empty change is refused',
  async (service) => {
    const { own } = await make(service)
    const change = async (changes: object) => {
      const { name, mcp } = await expect(200, service.api('PUT', own, changes))
      return [name, mcp]
    }
    assert.deepEqual(await change({ mcp: 'write' }), ['a key', 'write'])
    assert.deepEqual(await change({ name: 'renamed' }), ['renamed', 'write'])
    assert.deepEqual(await change({ name: 'again', mcp: 'read' }), ['again', 'read'])
    for (const changes of [{}, { other: 1 }, { mcp: 'none' }, { mcp: null }, { name: '' }]) {
      assert.equal((await service.api('PUT', own, changes)).status, 400, JSON.stringify(changes))
    }
    assert.deepEqual(await change({ name: 'again' }), ['again', 'read'])
  },
)

withService('a key with a scope makes only the requests of that scope, also for agents', async (service) => {
  const { made, own, key } = await make(service)
  const holder = service.as(key)
  const to = (scope: string) => expect(200, service.api('PUT', own, { scope, mcp: 'write' }))
  assert.equal((await to('read')).scope, 'read')
  assert.equal((await service.api('PUT', own, { scope: 'write' })).status, 400)
  const webhook = await expect(201, service.api('POST', '/api/v2/webhook/bot', { name: 'Alerts' }))
  const at = `/api/v2/webhook/bot/${webhook.id}`
  const refused = async (method: string, target: string, body?: object) => {
    const answer = await holder.api(method, target, body)
    assert.deepEqual([answer.status, answer.body.code], [403, 'access_denied'], `${method} ${target}`)
  }
  for (const [method, target, body] of [
    ['POST', '/api/v2/webhook/bot', {}],
    ['PUT', own, { scope: 'all' }],
    ['POST', `${own}/rotate`, {}],
    ['DELETE', `${path}/${made.id + 1}`],
    ['POST', `${at}/signal`, { symbol: 'BTCUSDT', side: 'BUY' }],
    ['POST', '/api/v2/trading/panic'],
  ] as const) {
    await refused(method, target, body)
  }
  const save = {
    name: 'save_strategy',
    arguments: { kind: 'strategy', name: 'By an agent', code: '$.log(1)' },
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: save }
  assert.match(JSON.stringify(messageOf(await postMessage(service, made.mcp_token, call))), /scope read/)

  // Anyone who has the URL of a bot webhook can send it signals.
  const seen = [
    await expect(200, holder.api('GET', at)),
    ...(await expect(200, holder.api('GET', '/api/v2/webhook/bot?page=1&limit=200'))).items,
  ]
  for (const { url } of seen) assert.match(url, /\/webhook\/…$/)
  assert.match((await expect(200, service.api('GET', at))).url, /\/webhook\/[\w-]{20,}$/)

  await to('deploy')
  assert.match((await expect(201, holder.api('POST', '/api/v2/webhook/data', {}))).url, /\/…$/)
  const strategy = await expect(
    201,
    holder.api('POST', '/api/v2/strategy/code', { name: 'x', code: '$.log(1)' }),
  )
  await expect(200, holder.api('PUT', `/api/v2/strategy/code/${strategy.id}`, { code: '$.log(2)' }))
  for (const [method, target, body] of [
    ['PUT', `/api/v2/strategy/code/${strategy.id}/status`, { status: 'ACTIVE' }],
    ['PUT', at, { status: 'INACTIVE' }],
    ['POST', `${at}/rotate`],
    ['POST', `${at}/signal`, { symbol: 'BTCUSDT', side: 'BUY' }],
    ['POST', '/api/v2/bot/signal/cex', {}],
    ['POST', '/api/v2/env', { name: 'A', value: 'b' }],
    ['POST', path, { name: 'wider', algorithm: 'HMAC' }],
    ['PUT', own, { scope: 'all' }],
  ] as const) {
    await refused(method, target, body)
  }
  await to('all')
  await expect(200, holder.api('PUT', at, { status: 'INACTIVE' }))
})

withService('a revoked key is refused from the next request on', async (service) => {
  const { own, key } = await make(service)
  const holder = service.as(key)
  assert.equal((await holder.api('GET', path)).status, 200)
  assert.deepEqual(await expect(200, service.api('DELETE', own)), { message: 'Success' })
  assert.equal((await holder.api('GET', path)).body.code, 'auth_invalid')
  assert.equal((await service.api('DELETE', own)).status, 404)
  assert.equal((await service.api('POST', `${own}/rotate`)).status, 404)
  assert.equal((await service.api('PUT', own, { name: 'x' })).status, 404)
})

withService('a key can revoke itself', async (service) => {
  const { own, key } = await make(service)
  const holder = service.as(key)
  await expect(200, service.api('PUT', own, { scope: 'read' }))
  assert.equal((await holder.api('DELETE', own)).status, 200)
  assert.equal((await holder.api('DELETE', own)).status, 401)
})

withService(
  'rotation keeps id, name and public half; from then on only the new secret signs',
  async (service) => {
    const { made, own, key } = await make(service)
    assert.equal((await service.as(key).api('GET', path)).status, 200)
    const rotated = await expect(200, service.api('POST', `${own}/rotate`))
    const same = ({ id, name, algorithm, api_key }: typeof made) => ({ id, name, algorithm, api_key })
    assert.deepEqual(same(rotated), same(made))
    assert.notEqual(rotated.api_secret, made.api_secret)
    assert.ok(Date.parse(rotated.rotated_at) >= Date.parse(made.created_at))
    assert.equal((await service.as(key).api('GET', path)).status, 401)
    assert.equal((await service.as({ ...key, secret: rotated.api_secret }).api('GET', path)).status, 200)
  },
)

withService('last_used_at says when a key was used, and refused requests do not count', async (service) => {
  const { made, key } = await make(service)
  const read = async () => {
    const list = await expect(200, service.api('GET', path))
    return list.find(({ id }: { id: number }) => id === made.id).last_used_at
  }
  assert.equal((await service.as({ ...key, secret: 'wrong' }).api('GET', path)).status, 401)
  assert.equal(await read(), null)
  const beforeMs = Date.now()
  assert.equal((await service.as(key).api('GET', path)).status, 200)
  await until('the use to be noted', async () => (await read()) !== null)
  const usedMs = Date.parse(await read())
  assert.ok(usedMs >= beforeMs - 1000 && usedMs <= Date.now() + 1000)
})

withDatabase('the keys of other users look as if they did not exist', async (database) => {
  const otherKey = await addUser(database, 'other@example.com')
  await using service = await startService({ database, env: { ROLES: 'api' } })
  const other = service.as(otherKey)
  const { made, own, key } = await make(service)
  for (const [method, target, body] of [
    ['PUT', own, { name: 'taken' }],
    ['POST', `${own}/rotate`, {}],
    ['DELETE', own, undefined],
  ] as const) {
    const answer = await other.api(method, target, body)
    assert.equal(answer.status, 404, method)
    assert.equal(answer.body.code, 'resource_not_found')
  }
  const theirs = await expect(200, other.api('GET', path))
  assert.deepEqual(
    theirs.map(({ api_key }: { api_key: string }) => api_key),
    [otherKey.key],
  )
  assert.equal((await other.api('GET', `${path}?page=1`)).body.total, 1)
  assert.equal((await service.as(key).api('GET', path)).status, 200)
  assert.ok(!theirs.some(({ id }: { id: number }) => id === made.id))
})

withDatabase('the database contains no secret of a key in plain text, in any encoding', async (database) => {
  const secrets = [administratorKey.secret]
  {
    await using service = await startService({ database, env: { ROLES: 'api' } })
    const { own, key } = await make(service)
    const rotated = await expect(200, service.api('POST', `${own}/rotate`))
    const pair = await expect(201, service.api('POST', path, { name: 'pair', algorithm: 'ML-DSA' }))
    secrets.push(key.secret, rotated.api_secret, pair.api_secret)
  }
  const stored = await lookInto(database, async ({ db }) => {
    const rows = await db.execute('select row_to_json(t)::text as row from api_keys t')
    return (rows as unknown as { rows: { row: string }[] }).rows.map(({ row }) => row).join('\n')
  })
  assert.ok(stored.includes(administratorKey.key))
  for (const secret of secrets) {
    const forms = [Buffer.from(secret), Buffer.from(secret, 'base64'), Buffer.from(secret, 'hex')]
    for (const form of forms.filter(({ length }) => length >= 16)) {
      for (const encoding of ['utf8', 'hex', 'base64'] as const) {
        assert.ok(!stored.includes(form.toString(encoding)), encoding)
      }
    }
  }
})

withDatabase('a change of a key on one node takes effect on the others within a moment', async (database) => {
  await using one = await startService({ database, env: { ROLES: 'api' } })
  await using other = await startService({ database, env: { ROLES: 'api' } })
  // Sooner than the ten seconds for which a node trusts its cache, and long enough for a busy machine.
  const momentMs = 8_000
  for (let round = 1; round <= 5; round++) {
    const { own, key, made } = await make(one)
    const there = other.as(key)
    const status = async (client: Client) => (await client.api('GET', path)).status
    assert.equal(await status(there), 200)
    await expect(200, one.api('PUT', own, { name: 'renamed' }))
    const names = (await expect(200, there.api('GET', path))).map(({ name }: { name: string }) => name)
    assert.ok(names.includes('renamed'))

    const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const writes = async () => {
      const { result } = messageOf(await postMessage(other, made.mcp_token, tools))
      return result.tools.some(({ name }: { name: string }) => name === 'save_strategy')
    }
    assert.equal(await writes(), false)
    await expect(200, one.api('PUT', own, { mcp: 'write' }))
    await until('the key to write', writes, momentMs)

    const rotated = await expect(200, one.api('POST', `${own}/rotate`))
    await until('the old secret to end', async () => (await status(there)) === 401, momentMs)
    const renewed = other.as({ ...key, secret: rotated.api_secret })
    await until('the new secret to count', async () => (await status(renewed)) === 200, momentMs)

    await expect(200, one.api('DELETE', own))
    await until('the key to end', async () => (await status(renewed)) === 401, momentMs)
  }
})
