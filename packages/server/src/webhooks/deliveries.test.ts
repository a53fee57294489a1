import assert from 'node:assert/strict'
import { addUser } from '../../test/accounts.ts'
import type { ApiAnswer } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'

withService(
  'a delivery keeps body, headers, sender, time and the runs that it triggered',
  async (service) => {
    const reaction = await makeReaction(service, '')
    const sent = { 'idempotency-key': 'one', 'user-agent': 'sender/1', 'x-custom': 'Grüße' }
    const { id, received_at } = await expect(202, reaction.post('{"a": 1}', sent))
    const [run] = await reaction.ended(1)
    const delivery = await expect(200, service.api('GET', `/api/v2/delivery/${id}`))
    const { headers, ...rest } = delivery
    assert.deepEqual(rest, {
      id,
      webhook_id: reaction.webhookId,
      received_at,
      body: '{"a": 1}',
      ip: '127.0.0.1',
      sender: 'owner',
      idempotency_key: 'one',
      reactions: 1,
      runs: [{ id: run.id, strategy_id: reaction.id, trigger: 'webhook', status: 'SUCCEEDED' }],
    })
    for (const [name, value] of Object.entries(sent)) assert.equal(headers[name], value)
    const own = `/api/v2/webhook/data/${reaction.webhookId}/deliveries`
    assert.deepEqual(await expect(200, service.api('GET', own)), [delivery])
  },
)

withService('headers with credentials are neither stored nor forwarded', async (service) => {
  const reaction = await makeReaction(service, 'await $.Storage.set($.Request)')
  const secrets = ['x-KEY', 'Cookie', 'Authorization', 'Proxy-Authorization', 'Cookie2']
  const headers = [
    'Content-Type: application/json',
    ...secrets.map((name) => `${name}: s3cret`),
    'X-Custom: one',
    'X-Custom: two',
    '__proto__: odd',
    'constructor: odd',
  ]
  const answer = await sendOnWire(service.url, { method: 'POST', target: reaction.path, headers, body: '{}' })
  assert.equal(answer.status, 202)
  await reaction.ended(1)
  const stored = await expect(200, service.api('GET', `/api/v2/delivery/${answer.body.id}`))
  const seen = (await reaction.read()).storage.headers
  for (const kept of [stored.headers, seen]) {
    assert.ok(!JSON.stringify(kept).includes('s3cret'), JSON.stringify(kept))
    assert.deepEqual(
      Object.keys(kept).filter((name) => secrets.some((secret) => secret.toLowerCase() === name)),
      [],
    )
    assert.equal(kept['x-custom'], 'one, two')
    assert.equal(kept['content-type'], 'application/json')
    assert.ok(Object.keys(kept).every((name) => name === name.toLowerCase()))
  }
})

withService('deliveries are listed newest first, all or by page', async (service) => {
  const webhook = await makeWebhook(service)
  const ids: number[] = []
  for (let n = 0; n < 5; n++) ids.unshift((await expect(202, webhook.post({ n }))).id)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  )
  const idsOf = (list: { id: number }[]) => list.map(({ id }) => id)
  assert.deepEqual(idsOf(await webhook.deliveries()), ids)
  const page = await expect(
    200,
    service.api('GET', `/api/v2/webhook/data/${webhook.id}/deliveries?page=2&limit=2`),
  )
  assert.deepEqual(
    { ...page, items: idsOf(page.items) },
    { items: ids.slice(2, 4), total: 5, page: 2, limit: 2 },
  )
})

