import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { addGroup, revoke, share } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'

const data = '/api/v2/webhook/data'
const bot = '/api/v2/webhook/bot'
const reactions = '/api/v2/strategy/reaction/code'
const bots = '/api/v2/bot/signal/cex'

/** Posts continuously, four at a time, until stopped. Returns when each was sent and how it was answered. */
function pour(node: Client, path: string) {
  const posted: { sentMs: number; answer: ApiAnswer }[] = []
  let pouring = true
  const post = async () => {
    while (pouring) {
      const sentMs = performance.now()
      posted.push({ sentMs, answer: await node.send('POST', path, { body: {} }) })
    }
  }
  const done = Promise.all([1, 2, 3, 4].map(post))
  return {
    posted,
    end: async () => {
      pouring = false
      await done
    },
  }
}

/** Two nodes on one database for all tests of this file: these cases need more than one connection. */
async function start() {
  const database = fileResources.use(await createTestDatabase())
  const users = await addGroup(database)
  // Otherwise the rate limit would refuse the posts before the revocation does.
  const env = { WEBHOOK_RATE: '100000', WEBHOOK_BURST: '100000', ROLES: 'api' }
  const one = fileResources.use(await startService({ database, env }))
  const other = fileResources.use(await startService({ database, env }))
  return { database, other, one, ...users(one) }
}
let nodes: ReturnType<typeof start> | undefined
const started = () => {
  nodes ??= start()
  return nodes
}

test('after the answer to a revocation, no node accepts anything by that URL', async () => {
  const { one, other, owner, guest, third } = await started()
  const webhook = await makeWebhook(owner)
  const ofThird = await share(data, webhook.id, { from: owner, to: third })
  const undisturbed = pour(other, ofThird.path)
  for (let round = 1; round <= 3; round++) {
    const { path } = await share(data, webhook.id, { from: owner, to: guest })
    const streams = [pour(one, path), pour(other, path)]
    const flows = streams.map(
      ({ posted }) =>
        async () =>
          posted.length >= 20,
    )
    for (const flow of flows) await until('payloads to be accepted', flow)
    await revoke(data, webhook.id, { from: owner, to: guest })
    const revokedMs = performance.now()
    const refused = streams.map(
      ({ posted }) =>
        async () =>
          posted.filter(({ sentMs }) => sentMs > revokedMs).length >= 20,
    )
    for (const enough of refused) await until('payloads to be sent afterwards', enough)
    await Promise.all(streams.map(({ end }) => end()))

    const answers = streams.flatMap(({ posted }) => posted)
    assert.ok(answers.every(({ answer: { status } }) => status === 202 || status === 404))
    const late = answers.filter(({ sentMs, answer }) => sentMs > revokedMs && answer.status !== 404)
    assert.deepEqual(late, [])
    const accepted = answers.filter(({ answer }) => answer.status === 202).length
    assert.ok(accepted > 0)
  }
  await undisturbed.end()
  assert.ok(undisturbed.posted.length > 0)
  assert.deepEqual(
    undisturbed.posted.filter(({ answer }) => answer.status !== 202),
    [],
  )
})

test('a node that missed a revocation refuses the URL all the same', async () => {
  const { database, owner, guest } = await started()
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  await expect(202, shared.post({}))
  const direct = await database.open()
  // Directly in the database, so that the service still has the URL in memory.
  await direct.db.execute(sql`delete from data_webhook_shares where webhook_id = ${webhook.id}`)
  await expect(404, shared.post({}))
  await expect(202, webhook.post({}))
  assert.equal((await webhook.deliveries()).length, 2)
})

test('after the answer to a rotation, no node accepts anything by the old URL', async () => {
  const { one, other, owner, guest } = await started()
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const undisturbed = pour(other, shared.path)
  let { path } = webhook
  for (let round = 1; round <= 3; round++) {
    const streams = [pour(one, path), pour(other, path)]
    for (const { posted } of streams) await until('payloads to be accepted', async () => posted.length >= 20)
    const rotated = await expect(200, owner.api('POST', `${data}/${webhook.id}/rotate`))
    const rotatedMs = performance.now()
    path = new URL(rotated.url).pathname
    for (const node of [one, other]) await expect(202, node.send('POST', path, { body: {} }))
    for (const { posted } of streams)
      await until(
        'payloads to be sent afterwards',
        async () => posted.filter(({ sentMs }) => sentMs > rotatedMs).length >= 20,
      )
    await Promise.all(streams.map(({ end }) => end()))

    const answers = streams.flatMap(({ posted }) => posted)
    assert.ok(answers.every(({ answer: { status } }) => status === 202 || status === 404))
    const late = answers.filter(({ sentMs, answer }) => sentMs > rotatedMs && answer.status !== 404)
    assert.deepEqual(late, [])
  }
  await undisturbed.end()
  assert.ok(undisturbed.posted.length > 0)
  assert.deepEqual(
    undisturbed.posted.filter(({ answer }) => answer.status !== 202),
    [],
  )
})

