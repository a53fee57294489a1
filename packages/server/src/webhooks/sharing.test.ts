import assert from 'node:assert/strict'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { revoke, share, withGroup } from '../../test/group.ts'
import { expect, strategyAt } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'

const kinds = ['/api/v2/webhook/data', '/api/v2/webhook/bot']
const data = '/api/v2/webhook/data'
const reactions = '/api/v2/strategy/reaction/code'

/** Creates an active reaction to a webhook. */
async function react(client: Client, webhookId: number, name = '') {
  const settings = { name, data_webhook_id: webhookId, code: '$.log($.Request.data)' }
  const { id } = await expect(201, client.api('POST', reactions, settings))
  const reaction = strategyAt(client, reactions, id)
  await reaction.setStatus('ACTIVE')
  return reaction
}

const comparable = ({ status, body }: ApiAnswer) => {
  const { request_id: _, ...rest } = body
  return { status, text: JSON.stringify(rest).replaceAll(/\d+/g, 'ID') }
}

withGroup('a share gives a user one URL of their own', async ({ owner, guest, third }) => {
  for (const path of kinds) {
    const settings = { name: 'Prices', description: 'From my feed' }
    const mine = await expect(201, owner.api('POST', path, settings))
    const given = await expect(201, owner.api('POST', `${path}/share/${mine.id}`, { userId: guest.id }))
    const { created_at } = given
    assert.deepEqual(given, { webhook_id: mine.id, user_id: guest.id, created_at })
    const again = owner.api('POST', `${path}/share/${mine.id}`, { userId: guest.id })
    assert.deepEqual(await expect(200, again), given)
    await expect(201, owner.api('POST', `${path}/share/${mine.id}`, { userId: third.id }))

    const shares = await expect(200, owner.api('GET', `${path}/${mine.id}/shares`))
    assert.deepEqual(
      shares.map(({ user_id }: { user_id: number }) => user_id),
      [guest.id, third.id],
    )
    const page = await expect(200, owner.api('GET', `${path}/${mine.id}/shares?limit=1&page=2`))
    assert.deepEqual(page, { items: [shares[1]], total: 2, page: 2, limit: 1 })
    assert.deepEqual(await expect(200, owner.api('GET', `${path}/shared/with/${guest.id}`)), [mine])
    assert.deepEqual(await expect(200, owner.api('GET', `${path}/shared/with/${owner.id}`)), [])
    assert.deepEqual(await expect(200, owner.api('GET', `${path}/shared`)), [])

    const seen = await expect(200, guest.api('GET', `${path}/shared`))
    const [theirs] = seen
    const { url, ...rest } = theirs
    const expected = { id: mine.id, ...settings, status: 'ACTIVE', owner_id: owner.id, created_at }
    assert.deepEqual(rest, expected)
    assert.deepEqual(await expect(200, guest.api('GET', `${path}/shared/by/${owner.id}`)), [theirs])
    assert.deepEqual(await expect(200, guest.api('GET', `${path}/shared/by/${third.id}`)), [])
    const ofThird = await expect(200, third.api('GET', `${path}/shared?limit=10`))
    assert.equal(ofThird.total, 1)
    const urls = [mine.url, url, ofThird.items[0].url]
    assert.equal(new Set(urls).size, 3)
    const pattern = new RegExp(`^${mine.url.slice(0, -43)}[\\w-]{43}$`)
    for (const each of urls) assert.match(each, pattern)
    await expect(200, owner.api('PUT', `${path}/${mine.id}/status`, { status: 'INACTIVE' }))
    assert.equal((await expect(200, guest.api('GET', `${path}/shared`)))[0].status, 'INACTIVE')
    for (const to of [guest, third]) await revoke(path, mine.id, { from: owner, to })
  }
})

