/** What a bot needs to be activated, and when it can be deleted. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import {
  addBotSignal,
  addConnection,
  addFill,
  addOrder,
  addPosition,
  botsPath,
  makeBot,
  simulated,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { botSignals, bots, equity, exchangeConnections, fills, orders, positions } from '../db/schema.ts'

withBotService(
  'a paper bot can be activated without a connection, also on an exchange',
  async (account, service) => {
    for (const exchange_id of [simulated(service), 2]) {
      const { own } = await makeBot(service, account, { exchange_id })
      assert.deepEqual(await expect(200, account.api('PUT', `${own}/status`, { status: 'ACTIVE' })), {
        message: 'Success',
      })
      assert.equal((await expect(200, account.api('GET', own))).status, 'ACTIVE')
    }
  },
)

withBotService('an active live bot needs live trading and an active connection', async (account, service) => {
  const bot = await makeBot(service, account, { exchange_id: 2, mode: 'live' })
  const activate = () => account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' })
  service.isLive = false
  const forbidden = await expect(403, activate())
  assert.equal(forbidden.code, 'access_denied')
  assert.match(forbidden.error, /Live trading is switched off/)
  service.isLive = true
  const lacking = await expect(409, activate())
  assert.equal(lacking.details[0].field, 'body.connection_id')

  const connection_id = await addConnection(service, account, { status: 'INACTIVE' })
  await expect(200, account.api('PUT', bot.own, { connection_id }))
  assert.match(
    (await expect(409, activate())).error,
    new RegExp(`connection ${connection_id} is switched off`),
  )
  await service.database.db
    .update(exchangeConnections)
    .set({ status: 'ACTIVE' })
    .where(eq(exchangeConnections.id, connection_id))
  await expect(200, activate())

  // An active bot must stay valid for activation. Its other settings can change while live trading is off.
  service.isLive = false
  await expect(200, account.api('PUT', bot.own, { name: 'renamed', amount: 5 }))
  service.isLive = true
  await expect(409, account.api('PUT', bot.own, { connection_id: null }))
  const paper = await makeBot(service, account, { exchange_id: 2 })
  await expect(200, account.api('PUT', `${paper.own}/status`, { status: 'ACTIVE' }))
  await expect(409, account.api('PUT', paper.own, { mode: 'live' }))
  await expect(200, account.api('PUT', paper.own, { mode: 'live', connection_id }))
  service.isLive = false
})

withBotService('a connection for another exchange is refused', async (account, service) => {
  const connection_id = await addConnection(service, account, { exchangeId: 2 })
  const settings = { exchange_id: 3, connection_id }
  const { details } = await expect(400, account.api('POST', botsPath, settings))
  assert.equal(details[0].field, 'body.connection_id')
  const bot = await makeBot(service, account, { exchange_id: 2, connection_id })
  await expect(400, account.api('PUT', bot.own, { exchange_id: 3 }))
  await expect(200, account.api('PUT', bot.own, { exchange_id: 3, connection_id: null }))
})

withBotService(
  'a bot of an exchange that is no longer enabled cannot be activated',
  async (account, service) => {
    const bot = await makeBot(service, account, { exchange_id: 4 })
    await service.catalogue.setEnabled(4, false)
    const refused = await expect(409, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
    assert.match(refused.error, /has not enabled/)
    await expect(200, account.api('PUT', bot.own, { exchange_id: 4, name: 'as it was' }))
    await expect(400, account.api('POST', botsPath, { exchange_id: 4 }))
    await service.catalogue.setEnabled(4, true)
  },
)

withBotService('deactivating a bot says what it still holds', async (account, service) => {
  const bot = await makeBot(service, account)
  const off = () => expect(200, account.api('PUT', `${bot.own}/status`, { status: 'INACTIVE' }))
  assert.deepEqual(await off(), {
    message: 'Success',
    note: 'Switching a bot off does not close its positions.',
  })
  await addPosition(service, bot.owner, { size: '0.500' })
  await addPosition(service, bot.owner, { symbol: 'ETH/USDT', side: null, size: '0' })
  const { id } = await addOrder(service, bot.owner, { status: 'UNKNOWN' })
  const note = `Switching a bot off does not close its positions. It still holds long 0.5 BTC/USDT. These orders are not settled yet: ${id}.`
  assert.equal((await off()).note, note)
})

withBotService(
  'a bot can be deleted with abandoned positions, but not with orders or signals in progress',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await addPosition(service, bot.owner)
    const order = await addOrder(service, bot.owner, { status: 'UNKNOWN' })
    const abandon = () => account.api('DELETE', `${bot.own}?abandon_positions=true`)
    const { details } = await expect(409, abandon())
    assert.deepEqual(
      details.map(({ id }: { id: number }) => id),
      [order.id],
    )
    await service.database.db.update(orders).set({ status: 'REJECTED' }).where(eq(orders.id, order.id))
    await expect(409, account.api('DELETE', `${bot.own}?abandon_positions=false`))
    await expect(200, abandon())
    assert.equal(await service.database.db.$count(positions, eq(positions.botId, bot.id)), 0)
  },
)

for (const [what, hold, told] of [
  ['an open position', addPosition, /it holds long 0\.5 BTC\/USDT/],
  ['an order not sent yet', status('PLANNED'), /order \d+ of BTC\/USDT is not settled \(PLANNED\)/],
  ['an open order', status('OPEN'), /is not settled \(OPEN\)/],
  ['an order of unknown outcome', status('UNKNOWN'), /is not settled \(UNKNOWN\)/],
  ['a signal in progress', working, /it is still following signal \d+ for BTC\/USDT/],
] as const) {
  withBotService(`a bot with ${what} is not deleted, and stays where it is`, async (account, service) => {
    const bot = await makeBot(service, account, { exchange_id: 2, mode: 'live' })
    await hold(service, bot.owner)
    const waiting = await addBotSignal(service, bot.owner)
    const refused = await expect(409, account.api('DELETE', bot.own))
    assert.equal(refused.code, 'resource_in_use')
    assert.match(refused.error, told)
    assert.match(refused.details[0].message, told)
    const moves = [
      { mode: 'paper' },
      { exchange_id: 3 },
      { connection_id: await addConnection(service, account) },
    ]
    for (const settings of moves) {
      const kept = await expect(409, account.api('PUT', bot.own, settings))
      assert.equal(kept.code, 'resource_conflict')
      assert.match(kept.error, told)
    }
    // Repeating the same place is no change, and other settings may change.
    const { mode, exchange_id, connection_id } = bot
    await expect(200, account.api('PUT', bot.own, { mode, exchange_id, connection_id, amount: '5' }))
    assert.equal((await signalOf(service, waiting.id)).status, 'QUEUED')
  })
}

function status(status: 'PLANNED' | 'OPEN' | 'UNKNOWN') {
  return (...[service, owner]: Parameters<typeof addOrder>) => addOrder(service, owner, { status })
}

function working(...[service, owner]: Parameters<typeof addBotSignal>) {
  return addBotSignal(service, owner, { status: 'WORKING' })
}

async function signalOf({ database }: Parameters<typeof addBotSignal>[0], id: number) {
  const [row] = await database.db.select().from(botSignals).where(eq(botSignals.id, id))
  return row!
}

withBotService(
  'a deleted bot leaves its orders and fills, and its waiting signals end as IGNORED',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const { db } = service.database
    await addPosition(service, bot.owner, { side: null, size: '0', entryPrice: null })
    const order = await addOrder(service, bot.owner)
    const fill = await addFill(service, bot.owner, { orderId: order.id })
    await db.insert(equity).values({ botId: bot.id, at: new Date(), balance: '1', unrealised: '0' })
    const waiting = await addBotSignal(service, bot.owner)
    const done = await addBotSignal(service, bot.owner, { status: 'DONE' })
    await expect(200, account.api('DELETE', bot.own))
    await expect(404, account.api('GET', bot.own))
    await expect(404, account.api('DELETE', bot.own))
    assert.equal(await db.$count(orders, eq(orders.botId, bot.id)), 1)
    assert.equal(await db.$count(fills, eq(fills.botId, bot.id)), 1)
    assert.equal(await db.$count(positions, eq(positions.botId, bot.id)), 0)
    assert.equal(await db.$count(equity, eq(equity.botId, bot.id)), 0)
    const ids = async (path: string) =>
      (await expect(200, account.api('GET', `${path}?bot_id=${bot.id}`))).map(({ id }: { id: number }) => id)
    assert.deepEqual([await ids('/order'), await ids('/fill')], [[order.id], [fill.id]])
    const ignored = await signalOf(service, waiting.id)
    assert.deepEqual(
      [ignored.status, ignored.reason],
      ['IGNORED', 'The bot was deleted before it followed the signal.'],
    )
    assert.ok(ignored.finishedAt)
    assert.equal((await signalOf(service, done.id)).status, 'DONE')
  },
)

withBotService(
  'after a bot has traded, its mode and its start balance are fixed',
  async (account, service) => {
    const connection_id = await addConnection(service, account)
    const bot = await makeBot(service, account, { exchange_id: 2, connection_id, start_balance: 500 })
    await expect(200, account.api('PUT', bot.own, { mode: 'live' }))
    await expect(200, account.api('PUT', bot.own, { mode: 'paper', start_balance: '600' }))
    await addFill(service, bot.owner)
    const refused = await expect(409, account.api('PUT', bot.own, { mode: 'live', start_balance: '700' }))
    assert.match(refused.error, /mode and start_balance .* duplicate/)
    await expect(200, account.api('PUT', bot.own, { mode: 'paper', start_balance: '600.0', amount: '5' }))
    const copy = await expect(201, account.api('POST', `${botsPath}/duplicate`, { id: bot.id }))
    const live = { mode: 'live', start_balance: '700' }
    const changed = await expect(200, account.api('PUT', `${botsPath}/${copy.id}`, live))
    assert.deepEqual([changed.mode, changed.start_balance, changed.balance], ['live', '700', '700'])
  },
)

withBotService(
  'an order that is planned while its bot is being deleted keeps the bot, or is not planned',
  async (account, service) => {
    for (let round = 0; round < 5; round++) {
      const bot = await makeBot(service, account)
      const { db } = service.database
      // Like the code that plans orders, this locks the bot until the order is stored.
      const plan = db.transaction(async (tx) => {
        const held = await tx.select().from(bots).where(eq(bots.id, bot.id)).for('share')
        if (held.length === 0) return false
        await addOrder({ ...service, database: { ...service.database, db: tx } }, bot.owner, {
          status: 'PLANNED',
        })
        return true
      })
      const [isPlanned, deleted] = await Promise.all([plan, account.api('DELETE', bot.own)])
      assert.equal(deleted.status, isPlanned ? 409 : 200)
      await until('both to agree', async () => {
        const { status } = await account.api('GET', bot.own)
        return status === (isPlanned ? 200 : 404)
      })
    }
  },
)
