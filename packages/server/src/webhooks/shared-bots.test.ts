import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { revoke, share, type TestUser, withGroup } from '../../test/group.ts'
import { keyOf, openLive } from '../../test/live.ts'
import { expect, strategyAt } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'

const path = '/api/v2/webhook/bot'
const bots = '/api/v2/bot/signal/cex'
const buy = { symbol: 'BTCUSDT', side: 'BUY' }

/** An active paper bot of a user that follows a webhook. */
async function follow(client: Client, webhookId: number) {
  const { id } = await expect(201, client.api('POST', bots, { webhook_id: webhookId, exchange_id: 3 }))
  await expect(200, client.api('PUT', `${bots}/${id}/status`, { status: 'ACTIVE' }))
  const own = `${bots}/${id}`
  return { id, own, signals: () => expect(200, client.api('GET', `${own}/signals`)) }
}

/** A reaction of a user that sends a LONG for each payload of its own data webhook. */
async function signalling(user: TestUser, webhookId: number) {
  const trigger = await makeWebhook(user)
  const settings = {
    data_webhook_id: trigger.id,
    webhook_id: webhookId,
    send_signal: true,
    symbol: 'BTCUSDT',
    code: 'await $.Strategy.action($.Action.LONG)',
  }
  const { id } = await expect(201, user.api('POST', '/api/v2/strategy/reaction/code', settings))
  const strategy = strategyAt(user, '/api/v2/strategy/reaction/code', id)
  await strategy.setStatus('ACTIVE')
  return { strategy, act: () => trigger.post({}) }
}

const idOf = ({ signal_id }: { signal_id: number }) => signal_id

withGroup('a signal goes to the bots of every user of the webhook, no matter who sent it', async (group) => {
  const { owner, guest, third } = group
  const webhook = await makeBotWebhook(owner)
  const ofGuest = await share(path, webhook.id, { from: owner, to: guest })
  await expect(400, third.api('POST', bots, { webhook_id: webhook.id, exchange_id: 3 }))
  const [mine, theirs] = [await follow(owner, webhook.id), await follow(guest, webhook.id)]
  const key = { 'idempotency-key': 'the same' }
  const [byOwner, byGuest] = [await webhook.post(buy, key), await ofGuest.post(buy, key)]
  for (const { status, body } of [byOwner, byGuest]) assert.deepEqual([status, body.bots], [202, 2])
  const repeat = await expect(200, ofGuest.post(buy, key))
  assert.deepEqual(repeat, { ...byGuest.body, duplicate: true })

  const ids = [byGuest.body.id, byOwner.body.id]
  for (const bot of [mine, theirs]) assert.deepEqual((await bot.signals()).map(idOf), ids)
  const senders = (signals: ApiAnswer['body'][]) => signals.map(({ id, sender }) => [id, sender])
  assert.deepEqual(senders(await webhook.signals()), [
    [byGuest.body.id, { user_id: guest.id, email: guest.email }],
    [byOwner.body.id, 'owner'],
  ])
  // A recipient sees nothing of the owner's, except the signals that their own bots received.
  for (const query of ['', `?webhook_id=${webhook.id}`]) {
    const seen = await expect(200, guest.api('GET', `/api/v2/signal${query}`))
    assert.ok(!seen.some(({ id }: { id: number }) => ids.includes(id)))
  }
  // Each sees only their own bots.
  const test = { ...buy, flag: 'TEST', debug: true }
  assert.deepEqual((await expect(202, webhook.post(test))).debug.bots, [mine.id])
  assert.deepEqual((await expect(202, ofGuest.post(test))).debug.bots, [theirs.id])
  const listed = await expect(200, owner.api('GET', `${path}/${webhook.id}/bots`))
  assert.deepEqual(
    listed.map(({ id }: { id: number }) => id),
    [mine.id],
  )
  const page = await expect(200, owner.api('GET', `${path}/${webhook.id}/bots?limit=5`))
  assert.equal(page.total, 1)
})

