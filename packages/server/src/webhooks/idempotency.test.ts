import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withService } from '../../test/with-service.ts'

const key = (value: string) => ({ 'idempotency-key': value })
const counts = (answers: ApiAnswer[]) => ({
  first: answers.filter(({ status }) => status === 202).length,
  repeats: answers.filter(({ status, body }) => status === 200 && body.duplicate === true).length,
  ids: new Set(answers.map(({ body }) => body.id)).size,
})

withService('a repeat gets a 200 with the first answer, and is not forwarded again', async (service) => {
  const reaction = await makeReaction(service, '$.log($.Request.data)')
  const first = await reaction.post({ n: 1 }, key('a'))
  assert.equal(first.status, 202)
  assert.equal(first.body.reactions, 1)
  await reaction.ended(1)
  const repeat = await reaction.post({ n: 2, other: 'body' }, key('a'))
  assert.equal(repeat.status, 200)
  assert.deepEqual(repeat.body, { ...first.body, duplicate: true })

  // Of two more posts only the one without a key is a new payload, and it runs after all earlier ones.
  assert.equal((await reaction.post({ n: 3 })).status, 202)
  const runs = await reaction.ended(2)
  assert.deepEqual(
    runs.map(({ log }) => log.trim()),
    ['{"n":1}', '{"n":3}'],
  )
})

withService('of twenty equal keys at once, exactly one is accepted', async (service) => {
  const reaction = await makeReaction(service, '')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => reaction.post({ n }, key('at once'))),
  )
  assert.deepEqual(counts(answers), { first: 1, repeats: 19, ids: 1 })
  assert.equal(new Set(answers.map(({ body }) => body.received_at)).size, 1)
  assert.equal((await reaction.ended(1)).length, 1)
})

withService('webhook-id counts as the key if there is no Idempotency-Key', async (service) => {
  const webhook = await makeWebhook(service)
  const byWebhookId = await webhook.post({}, { 'webhook-id': 'msg_1' })
  assert.equal(byWebhookId.status, 202)
  assert.equal((await webhook.post({}, { 'webhook-id': 'msg_1' })).status, 200)
  assert.equal((await webhook.post({}, key('msg_1'))).body.id, byWebhookId.body.id)
  assert.equal((await webhook.post({}, { ...key('other'), 'webhook-id': 'msg_1' })).status, 202)
  assert.equal((await webhook.post({}, { ...key(''), 'webhook-id': 'msg_1' })).status, 200)
})

withService('keys are compared letter by letter, for each webhook separately', async (service) => {
  const [one, other] = [await makeWebhook(service), await makeWebhook(service)]
  const keys = [
    'a',
    'A',
    'a b',
    'a  b',
    '%61',
    "'; drop table deliveries; --",
    'é',
    'x'.repeat(255),
    '\\',
    '0',
    '00',
  ]
  for (const webhook of [one, other]) {
    for (const value of keys) assert.equal((await webhook.post({}, key(value))).status, 202, value)
    for (const value of keys) assert.equal((await webhook.post({}, key(value))).status, 200, value)
  }
  assert.equal((await one.post({}, key('x'.repeat(256)))).status, 400)
  const delivery = (await one.deliveries()).at(-1)
  assert.equal(delivery.idempotency_key, 'a')
})

withService('a refused payload does not use up its key', async (service) => {
  const webhook = await makeWebhook(service, { is_safe: true, has_key: 'password' })
  assert.equal((await webhook.post({}, key('a'))).status, 401)
  assert.equal((await webhook.post('{', { ...key('a'), 'x-key': 'password' })).status, 400)
  assert.equal((await webhook.post({}, { ...key('a'), 'x-key': 'password' })).status, 202)
  // A sender who only knows a key does not see the first answer.
  assert.equal((await webhook.post({}, key('a'))).status, 401)
})

withDatabase('a key is remembered across a restart, for 24 hours', async (database) => {
  let firstId: number
  let path: string
  {
    await using service = await startService({ database })
    const webhook = await makeWebhook(service)
    path = webhook.path
    firstId = (await webhook.post({}, key('a'))).body.id
    await webhook.post({}, key('b'))
  }
  await lookInto(database, async ({ db }) => {
    const age = (value: string, hours: number) =>
      db.execute(
        sql`update idempotency_keys set created_at = now() - make_interval(mins => ${hours * 60}) where key = ${value}`,
      )
    await age('a', 23.9)
    await age('b', 24.1)
  })
  await using service = await startService({ database, env: { ROLES: 'api' } })
  const within = await service.send('POST', path, { body: {}, headers: key('a') })
  assert.equal(within.status, 200)
  assert.equal(within.body.id, firstId)
  const after = await Promise.all(
    [1, 2, 3].map(() => service.send('POST', path, { body: {}, headers: key('b') })),
  )
  assert.deepEqual(counts(after), { first: 1, repeats: 2, ids: 1 })
  assert.ok(after[0]!.body.id > firstId + 1)
})

withDatabase(
  'two processes on one database accept each key once, whatever the order of the keys',
  async (database) => {
    await using one = await startService({ database })
    await using other = await startProcess({ database, env: { ROLES: 'api' } })
    const reaction = await makeReaction(one, '')
    const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`)
    const post = (node: Client, value: string) =>
      node.send('POST', reaction.path, { body: {}, headers: key(value) })
    const answers = await Promise.all([
      ...keys.map((value) => post(one, value)),
      ...keys.toReversed().map((value) => post(other, value)),
    ])
    assert.deepEqual(counts(answers), { first: 60, repeats: 60, ids: 60 })
    assert.equal((await reaction.ended(60)).length, 60)

    const twenty = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(n % 2 ? one : other, 'the same')),
    )
    assert.deepEqual(counts(twenty), { first: 1, repeats: 19, ids: 1 })
    assert.equal((await reaction.ended(61)).length, 61)
  },
)
