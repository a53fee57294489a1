import assert from 'node:assert/strict'
import { addUser } from '../../test/accounts.ts'
import { eachDatabase } from '../../test/databases.ts'
import { eachService } from '../../test/each-service.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'

const path = '/api/v2/strategy/reaction/code'

eachService('a reaction starts INACTIVE with its defaults, and is read back whole', async (service) => {
  const created = await expect(201, service.api('POST', path, { name: 'Näme', code: '$.log(1)' }))
  const { id, created_at: createdAt, updated_at: updatedAt } = created
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.match(updatedAt, /Z$/)
  assert.deepEqual(created, {
    id,
    type: 'code-reaction',
    name: 'Näme',
    folder_id: null,
    status: 'INACTIVE',
    send_signal: false,
    webhook_id: null,
    symbol: null,
    use_price: false,
    exchange_id: null,
    price_symbol: null,
    data_webhook_id: null,
    delay: null,
    last_trigger: { action: null, price: null, at: null },
    last_run_at: null,
    suspended_until: null,
    suspension_reason: null,
    created_at: createdAt,
    updated_at: updatedAt,
    code: '$.log(1)',
    storage: null,
  })
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${id}`)), created)
})

eachService('a list carries neither code nor storage, and pages tell their total', async (service) => {
  const before = (await expect(200, service.api('GET', `${path}/total`))).total
  const made = []
  for (let n = 0; n < 3; n++) made.push(await expect(201, service.api('POST', path, { name: `list ${n}` })))
  const plain = await expect(200, service.api('GET', path))
  assert.ok(Array.isArray(plain))
  assert.deepEqual(
    plain.slice(-3).map((reaction: { id: number }) => reaction.id),
    made.map(({ id }) => id),
  )
  assert.ok(plain.every((reaction: object) => !('code' in reaction) && !('storage' in reaction)))
  const page = await expect(200, service.api('GET', `${path}?page=${before + 2}&limit=1`))
  assert.deepEqual(
    { ...page, items: page.items.map((item: { id: number }) => item.id) },
    { items: [made[1].id], total: before + 3, page: before + 2, limit: 1 },
  )
  const empty = await expect(200, service.api('GET', `${path}?page=1000`))
  assert.deepEqual(empty, { items: [], total: before + 3, page: 1000, limit: 50 })
  assert.equal((await expect(200, service.api('GET', `${path}/total`))).total, before + 3)
})

eachService('a change keeps what it does not name', async (service) => {
  const settings = { name: 'a', code: '$.log(1)', symbol: 'BTCUSDT', send_signal: true, delay: 5 }
  const { id } = await expect(201, service.api('POST', path, settings))
  const changed = await expect(200, service.api('PUT', `${path}/${id}`, { name: 'b', delay: null }))
  assert.equal(changed.name, 'b')
  assert.equal(changed.delay, null)
  assert.equal(changed.code, '$.log(1)')
  assert.equal(changed.symbol, 'BTCUSDT')
  assert.equal(changed.send_signal, true)
  const emptied = await expect(200, service.api('PUT', `${path}/${id}`, {}))
  assert.equal(emptied.name, 'b')
})

eachService('what cannot be is refused, field by field', async (service) => {
  const wrong: [body: unknown, field: string][] = [
    [{ name: 'x'.repeat(256) }, 'body.name'],
    [{ name: 5 }, 'body.name'],
    [{ code: null }, 'body.code'],
    [{ send_signal: 'true' }, 'body.send_signal'],
    [{ delay: 0 }, 'body.delay'],
    [{ delay: 1.5 }, 'body.delay'],
    [{ exchange_id: 999_999 }, 'body.exchange_id'],
    [{ data_webhook_id: 999_999 }, 'body.data_webhook_id'],
    [{ folder_id: 7 }, 'body.folder_id'],
    [[], 'body'],
  ]
  for (const [body, field] of wrong) {
    const refused = await expect(400, service.api('POST', path, body))
    assert.equal(refused.code, 'request_invalid')
    assert.ok(
      refused.details.some((detail: { field: string }) => detail.field === field),
      `${JSON.stringify(body)}: ${JSON.stringify(refused.details)}`,
    )
  }
  await expect(400, service.api('POST', path))
  const { id } = await expect(201, service.api('POST', path, {}))
  for (const status of ['SUSPENDED', 'active', null]) {
    await expect(400, service.api('PUT', `${path}/${id}/status`, { status }))
  }
})

eachService(
  'code with forbidden identifiers is refused with each and its place, and not saved',
  async (service) => {
    const { id } = await expect(201, service.api('POST', path, { code: '$.log(1)' }))
    const code = 'const a = 1\n  fetch(a) // eval\nx["\\u0065val"]'
    for (const answer of [
      service.api('POST', path, { code }),
      service.api('PUT', `${path}/${id}`, { code }),
    ]) {
      const refused = await expect(400, answer)
      assert.equal(refused.code, 'code_forbidden_identifier')
      assert.deepEqual(
        refused.details.map((detail: { identifier: string; line: number; column: number }) => [
          detail.identifier,
          detail.line,
          detail.column,
        ]),
        [
          ['fetch', 2, 3],
          ['eval', 2, 15],
          ['eval', 3, 4],
        ],
      )
    }
    assert.equal((await expect(200, service.api('GET', `${path}/${id}`))).code, '$.log(1)')
    await expect(201, service.api('POST', path, { code: 'const closes = [], discloses = 1' }))
  },
)

eachService('code may have 256 KiB and not a byte more', async (service) => {
  const line = `// ${'x'.repeat(60)}\n`
  const full = line.repeat(4096)
  assert.equal(Buffer.byteLength(full), 256 * 1024)
  await expect(201, service.api('POST', path, { code: full }))
  assert.equal((await expect(400, service.api('POST', path, { code: `${full} ` }))).code, 'code_too_large')
})

