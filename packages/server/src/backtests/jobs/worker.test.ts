import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { SyntaxChecker } from '@tickwright/sandbox'
import { and, eq } from 'drizzle-orm'
import { createTestDatabase, fileResources } from '../../../test/databases.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import type { Database } from '../../db/database.ts'
import { Node } from '../../db/node.ts'
import { backtestParts, botWebhooks, signals, backtests as table, users } from '../../db/schema.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { addRows } from '../../market/stored/add-rows.ts'
import { CandleStore } from '../../market/stored/candle-store.ts'
import { Vault } from '../../secrets/vault.ts'
import { Backtests } from './backtests.ts'
import { unpackCandles } from './packed.ts'
import type { BacktestRequest } from './request.ts'
import { BacktestWorker } from './worker.ts'

const vault = new Vault(randomBytes(32))
let database: Database
let backtests: Backtests

before(async () => {
  const place = fileResources.use(await createTestDatabase())
  database = await place.open(fileResources)
  const syntax = new SyntaxChecker()
  fileResources.defer(() => syntax.close())
  const environment = async () => ({})
  const candles = new CandleStore(database, new UserLimits())
  backtests = new Backtests({ candles, database, vault, syntax, environment, announce: () => undefined })
})

async function addUser(): Promise<number> {
  const email = `${randomUUID()}@example.com`
  const [user] = await database.db
    .insert(users)
    .values({ email, passwordHash: '', role: 'user' })
    .returning({ id: users.id })
  return user!.id
}

/** A node that executes backtests. */
async function startNode(errors: unknown[] = []) {
  const node = new Node(database, { roles: ['backtest'] })
  await node.start((error) => errors.push(error))
  const worker = new BacktestWorker({
    ...{ database, node, vault, announce: () => undefined },
    config: {
      ...{
        backtestExecutors: 1,
        backtestPriority: 'normal',
        sandboxJit: true,
        sandboxRunsPerIsolate: 10_000,
      },
      publicUrl: 'http://127.0.0.1:3000',
    },
    subscribers: { hears: () => true, onTold: () => undefined },
    onError: (error) => errors.push(error),
  })
  await worker.start()
  return {
    errors,
    async stop() {
      await worker.stop()
      await node.stop()
    },
  }
}

const minuteMs = 60_000

/** Code that asks what its bot holds in each run, which is slow, and decides by it. */
function slowRequest(count: number): BacktestRequest {
  const candles = Array.from({ length: count }, (_, index) => {
    const price = 100 + 10 * Math.sin(index / 10)
    return [index * minuteMs, price, price, price, price, 1]
  })
  const code = `
    const [held] = await $.Strategy.positions()
    if (Math.random() < 0.1) $.log(held?.size)
    if (held === undefined && $.Price.price < 95) await $.Strategy.action('LONG')
    if (held !== undefined && $.Price.price > 105) await $.Strategy.action('EXIT')`
  return { code, symbol: 'BTC/USDT', candles, examine: false, bots: [{}, { amount: '200' }] }
}

async function endOf(userId: number, id: number) {
  const isOver = async () => (await backtests.get(userId, id)).finishedAt !== null
  // Two processes start, and execute hundreds of runs.
  await until('the end of a backtest', isOver, 3 * longPatienceMs)
  return await backtests.get(userId, id)
}

test('a backtest whose node dies goes on at another one from its checkpoint, to the same digest', async () => {
  const userId = await addUser()
  const request = slowRequest(150)
  const first = await startNode()
  const whole = await endOf(userId, (await backtests.start(userId, request)).id)
  assert.deepEqual([whole.status, whole.runsDone, first.errors], ['FINISHED', 300, []])
  const { id } = await backtests.start(userId, request)
  const hasBegun = async () => (await backtests.get(userId, id)).runsDone > 0
  await until('a checkpoint', hasBegun, longPatienceMs)
  await first.stop()
  // As if it had died: it still holds the backtest, and nobody hears of it again.
  await database.db.update(table).set({ holder: randomUUID() }).where(eq(table.id, id))
  const { runsDone } = await backtests.get(userId, id)
  assert.ok(runsDone > 0)
  const second = await startNode()
  const continued = await endOf(userId, id)
  await second.stop()
  assert.deepEqual([continued.status, second.errors], ['FINISHED', []])
  assert.deepEqual([continued.digest, continued.results], [whole.digest, whole.results])
})

