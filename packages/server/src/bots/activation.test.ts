/** What the exchange must say about an account before a live bot can trade with it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import {
  type Account,
  addConnection,
  addFill,
  addOrder,
  addPosition,
  type BotService,
  botsPath,
  makeBot,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { exchangeConnections, payments } from '../db/schema.ts'
import { unknownFacts } from '../trading/live/account-reader.ts'
import { tradedExchanges } from '../trading/live/dialects/index.ts'

const allowed = { ok: true as const, facts: unknownFacts, equity: null }

/** A live bot that is off, with a connection to an account of its own. */
async function makeLive(service: BotService, account: Account, exchange_id = 2) {
  service.isLive = true
  service.answer = () => allowed
  const connection_id = await addConnection(service, account, { exchangeId: exchange_id })
  const bot = await makeBot(service, account, { exchange_id, mode: 'live', connection_id })
  const on = () => account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' })
  const status = async () => (await expect(200, account.api('GET', bot.own))).status
  return { ...bot, on, status }
}

async function connectionOf({ database }: BotService, id: number) {
  const found = await database.db.select().from(exchangeConnections).where(eq(exchangeConnections.id, id))
  return found[0]!
}

withBotService(
  'a live bot is not switched on while the exchange names an obstacle, and the answer says what to change',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const obstacles = [
      'The account is in hedge mode: set it to one-way mode.',
      'Portfolio margin is not supported.',
    ]
    const facts = { ...unknownFacts, accountId: 'user 4711', mayTrade: false, obstacles }
    service.answer = () => ({ ...allowed, facts, equity: { currency: 'USDT', amount: '-12.5' } })
    const refused = await expect(409, bot.on())
    assert.equal(refused.code, 'resource_conflict')
    const messages = refused.details.map(({ message }: { message: string }) => message)
    assert.deepEqual(messages.slice(0, 2), obstacles)
    assert.match(messages[2], /^The key may not trade\./)
    for (const message of messages) assert.ok(refused.error.includes(message))
    assert.equal(await bot.status(), 'INACTIVE')
    const stored = await connectionOf(service, bot.connection_id)
    assert.deepEqual(stored.facts, facts)
    assert.deepEqual([Number(stored.equity), stored.equityCurrency], [-12.5, 'USDT'])
    assert.ok(stored.factsAt !== null && stored.equityAt !== null && stored.account !== null)

    // The owner changes the account at the exchange.
    service.answer = () => allowed
    await expect(200, bot.on())
    assert.deepEqual((await connectionOf(service, bot.connection_id)).facts, unknownFacts)
    assert.equal((await connectionOf(service, bot.connection_id)).account, stored.account)
  },
)

withBotService(
  'a live bot without a start balance gets the equity of its account when it is switched on, once',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const startOf = async () => (await expect(200, account.api('GET', bot.own))).start_balance
    assert.equal(await startOf(), null)
    for (const equity of [{ currency: 'BTC', amount: '2' }, { currency: 'USDT', amount: '-1' }, null]) {
      service.answer = () => ({ ...allowed, equity })
      await expect(200, bot.on())
      assert.equal(await startOf(), null)
    }
    for (const amount of ['4321.50', '9000']) {
      service.answer = () => ({ ...allowed, equity: { currency: 'USDT', amount } })
      await expect(200, bot.on())
      assert.equal(await startOf(), '4321.5')
    }
  },
)

