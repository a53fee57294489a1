import assert from 'node:assert/strict'
import { addUser } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withService } from '../../test/with-service.ts'

const path = '/api/v2/strategy/reaction/code'

withService('a new reaction is INACTIVE with its defaults, and is read back complete', async (service) => {
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
    visibility: 'PRIVATE',
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
    next_run_at: null,
    next_run_reason: 'no_schedule',
    suspended_until: null,
    suspension_reason: null,
    created_at: createdAt,
    updated_at: updatedAt,
    code: '$.log(1)',
    storage: null,
  })
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${id}`)), created)
})

withService(
  'the fields that only reactions have are checked and changed like the others',
  async (service) => {
    const { id } = await expect(201, service.api('POST', path, { delay: 5 }))
    assert.equal((await expect(200, service.api('PUT', `${path}/${id}`, { name: 'b' }))).delay, 5)
    assert.equal((await expect(200, service.api('PUT', `${path}/${id}`, { delay: null }))).delay, null)
    const wrong: [body: unknown, field: string][] = [
      [{ delay: 0 }, 'body.delay'],
      [{ delay: 1.5 }, 'body.delay'],
      [{ delay: 1001 }, 'body.delay'],
      [{ data_webhook_id: 999_999 }, 'body.data_webhook_id'],
      [{ data_webhook_id: '01' }, 'body.data_webhook_id'],
    ]
    for (const [body, field] of wrong) {
      const refused = await expect(400, service.api('PUT', `${path}/${id}`, body))
      assert.equal(refused.details[0].field, field)
    }
    // Only code strategies have these.
    for (const field of ['cron_interval', 'timezone']) {
      const refused = await expect(400, service.api('POST', path, { [field]: 'UTC' }))
      assert.equal(refused.details[0].field, `body.${field}`)
    }
  },
)

withService('a copy uses the same webhook, without the state that runs left', async (service) => {
  const code = `await $.Storage.set({ seen: true }); await $.Strategy.action('LONG')`
  const reaction = await makeReaction(service, code, { delay: 7 })
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'SUCCEEDED', JSON.stringify(run.error))
  const original = await reaction.read()
  assert.deepEqual([original.storage, original.last_trigger.action], [{ seen: true }, 'LONG'])
  const copy = await expect(201, service.api('POST', `${path}/duplicate`, { id: reaction.id }))
  assert.deepEqual([copy.data_webhook_id, copy.delay, copy.status], [reaction.webhookId, 7, 'INACTIVE'])
  assert.deepEqual([copy.storage, copy.last_run_at], [null, null])
  assert.deepEqual(copy.last_trigger, { action: null, price: null, at: null })
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${copy.id}/runs`)), [])
  assert.equal((await expect(202, reaction.post({}))).reactions, 1)
  const attached = await expect(409, service.api('DELETE', `/api/v2/webhook/data/${reaction.webhookId}`))
  assert.equal(attached.details.length, 2)
})

withService(
  'a webhook that a reaction uses cannot be deleted, and the answer names the reaction',
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

withService('a deleted reaction is gone with its runs, and does not run again', async (service) => {
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

withDatabase("another user's reaction is not found, whatever is asked of it", async (database) => {
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
  // A stranger cannot attach a reaction to the webhook either.
  await expect(400, other.api('POST', path, { data_webhook_id: reaction.webhookId }))
  assert.equal((await reaction.read()).name, '')
})

withService('a webhook lists its reactions', async (service) => {
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
