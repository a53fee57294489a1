import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { and, eq, sql } from 'drizzle-orm'
import {
  addDeliveries,
  addUser,
  backtests,
  database,
  endOf,
  flatCandles,
  minuteMs,
  partMs,
  slowRequest,
  startMs,
  startNode,
} from '../../../test/backtest-jobs.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import {
  backtestParts,
  botWebhooks,
  deliveries,
  signals,
  strategies,
  backtests as table,
} from '../../db/schema.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { addRows } from '../../market/stored/add-rows.ts'
import { CandleStore } from '../../market/stored/candle-store.ts'

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

test('checkpoints that a restart of the database loses are no deaths of the process of a backtest', async () => {
  const userId = await addUser()
  const { id } = await backtests.start(userId, slowRequest(50))
  // As a restart does, the server ends the connections of the first three checkpoints. A sequence counts what is rolled back.
  await database.db.execute(sql`create sequence cuts`)
  await database.db.execute(
    sql`create function cut() returns trigger language plpgsql as $$ begin
      if nextval('cuts') <= 3 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return new;
    end $$`,
  )
  await database.db.execute(
    sql`create trigger cut before update on backtests for each row
      when (new.id = ${sql.raw(`${id}`)} and new.runs_done > old.runs_done) execute function cut()`,
  )
  const node = await startNode({ firstPauseMs: 10 })
  const ended = await endOf(userId, id)
  await node.stop()
  await database.db.execute(sql`drop function cut cascade`)
  const [row] = await database.db.select({ deaths: table.deaths }).from(table).where(eq(table.id, id))
  assert.ok(node.errors.length >= 3, `${node.errors}`)
  assert.deepEqual([ended.status, row!.deaths], ['FINISHED', 0])
})

test('a backtest says why it waits for a database without room, and goes on when there is room again', async () => {
  const userId = await addUser()
  const { id } = await backtests.start(userId, slowRequest(50))
  await database.db.execute(
    sql`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file' using errcode = 'disk_full';
    end $$`,
  )
  await database.db.execute(
    sql`create trigger refuse before update on backtests for each row
      when (new.id = ${sql.raw(`${id}`)} and new.runs_done > old.runs_done) execute function refuse()`,
  )
  const node = await startNode({ firstPauseMs: 10 })
  const reasonOf = async () => (await backtests.get(userId, id)).error
  await until('the reason', async () => (await reasonOf()) !== null, longPatienceMs)
  const { status, error } = await backtests.get(userId, id)
  assert.equal(status, 'RUNNING')
  assert.match(
    error!,
    /^The backtest waits, because the database has not taken what it stores, \d+ times in a row\./,
  )
  await database.db.execute(sql`drop function refuse cascade`)
  const ended = await endOf(userId, id)
  await node.stop()
  assert.deepEqual([ended.status, ended.error, ended.deaths], ['FINISHED', null, 0])
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

test('with http: read, the service sends what only reads, and nothing else', async () => {
  const userId = await addUser()
  const asked: string[] = []
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers['x-mine']}`)
    response.end('yes')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/a`
  const code = `
    const [read, sent, other, given] = [
      await $.Http.get('${url}', { b: 1 }, { 'x-mine': $.Env.MINE }),
      await $.Http.post('${url}', '{}'),
      await $.Http.get('http://127.0.0.1:${port + 1}/'),
      await $.Http.get('https://given.example/'),
    ]
    $.log(JSON.stringify([read, sent, other, given].map(({ status, text }) => [status, text])))`
  const hours = [0, 1, 2, 3, 4].map((hour) => [startMs + (hour - 200) * 3_600_000, 100, 100, 100, 100])
  const request = {
    ...{ code, symbol: 'BTC/USDT', candles: hours, http: 'read' as const, parameters: { MINE: 'secret' } },
    answers: [{ method: 'GET', url: 'https://given.example/', status: 200, text: 'given' }],
  }
  const node = await startNode({ allow: [`127.0.0.1:${port}`] })
  const done = await endOf(userId, (await backtests.start(userId, request)).id)
  await node.stop()
  await new Promise((resolve) => server.close(resolve))
  assert.deepEqual(
    [done.status, done.plan.http, done.plan.examines, node.errors],
    ['FINISHED', 'read', false, []],
  )
  const runs = await backtests.reports.records(userId, done.id, 1, 'run', { limit: 10, offset: 0 })
  const logs = runs.map((row) => JSON.parse((row as unknown as { log: string | null }).log ?? '[]'))
  // On a machine that is very busy, a run may end at its limit. The others are an hour apart, so they run too.
  const [first] = logs.filter((log) => log.length === 4 && log[0][0] === 200)
  assert.deepEqual(
    [first[0], first[3]],
    [
      [200, 'yes'],
      [200, 'given'],
    ],
  )
  assert.deepEqual([first[1][0], first[2][0]], [403, 403])
  assert.match(first[1][1], /^Not sent: this backtest sends GET requests only, and has no answer for POST/)
  assert.ok(asked.length > 0)
  assert.deepEqual([...new Set(asked)], ['GET /a?b=1 secret'])
  const report = (await backtests.reports.report(userId, done.id, 1)) as unknown as ReportLike
  assert.deepEqual([report.request.http, report.request.repeatable], ['read', false])
  assert.match(await backtests.reports.page(userId, done.id, 1), /This backtest sent requests/)
  // Another one like it would ask again.
  const keyOf = async (id: number) =>
    (await database.db.select({ key: table.decisionsKey }).from(table).where(eq(table.id, id)))[0]!.key
  const again = await backtests.start(userId, request)
  assert.notDeepEqual(await keyOf(again.id), await keyOf(done.id))
})

type ReportLike = { request: { http: string; repeatable: boolean } }
