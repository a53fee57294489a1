import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { revoke, share, withGroup } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { sendOnWire } from '../../test/wire.ts'

const path = '/api/v2/webhook/bot'
const secret = 'the-secret-key'

withGroup(
  'a delivery of a bot webhook has the post without its key, and the signal that came of it',
  async ({ owner }) => {
    const webhook = await makeBotWebhook(owner, {
      is_safe: true,
      has_key: secret,
      key_from: 'header_or_body',
    })
    const headers = { 'content-type': 'text/plain', 'user-agent': 'alerts/1', 'idempotency-key': 'one' }
    const text = `{"key": "${secret}", "symbol": "BTCUSDT",\n "side": "SELL", "size": "250", "flag": "REVERSE"}`
    const { id, received_at } = await expect(202, webhook.post(text, headers))
    const { headers: kept, ...rest } = await expect(200, owner.api('GET', `${webhook.own}/deliveries/${id}`))
    assert.deepEqual(rest, {
      id,
      webhook_id: webhook.id,
      received_at,
      body: '{ "symbol": "BTCUSDT",\n "side": "SELL", "size": "250", "flag": "REVERSE"}',
      ip: '127.0.0.1',
      sender: 'owner',
      idempotency_key: 'one',
      callback: null,
      bots: 0,
      signal: {
        id,
        action: 'LONG',
        symbols: ['BTCUSDT'],
        options: { size: 250 },
        flag: 'REVERSE',
        flags: ['REVERSE'],
        delivered: false,
        reason: 'No ACTIVE bot followed the bot webhook.',
      },
    })
    for (const [name, value] of Object.entries(headers)) assert.equal(kept[name], value)
    assert.deepEqual(await expect(200, owner.api('GET', `${webhook.own}/deliveries`)), [
      { headers: kept, ...rest },
    ])
    // A repeat and a refused post are no deliveries.
    assert.equal((await webhook.post(text, headers)).status, 200)
    assert.equal((await webhook.post('{}', { 'x-key': secret })).status, 400)
    assert.equal((await expect(200, owner.api('GET', `${webhook.own}/deliveries?limit=5`))).total, 1)
  },
)

withGroup(
  'the key of a post is never kept, wherever it was and whatever the webhook asks for',
  async (group) => {
    const { service, owner } = group
    const settings = [
      {},
      { is_safe: true, has_key: secret },
      { is_safe: true, has_key: secret, key_from: 'header_or_body' },
    ]
    for (const each of settings) {
      const webhook = await makeBotWebhook(owner, each)
      const headers = ['X-Key', 'Authorization', 'Cookie'].map((name) => `${name}: ${secret}`)
      const body = `{"key":"${secret}","k\\u0065y":["${secret}"],"symbol":"BTCUSDT","side":"BUY"}`
      const referer = `Referer: https://proxy.example${webhook.path}`
      const request = { method: 'POST', target: webhook.path, headers: [...headers, referer], body }
      assert.equal((await sendOnWire(service.url, request)).status, 202)
      const [delivery] = await expect(200, owner.api('GET', `${webhook.own}/deliveries`))
      assert.equal(delivery.body, '{"symbol":"BTCUSDT","side":"BUY"}')
      assert.ok(!JSON.stringify(delivery).includes(secret), JSON.stringify(delivery))
      assert.ok(!JSON.stringify(delivery).includes(webhook.path.slice('/webhook/'.length)))
    }
  },
)

withGroup(
  'a signal from outside leads its owner to its delivery, for as long as there is one',
  async (group) => {
    const { database, owner, guest } = group
    const webhook = await makeBotWebhook(owner)
    const shared = await share(path, webhook.id, { from: owner, to: guest })
    const { id } = await expect(202, shared.post({ symbol: 'BTCUSDT', side: 'BUY' }))
    const signal = async () => await expect(200, owner.api('GET', `/api/v2/signal/${id}`))
    const { delivery_id, webhook_id, sender } = await signal()
    assert.deepEqual([delivery_id, sender.user_id], [id, guest.id])
    await expect(200, owner.api('GET', `${path}/${webhook_id}/deliveries/${delivery_id}`))
    await expect(404, guest.api('GET', `/api/v2/signal/${id}`))
    const { db } = await database.open()
    // As retention does.
    await db.execute(sql`delete from bot_webhook_deliveries where id = ${id}`)
    assert.equal((await signal()).delivery_id, null)
    const [listed] = await webhook.signals()
    assert.equal(listed!.delivery_id, null)

    const again = await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY' }))
    assert.equal((await webhook.signals())[0]!.delivery_id, again.id)
    await revoke(path, webhook.id, { from: owner, to: guest })
    await expect(200, owner.api('DELETE', webhook.own))
    assert.equal((await expect(200, owner.api('GET', `/api/v2/signal/${again.id}`))).delivery_id, null)
  },
)

withGroup('deliveries of a bot webhook are listed newest first, by page and by cursor', async ({ owner }) => {
  const webhook = await makeBotWebhook(owner)
  const bot = await webhook.addBot()
  const ids: number[] = []
  for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
    ids.unshift((await expect(202, webhook.post({ symbol, side: 'BUY', note: '\ud800\u202e\0' }))).id)
  }
  const list = async (query: string) =>
    (await expect(200, owner.api('GET', `${webhook.own}/deliveries?${query}`))).items.map(
      ({ id }: { id: number }) => id,
    )
  assert.deepEqual(await list('limit=50'), ids)
  assert.deepEqual(await list('page=2&limit=2'), ids.slice(2))
  assert.deepEqual(await list(`before=${ids[0]}&limit=1`), [ids[1]])
  assert.deepEqual(await list(`after=${ids[2]}&limit=1`), [ids[1]])
  const [newest] = await expect(200, owner.api('GET', `${webhook.own}/deliveries`))
  assert.deepEqual([newest.bots, newest.signal.delivered, newest.signal.reason], [1, true, null])
  assert.equal((await bot.signals()).length, 3)
})

withGroup('only the owner of a bot webhook sees its deliveries, with their senders', async (group) => {
  const { owner, guest, third } = group
  const webhook = await makeBotWebhook(owner)
  const other = await makeBotWebhook(third)
  const shared = await share(path, webhook.id, { from: owner, to: guest })
  const { id } = await expect(202, shared.post({ symbol: 'BTCUSDT', side: 'BUY' }))
  const [delivery] = await expect(200, owner.api('GET', `${webhook.own}/deliveries`))
  assert.deepEqual(delivery.sender, { user_id: guest.id, email: guest.email })
  for (const stranger of [guest, third]) {
    for (const target of ['deliveries', `deliveries/${id}`]) {
      assert.equal((await stranger.api('GET', `${webhook.own}/${target}`)).status, 404)
    }
  }
  // Not by way of another webhook either.
  assert.equal((await third.api('GET', `${other.own}/deliveries/${id}`)).status, 404)
  assert.equal((await owner.api('GET', `${webhook.own}/deliveries/${id}`)).status, 200)
})
