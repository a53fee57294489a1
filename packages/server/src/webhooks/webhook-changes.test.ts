import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withService } from '../../test/with-service.ts'

type Step = { change: Record<string, unknown>; key?: string; inBody?: boolean; status: number }

/** Each step changes something that an outdated webhook in memory would get wrong. */
const steps: Step[] = [
  { change: {}, status: 202 },
  { change: { status: 'INACTIVE' }, status: 403 },
  { change: { status: 'ACTIVE' }, status: 202 },
  { change: { is_safe: true, has_key: 'first' }, status: 401 },
  { change: {}, key: 'first', status: 202 },
  { change: { has_key: 'second' }, key: 'first', status: 401 },
  { change: { has_key: 'third' }, key: 'third', status: 202 },
  { change: { key_from: 'header_or_body' }, key: 'third', inBody: true, status: 202 },
  { change: { has_key: 'fourth' }, key: 'third', inBody: true, status: 401 },
  { change: { has_key: 'fifth' }, key: 'fifth', inBody: true, status: 202 },
  { change: { key_from: 'header' }, key: 'fifth', inBody: true, status: 401 },
  { change: { is_safe: false }, status: 202 },
]

async function walk(changedBy: Client, postedTo: Client): Promise<void> {
  const { path, change: apply, id } = await makeWebhook(changedBy)
  for (const [index, { change, key, inBody, status }] of steps.entries()) {
    await apply(change)
    const options = inBody
      ? { body: { key } }
      : { body: {}, ...(key === undefined ? {} : { headers: { 'x-key': key } }) }
    const answer = await postedTo.send('POST', path, options)
    assert.equal(answer.status, status, `step ${index}: ${JSON.stringify(answer.body)}`)
  }
  await expect(200, changedBy.api('DELETE', `/api/v2/webhook/data/${id}`))
  assert.equal((await postedTo.send('POST', path, { body: {} })).status, 404)
}

withService('a change of a webhook applies from the next payload on', async (service) => {
  await walk(service, service)
})

withDatabase('a change on any node applies at once on every node', async (database) => {
  await using one = await startService({ database, env: { ROLES: 'api' } })
  await using other = await startService({ database, env: { ROLES: 'api' } })
  for (let round = 1; round <= 10; round++) {
    await walk(one, other)
    await walk(other, one)
  }
})

withService('PUT …/status switches a webhook off and on', async (service) => {
  const webhook = await makeWebhook(service)
  for (const [status, answered] of [
    ['INACTIVE', 403],
    ['ACTIVE', 202],
  ] as const) {
    const own = `/api/v2/webhook/data/${webhook.id}`
    await expect(200, service.api('PUT', `${own}/status`, { status }))
    assert.equal((await expect(200, service.api('GET', own))).status, status)
    assert.equal((await webhook.post({})).status, answered)
  }
})

withService('during a change, each payload is accepted or refused as a whole', async (service) => {
  const webhook = await makeWebhook(service)
  const posts = Array.from({ length: 60 }, (_, n) => webhook.post({ n }))
  await webhook.change({ status: 'INACTIVE' })
  const answers = await Promise.all(posts)
  const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body.id)
  assert.ok(answers.every(({ status }) => status === 202 || status === 403))
  const stored = (await webhook.deliveries()).map(({ id }) => id)
  assert.deepEqual(stored.toSorted(), accepted.toSorted())
})

withService(
  'a webhook that a reaction uses is not deleted, and the answer names the reaction',
  async (service) => {
    const reaction = await makeReaction(service, '', { name: 'mine' })
    const own = `/api/v2/webhook/data/${reaction.webhookId}`
    const refused = await service.api('DELETE', own)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'resource_in_use')
    assert.deepEqual(
      refused.body.details.map(({ id, name }: { id: number; name: string }) => [id, name]),
      [[reaction.id, 'mine']],
    )
    assert.match(refused.body.error, new RegExp(`\\b${reaction.id}\\b.*mine`))
    assert.equal((await reaction.post({})).status, 202)
    await expect(200, service.api('DELETE', `/api/v2/strategy/reaction/code/${reaction.id}`))
    await expect(200, service.api('DELETE', own))
    assert.equal((await reaction.post({})).status, 404)
    assert.equal((await service.api('GET', own)).status, 404)
    assert.equal((await service.api('DELETE', own)).status, 404)
  },
)

withService('reactions counts those that are active when the payload is accepted', async (service) => {
  const first = await makeReaction(service, '')
  const own = (id: number) => `/api/v2/strategy/reaction/code/${id}`
  const add = async () => {
    const settings = { data_webhook_id: first.webhookId }
    return (await expect(201, service.api('POST', '/api/v2/strategy/reaction/code', settings))).id as number
  }
  const [second, third] = [await add(), await add()]
  const count = async () => (await expect(202, first.post({}))).reactions
  const set = (id: number, status: string) => expect(200, service.api('PUT', `${own(id)}/status`, { status }))

  assert.equal(await count(), 1)
  await set(second, 'ACTIVE')
  assert.equal(await count(), 2)
  await set(third, 'ACTIVE')
  assert.equal(await count(), 3)
  await set(first.id, 'INACTIVE')
  assert.equal(await count(), 2)
  await expect(200, service.api('DELETE', own(second)))
  assert.equal(await count(), 1)
  await expect(200, service.api('PUT', own(third), { data_webhook_id: null }))
  assert.equal(await count(), 0)
  await set(first.id, 'ACTIVE')
  assert.equal(await count(), 1)
  // Two exits in a row suspend the strategy, and a suspended one gets no further runs.
  const exits = 'await $.Strategy.action($.Action.EXIT)'
  await expect(200, service.api('PUT', own(first.id), { code: exits }))
  const before = (await first.runs()).length
  await first.post({})
  await first.post({})
  await first.ended(before + 2)
  assert.equal((await first.read()).status, 'SUSPENDED')
  assert.equal(await count(), 0)
})