withService('a replay runs a stored payload again for the reactions that are active now', async (service) => {
  const reaction = await makeReaction(service, '$.log($.Request.data)')
  const { id } = await expect(202, reaction.post('{"a": 1}', { 'idempotency-key': 'a' }))
  const replay = () => service.api('POST', `/api/v2/delivery/${id}/replay`)
  const answer = await replay()
  assert.equal(answer.status, 202)
  assert.deepEqual(answer.body, { id, reactions: 1 })
  const runs = await reaction.ended(2)
  assert.deepEqual(
    runs.map(({ trigger, delivery_id, log }) => [trigger, delivery_id, log.trim()]),
    [
      ['webhook', id, '{"a": 1}'],
      ['replay', id, '{"a": 1}'],
    ],
  )
  const delivery = await expect(200, service.api('GET', `/api/v2/delivery/${id}`))
  assert.equal(delivery.reactions, 1)
  assert.deepEqual(
    delivery.runs.map(({ trigger }: { trigger: string }) => trigger),
    ['webhook', 'replay'],
  )

  await expect(
    200,
    service.api('PUT', `/api/v2/strategy/reaction/code/${reaction.id}/status`, { status: 'INACTIVE' }),
  )
  assert.deepEqual((await replay()).body, { id, reactions: 0 })
  // Even if the webhook is inactive: the owner replays, not a sender.
  await expect(
    200,
    service.api('PUT', `/api/v2/webhook/data/${reaction.webhookId}/status`, { status: 'INACTIVE' }),
  )
  assert.equal((await replay()).status, 202)
})

withDatabase('webhooks and deliveries of another user get the same answer as none', async (database) => {
  const key = await addUser(database, 'other@example.com')
  await using service = await startService({ database })
  const other = service.as(key)
  const webhook = await makeWebhook(service)
  const { id } = await expect(202, webhook.post({}))
  const changes = { name: 'taken over' }
  const asked = (client: typeof other, webhookId: number, deliveryId: number) => [
    client.api('GET', `/api/v2/webhook/data/${webhookId}`),
    client.api('PUT', `/api/v2/webhook/data/${webhookId}`, changes),
    client.api('PUT', `/api/v2/webhook/data/${webhookId}/status`, { status: 'INACTIVE' }),
    client.api('DELETE', `/api/v2/webhook/data/${webhookId}`),
    client.api('GET', `/api/v2/webhook/data/${webhookId}/deliveries`),
    client.api('GET', `/api/v2/delivery/${deliveryId}`),
    client.api('POST', `/api/v2/delivery/${deliveryId}/replay`),
  ]
  /** The sentence contains the id, and request ids always differ. */
  const comparable = ({ status, body: { request_id: _, error, ...rest } }: ApiAnswer) => ({
    status,
    error: error.replaceAll(/\d+/g, 'ID'),
    ...rest,
  })
  const theirs = await Promise.all(asked(other, webhook.id, id))
  const nobodys = await Promise.all(asked(service, 987_654, 987_655))
  assert.deepEqual(theirs.map(comparable), nobodys.map(comparable))
  assert.ok(theirs.every(({ status }) => status === 404))
  assert.deepEqual((await other.api('GET', '/api/v2/webhook/data')).body, [])
  assert.equal((await other.api('GET', '/api/v2/webhook/data?limit=1')).body.total, 0)

  const attach = await other.api('POST', '/api/v2/strategy/reaction/code', { data_webhook_id: webhook.id })
  assert.equal(attach.status, 400)
  const unchanged = await expect(200, service.api('GET', `/api/v2/webhook/data/${webhook.id}`))
  assert.deepEqual(unchanged, webhook.resource)
})

withService('a list of deliveries omits bodies beyond 16 MB', async (service) => {
  const webhook = await makeWebhook(service)
  const body = JSON.stringify({ pad: 'x'.repeat(256 * 1024 - 10) })
  assert.equal(Buffer.byteLength(body), 256 * 1024)
  const ids: number[] = []
  for (let n = 0; n < 66; n++) ids.push((await expect(202, webhook.post(body))).id)
  const list = await expect(200, service.api('GET', `/api/v2/webhook/data/${webhook.id}/deliveries`))
  assert.deepEqual(
    list.map((delivery: { id: number }) => delivery.id),
    ids.toReversed(),
  )
  const carried = list.map((delivery: { body: string | null }) => delivery.body !== null)
  assert.deepEqual(carried, [...Array(64).fill(true), false, false])
  assert.equal((await expect(200, service.api('GET', `/api/v2/delivery/${ids[0]}`))).body, body)
})
