import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { addUsers } from '../../../test/accounts.ts'
import { makeBotWebhook } from '../../../test/bot-webhook.ts'
import { createEmbeddedDatabase, createTestDatabase, fileResources } from '../../../test/databases.ts'
import { addGroup, type Group, share } from '../../../test/group.ts'
import { startProcess } from '../../../test/process.ts'
import { expect } from '../../../test/reaction.ts'
import { type Receiver, startReceivers } from '../../../test/receiver.ts'
import { startService } from '../../../test/service.ts'
import { until } from '../../../test/until.ts'

const hosts = '/api/v2/notification/callback'
const receivers = fileResources.use(await startReceivers())
/** On another port, so that its failures are not those of the first one. */
const others = fileResources.use(await startReceivers())

let started: Promise<Group> | undefined

async function start(): Promise<Group> {
  const database = fileResources.use(await createTestDatabase())
  const users = await addGroup(database)
  const env = {
    HTTP_ALLOW: [receivers.host, others.host, ...unused].join(','),
    USER_LIMITS: 'callback_hosts:2',
  }
  const service = fileResources.use(await startService({ database, env }))
  return { service, database, ...users(service) }
}

/** Hosts to which nothing is sent. */
const unused = ['127.0.0.1:1', '127.0.0.1:2']

function withCallbacks(name: string, fn: (group: Group) => Promise<void>): void {
  test(name, async () => {
    started ??= start()
    await fn(await started)
  })
}

const got = (receiver: Receiver, count = 1) =>
  until(`${count} callbacks`, async () => receiver.received.length >= count)

withCallbacks(
  'a sender that writes everything into its payload is told once what became of it',
  async ({ owner }) => {
    const receiver = receivers.add()
    const webhook = await makeBotWebhook(owner, { is_safe: true, has_key: 'a password' })
    const bot = await webhook.addBot({ name: 'Follower', amount: '250' })
    const payload = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      size: 100,
      dilution: false,
      forceSize: true,
      id: 'alert-7',
      key: 'a password',
      flag: ['DEBUG'],
      debug: { chart: 'BTC, 1h' },
      callback: `${receiver.url}#part`,
    }
    const once = { 'idempotency-key': 'once' }
    const answer = await expect(202, webhook.post(payload, once))
    assert.deepEqual([answer.bots, answer.ignored, answer.debug.flags], [1, undefined, ['DEBUG']])
    assert.equal((await expect(200, webhook.post(payload, once))).duplicate, true)
    await got(receiver)

    const [told] = receiver.bodies()
    assert.equal(told!.type, 'signal.ended')
    const { received_at, bots, ...rest } = told!.data as Record<string, unknown> & { bots: Bot[] }
    assert.equal(received_at, answer.received_at)
    assert.deepEqual(rest, {
      id: answer.id,
      webhook_id: webhook.id,
      action: 'LONG',
      symbols: ['BTCUSDT'],
      options: { id: 'alert-7', size: 100, dilution: false, forceSize: true },
      flags: ['DEBUG'],
      delivered: true,
      reason: null,
      complete: true,
      bots_total: 1,
    })
    const [{ finished_at, orders, ...done }, ...more] = bots as [Bot]
    assert.deepEqual(more, [])
    assert.ok(Date.parse(finished_at) >= Date.parse(answer.received_at))
    assert.deepEqual(done, {
      bot_id: bot.id,
      bot_name: 'Follower',
      mode: 'paper',
      demo: false,
      symbol: 'BTCUSDT',
      status: 'DONE',
      reason: null,
    })
    const [order] = await expect(200, owner.api('GET', `/api/v2/order?bot_id=${bot.id}`))
    const { purpose, side, size, filled_size, average_price, status } = order
    assert.deepEqual(orders, [{ purpose, side, size, filled_size, average_price, status, reason: null }])
    assert.deepEqual([purpose, side, status], ['open', 'buy', 'FILLED'])
    // The address is encrypted, and so is not shown with what was posted.
    const delivery = () => expect(200, owner.api('GET', `${webhook.own}/deliveries/${answer.id}`))
    await until('the record', async () => (await delivery()).callback.status === 'DELIVERED')
    const { body, callback } = await delivery()
    assert.ok(!/callback|receiver|password/.test(body))
    assert.ok(body.includes('"debug":{"chart":"BTC, 1h"}'))
    const origin = `http://${receivers.host}`
    assert.deepEqual(callback, {
      origin,
      status: 'DELIVERED',
      attempts: 1,
      last_status: 204,
      last_error: null,
    })
    assert.equal(receiver.received.length, 1)
  },
)