withGroup(
  'a payload goes to every attached reaction, no matter who sent it',
  async ({ owner, guest, third }) => {
    const webhook = await makeWebhook(owner)
    const ofGuest = await share(data, webhook.id, { from: owner, to: guest })
    const ofThird = await share(data, webhook.id, { from: owner, to: third })
    const mine = await react(owner, webhook.id)
    const theirs = await react(guest, webhook.id, 'secret of the guest')
    for (const post of [webhook.post, ofGuest.post, ofThird.post]) {
      assert.equal((await expect(202, post({}))).reactions, 2)
    }
    assert.equal((await mine.ended(3)).length, 3)
    assert.equal((await theirs.ended(3)).length, 3)

    const deliveries = (await webhook.deliveries()).toReversed()
    assert.deepEqual(
      deliveries.map(({ sender }) => sender),
      ['owner', { user_id: guest.id, email: guest.email }, { user_id: third.id, email: third.email }],
    )
    for (const delivery of deliveries) {
      assert.equal(delivery.reactions, 2)
      assert.deepEqual(
        delivery.runs.map((run: { strategy_id: number }) => run.strategy_id),
        [mine.id],
      )
      assert.deepEqual(await expect(200, owner.api('GET', `/api/v2/delivery/${delivery.id}`)), delivery)
      for (const other of [guest, third]) {
        await expect(404, other.api('GET', `/api/v2/delivery/${delivery.id}`))
        await expect(404, other.api('POST', `/api/v2/delivery/${delivery.id}/replay`))
      }
    }
    const replayed = owner.api('POST', `/api/v2/delivery/${deliveries[0].id}/replay`)
    assert.equal((await expect(202, replayed)).reactions, 1)
    await mine.ended(4)
    assert.equal((await theirs.runs()).length, 3)
    const listed = await expect(200, owner.api('GET', `${data}/${webhook.id}/code-reactions`))
    assert.equal(listed.length, 1)
  },
)

withGroup('nobody sees the URL of another, even if a proxy writes it into headers', async (group) => {
  const { owner, guest } = group
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const reaction = await expect(
    201,
    guest.api('POST', reactions, {
      data_webhook_id: webhook.id,
      code: '$.log(JSON.stringify($.Request.headers))',
    }),
  )
  const theirs = strategyAt(guest, reactions, reaction.id)
  await theirs.setStatus('ACTIVE')
  const urlId = shared.path.split('/').at(-1)!
  const written = (path: string) => ({
    'x-original-uri': path,
    referer: `https://example.com${path}`,
    'x-a': 'b',
  })
  await expect(202, webhook.post({}, written(webhook.path)))
  await expect(202, shared.post({}, written(shared.path)))
  for (const run of await theirs.ended(2)) {
    assert.match(run.log, /"x-a":"b"/)
    assert.ok(!run.log.includes(webhook.urlId) && !run.log.includes(urlId))
  }
  const shownToOwner = [
    await webhook.deliveries(),
    await expect(200, owner.api('GET', `${data}/${webhook.id}/shares`)),
    await expect(200, owner.api('GET', `${data}/shared/with/${guest.id}`)),
    await expect(200, owner.api('GET', `${data}/${webhook.id}`)),
  ]
  assert.ok(!JSON.stringify(shownToOwner).includes(urlId))
  const shownToGuest = await expect(200, guest.api('GET', `${data}/shared`))
  assert.ok(!JSON.stringify(shownToGuest).includes(webhook.urlId))
})