test('a backtest that is cancelled makes room at once, and its node goes on with the next one', async () => {
  const userId = await addUser()
  const node = await startNode()
  const endless = { ...slowRequest(100), code: 'while (true) {}' }
  const { id } = await backtests.start(userId, endless)
  await until('a start', async () => (await backtests.get(userId, id)).status === 'RUNNING')
  const next = await backtests.start(userId, slowRequest(5))
  assert.equal((await backtests.cancel(userId, id)).status, 'CANCELLED')
  const ended = await endOf(userId, next.id)
  await node.stop()
  assert.deepEqual([ended.status, node.errors], ['FINISHED', []])
  await assert.rejects(backtests.cancel(userId, id), { code: 'resource_conflict' })
})

test('other fees run no code again', async () => {
  const userId = await addUser()
  const node = await startNode()
  const request = {
    ...slowRequest(200),
    code: "$.log($.Price.price); if ($.Price.price < 95) await $.Strategy.action('LONG')",
  }
  const done = await endOf(userId, (await backtests.start(userId, { ...request, bots: [{}] })).id)
  const { id } = await backtests.start(userId, { ...request, bots: [{ fee_rate: '0' }] })
  const ended = await endOf(userId, id)
  await node.stop()
  assert.equal(ended.results![0]!.trades, done.results![0]!.trades)
  assert.equal(
    await backtests.reports.recordCount(userId, id, 1, 'signal'),
    await backtests.reports.recordCount(userId, done.id, 1, 'signal'),
  )
  assert.notEqual(ended.digest, done.digest)
  const [kept] = await database.db.select().from(table).where(eq(table.id, id))
  assert.deepEqual([kept!.candles.length, kept!.environment.length], [0, 0])
  // Whatever executes code stores where it is.
  const checkpoints = and(eq(backtestParts.backtestId, id), eq(backtestParts.kind, 'checkpoint'))
  assert.equal(await database.db.$count(backtestParts, checkpoints), 0)
})

test('a stored signal within the first candle is followed at the next opening', async () => {
  const start = Date.parse('2025-01-01T00:00:00Z')
  const userId = await addUser()
  const [webhook] = await database.db
    .insert(botWebhooks)
    .values({ userId, name: '', description: '', urlHash: randomBytes(32), urlSecret: randomBytes(32) })
    .returning({ id: botWebhooks.id })
  const signal = { userId, webhookId: webhook!.id, symbols: ['BTC/USDT'], options: {} }
  await database.db.insert(signals).values([
    { ...signal, action: 'LONG', createdAt: new Date(start + minuteMs / 2) },
    { ...signal, action: 'EXIT', createdAt: new Date(start + 3 * minuteMs) },
  ])
  const node = await startNode()
  const candles = [0, 1, 2, 3, 4].map((minute) => [start + minute * minuteMs, 100, 100, 100, 100])
  const request = { source: 'signals' as const, bot_webhook_id: webhook!.id, symbol: 'BTC/USDT', candles }
  const { id } = await backtests.start(userId, request)
  const { results } = await endOf(userId, id)
  await node.stop()
  assert.equal(results![0]!.trades, 1)
  const read = (window: { before?: number; after?: number }) =>
    backtests.reports.records(userId, id, 1, 'signal', { limit: 10, offset: 0, ...window })
  for (const [window, ids] of [
    [{}, [2, 1]],
    [{ before: 1_000 }, [2, 1]],
    [{ before: 2 }, [1]],
    [{ after: 1 }, [2]],
    [{ before: 1_000, after: 1 }, [2]],
  ] as const) {
    assert.deepEqual(
      (await read(window)).map((record) => record.id),
      ids,
    )
  }
})

