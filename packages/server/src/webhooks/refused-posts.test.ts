import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { addUser, lookInto } from '../../test/accounts.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { withDatabase } from '../../test/databases.ts'
import { revoke, share, type TestUser, withGroup } from '../../test/group.ts'
import { keyOf, openLive } from '../../test/live.ts'
import { expect } from '../../test/reaction.ts'
import { refusedPosts } from '../../test/refused.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendOnWire, type WireRequest } from '../../test/wire.ts'

const kinds = [
  { path: '/api/v2/webhook/data', make: makeWebhook, fine: {} },
  { path: '/api/v2/webhook/bot', make: makeBotWebhook, fine: { symbol: 'BTCUSDT', side: 'BUY' } },
]
const secret = 'the-secret-key'
const json = 'Content-Type: application/json'

/** Posts that a webhook with a key refuses, and what is known of each. */
const refusals: [what: string, Omit<WireRequest, 'target'>, expected: Record<string, unknown>][] = [
  ['no key', { headers: [json], body: '{}' }, { status: 401, size: 2, key_name: null }],
  [
    'a wrong key',
    { headers: [json, `X-Key: ${secret}?`], body: '{}' },
    { status: 401, size: 2, key_name: 'x-key' },
  ],
  [
    'the key in another header',
    { headers: [json, `Authorization: Bearer ${secret}`], body: '{}' },
    { status: 401, size: 2, key_name: 'authorization' },
  ],
  [
    'a header twice',
    { headers: [json, `X-Key: ${secret}`, `X-Key: ${secret}`], body: '{}' },
    { status: 400, size: 2, key_name: 'x-key' },
  ],
  [
    'another content type',
    { headers: ['Content-Type: text/html', `X-Key: ${secret}`], body: '{"a":1}' },
    { status: 415, size: 7, key_name: 'x-key' },
  ],
  [
    'a compressed body',
    { headers: [json, 'Content-Encoding: gzip', `X-Key: ${secret}`], body: '{"a":1}' },
    { status: 415, size: 7, key_name: 'x-key' },
  ],
  [
    'no JSON',
    { headers: [json, `X-Key: ${secret}`], body: `{"key": "${secret}` },
    { status: 400, size: `{"key": "${secret}`.length, key_name: 'x-key' },
  ],
  ['no body', { headers: [json, `X-Key: ${secret}`] }, { status: 400, size: 0, key_name: 'x-key' }],
  [
    'a long idempotency key',
    { headers: [json, `X-Key: ${secret}`, `Idempotency-Key: ${'x'.repeat(300)}`], body: '{}' },
    { status: 400, size: 2, key_name: 'x-key' },
  ],
  [
    'a large body',
    { headers: [json, `X-Key: ${secret}`], body: `{"a":"${'x'.repeat(256 * 1024)}"}` },
    { status: 413, size: 256 * 1024 + 8, key_name: 'x-key' },
  ],
  [
    'a large body in chunks',
    { headers: [json, `X-Key: ${secret}`], body: ['{"a":"', ...Array(5).fill('x'.repeat(64 * 1024)), '"}'] },
    { status: 413, size: null, key_name: 'x-key' },
  ],
]