withGroup('a recipient can manage a shared webhook as little as a stranger can', async (group) => {
  const { owner, guest, third } = group
  for (const path of kinds) {
    const mine = await expect(201, owner.api('POST', path, { name: 'mine' }))
    await share(path, mine.id, { from: owner, to: guest })
    const ofKind = path === data ? 'code-reactions' : 'bots'
    const asked = (client: Client, id: number) => [
      client.api('GET', `${path}/${id}`),
      client.api('PUT', `${path}/${id}`, { name: 'taken over' }),
      client.api('PUT', `${path}/${id}/status`, { status: 'INACTIVE' }),
      client.api('DELETE', `${path}/${id}`),
      client.api('GET', `${path}/${id}/shares`),
      client.api('GET', `${path}/${id}/${ofKind}`),
      client.api('GET', `${path}/${id}/deliveries`),
      client.api('POST', `${path}/share/${id}`, { userId: third.id }),
      // The webhook is checked before the recipient.
      client.api('POST', `${path}/share/${id}`, { userId: guest.id }),
      client.api('POST', `${path}/share/${id}`, { userId: 987_654 }),
      client.api('DELETE', `${path}/share/${id}`, { userId: guest.id }),
      client.api('DELETE', `${path}/share/${id}?userId=${guest.id}`),
    ]
    const absent = (await Promise.all(asked(owner, 987_654))).map(comparable)
    assert.ok(absent.every(({ status }) => status === 404))
    for (const client of [guest, third, group.service]) {
      assert.deepEqual((await Promise.all(asked(client, mine.id))).map(comparable), absent)
    }
    assert.deepEqual(await expect(200, owner.api('GET', `${path}/${mine.id}`)), mine)
    assert.equal((await expect(200, owner.api('GET', `${path}/${mine.id}/shares`))).length, 1)
  }
})

withGroup('only users with a share can attach their strategies', async ({ owner, guest, third }) => {
  const webhook = await makeWebhook(owner)
  await share(data, webhook.id, { from: owner, to: guest })
  const settings = { data_webhook_id: webhook.id }
  await expect(400, third.api('POST', reactions, settings))
  const own = await expect(201, third.api('POST', reactions, {}))
  await expect(400, third.api('PUT', `${reactions}/${own.id}`, settings))
  assert.equal((await react(guest, webhook.id)).id > 0, true)
  assert.equal((await expect(202, webhook.post({}))).reactions, 1)
})

withGroup('an invalid share is refused', async ({ owner, guest }) => {
  for (const path of kinds) {
    const { id } = await expect(201, owner.api('POST', path, {}))
    const target = `${path}/share/${id}`
    await expect(400, owner.api('POST', target, { userId: owner.id }))
    for (const userId of [0, -1, 1.5, '2 or 1=1', null, 2 ** 53, [guest.id], { $gt: 0 }]) {
      await expect(400, owner.api('POST', target, { userId }))
      await expect(400, owner.api('DELETE', target, { userId }))
    }
    await expect(400, owner.api('POST', target, {}))
    await expect(400, owner.api('DELETE', target))
    await expect(400, owner.api('DELETE', `${target}?userId=x`))
    await expect(400, owner.api('DELETE', `${target}?userId=${guest.id}`, { userId: guest.id + 1 }))
    await expect(404, owner.api('DELETE', target, { userId: guest.id }))
    await expect(404, owner.api('DELETE', `${target}?userId=${owner.id}`))
    await expect(201, owner.api('POST', target, { userId: guest.id }))
    await expect(200, owner.api('DELETE', target, { userId: guest.id }))
    await expect(404, owner.api('DELETE', target, { userId: guest.id }))
    assert.deepEqual(await expect(200, owner.api('GET', `${path}/${id}/shares`)), [])
  }
})

withGroup('key protection and status apply to every URL', async ({ owner, guest }) => {
  const webhook = await makeWebhook(owner)
  const { post } = await share(data, webhook.id, { from: owner, to: guest })
  const steps: [change: Record<string, unknown>, payload: object, key: string | undefined, status: number][] =
    [
      [{}, {}, undefined, 202],
      [{ is_safe: true, has_key: 'first' }, {}, undefined, 401],
      [{}, {}, 'first', 202],
      [{ has_key: 'second' }, {}, 'first', 401],
      [{ key_from: 'header_or_body' }, { key: 'second' }, undefined, 202],
      [{ status: 'INACTIVE' }, { key: 'second' }, undefined, 403],
      [{ status: 'ACTIVE', is_safe: false }, {}, undefined, 202],
    ]
  for (const [index, [change, payload, key, status]] of steps.entries()) {
    await webhook.change(change)
    const answer = await post(payload, key === undefined ? undefined : { 'x-key': key })
    assert.equal(answer.status, status, `step ${index}`)
  }
})