withBotService(
  'while the exchange is unreachable, a live bot stays as it is, and a paper bot needs no exchange',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const reason = 'The exchange cannot be reached: it did not answer in time.'
    for (const answer of [
      { ok: false as const, reason, unreachable: true },
      { ...allowed, unread: { reason, isTemporary: true } },
    ]) {
      service.answer = () => answer
      const { status, body, headers } = await bot.on()
      assert.equal(status, 503, JSON.stringify(body))
      assert.equal(body.code, 'service_unavailable')
      assert.match(body.error, /^Binance could not be reached, and the bot stays as it is: /)
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.equal(await bot.status(), 'INACTIVE')
    }
    const paper = await makeBot(service, account, { exchange_id: 2 })
    await expect(200, account.api('PUT', `${paper.own}/status`, { status: 'ACTIVE' }))
    const { connection_id } = bot
    assert.equal((await account.api('PUT', paper.own, { mode: 'live', connection_id })).status, 503)
    assert.equal((await expect(200, account.api('GET', paper.own))).mode, 'paper')
    service.answer = () => ({ ok: false, reason: 'The exchange does not accept these credentials.' })
    assert.match((await expect(409, bot.on())).error, /does not accept these credentials/)
    assert.equal(await bot.status(), 'INACTIVE')
    // It refuses the question for good, which says nothing about orders.
    service.answer = () => ({
      ...allowed,
      unread: { reason: 'The key lacks a permission.', isTemporary: false },
    })
    await expect(200, bot.on())
    assert.equal((await connectionOf(service, bot.connection_id)).facts, null)
  },
)

withBotService(
  'an active bot that becomes live or moves needs an account that can trade',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const { connection_id } = bot
    const paper = await makeBot(service, account, { exchange_id: 2 })
    await expect(200, account.api('PUT', `${paper.own}/status`, { status: 'ACTIVE' }))
    await expect(200, bot.on())
    const other = await addConnection(service, account)
    service.answer = () => ({
      ...allowed,
      facts: { ...unknownFacts, obstacles: ['Set the account to one-way mode.'] },
    })
    for (const [own, change] of [
      [paper.own, { mode: 'live', connection_id }],
      [bot.own, { connection_id: other }],
    ] as const) {
      assert.match((await expect(409, account.api('PUT', own, change))).error, /one-way mode/)
    }
    await expect(200, account.api('PUT', bot.own, { amount: '7', connection_id }))
    // What needs no request to the exchange is said first.
    await addPosition(service, bot.owner)
    const held = await expect(409, account.api('PUT', bot.own, { connection_id: other }))
    assert.match(held.error, /it holds long 0.5/)
    service.answer = () => allowed
    await expect(200, account.api('PUT', paper.own, { mode: 'live', connection_id }))
  },
)

withBotService('live bots trade only on supported exchanges', async (account, service) => {
  assert.ok(!tradedExchanges.includes('kucoin'))
  const bot = await makeLive(service, account, 189)
  service.answer = () => assert.fail('the exchange was asked')
  const { error } = await expect(409, bot.on())
  assert.match(error, /^Live bots cannot trade on KuCoin\. They can trade on Binance, Kraken, Gate, /)
  assert.equal(await bot.status(), 'INACTIVE')
})

withBotService(
  'a bot that gets another connection while the exchange is asked about the first is not switched on',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const other = await addConnection(service, account)
    const answer = Promise.withResolvers<typeof allowed>()
    const asked = Promise.withResolvers<void>()
    service.answer = () => {
      asked.resolve()
      return answer.promise
    }
    const on = bot.on()
    await asked.promise
    // The bot is off, so this asks no exchange.
    await expect(200, account.api('PUT', bot.own, { connection_id: other }))
    answer.resolve(allowed)
    assert.match((await expect(409, on)).error, /was changed in the meantime/)
    assert.equal(await bot.status(), 'INACTIVE')
  },
)