for (const { path, make } of kinds) {
  withGroup(
    `${path} lists each refused post with its reason, and with neither body nor key`,
    async (group) => {
      const { service, owner } = group
      for (const [what, request, expected] of refusals) {
        // One for each, because a webhook writes one refused post a second.
        const webhook = await make(owner, { is_safe: true, has_key: secret })
        const before = Date.now()
        const answer = await sendOnWire(service.url, { method: 'POST', target: webhook.path, ...request })
        const [post, ...others] = await refusedPosts(owner, `${path}/${webhook.id}`, 1)
        assert.deepEqual(others, [])
        const { id, refused_at, ...rest } = post
        assert.ok(id > 0)
        assert.ok(Date.parse(refused_at) >= before && Date.parse(refused_at) <= Date.now())
        const { code, error: reason } = answer.body
        assert.equal(answer.status, expected.status, what)
        const known = { webhook_id: webhook.id, ip: '127.0.0.1', sender: 'owner', more: 0 }
        assert.deepEqual(rest, { ...known, code, reason, ...expected }, what)
        assert.ok(!JSON.stringify(post).includes(secret), what)
      }
    },
  )

  withGroup(
    `${path} lists what a webhook refuses that is INACTIVE, busy, or wants its key in the body`,
    async (group) => {
      const { service, owner } = group
      const off = await make(owner, { status: 'INACTIVE' })
      assert.equal((await off.post({})).status, 403)
      const [inactive] = await refusedPosts(owner, `${path}/${off.id}`, 1)
      assert.deepEqual([inactive.status, inactive.code], [403, 'webhook_inactive'])

      const keyed = await make(owner, { is_safe: true, has_key: secret, key_from: 'header_or_body' })
      assert.equal((await keyed.post({ Key: secret })).status, 401)
      const [wrong] = await refusedPosts(owner, `${path}/${keyed.id}`, 1)
      assert.deepEqual([wrong.status, wrong.key_name], [401, 'body.Key'])

      const busy = await make(owner)
      const { fine } = kinds.find((kind) => kind.path === path)!
      const answers = await Promise.all(Array.from({ length: 60 }, () => busy.post(fine)))
      const limited = answers.filter(({ status }) => status === 429).length
      assert.ok(limited > 0)
      await untilCounted(owner, `${path}/${busy.id}`, limited)
      assert.equal((await service.send('POST', `${off.path}x`, { body: {} })).status, 404)
    },
  )

  withGroup(`${path} counts the posts of a flood and keeps a few of them`, async ({ service, owner }) => {
    const webhook = await make(owner, { is_safe: true, has_key: secret })
    const startMs = performance.now()
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => webhook.post({})))
      assert.ok(answers.every(({ status }) => status === 401))
    }
    const kept = await untilCounted(owner, `${path}/${webhook.id}`, 500)
    const seconds = (performance.now() - startMs) / 1000
    assert.ok(kept.length <= seconds + 1, `${kept.length} in ${seconds} s`)
    const page = await expect(200, owner.api('GET', `${path}/${webhook.id}/refused?page=2&limit=1`))
    assert.deepEqual(page, {
      items: kept.slice(1, 2),
      total: kept.length,
      page: 2,
      limit: 1,
    })
    const [newest, second] = kept
    const next = `${path}/${webhook.id}/refused?limit=1&`
    for (const [cursor, found] of [
      [`before=${newest.id}`, second],
      [`after=${kept.at(-1).id}`, kept.at(-2)],
      [`before=${newest.id + 1}&after=${newest.id - 1}`, newest],
    ]) {
      const { items } = await expect(200, owner.api('GET', next + cursor))
      assert.deepEqual(items, found === undefined ? [] : [found], cursor)
    }
    assert.equal((await service.send('GET', '/health/ready')).status, 200)
  })

  withGroup(`the owner of a ${path} sees all refused posts, a recipient their own`, async (group) => {
    const { owner, guest, third } = group
    const webhook = await make(owner, { is_safe: true, has_key: secret })
    const own = `${path}/${webhook.id}`
    const shared = await share(path, webhook.id, { from: owner, to: guest })
    await share(path, webhook.id, { from: owner, to: third })
    assert.equal((await shared.post({})).status, 401)
    assert.equal((await webhook.post({}, { 'x-key': 'wrong' })).status, 401)
    const all = await refusedPosts(owner, own, 2)
    const sender = { user_id: guest.id, email: guest.email }
    const theirs = all.find(({ key_name }) => key_name === null)
    assert.deepEqual(theirs.sender, sender)
    assert.deepEqual(all.find(({ key_name }) => key_name === 'x-key').sender, 'owner')
    assert.deepEqual(await expect(200, guest.api('GET', `${own}/refused`)), [theirs])
    assert.deepEqual(await expect(200, guest.api('GET', `${own}/refused?limit=1`)), {
      items: [theirs],
      total: 1,
      page: 1,
      limit: 1,
    })
    assert.deepEqual(await expect(200, third.api('GET', `${own}/refused`)), [])

    await revoke(path, webhook.id, { from: owner, to: guest })
    assert.equal((await shared.post({})).status, 404)
    assert.equal((await guest.api('GET', `${own}/refused`)).status, 404)
    assert.equal((await refusedPosts(owner, own, 2)).length, 2)
  })

  withGroup(`live streams show refused posts of a ${path} to the owner and the sender`, async (group) => {
    const { service, owner, guest, third } = group
    const webhook = await make(owner, { status: 'INACTIVE' })
    const own = `${path}/${webhook.id}`
    const shared = await share(path, webhook.id, { from: owner, to: guest })
    const open = async (user: TestUser) =>
      openLive(service.url, '?kind=refused_post', { key: await keyOf(user) })
    await using ofOwner = await open(owner)
    await using ofGuest = await open(guest)
    await using ofThird = await open(third)
    await webhook.post({})
    const [first] = await refusedPosts(owner, own, 1)
    assert.deepEqual((await ofOwner.ofKind('refused_post')).data, first)
    await shared.post({})
    const [second] = await refusedPosts(owner, own, 2)
    assert.deepEqual((await ofOwner.ofKind('refused_post')).data, second)
    // The one before was not theirs.
    assert.deepEqual((await ofGuest.ofKind('refused_post')).data, second)
    // The first that a stranger sees is one of their own.
    const other = await make(third, { status: 'INACTIVE' })
    await other.post({})
    assert.equal((await ofThird.ofKind('refused_post')).data.webhook_id, other.id)
  })

  withGroup(`refused posts of another user's ${path} do not exist`, async ({ owner, third }) => {
    const webhook = await make(owner, { status: 'INACTIVE' })
    await webhook.post({})
    await refusedPosts(owner, `${path}/${webhook.id}`, 1)
    const asked = async (id: number) => {
      const { status, body } = await third.api('GET', `${path}/${id}/refused`)
      return [status, body.code, body.error.replaceAll(String(id), 'ID')]
    }
    const theirs = await asked(webhook.id)
    assert.equal(theirs[0], 404)
    assert.deepEqual(theirs, await asked(987_654_321))
  })
}

