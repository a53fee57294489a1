import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { SyntaxChecker } from '@tickwright/sandbox'
import { and, eq, sql } from 'drizzle-orm'
import { createTestDatabase, fileResources } from '../../../test/databases.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import type { Database } from '../../db/database.ts'
import { Node } from '../../db/node.ts'
import {
  backtestParts,
  botWebhooks,
  dataWebhooks,
  deliveries,
  signals,
  strategies,
  backtests as table,
  users,
} from '../../db/schema.ts'
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
  const settings = { retentionDays: 30, announce: () => undefined }
  backtests = new Backtests({ candles, database, vault, syntax, environment, ...settings })
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

/** A data webhook that is so many days old, with deliveries of these times, which count from the first candle on. */
async function addDeliveries(userId: number, parts: readonly number[], { days = 0 } = {}) {
  const [webhook] = await database.db
    .insert(dataWebhooks)
    .values({
      ...{ userId, name: '', description: '', urlHash: randomBytes(32), urlSecret: randomBytes(32) },
      createdAt: new Date(Date.now() - days * 24 * 60 * minuteMs),
    })
    .returning({ id: dataWebhooks.id })
  const webhookId = webhook!.id
  await database.db.insert(deliveries).values(
    parts.map((part, index) => ({
      ...{ webhookId, body: JSON.stringify({ n: index, secret: 'hidden' }), ip: '192.0.2.7', reactions: 0 },
      ...{ headers: { 'user-agent': `feed ${index}` }, receivedAt: new Date(startMs + part * partMs) },
    })),
  )
  return webhookId
}

/** So long does a candle last: times and ids of deliveries have about the same order, so those of all tests are near. */
const partMs = 5_000
const startMs = Math.floor(Date.now() / minuteMs) * minuteMs - 3 * 60 * minuteMs
const flatCandles = (count: number) =>
  Array.from({ length: count }, (_, part) => [startMs + part * partMs, 100, 100, 100, 100])

test('code runs on the stored deliveries of a webhook, in the order in which they came', async () => {
  const userId = await addUser()
  // The third came before the second, whose node had a slower clock; the last comes after the candles.
  const webhook_id = await addDeliveries(userId, [0.5, 3, 2, 4.5, 4.5, 7.1])
  const [reaction] = await database.db
    .insert(strategies)
    .values({
      ...{ userId, type: 'code-reaction', name: '', usePrice: true, dataWebhookId: webhook_id },
      code: `
        const { n } = JSON.parse($.Request.data)
        $.log(n, $.Request.headers['user-agent'], $.Request.ip, $.Price.price, Date.now() - ${startMs})
        if (n === 2) await $.Strategy.action('LONG')
        if (n === 3) await $.Strategy.action('EXIT')`,
    })
    .returning({ id: strategies.id })
  const request = {
    ...{ source: 'deliveries' as const, strategy_id: reaction!.id, symbol: 'BTC/USDT' },
    ...{ candles: flatCandles(7), examine: false },
  }
  const estimate = await backtests.estimate(userId, request)
  // One came before any price was known.
  assert.deepEqual([estimate.candles, estimate.deliveries, estimate.runs], [7, 5, 4])
  const node = await startNode()
  const first = await endOf(userId, (await backtests.start(userId, request)).id)
  assert.deepEqual([first.status, first.runs, first.runsDone, first.error], ['FINISHED', 4, 4, null])
  const runs = await backtests.reports.records(userId, first.id, 1, 'run', { limit: 10, offset: 0 })
  assert.deepEqual(runs.map((row) => (row as unknown as { log: string }).log.trim()).reverse(), [
    `2 feed 2 192.0.2.7 100 ${2 * partMs}`,
    `1 feed 1 192.0.2.7 100 ${3 * partMs}`,
    `3 feed 3 192.0.2.7 100 ${4.5 * partMs}`,
    `4 feed 4 192.0.2.7 100 ${4.5 * partMs}`,
  ])
  assert.equal(first.results![0]!.trades, 1)
  // What the code does not show, nothing of the backtest shows.
  const report = JSON.stringify([first, await backtests.reports.report(userId, first.id, 1)])
  assert.ok(!report.includes('hidden') && !report.includes('192.0.2.7'))

  // The same deliveries of another webhook are the same request.
  const copy = await addDeliveries(userId, [0.5, 3, 2, 4.5, 4.5, 7.1])
  const again = await endOf(userId, (await backtests.start(userId, { ...request, webhook_id: copy })).id)
  assert.equal(again.digest, first.digest)
  await node.stop()
  assert.deepEqual(node.errors, [])
  await database.db.update(deliveries).set({ body: '{"n":9}' }).where(eq(deliveries.webhookId, copy))
  const other = await backtests.start(userId, { ...request, webhook_id: copy })
  assert.notEqual(other.plan.deliveries!.digest, first.plan.deliveries!.digest)
  const copies = and(eq(backtestParts.backtestId, first.id), eq(backtestParts.kind, 'delivery'))
  assert.equal(await database.db.$count(backtestParts, copies), 0)
})