type Bot = Record<string, unknown> & { bot_id: number; finished_at: string; orders: unknown[] }

withCallbacks('a signal that no bot takes is told at once, with the reason', async ({ owner }) => {
  const receiver = receivers.add()
  const webhook = await makeBotWebhook(owner)
  await webhook.addBot()
  const callback = receiver.url
  const buy = { symbol: 'BTCUSDT', side: 'BUY', callback }
  const tried = await expect(202, webhook.post({ ...buy, flag: 'TEST' }))
  const prediction = await expect(202, webhook.post({ slug: 'rain', outcome: 'Yes', side: 'BUY', callback }))
  await got(receiver, 2)
  const told = receiver.bodies().map(({ data }) => [data.id, data.delivered, data.complete, data.bots])
  assert.deepEqual(told.toSorted(), [
    [tried.id, false, true, []],
    [prediction.id, false, true, []],
  ])
  assert.match(String(receiver.bodies().find(({ data }) => data.id === tried.id)!.data.reason), /flag TEST/)
})

withCallbacks('an address that no callback may go to is refused, and so is its signal', async ({ owner }) => {
  const webhook = await makeBotWebhook(owner)
  const refusals: [callback: unknown, why: RegExp][] = [
    ['http://example.com/told', /must start with https/],
    ['https://127.0.0.1/told', /host is not public/],
    ['https://[::1]/told', /host is not public/],
    ['https://169.254.169.254/latest', /host is not public/],
    ['https://2130706433/told', /host is not public/],
    ['https://service.internal/told', /host is not public/],
    ['https://example.com:22/', /port is not one of web servers/],
    ['https://me:secret@example.com/', /user name or password/],
    ['ftp://example.com/', /must be an https address/],
    ['javascript:alert(1)', /must be an https address/],
    ['example.com', /must be an https address/],
    ['{{callback}}', /placeholder/],
    ['', /must be an https address/],
    [7, /must be a string/],
    [['https://example.com/'], /must be a string/],
    [`https://example.com/${'x'.repeat(2_100)}`, /at most 2048 characters/],
  ]
  for (const [callback, why] of refusals) {
    const { details, code } = await expect(
      400,
      webhook.post({ symbol: 'BTCUSDT', side: 'BUY', flag: 'TEST', callback }),
    )
    assert.deepEqual([code, details.length, details[0].field], ['request_invalid', 1, 'body.callback'])
    assert.match(details[0].message, why)
    assert.ok(!details[0].message.includes('secret'))
  }
  assert.deepEqual(await webhook.signals(), [])
})

