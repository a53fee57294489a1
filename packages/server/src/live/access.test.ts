/** Who sees what, and how long. */
import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { share, withGroup } from '../../test/group.ts'
import { keyOf, openLive, requestLive } from '../../test/live.ts'
import { expect, makeReaction, strategyAt } from '../../test/reaction.ts'
import { signUpBrowser } from '../../test/users.ts'
import { makeWebhook } from '../../test/webhook.ts'

const reactions = '/api/v2/strategy/reaction/code'

/** A stream ends within a second, and a busy machine may add some. One that nothing ends would go on for ever. */
const soonMs = 15_000

function assertSoon(sinceMs: number): void {
  const ms = performance.now() - sinceMs
  assert.ok(ms <= soonMs, `the stream went on for ${ms} ms`)
}

withGroup(
  'recipients of a shared webhook see only their own runs',
  async ({ service, owner, guest, third }) => {
    const webhook = await makeWebhook(owner)
    const shared = await share('/api/v2/webhook/data', webhook.id, { from: owner, to: guest })
    const react = async (client: typeof owner) => {
      const settings = { data_webhook_id: webhook.id, code: '$.log($.Request.data)' }
      const { id } = await expect(201, client.api('POST', reactions, settings))
      const reaction = strategyAt(client, reactions, id)
      await reaction.setStatus('ACTIVE')
      return reaction
    }
    const [mine, theirs] = [await react(owner), await react(guest)]
    const open = async (client: typeof owner, query = '?kind=run,delivery,status') =>
      openLive(service.url, query, { key: await keyOf(client) })
    await using ofOwner = await open(owner)
    await using ofGuest = await open(guest)
    await using ofThird = await open(third)
    await using spying = await open(third, `?strategy_id=${mine.id}`)
    await expect(202, shared.post({ n: 1 }))
    const delivery = await ofOwner.ofKind('delivery')
    assert.equal(delivery.data.sender.user_id, guest.id)
    assert.deepEqual(
      delivery.data.runs.map(({ strategy_id }: { strategy_id: number }) => strategy_id),
      [mine.id],
    )
    const ended = (stream: typeof ofOwner) =>
      stream.find(({ kind, data }) => kind === 'run' && data.finished_at !== null)
    assert.equal((await ended(ofOwner)).data.strategy_id, mine.id)
    const first = await ofGuest.next()
    assert.deepEqual([first.kind, first.data.strategy_id], ['run', theirs.id])
    // An event of their own shows that nothing came before it.
    const own = await makeWebhook(third)
    await own.change({ name: 'mine' })
    assert.deepEqual((await ofThird.next()).data.id, own.id)
    await mine.setStatus('INACTIVE')
    const off = await ofOwner.ofKind('status')
    assert.equal(off.data.id, mine.id)
    assert.match(spying.id(), /^$/)
    // By the owner's own URL: the reaction of the other user counts, and its run is not shown.
    await mine.setStatus('ACTIVE')
    const { id } = await expect(202, webhook.post({ n: 2 }, { 'idempotency-key': 'once' }))
    const own2 = await ofOwner.find(({ kind, data }) => kind === 'delivery' && data.id === id)
    const { runs, ...stored } = await expect(200, owner.api('GET', `/api/v2/delivery/${id}`))
    const { runs: shown, ...rest } = own2.data
    assert.deepEqual(rest, stored)
    assert.deepEqual([stored.reactions, stored.idempotency_key, stored.sender], [2, 'once', 'owner'])
    assert.deepEqual(shown, [{ ...runs[0], status: 'QUEUED' }])
    // The next test opens streams of the same users, which must not show the end of these runs.
    for (const stream of [ofOwner, ofGuest]) {
      await stream.find(
        ({ kind, data }) => kind === 'run' && data.delivery_id === id && data.finished_at !== null,
      )
    }
  },
)

withGroup(
  'records of several users that are read together reach only their owners',
  async ({ service, owner, guest }) => {
    const webhook = await makeWebhook(owner)
    const shared = await share('/api/v2/webhook/data', webhook.id, { from: owner, to: guest })
    const others = await makeWebhook(guest)
    const own = new Map<typeof owner, Set<number>>()
    for (const [client, ids] of [
      [owner, [webhook.id]],
      [guest, [webhook.id, others.id]],
    ] as const) {
      own.set(client, new Set())
      for (const data_webhook_id of ids) {
        const settings = { data_webhook_id, code: '$.log($.Request.data)' }
        const { id } = await expect(201, client.api('POST', reactions, settings))
        await strategyAt(client, reactions, id).setStatus('ACTIVE')
        own.get(client)!.add(id)
      }
    }
    const open = async (client: typeof owner) =>
      openLive(service.url, '?kind=run,delivery', { key: await keyOf(client) })
    await using ofOwner = await open(owner)
    await using ofGuest = await open(guest)
    const count = 20
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        Promise.all([expect(202, shared.post({ n })), expect(202, others.post({ n }))]),
      ),
    )
    for (const [client, stream, from] of [
      [owner, ofOwner, webhook.id],
      [guest, ofGuest, others.id],
    ] as const) {
      const [seen, deliveries] = [new Set<number>(), new Set<number>()]
      const ended = new Set<number>()
      while (deliveries.size < count || ended.size < count * own.get(client)!.size) {
        const { kind, data } = await stream.next()
        if (kind === 'delivery') assert.equal(data.webhook_id, from)
        if (kind === 'delivery') deliveries.add(data.id)
        const runs = kind === 'delivery' ? data.runs : [data]
        for (const { strategy_id } of runs) seen.add(strategy_id)
        if (kind === 'run' && data.finished_at !== null) ended.add(data.id)
      }
      assert.deepEqual(seen, own.get(client))
    }
  },
)