withGroup('each sender has separate idempotency keys', async ({ owner, guest, third }) => {
  const webhook = await makeWebhook(owner)
  const ofGuest = await share(data, webhook.id, { from: owner, to: guest })
  const ofThird = await share(data, webhook.id, { from: owner, to: third })
  const posts = [webhook.post, ofGuest.post, ofThird.post]
  const key = { 'idempotency-key': 'the same' }
  // At once, so that one statement may store them all.
  const first = await Promise.all(posts.map((post) => expect(202, post({}, key))))
  assert.equal(new Set(first.map(({ id }) => id)).size, 3)
  for (const [index, post] of posts.entries()) {
    assert.deepEqual(await expect(200, post({}, key)), { ...first[index], duplicate: true })
  }
  const twenty = await Promise.all(
    Array.from({ length: 20 }, () => ofGuest.post({}, { 'idempotency-key': 'at once' })),
  )
  assert.equal(twenty.filter(({ status }) => status === 202).length, 1)
  assert.equal(new Set(twenty.map(({ body }) => body.id)).size, 1)
  // The same user is the same sender, even with another URL.
  await revoke(data, webhook.id, { from: owner, to: guest })
  const renewed = await share(data, webhook.id, { from: owner, to: guest })
  assert.equal((await expect(200, renewed.post({}, key))).id, first[1].id)
})

withGroup('a revoked URL stops working, and others are not affected', async ({ owner, guest, third }) => {
  const webhook = await makeWebhook(owner)
  const ofGuest = await share(data, webhook.id, { from: owner, to: guest })
  const ofThird = await share(data, webhook.id, { from: owner, to: third })
  const [mine, ofGuests, ofThirds] = [
    await react(owner, webhook.id),
    await react(guest, webhook.id),
    await react(third, webhook.id),
  ]
  assert.equal((await expect(202, ofGuest.post({}))).reactions, 3)
  await revoke(data, webhook.id, { from: owner, to: guest })
  const refused = await expect(404, ofGuest.post({}))
  assert.equal(refused.code, 'webhook_not_found')
  assert.equal((await expect(202, ofThird.post({}))).reactions, 2)
  assert.equal((await expect(202, webhook.post({}))).reactions, 2)
  await Promise.all([mine.ended(3), ofThirds.ended(3), ofGuests.ended(1)])
  const left = await ofGuests.read()
  assert.deepEqual([left.data_webhook_id, left.status], [null, 'ACTIVE'])
  assert.equal((await ofThirds.read()).data_webhook_id, webhook.id)
  await expect(400, guest.api('PUT', ofGuests.own, { data_webhook_id: webhook.id }))

  const renewed = await share(data, webhook.id, { from: owner, to: guest })
  assert.notEqual(renewed.path, ofGuest.path)
  await expect(404, ofGuest.post({}))
  // Nothing is attached again automatically.
  assert.equal((await expect(202, renewed.post({}))).reactions, 2)
  await expect(200, guest.api('PUT', ofGuests.own, { data_webhook_id: webhook.id }))
  assert.equal((await expect(202, renewed.post({}))).reactions, 3)
})

