import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { addUsers } from '../../test/accounts.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { type Received, type Receiver, startReceivers } from '../../test/receiver.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

const receivers = fileResources.use(await startReceivers())
const path = '/api/v2/notification/endpoint'
const allEvents = ['signal.created', 'order.settled', 'order.unknown', 'strategy.suspended', 'run.failed']

/** A service with accounts for single tests, created before it starts. */
async function start() {
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: 26 }, (_, n) => `user-${n}@example.com`)
  const keys = await addUsers(database, emails)
  const service = fileResources.use(
    await startService({ database, env: { HTTP_ALLOW: receivers.host, LOG_LEVEL: 'error' } }),
  )
  return { account: () => service.as(keys.pop()!) }
}

let started: ReturnType<typeof start> | undefined

function withService(name: string, fn: (account: Client, other: Client) => Promise<void>): void {
  test(name, async () => {
    started ??= start()
    const { account } = await started
    await fn(account(), account())
  })
}

async function makeEndpoint(account: Client, receiver: Receiver, events = allEvents) {
  const made = await expect(201, account.api('POST', path, { url: receiver.url, events }))
  return { id: made.id as number, own: `${path}/${made.id}`, secret: made.secret as string }
}

const got = (receiver: Receiver, count: number) =>
  until(`${count} notifications`, async () => receiver.received.length >= count)

const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

const listed = (account: Client, query = '') =>
  expect(200, account.api('GET', `/api/v2/notification${query}`))

withService(
  'signals, failed runs and suspensions are posted, signed and as the API shows them',
  async (account) => {
    const receiver = receivers.add()
    const { secret } = await makeEndpoint(account, receiver)
    const code = `
    const { what } = JSON.parse($.Request.data)
    if (what === 'fail') throw new RangeError('too far')
    await $.Strategy.action($.Action.EXIT)
    if (what === 'break') await $.Strategy.action($.Action.EXIT)`
    const reaction = await makeReaction(account, code, { name: 'Näme', use_price: false })
    await reaction.post({ what: 'fail' })
    await reaction.post({ what: 'break' })
    const [failed, broken] = await reaction.ended(2)
    await got(receiver, 3)

    const bodies = receiver.bodies()
    assert.deepEqual(
      bodies.map(({ type }) => type),
      ['run.failed', 'signal.created', 'strategy.suspended'],
    )
    for (const received of receiver.received) {
      assert.deepEqual(verify(secret, received), JSON.parse(received.body))
      assert.equal(received.headers['content-type'], 'application/json')
    }
    const [ofRun, ofSignal, ofSuspension] = bodies.map(({ data }) => data)
    const { log: _log, http: _http, violation: _violation, ...record } = failed
    assert.deepEqual(ofRun, { ...record, strategy_name: 'Näme' })
    const [signal] = await expect(200, account.api('GET', '/api/v2/signal'))
    const {
      sender: _sender,
      origin: _origin,
      delivery_id: _post,
      bots: _bots,
      bots_total: _total,
      ...told
    } = signal
    assert.deepEqual(ofSignal, { ...told, strategy_name: 'Näme' })
    const { suspended_until, suspension_reason } = await reaction.read()
    assert.deepEqual(ofSuspension, {
      ...{ strategy_id: reaction.id, strategy_name: 'Näme', run_id: broken.id, at: broken.finished_at },
      ...{ until: suspended_until, rule: 'actions_per_run', limit: 1, actual: 2 },
    })
    assert.equal(suspension_reason.run_id, broken.id)

    const notifications = await listed(account)
    assert.deepEqual(
      notifications.map((one: { webhook_id: string; payload: unknown }) => [one.webhook_id, one.payload]),
      receiver.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)]).toReversed(),
    )
    const [{ deliveries }] = notifications
    assert.deepEqual(
      [
        deliveries[0].status,
        deliveries[0].attempts,
        deliveries[0].last_status,
        deliveries[0].next_attempt_at,
      ],
      ['DELIVERED', 1, 204, null],
    )
  },
)