withGroup(
  'a strategy of a recipient can send signals to a shared webhook',
  async ({ owner, guest, third }) => {
    const webhook = await makeBotWebhook(owner)
    await share(path, webhook.id, { from: owner, to: guest })
    const mine = await follow(owner, webhook.id)
    await expect(400, third.api('POST', '/api/v2/strategy/code', { webhook_id: webhook.id }))
    const { strategy, act } = await signalling(guest, webhook.id)
    await act()
    const [run] = await strategy.ended(1)
    const [signal] = await expect(200, guest.api('GET', `/api/v2/signal?run_id=${run.id}`))
    assert.deepEqual(
      [signal.strategy_id, signal.webhook_id, signal.delivery_id, signal.delivered, signal.sender],
      [strategy.id, webhook.id, null, true, 'owner'],
    )
    assert.deepEqual((await mine.signals()).map(idOf), [signal.id])
    // The owner sees the signal and its sender, but neither strategy nor run. Each sees only own bots.
    const withoutBots = ({ bots: _, bots_total: __, ...rest }: Record<string, unknown>) => rest
    const [seen] = await webhook.signals()
    const sender = { user_id: guest.id, email: guest.email }
    assert.deepEqual(withoutBots(seen!), {
      ...withoutBots(signal),
      ...{ strategy_id: null, run_id: null, sender },
    })
    assert.deepEqual([signal.bots, signal.bots_total], [[], 0])
    const one = await expect(200, owner.api('GET', `/api/v2/signal?webhook_id=${webhook.id}&limit=1`))
    assert.deepEqual([one.items.map(withoutBots), one.total], [[withoutBots(seen!)], 1])
    const narrowed = `/api/v2/signal?webhook_id=${webhook.id}&strategy_id=${strategy.id}`
    assert.deepEqual(await expect(200, owner.api('GET', narrowed)), [])
    assert.deepEqual(await expect(200, third.api('GET', `/api/v2/signal?webhook_id=${webhook.id}`)), [])

    const refused = await expect(409, owner.api('DELETE', webhook.own))
    assert.deepEqual(refused.details[1], {
      message: `a code reaction of user ${guest.id}`,
      user_id: guest.id,
    })
    await revoke(path, webhook.id, { from: owner, to: guest })
    await act()
    const [, second] = await strategy.ended(2)
    const [afterwards] = await expect(200, guest.api('GET', `/api/v2/signal?run_id=${second.id}`))
    assert.deepEqual([afterwards.webhook_id, afterwards.delivered], [null, false])
    assert.equal((await mine.signals()).length, 1)
  },
)

withGroup('revoking a share detaches bots and leaves their positions', async ({ owner, guest }) => {
  const webhook = await makeBotWebhook(owner)
  const shared = await share(path, webhook.id, { from: owner, to: guest })
  const [mine, theirs] = [await follow(owner, webhook.id), await follow(guest, webhook.id)]
  await expect(202, shared.post(buy))
  await revoke(path, webhook.id, { from: owner, to: guest })
  await expect(404, shared.post(buy))
  assert.equal((await expect(202, webhook.post({ ...buy, side: 'EXIT' }))).bots, 1)
  const left = await expect(200, guest.api('GET', theirs.own))
  assert.deepEqual([left.webhook_id, left.status], [null, 'ACTIVE'])
  assert.equal((await theirs.signals()).length, 1)
  assert.equal((await mine.signals()).length, 2)
  await expect(400, guest.api('PUT', theirs.own, { webhook_id: webhook.id }))
})

withGroup('a revocation shows on the stream of the user who loses the webhook', async (group) => {
  const { service, owner, guest } = group
  const webhook = await makeBotWebhook(owner)
  const payloads = await makeWebhook(owner)
  await share(path, webhook.id, { from: owner, to: guest })
  await share('/api/v2/webhook/data', payloads.id, { from: owner, to: guest })
  const bot = await follow(guest, webhook.id)
  const settings = { data_webhook_id: payloads.id }
  const { id } = await expect(201, guest.api('POST', '/api/v2/strategy/reaction/code', settings))
  const { strategy } = await signalling(guest, webhook.id)
  await using stream = await openLive(service.url, '?kind=status', { key: await keyOf(guest) })
  const told = async () => {
    const { data } = await stream.next()
    return `${data.type} ${data.id}`
  }
  await revoke(path, webhook.id, { from: owner, to: guest })
  const both = [await told(), await told()].sort()
  assert.deepEqual(both, [`code-reaction ${strategy.id}`, `signal-bot ${bot.id}`])
  await revoke('/api/v2/webhook/data', payloads.id, { from: owner, to: guest })
  assert.equal(await told(), `code-reaction ${id}`)
})

withGroup(
  'a webhook that a recipient uses is not deleted, and the answer names only the user of the bot',
  async (group) => {
    const { owner, guest } = group
    const webhook = await makeBotWebhook(owner)
    await share(path, webhook.id, { from: owner, to: guest })
    await follow(guest, webhook.id)
    const refused = await expect(409, owner.api('DELETE', webhook.own))
    assert.deepEqual(refused.details, [{ message: `a signal bot of user ${guest.id}`, user_id: guest.id }])
    await revoke(path, webhook.id, { from: owner, to: guest })
    await expect(200, owner.api('DELETE', webhook.own))
  },
)