test('a node that missed a rotation refuses the old URL, even once it knows the new version of the webhook', async () => {
  const { database, other, owner, guest } = await started()
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const posted = (path: string) => other.send('POST', path, { body: {} })
  for (const path of [webhook.path, shared.path]) await expect(202, posted(path))
  const direct = await database.open()
  // Directly in the database, so that the node still has the old URL in memory.
  await direct.db.execute(
    sql`update data_webhooks set url_hash = sha256('another'), version = version + 1 where id = ${webhook.id}`,
  )
  // With this, the node reads the webhook again.
  await expect(202, posted(shared.path))
  await expect(404, posted(webhook.path))
  await expect(202, posted(shared.path))
})

test('if many rotate at once, one URL leads to the webhook, and no other', async () => {
  const { one, other, owner } = await started()
  const webhook = await makeWebhook(owner)
  const rotate = async () =>
    new URL((await expect(200, owner.api('POST', `${data}/${webhook.id}/rotate`))).url).pathname
  const paths = await Promise.all(Array.from({ length: 10 }, rotate))
  const { url } = await expect(200, owner.api('GET', `${data}/${webhook.id}`))
  const left = new URL(url).pathname
  assert.equal(new Set([webhook.path, ...paths]).size, 11)
  assert.ok(paths.includes(left))
  for (const path of [webhook.path, ...paths]) {
    for (const node of [one, other]) {
      const { status } = await node.send('POST', path, { body: {} })
      assert.equal(status, path === left ? 202 : 404)
    }
  }
})

test('attaching and revoking at once leaves nothing attached', async () => {
  const { owner, guest } = await started()
  const [webhook, botWebhook] = [
    await makeWebhook(owner),
    await expect(201, owner.api('POST', bot, { name: 'shared' })),
  ]
  const both = [
    [data, webhook.id],
    [bot, botWebhook.id],
  ] as const
  for (let round = 0; round < 6; round++) {
    for (const [path, id] of both) await share(path, id, { from: owner, to: guest })
    const settings = { data_webhook_id: webhook.id, webhook_id: botWebhook.id }
    const reaction = await expect(201, guest.api('POST', reactions, settings))
    const free = await expect(201, guest.api('POST', reactions, {}))
    const newBot = { exchange_id: 3, webhook_id: botWebhook.id }
    const follower = await expect(201, guest.api('POST', bots, newBot))
    const freeBot = await expect(201, guest.api('POST', bots, { exchange_id: 3 }))
    const attached = await Promise.all([
      guest.api('POST', `${reactions}/duplicate`, { id: reaction.id }),
      guest.api('PUT', `${reactions}/${free.id}`, settings),
      guest.api('POST', `${bots}/duplicate`, { id: follower.id }),
      guest.api('PUT', `${bots}/${freeBot.id}`, { webhook_id: botWebhook.id }),
      guest.api('PUT', `${bots}/${follower.id}`, { name: 'renamed' }),
      ...both.map(([path, id]) => owner.api('DELETE', `${path}/share/${id}?userId=${guest.id}`)),
      guest.api('POST', reactions, settings),
      guest.api('POST', bots, newBot),
      guest.api('POST', `${reactions}/duplicate`, { id: reaction.id }),
      guest.api('POST', `${bots}/duplicate`, { id: follower.id }),
    ])
    for (const { status } of attached) assert.ok([200, 201, 400].includes(status), `${status}`)
    const left = [
      ...(await expect(200, guest.api('GET', reactions))),
      ...(await expect(200, guest.api('GET', bots))),
    ].filter((each) => each.data_webhook_id === webhook.id || each.webhook_id === botWebhook.id)
    assert.deepEqual(left, [])
  }
  for (const [path, id] of both) await expect(200, owner.api('DELETE', `${path}/${id}`))
})

test('if many share and revoke at once, there is always one share or none', async () => {
  const { owner, guest } = await started()
  const { id } = await makeWebhook(owner)
  const give = () => owner.api('POST', `${data}/share/${id}`, { userId: guest.id })
  const take = () => owner.api('DELETE', `${data}/share/${id}`, { userId: guest.id })
  const count = (answers: ApiAnswer[], status: number) =>
    answers.filter((answer) => answer.status === status).length

  const given = await Promise.all(Array.from({ length: 10 }, give))
  assert.deepEqual([count(given, 201), count(given, 200)], [1, 9])
  const taken = await Promise.all(Array.from({ length: 10 }, take))
  assert.deepEqual([count(taken, 200), count(taken, 404)], [1, 9])

  const mixed = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? give() : take())))
  const [gave, took] = [mixed.filter((_, n) => n % 2 === 1), mixed.filter((_, n) => n % 2 === 0)]
  assert.equal(count(gave, 201) + count(gave, 200), 10)
  assert.equal(count(took, 200) + count(took, 404), 10)
  const shares = await expect(200, owner.api('GET', `${data}/${id}/shares`))
  assert.equal(shares.length, count(gave, 201) - count(took, 200))
})