withService(
  'orders and signals from outside are posted to endpoints that subscribe to them',
  async (account) => {
    const [all, ordersOnly] = [receivers.add(), receivers.add()]
    await makeEndpoint(account, all)
    await makeEndpoint(account, ordersOnly, ['order.settled'])
    const webhook = await makeBotWebhook(account)
    await webhook.addBot({ name: 'follower' })
    await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY', size: 100 }))
    await got(all, 2)
    await got(ordersOnly, 1)
    const told = Object.fromEntries(all.bodies().map(({ type, data }) => [type, data]))
    const [order] = await expect(200, account.api('GET', '/api/v2/order'))
    const [signal] = await webhook.signals()
    const {
      sender: _sender,
      origin: _origin,
      delivery_id: _post,
      bots: _bots,
      bots_total: _total,
      ...shown
    } = signal
    const [{ realised }] = await expect(200, account.api('GET', '/api/v2/fill'))
    assert.deepEqual(told['order.settled'], { ...order, bot_name: 'follower', mode: 'paper', realised })
    assert.deepEqual(told['signal.created'], { ...shown, strategy_name: null })
    assert.deepEqual(
      ordersOnly.bodies().map(({ type }) => type),
      ['order.settled'],
    )
    const [orders, signals] = await Promise.all(
      ['order.settled', 'signal.created'].map((event) => listed(account, `?event=${event}&limit=5`)),
    )
    assert.deepEqual([orders.total, signals.total], [1, 1])
    assert.equal(orders.items[0].deliveries.length, 2)
  },
)

withService('the endpoints and notifications of another user are not found', async (account, other) => {
  const receiver = receivers.add()
  const { id, own } = await makeEndpoint(account, receiver)
  const stranger = receivers.add()
  const theirs = await makeEndpoint(other, stranger)
  const sent = await expect(201, account.api('POST', `${own}/test`))
  const routes = (endpoint: number, notification: number): [string, string, unknown?][] => [
    ['GET', `${path}/${endpoint}`],
    ['PUT', `${path}/${endpoint}`, { url: 'http://10.0.0.1/' }],
    ['PUT', `${path}/${endpoint}/status`, { status: 'INACTIVE' }],
    ['POST', `${path}/${endpoint}/rotate`],
    ['POST', `${path}/${endpoint}/test`],
    ['POST', `${path}/${endpoint}/recover`, { since: '2020-01-01T00:00:00Z' }],
    ['DELETE', `${path}/${endpoint}`],
    ['GET', `/api/v2/notification/${notification}`],
    ['POST', `/api/v2/notification/${notification}/replay`],
    ['POST', `/api/v2/notification/${notification}/replay?endpoint_id=${theirs.id}`],
  ]
  const foreign = routes(id, sent.id)
  const absent = routes(999_999, 999_999)
  for (const [index, [method, target, body]] of foreign.entries()) {
    const answer = await other.api(method, target, body)
    const nothing = await other.api(...absent[index]!)
    const where = `${method} ${target}`
    assert.equal(answer.status, 404, where)
    assert.equal(answer.body.error.replaceAll(/\d+/g, 'N'), nothing.body.error.replaceAll(/\d+/g, 'N'), where)
  }
  // A user's own notification cannot go to another user's endpoint either.
  const mine = await expect(201, other.api('POST', `${theirs.own}/test`))
  await expect(404, other.api('POST', `/api/v2/notification/${mine.id}/replay?endpoint_id=${id}`))
  assert.deepEqual(
    (await listed(other)).map((one: { id: number }) => one.id),
    [mine.id],
  )
  assert.deepEqual(
    (await expect(200, other.api('GET', path))).map((one: { id: number }) => one.id),
    [theirs.id],
  )
  await got(receiver, 1)
  await got(stranger, 1)
  const reaction = await makeReaction(account, 'await $.Strategy.action($.Action.LONG)')
  await reaction.post({})
  await got(receiver, 2)
  assert.equal(stranger.received.length, 1)
  assert.equal((await expect(200, account.api('GET', own))).status, 'ACTIVE')
})

withService('an endpoint can receive every event', async (account) => {
  const all = ['signal.created', 'signal.failed', 'order.settled', 'order.unknown']
  all.push('position.opened', 'position.closed', 'bot.failed', 'trading.switched')
  all.push('close.refused', 'stop.refused', 'stop.too_late', 'strategy.suspended', 'run.failed')
  const made = await expect(201, account.api('POST', path, { url: 'https://example.com/all', events: all }))
  assert.deepEqual(made.events, all)
})