test('deliveries that nobody has, that are too many, or that the service may have deleted are refused', async () => {
  const userId = await addUser()
  const webhook_id = await addDeliveries(userId, [1], { days: 40 })
  const request = {
    ...{ source: 'deliveries' as const, code: '$.log(1)', webhook_id, symbol: 'BTC/USDT' },
    candles: flatCandles(5),
  }
  const refused = async (changes: Partial<BacktestRequest>, message: RegExp, code = 'request_invalid') =>
    await assert.rejects(backtests.estimate(userId, { ...request, ...changes }), { code, message })
  assert.equal((await backtests.estimate(userId, request)).runs, 1)
  const old = flatCandles(5).map(([at, ...prices]) => [at! - 31 * 24 * 60 * minuteMs, ...prices])
  await refused({ candles: old }, /body\.from must be .* or later: the service keeps deliveries for 30 days/)
  await refused({ candles: old }, new RegExp(new Date(startMs + partMs).toISOString()))
  await refused({ from: new Date(startMs + 2 * partMs).toISOString() }, /body\.webhook_id has no stored/)
  const foreign = await addDeliveries(await addUser(), [1])
  await refused({ webhook_id: foreign }, /webhook/, 'resource_not_found')
  await database.db.execute(sql`
    insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
    select ${webhook_id}, repeat('x', 1048576), '{}', '', 0, ${new Date(startMs + partMs).toISOString()}::timestamptz
    from generate_series(1, 64)`)
  await refused({}, /body\.webhook_id has deliveries of 671\d{5} bytes .*; at most 67108864 are allowed/)
  await database.db.execute(sql`
    insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
    select ${webhook_id}, '{}', '{}', '', 0, ${new Date(startMs + 2 * partMs).toISOString()}::timestamptz
    from generate_series(1, 100000)`)
  await refused({}, /body\.webhook_id has more than 100000 deliveries/)
})

test('each field that does not belong to a source is named', async () => {
  const userId = await addUser()
  const request = { symbol: 'BTC/USDT', candles: flatCandles(5) }
  const source = 'deliveries' as const
  for (const [changes, message] of [
    [{ code: '1', webhook_id: 1 }, /body\.webhook_id needs the source `deliveries`/],
    [{ code: '1', source }, /body\.webhook_id is missing/],
    [{ code: '1', source, webhook_id: 1, bot_webhook_id: 1 }, /body\.bot_webhook_id needs/],
    [{ source, webhook_id: 1 }, /body\.strategy_id is missing/],
    [{ source: 'signals', bot_webhook_id: 1, webhook_id: 1 }, /body\.webhook_id needs/],
  ] as const) {
    await assert.rejects(backtests.estimate(userId, { ...request, ...changes }), { message })
  }
  const settings = { userId, name: '', code: '1' }
  const [scheduled, detached] = await database.db
    .insert(strategies)
    .values([
      { ...settings, type: 'code-strategy', cronInterval: '1m', timezone: 'UTC' },
      { ...settings, type: 'code-reaction' },
    ])
    .returning({ id: strategies.id })
  const of = (strategy: { id: number }) =>
    backtests.estimate(userId, { ...request, source, strategy_id: strategy.id })
  await assert.rejects(of(scheduled!), { message: /body\.strategy_id must be that of a reaction/ })
  await assert.rejects(of(detached!), { message: /body\.webhook_id is missing: the reaction is attached/ })
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