withBotService(
  'credentials that cannot be decrypted, and those of another user, are refused',
  async (account, service) => {
    const bot = await makeLive(service, account)
    const stranger = await service.account()
    await expect(404, stranger.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
    const credentials = Buffer.from('something else')
    await service.database.db
      .update(exchangeConnections)
      .set({ credentials })
      .where(eq(exchangeConnections.id, bot.connection_id))
    assert.match((await expect(409, bot.on())).error, /cannot be read\. Delete it and create it again/)
    await service.database.db
      .update(exchangeConnections)
      .set({ userId: stranger.userId })
      .where(eq(exchangeConnections.id, bot.connection_id))
    assert.equal((await expect(400, bot.on())).details[0].field, 'body.connection_id')
    assert.equal(await bot.status(), 'INACTIVE')
  },
)

withBotService('an owner who switches a live bot on too often waits', async (account, service) => {
  const bot = await makeLive(service, account)
  const answers = await Promise.all(Array.from({ length: 60 }, () => bot.on()))
  const late = answers.filter(({ status }) => status !== 200)
  assert.ok(late.length > 0)
  for (const { status, headers } of late) {
    assert.equal(status, 429)
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
})

withBotService('a bot says whether it trades a demo account', async (account, service) => {
  service.isLive = true
  const demo = await addConnection(service, account, { isDemo: true })
  const real = await addConnection(service, account)
  const shown = async ({ own, id }: { own: string; id: number }) => {
    const listed: { id: number; demo: boolean }[] = await expect(200, account.api('GET', botsPath))
    const { demo } = await expect(200, account.api('GET', own))
    assert.equal(listed.find((one) => one.id === id)?.demo, demo)
    return demo
  }
  const bot = await makeBot(service, account, { exchange_id: 2, mode: 'live', connection_id: demo })
  assert.equal(bot.demo, true)
  assert.equal(await shown(bot), true)
  assert.equal((await expect(201, account.api('POST', `${botsPath}/duplicate`, { id: bot.id }))).demo, true)
  assert.equal((await expect(200, account.api('PUT', bot.own, { connection_id: real }))).demo, false)
  assert.equal(await shown(bot), false)
  const paper = await makeBot(service, account, { exchange_id: 2, connection_id: demo })
  assert.equal(await shown(paper), false, 'a bot on paper trades no account at all')
})

const demoOf = ({ demo }: { demo: boolean | null }) => demo

withBotService('each record says whether it is of a demo account', async (account, service) => {
  const demo = await addConnection(service, account, { isDemo: true })
  const real = await addConnection(service, account)
  const lists = ['/position', '/order', '/fill', '/payment']
  const shown = () =>
    Promise.all(lists.map(async (path) => (await expect(200, account.api('GET', path))).map(demoOf)))
  for (const [mode, connection_id] of [
    ['paper', demo],
    ['live', real],
    ['live', demo],
  ] as const) {
    const bot = await makeBot(service, account, { exchange_id: 2, mode, connection_id })
    await addPosition(service, bot.owner)
    await addOrder(service, bot.owner)
    await addFill(service, bot.owner)
    const funding = { symbol: 'BTC/USDT', kind: 'funding' as const, asset: 'USDT', amount: '1', value: '1' }
    const paid = { ...funding, paymentId: randomUUID(), paidAt: new Date() }
    await service.database.db.insert(payments).values({ ...paid, ...bot.owner })
    const { positions } = await expect(200, account.api('GET', bot.own))
    assert.equal(positions[0].demo, mode === 'live' && connection_id === demo)
  }
  assert.deepEqual(await shown(), Array(4).fill([true, false, false]))
  for (const { id } of await expect(200, account.api('GET', botsPath))) {
    await expect(200, account.api('DELETE', `${botsPath}/${id}?abandon_positions=true`))
  }
  assert.deepEqual(await shown(), [[], ...Array(3).fill([null, null, null])])
})

withBotService('books never mix a demo account and one with real money', async (account, service) => {
  const demo = await addConnection(service, account, { isDemo: true })
  const otherDemo = await addConnection(service, account, { isDemo: true })
  const real = await addConnection(service, account)
  const otherReal = await addConnection(service, account)
  for (const [from, to, foreign] of [
    [demo, otherDemo, real],
    [real, otherReal, demo],
  ] as const) {
    const bot = await makeBot(service, account, { exchange_id: 2, mode: 'live', connection_id: from })
    await addFill(service, bot.owner)
    const change = (connection_id: number | null) => account.api('PUT', bot.own, { connection_id })
    const refused = await expect(409, change(foreign))
    assert.match(refused.error, /has traded, so its connection_id can no longer change\. A demo account and/)
    assert.equal(refused.details[0].field, 'body.connection_id')
    await expect(200, change(to))
    // Without a connection, the books stay what they are.
    if (from === demo) await expect(409, change(null))
    else {
      await expect(200, change(null))
      await expect(409, change(foreign))
      await expect(200, change(to))
    }
  }
})