withService('a private or invalid address is refused at once', async (account) => {
  const refused = [
    ...['http://127.0.0.1:9/', 'http://localhost/', 'http://[::1]/', 'http://10.0.0.1/', 'http://0/'],
    ...['http://169.254.169.254/latest', 'http://2130706433/', 'http://0x7f.1/', 'http://[::ffff:10.0.0.1]/'],
    ...['http://metadata.internal/', 'http://printer.local/', 'https://user:secret@example.com/'],
    ...['http://example.com:25/', 'http://example.com:6379/', 'ftp://example.com/', 'file:///etc/passwd'],
    ...['example.com', '', 'http://', 'javascript:alert(1)', `https://example.com/${'a'.repeat(2048)}`],
  ]
  for (const url of refused) {
    const { status, body } = await account.api('POST', path, { url, events: ['run.failed'] })
    assert.equal(status, 400, url)
    assert.doesNotMatch(JSON.stringify(body), /secret@/)
  }
  const inside = { url: 'http://10.0.0.1/', events: ['run.failed'] }
  assert.match((await expect(400, account.api('POST', path, inside))).error, /HTTP_ALLOW lists such hosts/)
  const wrong = [{ events: [] }, { events: ['test'] }, { events: ['run.failed', 'run.failed'] }, {}]
  for (const fields of wrong) {
    await expect(400, account.api('POST', path, { url: 'https://example.com/', ...fields }))
  }
  const receiver = receivers.add()
  const { own } = await makeEndpoint(account, receiver)
  await expect(400, account.api('PUT', own, { url: 'http://127.0.0.1:9/' }))
  assert.equal((await expect(200, account.api('GET', own))).url, receiver.url)
})

withService('an account has at most ten endpoints, however many it creates at once', async (account) => {
  const settings = { url: 'https://example.com/', events: ['run.failed'] }
  const answers = await Promise.all(Array.from({ length: 14 }, () => account.api('POST', path, settings)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
    ...Array(10).fill(201),
    ...Array(4).fill(409),
  ])
})

