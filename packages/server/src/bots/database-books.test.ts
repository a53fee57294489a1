import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import { testBooksContract } from '../../test/books-contract.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { plainSettings } from '../../test/trading.ts'
import type { Database } from '../db/database.ts'
import { Node } from '../db/node.ts'
import { botSignals, bots, notifications, orders, users } from '../db/schema.ts'
import type { OrderReport, OrderRequest } from '../trading/types.ts'
import { DatabaseBooks } from './database-books.ts'
import { equityCurve } from './equity-curve.ts'
import { BotLost } from './held-bot.ts'

/** A bot that has never traded, and a node that holds it. */
async function makeBot(database: Database) {
  const { db } = database
  const email = `${Math.random()}@example.com`
  const [user] = await db.insert(users).values({ email, passwordHash: '', role: 'user' }).returning()
  const userId = user!.id
  const node = new Node(database, { roles: ['worker'] })
  const [bot] = await db
    .insert(bots)
    .values({ userId, name: '', status: 'ACTIVE', exchangeId: 3, settings: plainSettings, holder: node.id })
    .returning()
  let signals = 0
  const newSignal = async () => {
    signals += 1
    const row = { botId: bot!.id, userId, signalId: signals, symbol: 'BTCUSDT', queuedAt: new Date() }
    const [signal] = await db.insert(botSignals).values(row).returning()
    return signal!.id
  }
  const marks = new Map<string, string>()
  const announced: string[] = []
  const books = new DatabaseBooks({
    database,
    nodeId: node.id,
    bot: { id: bot!.id, userId, startBalance: '10000' },
    markPrice: (symbol) => marks.get(symbol) ?? null,
    onChange: ({ kind }) => announced.push(kind),
  })
  return { bot: bot!, books, newSignal, marks, announced }
}

const opening = (clientOrderId: string, symbol: string) =>
  ({ clientOrderId, symbol, side: 'buy', purpose: 'open', reduceOnly: false, size: '2' }) as const

const terms = { base: 'X', quote: 'USDT', service: 'spot', feeRates: {} } as const

function filledAt(price: string, fee: string, at = Date.now()): OrderReport {
  const trade = { tradeId: '1', size: '2', price, fee, feeAsset: 'USDT', filledAt: at }
  return { exchangeOrderId: null, status: 'FILLED', executions: [trade], reason: null }
}

let opened: Promise<Database> | undefined

function open(): Promise<Database> {
  opened ??= createTestDatabase().then((place) => fileResources.use(place).open())
  return opened
}

testBooksContract('books in the database', async () => ({
  ...(await makeBot(await open())),
  async [Symbol.asyncDispose]() {},
}))

test('the reason why an order is being cancelled is announced, if the order rests', async () => {
  const { bot, books, newSignal, announced } = await makeBot(await open())
  const signal = await newSignal()
  const order = opening(`tw-${bot.id}-${signal}-o`, 'BTC/USDT')
  await books.plan(signal, order)
  announced.length = 0
  await books.noteCancelling(order.clientOrderId, 'Too late.')
  assert.deepEqual(announced, [])
  const report: OrderReport = { exchangeOrderId: '1', status: 'OPEN', executions: [], reason: null }
  await books.report(order.clientOrderId, report, terms)
  announced.length = 0
  await books.noteCancelling(order.clientOrderId, 'Too late.')
  assert.deepEqual(announced, ['order'])
})

test('if two openings in different currencies come at once, the second is not planned', async () => {
  const { books, newSignal } = await makeBot(await open())
  const attempts = ['BTC/USDT', 'ETH/BTC', 'ETH/EUR'].map(async (symbol) => {
    const signal = await newSignal()
    await books.plan(signal, opening(`tw-${symbol}-${signal}-o`, symbol))
  })
  const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status)
  assert.deepEqual(outcomes.toSorted(), ['fulfilled', 'rejected', 'rejected'])
})

test('a point of equity uses current prices, or the price of the last fill', async () => {
  const database = await open()
  const { bot, books, newSignal, marks } = await makeBot(database)
  const buy = async (symbol: string, price: string) => {
    const signal = await newSignal()
    const order = opening(`tw-${bot.id}-${signal}-o`, symbol)
    await books.plan(signal, order)
    await books.report(order.clientOrderId, filledAt(price, '0'), terms)
  }
  await buy('A/USDT', '100')
  await buy('A/USDT', '130')
  await buy('B/USDT', '10')
  marks.set('A/USDT', '50')
  await buy('B/USDT', '11')
  const points = await equityCurve(database, bot.id, {})
  assert.deepEqual(
    points.map(({ unrealised }) => Number(unrealised)),
    [0, 60, 60, -260 + 2],
  )
})

test('a fill that is booked late has a point after those that the books had before', async () => {
  const database = await open()
  const { bot, books, newSignal, marks } = await makeBot(database)
  const buy = async (symbol: string, price: string, at: number) => {
    const signal = await newSignal()
    const order = opening(`tw-${bot.id}-${signal}-o`, symbol)
    await books.plan(signal, order)
    await books.report(order.clientOrderId, filledAt(price, '0', at), terms)
  }
  const start = Date.now()
  await buy('A/USDT', '100', start)
  marks.set('A/USDT', '50').set('B/USDT', '11')
  await buy('B/USDT', '10', start - 3_600_000)
  // The clock of its exchange is an hour ahead.
  await buy('C/USDT', '1', Date.now() + 3_600_000)
  await buy('D/USDT', '1', Date.now())
  const points = await equityCurve(database, bot.id, {})
  assert.deepEqual(
    points.map(({ unrealised }) => Number(unrealised)),
    [0, -100 + 2, -98, -98],
  )
  const times = points.map(({ at }) => at.getTime())
  assert.equal(times[0], start)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
  assert.ok(times.at(-1)! <= Date.now())
})