withGroup(
  'a signal is on the stream what its sender reads, and what the owner of its bot webhook reads',
  async ({ service, owner, guest, third }) => {
    const webhook = await makeBotWebhook(owner)
    await share('/api/v2/webhook/bot', webhook.id, { from: owner, to: guest })
    const code = `await $.Strategy.action('LONG', { size: 1e-18, id: 'a\\0\\ud800', forceSize: true })`
    const fields = { symbol: 'BTC/USDT, ETH/USDT' }
    const sending = await makeReaction(guest, code, { ...fields, webhook_id: webhook.id })
    const alone = await makeReaction(guest, code, fields)
    const open = async (client: typeof owner) =>
      openLive(service.url, '?kind=signal', { key: await keyOf(client) })
    const shownTo = async (client: typeof owner, stream: Awaited<ReturnType<typeof open>>) => {
      const { data } = await stream.next()
      assert.deepEqual(data, await expect(200, client.api('GET', `/api/v2/signal/${data.id}`)))
      return data
    }
    await using ofGuest = await open(guest)
    await using ofThird = await open(third)
    await alone.post({})
    const unsent = await shownTo(guest, ofGuest)
    assert.match(unsent.reason, /no bot webhook/)
    await sending.post({})
    const unheard = await shownTo(guest, ofGuest)
    assert.deepEqual([unheard.strategy_id, unheard.webhook_id], [sending.id, webhook.id])
    assert.match(unheard.reason, /No ACTIVE bot/)
    await using ofOwner = await open(owner)
    await sending.post({})
    const sent = await shownTo(guest, ofGuest)
    const received = await shownTo(owner, ofOwner)
    assert.deepEqual([received.id, received.strategy_id, received.run_id], [sent.id, null, null])
    assert.equal(received.sender.user_id, guest.id)
    assert.equal(ofThird.id(), '')
  },
)

withGroup(
  'a stream ends when its key is revoked or rotated, and needs no other event for it',
  async ({ service, owner }) => {
    for (const end of ['DELETE', 'POST'] as const) {
      const made = await expect(201, owner.api('POST', '/api/v2/api/key', { name: 'k', algorithm: 'HMAC' }))
      const key = { key: made.api_key, secret: made.api_secret }
      await using stream = await openLive(service.url, '', { key })
      const path = `/api/v2/api/key/${made.id}`
      if (end === 'DELETE') await expect(200, owner.api('DELETE', path))
      else await expect(200, owner.api('POST', `${path}/rotate`, {}))
      const endedMs = performance.now()
      assert.deepEqual(await stream.rest(), [])
      assertSoon(endedMs)
      assert.equal((await requestLive(service.url, '', { key })).response.status, 401)
    }
    // How long they were open says nothing about how fast the service answers.
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /route="\/api\/v2\/live",status="401"/)
    assert.doesNotMatch(metrics, /route="\/api\/v2\/live",status="200"/)
  },
)

withGroup('a stream ends with its session, and when its user is disabled', async ({ service }) => {
  const person = await signUpBrowser(service, 'streams@example.com')
  await using stream = await openLive(service.url, '', { cookie: person.cookie })
  const key = await keyOf({ ...service, api: person.api } as never)
  await using signed = await openLive(service.url, '', { key })
  await expect(200, person.api('DELETE', '/api/v2/user/session'))
  let endedMs = performance.now()
  await stream.rest()
  assertSoon(endedMs)
  await expect(200, service.api('PUT', `/api/v2/user/${person.user.id}`, { status: 'DISABLED' }))
  endedMs = performance.now()
  await signed.rest()
  assertSoon(endedMs)
  assert.equal((await requestLive(service.url, '', { cookie: person.cookie })).response.status, 401)
})

withGroup('nobody opens a stream without a key or a session', async ({ service }) => {
  const { status } = await service.send('GET', '/api/v2/live')
  assert.equal(status, 401)
})