withService('a new secret signs at once, and the old one too for a day', async (account) => {
  const receiver = receivers.add()
  const { own, secret } = await makeEndpoint(account, receiver)
  const rotated = await expect(200, account.api('POST', `${own}/rotate`))
  assert.match(rotated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(rotated.secret, secret)
  await expect(201, account.api('POST', `${own}/test`))
  await got(receiver, 1)
  const [received] = receiver.received
  assert.ok(verify(secret, received!))
  assert.ok(verify(rotated.secret, received!))
  const forged = { ...received!, body: received!.body.replace('test', 'tess') }
  assert.throws(() => verify(rotated.secret, forged))
  for (const shown of [await account.api('GET', own), await account.api('GET', path)]) {
    assert.ok(!JSON.stringify(shown.body).includes('whsec_'))
  }
})

withService(
  'notifications from the time an endpoint was inactive can be recovered, once',
  async (account) => {
    const receiver = receivers.add()
    const { id, own } = await makeEndpoint(account, receiver)
    const setStatus = (status: string) => expect(200, account.api('PUT', `${own}/status`, { status }))
    await setStatus('INACTIVE')
    const reaction = await makeReaction(account, 'throw new Error()')
    const since = new Date(Date.now() - 60_000).toISOString()
    await reaction.post({})
    await reaction.ended(1)
    await expect(409, account.api('POST', `${own}/test`, {}))
    await expect(409, account.api('POST', `${own}/recover`, { since }))
    const [kept] = await listed(account)
    assert.deepEqual(kept.deliveries, [])
    await setStatus('ACTIVE')
    const recover = () => expect(200, account.api('POST', `${own}/recover`, { since }))
    const recovered = await Promise.all([recover(), recover()])
    assert.deepEqual(recovered.map(({ queued }) => queued).toSorted(), [0, 1])
    await got(receiver, 1)
    assert.deepEqual(await recover(), { queued: 0, more: false })

    // A replay has the same id.
    await expect(200, account.api('POST', `/api/v2/notification/${kept.id}/replay?endpoint_id=${id}`))
    await got(receiver, 2)
    const [first, second] = receiver.received
    assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
    assert.equal(first!.body, second!.body)
    await expect(200, account.api('DELETE', own))
    await expect(409, account.api('POST', `/api/v2/notification/${kept.id}/replay`))
    assert.equal(receiver.received.length, 2)
  },
)

withService('after a change of its address, an endpoint receives only at the new one', async (account) => {
  const [before, after] = [receivers.add(), receivers.add()]
  const { own } = await makeEndpoint(account, before)
  await expect(200, account.api('PUT', own, { url: after.url, description: 'moved' }))
  await expect(201, account.api('POST', `${own}/test`))
  await got(after, 1)
  assert.equal(before.received.length, 0)
  const { description, events } = await expect(200, account.api('GET', own))
  assert.deepEqual([description, events], ['moved', allEvents])
})

withService('a chat endpoint shows where it sends to, and never a secret', async (account) => {
  const token = `123456789:${'T'.repeat(35)}`
  const events = ['run.failed']
  const fields = { kind: 'telegram', token, chat_id: '-1001', thread_id: '7', events }
  const made = await expect(201, account.api('POST', path, fields))
  assert.deepEqual(
    [made.kind, made.receiver, made.url, made.chat_id, made.thread_id, made.secret],
    ['telegram', 'Telegram chat -1001', null, '-1001', '7', null],
  )
  const own = `${path}/${made.id}`
  const changed = await expect(200, account.api('PUT', own, { chat_id: '42', thread_id: null }))
  assert.deepEqual([changed.chat_id, changed.thread_id, changed.receiver], ['42', null, 'Telegram chat 42'])
  const [noted] = await expect(200, account.api('GET', '/api/v2/user/audit'))
  assert.deepEqual([noted.event, noted.details.endpoint_id], ['endpoint_changed', made.id])
  // The token is still there: without one, the change would be refused.
  await expect(400, account.api('PUT', own, { token: null }))
  await expect(400, account.api('PUT', own, { url: 'https://example.com/' }))
  await expect(409, account.api('POST', `${own}/rotate`))
  for (const shown of [await account.api('GET', own), await account.api('GET', path), { body: made }]) {
    assert.ok(!JSON.stringify(shown.body).includes('TTTT'))
  }
})

withService('a test message arrives in a chat at an address of its own', async (account) => {
  const receiver = receivers.add((_received, response) => void response.end('ok'))
  const fields = { kind: 'slack', url: receiver.url, events: ['run.failed'] }
  const { id, receiver: shown } = await expect(201, account.api('POST', path, fields))
  assert.equal(shown, `Slack webhook at ${receivers.host}`)
  await expect(201, account.api('POST', `${path}/${id}/test`))
  await got(receiver, 1)
  assert.match(JSON.parse(receiver.received[0]!.body).text, /^Test message/)
})

withService(
  'a chat endpoint with wrong fields is refused, and the error names the field',
  async (account) => {
    const events = ['run.failed']
    const refused: [Record<string, unknown>, RegExp][] = [
      [{ kind: 'telegram', chat_id: '1' }, /body\.token is required for the kind telegram/],
      [{ kind: 'telegram', token: 'x', chat_id: '1' }, /body\.token must be the token of a bot/],
      [{ kind: 'discord', url: 'https://example.com/' }, /body\.url must be the address of a webhook/],
      [{ kind: 'slack', url: 'http://hooks.slack.com/services/T/B/x' }, /body\.url cannot be used.*https/],
      [{ kind: 'ntfy', url: 'https://10.0.0.1/topic' }, /body\.url cannot be used.*HTTP_ALLOW/],
      [{ kind: 'pushover', url: 'https://example.com/' }, /body\.url is not a field|is required/],
      [{ kind: 'email' }, /body\.kind cannot be email: the service has no mail server/],
      [{ kind: 'webhook' }, /body\.url is required for the kind webhook/],
      [{ kind: 'pigeon' }, /body\.kind/],
    ]
    for (const [fields, message] of refused) {
      assert.match((await expect(400, account.api('POST', path, { ...fields, events }))).error, message)
    }
  },
)

withService('each event of a chat is loud, silent or off, with quiet hours', async (account) => {
  const quiet_hours = { from: '22:00', to: '07:30', time_zone: 'Europe/Berlin' }
  const url = 'https://ntfy.sh/my-secret-topic'
  const fields = { kind: 'ntfy', url, events: ['run.failed', 'order.settled'], silent: ['run.failed'] }
  const made = await expect(201, account.api('POST', path, { ...fields, quiet_hours }))
  assert.deepEqual([made.silent, made.quiet_hours], [['run.failed'], quiet_hours])
  const own = `${path}/${made.id}`
  const changed = await expect(200, account.api('PUT', own, { silent: [], quiet_hours: null }))
  assert.deepEqual([changed.silent, changed.quiet_hours, changed.events], [[], null, fields.events])
  const wrong: [object, RegExp][] = [
    [{ quiet_hours: { ...quiet_hours, time_zone: 'Berlin' } }, /quiet_hours\.time_zone must be/],
    [{ quiet_hours: { ...quiet_hours, to: '22:00' } }, /quiet_hours must end/],
    [{ quiet_hours: { ...quiet_hours, from: '24:00' } }, /quiet_hours/],
    [{ silent: ['test'] }, /silent/],
  ]
  for (const [change, message] of wrong) {
    assert.match((await expect(400, account.api('PUT', own, change))).error, message)
  }
  const hook = { url: 'https://example.com/', events: ['run.failed'] }
  const refused = await expect(400, account.api('POST', path, { ...hook, quiet_hours }))
  assert.match(refused.error, /body\.quiet_hours cannot be used with the kind webhook/)
})
