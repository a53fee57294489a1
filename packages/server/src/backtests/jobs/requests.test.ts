import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import {
  addDeliveries,
  addUser,
  backtests,
  database,
  flatCandles,
  minuteMs,
  partMs,
  slowRequest,
  startMs,
} from '../../../test/backtest-jobs.ts'
import { strategies, strategyState, backtests as table } from '../../db/schema.ts'
import { presentGiven } from './given.ts'
import type { BacktestRequest } from './request.ts'

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
    [{ source: 'signals', bot_webhook_id: 1, http: 'read' }, /body\.http cannot come with/],
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

test('the code begins with what its strategy has stored, or with what the request gives', async () => {
  const userId = await addUser()
  const [reaction] = await database.db
    .insert(strategies)
    .values({ userId, name: '', type: 'code-reaction', code: '1' })
    .returning({ id: strategies.id })
  const strategy_id = reaction!.id
  const at = new Date(startMs)
  const state = {
    storage: '{"secret":"hidden"}',
    lastAction: 'SHORT',
    lastPrice: 7,
    lastActionAt: at,
  } as const
  await database.db
    .insert(strategyState)
    .values({ strategyId: strategy_id, ...state })
    .onConflictDoUpdate({ target: strategyState.strategyId, set: state })
  const request = { symbol: 'BTC/USDT', candles: flatCandles(5), strategy_id }
  const begins = async (changes: Partial<BacktestRequest>) => {
    const shown = await backtests.start(userId, { ...request, ...changes })
    const [stored] = await database.db.select().from(table).where(eq(table.id, shown.id))
    await backtests.delete(userId, shown.id)
    assert.ok(!JSON.stringify(shown).includes('hidden'))
    const { storage, lastTrigger, starts } = stored!.plan
    return [storage, lastTrigger.action, lastTrigger.price, lastTrigger.at, starts!.storage]
  }
  const none = [null, null, null]
  assert.deepEqual(await begins({}), [null, ...none, 'empty'])
  assert.deepEqual(await begins({ storage: 'empty', last_trigger: 'empty' }), [null, ...none, 'empty'])
  assert.deepEqual(await begins({ storage: 'saved' }), [state.storage, ...none, 'saved'])
  const saved = [state.storage, 'SHORT', 7, startMs, 'saved']
  assert.deepEqual(await begins({ storage: 'saved', last_trigger: 'saved' }), saved)
  const given = { storage: { n: 1 }, last_trigger: { action: 'LONG' as const, at: at.toISOString() } }
  assert.deepEqual(await begins(given), ['{"n":1}', 'LONG', null, startMs, 'given'])

  const refused = (changes: Partial<BacktestRequest>, message: RegExp) =>
    assert.rejects(backtests.estimate(userId, { ...request, ...changes }), { message })
  await refused({ storage: { text: 'x'.repeat(24_576) } }, /body\.storage may have at most 24576 bytes/)
  await refused({ last_trigger: { action: 'LONG', at: '1969-12-31T00:00:00Z' } }, /last_trigger\.at must be/)
  const ofNone = { symbol: 'BTC/USDT', candles: flatCandles(5), code: '1' }
  for (const [field, changes] of [
    ['storage', { storage: 'saved' }],
    ['last_trigger', { last_trigger: 'saved' }],
  ] as const) {
    await assert.rejects(backtests.estimate(userId, { ...ofNone, ...changes }), {
      message: new RegExp(`body\\.${field} needs a \`strategy_id\``),
    })
  }
  const signals = { source: 'signals' as const, bot_webhook_id: 1, storage: 'empty' as const }
  const { symbol, candles } = request
  await assert.rejects(backtests.estimate(userId, { symbol, candles, ...signals }), {
    message: /body\.storage cannot come with the source `signals`/,
  })
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

test('what came with a request can be sent again, and another account reads none of it', async () => {
  const [userId, other] = [await addUser(), await addUser()]
  const given = {
    storage: { count: 1, deep: { list: [1, null] } },
    last_trigger: { action: 'LONG' as const, price: 100.5, at: '2026-01-01T00:00:00.000Z' },
    answers: [{ method: 'GET', url: 'https://a.example/', body: null, status: 200, text: 'ok' }],
    sweep: {
      parameters: { FAST: ['5', '10'], SLOW: ['20', '50'] },
      settings: { fee_rate: ['0', '0.001'] },
      random: 3,
      objective: 'sharpe' as const,
    },
    funding_rates: null,
  }
  const { funding_rates: _none, ...sent } = given
  const request = { ...slowRequest(5), code: '$.log($.Env.FAST, $.Env.SLOW)', bots: [{ amount: '5' }] }
  const { id } = await backtests.start(userId, { ...request, ...sent })
  assert.deepEqual(presentGiven(await backtests.reports.plan(userId, id)), given)
  await assert.rejects(backtests.reports.plan(other, id), { code: 'resource_not_found' })
  const sets = [
    { FAST: '5', SLOW: '20' },
    { FAST: '10', SLOW: '50' },
  ]
  const second = await backtests.start(userId, { ...request, sweep: { sets } })
  const plain = { storage: null, last_trigger: null, answers: [], funding_rates: null }
  assert.deepEqual(presentGiven(await backtests.reports.plan(userId, second.id)), {
    ...plain,
    sweep: { sets, objective: 'return_percent' },
  })
  const parameters = { FAST: ['5', '10'] }
  const walk_forward = { train_days: 1, test_days: 2, anchored: true }
  for (const rest of [{ end_at_drawdown_percent: 12.5 }, { walk_forward }]) {
    const sweep = { parameters, objective: 'return_percent' as const, ...rest }
    const days = { ...request, candles: slowRequest(100).candles!, sweep }
    const { id: swept } = await backtests.start(userId, days)
    assert.deepEqual(presentGiven(await backtests.reports.plan(userId, swept)), { ...plain, sweep })
  }
  const third = await backtests.start(userId, request)
  assert.deepEqual(presentGiven(await backtests.reports.plan(userId, third.id)), { ...plain, sweep: null })
})

test('rates of funding come back as they were given, and no list has them', async () => {
  const userId = await addUser()
  // With the assumed rate, a third of the moments would look as if someone had given it.
  const rates = [
    [startMs, '0.0001'],
    [new Date(startMs + 60 * minuteMs).toISOString(), -1e-7, '101.50'],
  ]
  const funding = { rates, assume: '0.0001', every_hours: 1 }
  const candles = Array.from({ length: 150 }, (_, minute) => [startMs + minute * minuteMs, 1, 1, 1, 1])
  const request = { code: '1', symbol: 'BTC/USDT:USDT', candles, market: { funding } }
  const { id, plan } = await backtests.start(userId, request)
  const given = presentGiven(await backtests.reports.plan(userId, id))
  assert.deepEqual(given.funding_rates, rates)
  const [listed] = await backtests.list(userId, { limit: 1, offset: 0 })
  for (const shown of [plan, listed!.plan]) {
    const { moments, unknown } = shown.market!.funding!
    assert.deepEqual([moments, unknown, 'rates' in shown.market!.funding!], [3, 0, false])
  }
  // What is asked again is the same backtest.
  const again = { ...funding, rates: given.funding_rates! }
  const second = await backtests.start(userId, { ...request, market: { funding: again } })
  const stored = await database.db
    .select({ moments: table.funding })
    .from(table)
    .where(eq(table.userId, userId))
  assert.deepEqual(stored[0]!.moments, stored[1]!.moments)
  const series = { ...request, market: { funding: { assume: '0.0001' } } }
  const { id: assumed } = await backtests.start(userId, series)
  assert.equal(presentGiven(await backtests.reports.plan(userId, assumed)).funding_rates, null)
  assert.ok(second.id > id)
})