test('a start balance that changes while an order is in progress counts for its point of equity', async () => {
  const database = await open()
  const { bot, books, newSignal } = await makeBot(database)
  const signal = await newSignal()
  const order = opening(`tw-${bot.id}-${signal}-o`, 'BTC/USDT')
  await books.plan(signal, order)
  const settings = { ...plainSettings, startBalance: '500' }
  await database.db.update(bots).set({ settings }).where(eq(bots.id, bot.id))
  await books.report(order.clientOrderId, filledAt('10', '1'), terms)
  const [point] = await equityCurve(database, bot.id, {})
  assert.equal(Number(point!.balance), 499)
})

test('a bot that reaches its limit while it opens plans no opening, but still a close', async () => {
  const { bot, books, newSignal } = await makeBot(await open())
  await books.reachLimit({ at: Date.now(), loss: '50' })
  const plan = async (changes: Partial<OrderRequest>) => {
    const signal = await newSignal()
    const order = { ...opening(`tw-${bot.id}-${signal}`, 'BTC/USDT'), ...changes }
    await books.plan(signal, order)
  }
  await plan({})
  const { db } = await open()
  const settings = { ...plainSettings, maxDailyLoss: '50' }
  await db.update(bots).set({ settings }).where(eq(bots.id, bot.id))
  await assert.rejects(plan({}), /has now reached max_daily_loss/)
  await plan({ purpose: 'close' })
  await db
    .update(bots)
    .set({ limitReachedAt: new Date(Date.now() - 86_400_000) })
    .where(eq(bots.id, bot.id))
  await plan({})
})

test('a node that no longer holds a bot plans no order for it', async () => {
  const database = await open()
  const { bot, books, newSignal } = await makeBot(database)
  const signal = await newSignal()
  await database.db.update(bots).set({ holder: null }).where(eq(bots.id, bot.id))
  const order = opening(`tw-${bot.id}-${signal}-o`, 'BTC/USDT:USDT')
  await assert.rejects(books.plan(signal, order), BotLost)
  assert.deepEqual(await books.ordersOf(signal), [])
})

test('an order has the time of its last sending, unless it was planned and then not sent', async () => {
  const { books, newSignal } = await makeBot(await open())
  const signal = await newSignal()
  const order = opening(`tw-sent-${signal}`, 'BTC/USDT')
  const { db } = await open()
  const times = async () => {
    const [row] = await db.select().from(orders).where(eq(orders.clientOrderId, order.clientOrderId))
    return { sent: row!.sentAt?.getTime() ?? null, answered: row!.acknowledgedAt?.getTime() ?? null }
  }
  const before = Date.now()
  await books.plan(signal, order)
  const planned = await times()
  assert.ok(before <= planned.sent! && planned.sent! <= Date.now())
  assert.equal(planned.answered, null)
  await books.note(order.clientOrderId, 'UNKNOWN', 'No answer.', { sentAt: before + 5, answeredAt: null })
  assert.deepEqual(await times(), { sent: before + 5, answered: null })
  await books.plan(signal, order)
  assert.ok((await times()).sent! >= planned.sent!)
  await books.note(order.clientOrderId, 'REJECTED', 'Trading is halted.', null)
  assert.deepEqual(await times(), { sent: null, answered: null })
})

test('a position that opens and closes is told with its fills, once, however often they are reported', async () => {
  const database = await open()
  const subscribers = { hears: () => true, onTold: () => undefined }
  const { bot, newSignal } = await makeBot(database)
  await database.db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
    values (${bot.userId}, '\\x00', '{position.opened,position.closed,order.settled}', '\\x00')`)
  const of = { id: bot.id, userId: bot.userId, startBalance: '10000' }
  const books = new DatabaseBooks({
    ...{ database, nodeId: bot.holder!, bot: of, markPrice: () => null },
    subscribers,
  })
  const order = async (side: 'buy' | 'sell', price: string) => {
    const signal = await newSignal()
    const purpose = side === 'buy' ? ('open' as const) : ('close' as const)
    const request = { ...opening(`tw-${bot.id}-${signal}-x`, 'X/USDT'), side, purpose }
    await books.plan(signal, request)
    const report = filledAt(price, '0.5')
    const attempts = [report, report].map((one) => books.report(request.clientOrderId, one, terms))
    await Promise.all(attempts)
    await books.report(request.clientOrderId, report, terms)
  }
  await order('buy', '100')
  await order('sell', '130.25')
  const told = await database.db
    .select()
    .from(notifications)
    .where(eq(notifications.userId, bot.userId))
    .orderBy(notifications.id)
  assert.deepEqual(
    told.map(({ type }) => type),
    ['order.settled', 'position.opened', 'order.settled', 'position.closed'],
  )
  const { opened_at, closed_at, id, ...closed } = told[3]!.data
  assert.deepEqual(closed, {
    ...{ bot_id: bot.id, bot_name: '', mode: 'paper', demo: false, symbol: 'X/USDT', currency: 'USDT' },
    ...{ side: 'long', quantity: '2', entry_price: '100', exit_price: '130.25', profit_before_costs: '60.5' },
    ...{ fees: '1', uncounted_fees: {}, funding: '0', realised: '59.5', kind: 'order', origin: null },
  })
  assert.equal(id, told[1]!.data.id)
})