test('funding and liquidation take what they take by hand, and a rate that nobody knows ends the backtest', async () => {
  const funded = Date.parse('2025-01-01T08:00:00Z')
  const userId = await addUser()
  const [webhook] = await database.db
    .insert(botWebhooks)
    .values({ userId, name: '', description: '', urlHash: randomBytes(32), urlSecret: randomBytes(32) })
    .returning({ id: botWebhooks.id })
  const symbol = 'BTC/USDT:USDT'
  await database.db.insert(signals).values({
    ...{ userId, webhookId: webhook!.id, symbols: [symbol], options: {}, action: 'LONG' },
    createdAt: new Date(funded - 1.5 * minuteMs),
  })
  const store = new CandleStore(database, new UserLimits())
  const market = { name: '', symbol, exchange: null, service: null }
  const series = await store.create(userId, { ...market, kind: 'funding', interval: '' })
  const rates = { times: [funded - 8 * 3_600_000, funded + 7], figures: [['0.5', '0.01']] }
  await database.db.transaction((tx) => addRows(tx, series.id, rates))
  // It opens at 07:59 with 1 at 100. At 08:00 it pays 100 × 0.01. At 08:01 the price falls to 80 for a moment.
  const low = [100, 100, 100, 80, 100]
  const candles = low.map((price, minute) => [funded + (minute - 2) * minuteMs, 100, 100, price, 100])
  const plain = { fee_rate: 0, slippage_rate: 0 }
  const request = {
    ...{ source: 'signals' as const, bot_webhook_id: webhook!.id, symbol, candles },
    ...{ bots: [plain, { ...plain, leverage: 10 }], market: { funding: { candle_id: series.id } } },
  }
  const node = await startNode()
  const paid = await endOf(userId, (await backtests.start(userId, request)).id)
  // The second one also loses its margin, 100 ÷ 10.
  assert.deepEqual(
    paid.results!.map(({ endEquity }) => endEquity),
    [9_999, 9_989],
  )
  assert.deepEqual([paid.plan.market!.funding!.moments, node.errors], [1, []])
  const unknown = { ...request, market: { funding: {} } }
  assert.equal((await backtests.estimate(userId, unknown)).unknownRates, 1)
  const failed = await endOf(userId, (await backtests.start(userId, unknown)).id)
  await node.stop()
  assert.deepEqual([failed.status, failed.deaths, node.errors], ['FAILED', 0, []])
  assert.match(failed.error!, /^There is no funding rate for 2025-01-01T08:00:00\.000Z, when the bot held/)
  const of = (id: number) => ({ ...request, market: { funding: { candle_id: id } } })
  const other = await store.create(userId, { ...market, kind: 'candles', interval: '1m' })
  await assert.rejects(backtests.estimate(userId, of(other.id)), {
    message: /body\.market\.funding\.candle_id is a series of candles, not of funding rates/,
  })
  const foreign = await store.create(await addUser(), { ...market, kind: 'funding', interval: '' })
  await assert.rejects(backtests.estimate(userId, of(foreign.id)), { code: 'resource_not_found' })
})

test('the first run on stored candles knows the thousand candles before it', async () => {
  const userId = await addUser()
  const store = new CandleStore(database, new UserLimits())
  const market = {
    name: '',
    kind: 'candles',
    symbol: 'BTC/USDT',
    interval: '1m',
    exchange: null,
    service: null,
  } as const
  const series = await store.create(userId, market)
  const times = Array.from({ length: 1_500 }, (_, minute) => minute * minuteMs)
  const figures = Array.from({ length: 5 }, () => times.map(() => '1'))
  await database.db.transaction((tx) => addRows(tx, series.id, { times, figures }))
  const [from, to] = [1_200, 1_400].map((minute) => new Date(minute * minuteMs).toISOString())
  const request = { code: '$.log(1)', candle_id: series.id, from: from!, to: to! }
  assert.equal((await backtests.estimate(userId, request)).runs, 200)
  const { id, runs } = await backtests.start(userId, request)
  const [stored] = await database.db.select().from(table).where(eq(table.id, id))
  const candles = unpackCandles(stored!.candles).times
  assert.deepEqual([runs, candles[0], candles.length], [200, 200 * minuteMs, 1_200])
})

test('a leap second is refused by its field', async () => {
  const request = { ...slowRequest(5), to: '1972-12-31T23:59:60Z' }
  await assert.rejects(backtests.estimate(await addUser(), request), {
    code: 'request_invalid',
    message: /body\.to/,
  })
})

test('21 backtests of an account may not wait, and another account waits for none of them', async () => {
  const [userId, other] = [await addUser(), await addUser()]
  const request = slowRequest(5)
  for (let waiting = 0; waiting < 20; waiting += 1) await backtests.start(userId, request)
  await assert.rejects(backtests.start(userId, request), { code: 'rate_limited' })
  const { plan } = await backtests.start(other, {
    ...request,
    answers: [{ method: 'GET', url: 'https://a.example/', status: 200, text: '' }],
  })
  // A list of them all would have megabytes.
  assert.equal('answers' in plan, false)
})