eachService('switching off answers that a position stays open', async (service) => {
  const { id } = await expect(201, service.api('POST', path, {}))
  assert.deepEqual(await expect(200, service.api('PUT', `${path}/${id}/status`, { status: 'ACTIVE' })), {
    message: 'Success',
  })
  assert.equal((await expect(200, service.api('GET', `${path}/${id}`))).status, 'ACTIVE')
  const off = await expect(200, service.api('PUT', `${path}/${id}/status`, { status: 'INACTIVE' }))
  assert.equal(off.message, 'Success')
  assert.match(off.note, /does not close a position/)
})

eachService(
  'a webhook that a reaction uses cannot be deleted; the answer names the reaction',
  async (service) => {
    const reaction = await makeReaction(service, '', { name: 'user of it' })
    const webhook = `/api/v2/webhook/data/${reaction.webhookId}`
    const refused = await expect(409, service.api('DELETE', webhook))
    assert.equal(refused.code, 'resource_in_use')
    assert.match(refused.error, new RegExp(`${reaction.id} \\(user of it\\)`))
    assert.equal(refused.details[0].id, reaction.id)
    await expect(200, service.api('PUT', `${path}/${reaction.id}`, { data_webhook_id: null }))
    assert.deepEqual(await expect(200, service.api('DELETE', webhook)), { message: 'Success' })
    await expect(404, service.send('POST', reaction.path, { body: {} }))
  },
)

eachService('a deleted reaction is gone with its runs, and runs no more', async (service) => {
  const reaction = await makeReaction(service, '$.log(1)')
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.deepEqual(await expect(200, service.api('DELETE', `${path}/${reaction.id}`)), { message: 'Success' })
  await expect(404, service.api('GET', `${path}/${reaction.id}`))
  await expect(404, service.api('GET', `${path}/${reaction.id}/runs`))
  await expect(404, service.api('GET', `/api/v2/run/${run.id}`))
  await expect(404, service.api('DELETE', `${path}/${reaction.id}`))
  assert.equal((await expect(202, reaction.post({}))).reactions, 0)
})

eachDatabase("another user's reaction is not found, whatever is asked of it", async (database) => {
  const stranger = await addUser(database, 'stranger@example.com')
  await using service = await startService({ database })
  const reaction = await makeReaction(service, '$.log("mine")')
  await reaction.post({})
  const [run] = await reaction.ended(1)
  const other = service.as(stranger)
  const own = `${path}/${reaction.id}`
  const attempts: [method: string, path: string, body?: unknown][] = [
    ['GET', own],
    ['PUT', own, { name: 'stolen' }],
    ['PUT', `${own}/status`, { status: 'INACTIVE' }],
    ['PUT', `${own}/reset`, { resetStore: true }],
    ['DELETE', `${own}/store`],
    ['DELETE', own],
    ['GET', `${own}/runs`],
    ['GET', `/api/v2/run/${run.id}`],
    ['GET', `/api/v2/webhook/data/${reaction.webhookId}`],
    ['PUT', `/api/v2/webhook/data/${reaction.webhookId}`, { name: 'stolen' }],
    ['DELETE', `/api/v2/webhook/data/${reaction.webhookId}`],
    ['GET', `/api/v2/webhook/data/${reaction.webhookId}/deliveries`],
    ['POST', `/api/v2/delivery/${run.delivery_id}/replay`],
  ]
  for (const [method, target, body] of attempts) {
    const refused = await expect(404, other.api(method, target, body))
    assert.equal(refused.code, 'resource_not_found', `${method} ${target}`)
  }
  for (const list of [path, '/api/v2/webhook/data', '/api/v2/signal']) {
    assert.deepEqual(await expect(200, other.api('GET', list)), [])
  }
  // Nor can a stranger listen in on a webhook.
  await expect(400, other.api('POST', path, { data_webhook_id: reaction.webhookId }))
  assert.equal((await reaction.read()).name, '')
})

eachService('a webhook tells which reactions it feeds', async (service) => {
  const first = await makeReaction(service, '', { name: 'first' })
  await makeReaction(service, '', { name: 'of another webhook' })
  const second = await expect(
    201,
    service.api('POST', path, { name: 'second', data_webhook_id: first.webhookId }),
  )
  const target = `/api/v2/webhook/data/${first.webhookId}/code-reactions`
  const fed = await expect(200, service.api('GET', target))
  assert.deepEqual(
    fed.map(({ id, name, status }: Record<string, unknown>) => [id, name, status]),
    [
      [first.id, 'first', 'ACTIVE'],
      [second.id, 'second', 'INACTIVE'],
    ],
  )
  assert.equal('code' in fed[0], false)
  const page = await expect(200, service.api('GET', `${target}?limit=1`))
  assert.equal(page.total, 2)
  assert.equal(page.items.length, 1)
})

eachService(
  'code that does not compile is refused, when it is made and when it is changed',
  async (service) => {
    const refused = await expect(400, service.api('POST', path, { code: 'const a = 1\nconst = 2' }))
    assert.equal(refused.code, 'code_syntax')
    assert.deepEqual(refused.details, [
      { field: 'body.code', message: 'Unexpected token', line: 2, column: 7 },
    ])
    const { id } = await expect(201, service.api('POST', path, { code: 'return 1' }))
    for (const code of ['}); (async () => {', 'return {']) {
      assert.equal((await expect(400, service.api('PUT', `${path}/${id}`, { code }))).code, 'code_syntax')
    }
    assert.equal((await expect(200, service.api('GET', `${path}/${id}`))).code, 'return 1')
  },
)