withGroup('a rotation replaces the URL of the owner, and nothing else', async ({ owner, guest }) => {
  const payload = { symbol: 'BTCUSDT', side: 'BUY' }
  const key = { 'x-key': 'a password', 'idempotency-key': 'the same' }
  for (const path of kinds) {
    const settings = { name: 'Prices', is_safe: true, has_key: 'a password', status: 'INACTIVE' }
    const made = await expect(201, owner.api('POST', path, settings))
    const shared = await share(path, made.id, { from: owner, to: guest })
    const rotate = (user: Client) => user.api('POST', `${path}/${made.id}/rotate`)
    await expect(404, rotate(guest))
    const inactive = await expect(200, rotate(owner))
    const { url, updated_at, ...others } = inactive
    assert.deepEqual(others, Object.fromEntries(Object.keys(others).map((name) => [name, made[name]])))
    assert.match(url, new RegExp(`^${made.url.slice(0, -43)}[\\w-]{43}$`))
    assert.ok(Date.parse(updated_at) > Date.parse(made.updated_at))

    await expect(200, owner.api('PUT', `${path}/${made.id}/status`, { status: 'ACTIVE' }))
    const post = (address: string) =>
      owner.send('POST', new URL(address).pathname, { body: payload, headers: key })
    const first = await expect(202, post(url))
    const rotated = await expect(200, rotate(owner))
    for (const old of [made.url, url]) {
      assert.equal((await expect(404, post(old))).code, 'webhook_not_found')
    }
    // The same sender, so the same idempotency keys.
    assert.equal((await expect(200, post(rotated.url))).id, first.id)
    await expect(202, shared.post(payload, key))
    const theirs = await expect(200, guest.api('GET', `${path}/shared/by/${owner.id}`))
    assert.deepEqual(
      theirs.find(({ id }: { id: number }) => id === made.id),
      { ...shared.resource, status: 'ACTIVE' },
    )
    assert.equal((await expect(200, owner.api('GET', `${path}/${made.id}`))).url, rotated.url)
    await revoke(path, made.id, { from: owner, to: guest })

    const events = await expect(200, owner.api('GET', '/api/v2/user/audit'))
    const [last] = events.filter(({ event }: { event: string }) => event === 'webhook_url_rotated')
    const kind = path.endsWith('data') ? 'data webhook' : 'bot webhook'
    assert.deepEqual(last.details, { kind, webhook_id: made.id, name: 'Prices' })
    assert.equal(last.by_user_id, owner.id)
  }
})

withGroup(
  'a webhook that recipients use is not deleted, and the answer names only the users',
  async (group) => {
    const { owner, guest } = group
    const webhook = await makeWebhook(owner)
    const own = `${data}/${webhook.id}`
    const shared = await share(data, webhook.id, { from: owner, to: guest })
    const mine = await react(owner, webhook.id, 'mine')
    await react(guest, webhook.id, 'a secret name')
    const refused = await expect(409, owner.api('DELETE', own))
    assert.deepEqual(refused.details, [
      { message: `code reaction ${mine.id}`, id: mine.id, name: 'mine' },
      { message: `a code reaction of user ${guest.id}`, user_id: guest.id },
    ])
    const named = `code reaction ${mine.id} (mine), a code reaction of user ${guest.id}.`
    assert.equal(refused.error, `The data webhook is still used: ${named}`)
    await expect(200, owner.api('DELETE', `${reactions}/${mine.id}`))
    await revoke(data, webhook.id, { from: owner, to: guest })
    const renewed = await share(data, webhook.id, { from: owner, to: guest })
    await expect(202, renewed.post({}))
    await expect(200, owner.api('DELETE', own))
    for (const post of [webhook.post, shared.post, renewed.post]) await expect(404, post({}))
    const seen = await expect(200, guest.api('GET', `${data}/shared`))
    assert.ok(!seen.some(({ id }: { id: number }) => id === webhook.id))
  },
)

withGroup('no sender uses up the rate of another', async ({ owner, guest }) => {
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const answers = await Promise.all(Array.from({ length: 100 }, () => shared.post({})))
  assert.ok(answers.some(({ status }) => status === 429))
  await expect(202, webhook.post({}))
})

withGroup('the URL of a disabled user stops working at once', async ({ service, owner, third }) => {
  const setStatus = (status: string) =>
    expect(200, service.api('PUT', `/api/v2/user/${third.id}`, { status }))
  for (const path of kinds) {
    const { id } = await expect(201, owner.api('POST', path, {}))
    const { post } = await share(path, id, { from: owner, to: third })
    const payload = { symbol: 'BTCUSDT', side: 'BUY' }
    await expect(202, post(payload))
    await setStatus('DISABLED')
    await expect(404, post(payload))
    await setStatus('ACTIVE')
  }
})