withCallbacks('a sender with a share is told of their own bots, and alone knows the host', async (group) => {
  const { owner, guest, third } = group
  const [receiver, ownReceiver] = [others.add(), receivers.add()]
  const webhook = await makeBotWebhook(owner)
  const shared = await share('/api/v2/webhook/bot', webhook.id, { from: owner, to: guest })
  await webhook.addBot()
  const { id: botId } = await expect(
    201,
    guest.api('POST', '/api/v2/bot/signal/cex', { exchange_id: 3, webhook_id: webhook.id, amount: '50' }),
  )
  await expect(200, guest.api('PUT', `/api/v2/bot/signal/cex/${botId}/status`, { status: 'ACTIVE' }))
  const sell = { symbol: 'ETHUSDT', side: 'SELL' }
  const answer = await expect(202, shared.post({ ...sell, callback: receiver.url }))
  assert.equal(answer.bots, 2)
  await expect(202, webhook.post({ ...sell, side: 'EXIT', callback: ownReceiver.url }))
  await got(receiver)
  await got(ownReceiver)
  const botsOf = (one: Receiver) => (one.bodies()[0]!.data.bots as Bot[]).map((bot) => bot.bot_id)
  assert.deepEqual(botsOf(receiver), [botId])
  assert.ok(!botsOf(ownReceiver).includes(botId))

  const [host, ...more] = await expect(200, guest.api('GET', hosts))
  assert.deepEqual([host.origin, more], [`http://${others.host}`, []])
  assert.deepEqual(await expect(200, third.api('GET', hosts)), [])
  for (const stranger of [owner, third]) {
    await expect(404, stranger.api('POST', `${hosts}/${host.id}/rotate`))
    await expect(404, stranger.api('DELETE', `${hosts}/${host.id}`))
    await expect(404, stranger.api('GET', `/api/v2/notification/endpoint/${host.id}`))
  }
  // A host is no endpoint of its user, who cannot send other notifications there.
  await expect(404, guest.api('POST', `/api/v2/notification/endpoint/${host.id}/test`))
  await expect(404, guest.api('PUT', `/api/v2/notification/endpoint/${host.id}`, { events: ['run.failed'] }))
  assert.deepEqual(await expect(200, guest.api('GET', '/api/v2/notification/endpoint')), [])
  await expect(200, guest.api('DELETE', `${hosts}/${host.id}`))
  assert.deepEqual(await expect(200, guest.api('GET', hosts)), [])
})

withCallbacks(
  'a callback is signed with the secret of its host, and holds up no signal',
  async ({ third }) => {
    const receiver = others.add()
    const webhook = await makeBotWebhook(third)
    const payload = { symbol: 'BTCUSDT', side: 'BUY', callback: receiver.url }
    await expect(202, webhook.post(payload))
    await got(receiver)
    const [host] = await expect(200, third.api('GET', hosts))
    const { secret, ...rest } = await expect(200, third.api('POST', `${hosts}/${host.id}/rotate`))
    assert.deepEqual(rest, host)
    await expect(202, webhook.post(payload))
    await got(receiver, 2)
    const { body, headers } = receiver.received[1]!
    assert.deepEqual(
      new Verifier(secret).verify(body, headers as Record<string, string>),
      receiver.bodies()[1],
    )
    // It never answers, and the next signal is accepted all the same.
    receiver.answers(() => undefined)
    await expect(202, webhook.post(payload))
    await got(receiver, 3)
    await expect(202, webhook.post({ ...payload, side: 'EXIT' }))
  },
)

withCallbacks('callbacks go to a limited number of hosts, and the error says so', async ({ guest }) => {
  const webhook = await makeBotWebhook(guest)
  const post = (host: string) =>
    webhook.post({ symbol: 'BTCUSDT', side: 'BUY', flag: 'TEST', callback: `http://${host}/` })
  await expect(202, post(unused[0]!))
  await expect(202, post(unused[1]!))
  await expect(202, post(unused[0]!))
  const { details } = await expect(400, post(receivers.host))
  assert.equal(details[0].field, 'body.callback')
  assert.match(details[0].message, /another host than the 2 .* use one of these, or delete one first/)
  const [first] = await expect(200, guest.api('GET', hosts))
  await expect(200, guest.api('DELETE', `${hosts}/${first.id}`))
  await expect(202, post(receivers.host))
})

test('a callback survives a process that is killed before its bots have followed the signal', async () => {
  await using database = await createEmbeddedDatabase()
  const [key] = await addUsers(database, ['killed@example.com'])
  const receiver = receivers.add()
  const env = { HTTP_ALLOW: receivers.host }
  let path: string
  {
    // Without a worker, nobody follows the signal.
    await using service = await startProcess({ database, env: { ...env, ROLES: 'api' } })
    const webhook = await makeBotWebhook(service.as(key!))
    path = webhook.path
    await webhook.addBot({ name: 'Late' })
    const sell = { symbol: 'BTCUSDT', side: 'SELL', callback: receiver.url }
    await expect(202, service.send('POST', path, { body: sell }))
    await service.killGroup()
  }
  assert.equal(receiver.received.length, 0)
  await using _service = await startService({ database, env })
  await got(receiver)
  const [{ bot_name, orders }] = receiver.bodies()[0]!.data.bots as [Bot]
  assert.deepEqual([bot_name, orders.length], ['Late', 1])
})