/** Waits until the refused posts and their counts add up to `count`. */
async function untilCounted(...[client, own, count]: Parameters<typeof refusedPosts>) {
  for (let kept = 1; ; kept++) {
    const posts = await refusedPosts(client, own, kept)
    const counted = posts.reduce((sum, { more }) => sum + 1 + more, 0)
    assert.ok(counted <= count)
    if (counted === count) return posts
    kept = posts.length
  }
}

withDatabase('refused posts end with their webhook, or with its user', async (database) => {
  const key = await addUser(database, 'user@example.com')
  await using service = await startService({ database })
  const user = service.as(key)
  const { id } = await expect(200, user.api('GET', '/api/v2/user/me'))
  const rows = () =>
    lookInto(database, async ({ db }) => {
      const tables = ['refused_data_posts', 'refused_bot_posts', 'bot_webhook_deliveries']
      const counts = tables.map((table) => `(select count(*) from ${table})`)
      const { rows } = (await db.execute(sql.raw(`select ${counts.join(' + ')} as n`))) as unknown as {
        rows: { n: string }[]
      }
      return Number(rows[0]!.n)
    })
  for (const { path, make } of kinds) {
    const webhook = await make(user, { status: 'INACTIVE' })
    await webhook.post({})
    await refusedPosts(user, `${path}/${webhook.id}`, 1)
    assert.equal(await rows(), 1)
    await expect(200, user.api('DELETE', `${path}/${webhook.id}`))
    assert.equal(await rows(), 0)
  }
  for (const { path, make, fine } of kinds) {
    const webhook = await make(user)
    assert.equal((await webhook.post(fine)).status, 202)
    await webhook.post('[]')
    await refusedPosts(user, `${path}/${webhook.id}`, 1)
  }
  assert.equal(await rows(), 3)
  await expect(200, service.api('DELETE', `/api/v2/user/${id}`))
  assert.equal(await rows(), 0)
})
