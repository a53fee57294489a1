import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Sandbox } from '@tickwright/sandbox'
import { read } from '../../../../test/repository.ts'
import { rowsOf } from '../../../../test/tables.ts'
import {
  arriving,
  flat,
  logsOf,
  market,
  minuteMs,
  noonMs,
  run,
  sandbox,
  symbol,
} from '../../test/backtesting.ts'
import { altbtc } from '../../test/shared-candles.ts'
import { parseCandles } from '../market/simulated/candle-file.ts'
import { type BacktestParts, digestOf, type Known } from './backtest.ts'
import { lengthsOf, nothingYet, packArrival, packDecided, unpackKnown } from './jobs/packed.ts'
import { MarketData } from './market-data.ts'

/** Acts in the runs whose number is a key. */
const actsAt = (actions: Record<number, string>) => `
  const run = ((await $.Storage.get()) ?? -1) + 1
  await $.Storage.set(run)
  const action = ${JSON.stringify(actions)}[run]
  if (action !== undefined) await $.Strategy.action(action)`

test('a position is opened and closed at the next openings, and each cost is counted, as worked out by hand', async () => {
  const data = market(['100', '100 110 95 104', '104 104 104 104', '120 125 118 119'])
  // It buys 2 at 100 × 1.01 = 101 for a fee of 2.02, and sells them at 120 × 0.99 = 118.8 for a fee of 2.376.
  const costs = { amount: '200', feeRate: '0.01', slippageRate: '0.01', sizeUnit: null }
  const [done] = await run(actsAt({ 0: 'LONG', 2: 'EXIT' }), data, [{ ...costs, amountUnit: 'quote' }])
  const { traded } = done!
  assert.deepEqual(
    traded.fills.map(({ timeMs, side, size, price, fee, reason }) => [
      timeMs,
      side,
      size,
      price,
      fee,
      reason,
    ]),
    [
      [noonMs + minuteMs, 'buy', 2, 101, 2.02, 'signal'],
      [noonMs + 3 * minuteMs, 'sell', 2, 118.8, 2.376, 'signal'],
    ],
  )
  assert.deepEqual(
    traded.fills.map(({ slippageCost, realised, positionAfter }) => [
      Number(slippageCost.toFixed(9)),
      realised,
      positionAfter,
    ]),
    [
      [2, -2.02, 2],
      [2.4, 33.224, 0],
    ],
  )
  // 10000 - 2.02 + 2 × (price - 101).
  assert.deepEqual(
    traded.equity.map(({ equity, worst }) => [equity, worst]),
    [
      [10_000, 10_000],
      [10_003.98, 9_985.98],
      [10_003.98, 10_003.98],
      [10_031.204, 10_031.204],
    ],
  )
  assert.deepEqual(traded.closed, [
    {
      ...{ symbol, side: 'LONG', openedMs: noonMs + minuteMs, closedMs: noonMs + 3 * minuteMs },
      ...{ entry: 101, exit: 118.8, size: 2, profit: 31.204, fees: 4.396, reason: 'signal' },
    },
  ])
  assert.deepEqual(
    traded.signals.map(({ action, outcome }) => [action, outcome]),
    [
      ['LONG', 'DONE'],
      ['EXIT', 'DONE'],
    ],
  )
})

test('at the end, a position keeps its value or is closed at the last close', async () => {
  const data = market(['100', '100', '110'])
  const fees = [{ feeRate: '0.01' }]
  const [held] = await run(actsAt({ 0: 'LONG', 2: 'SHORT' }), data, fees)
  assert.deepEqual([held!.traded.closed, held!.traded.equity.at(-1)!.equity], [[], 10_009])
  assert.equal(held!.traded.signals[1]!.outcome, 'UNFOLLOWED')
  const [closed] = await run(actsAt({ 0: 'LONG' }), data, fees, { atEnd: 'close' })
  assert.equal(closed!.traded.equity.at(-1)!.equity, 10_007.9)
  assert.deepEqual(
    closed!.traded.closed.map(({ reason, profit }) => [reason, profit]),
    [['end', 7.9]],
  )
})

test('signals of the warm-up are not followed, and what it stored and did last is carried on', async () => {
  const data = market(['100', '100', '100', '100'])
  const code = `${actsAt({ 0: 'LONG', 2: 'SHORT' })}
    $.log(run, $.Strategy.lastTrigger.action)`
  const [done] = await run(code, data, [{}], { first: 1 })
  assert.equal(done!.decisions.signals.length, 2)
  assert.deepEqual(
    done!.traded.signals.map(({ action, outcome }) => [action, outcome]),
    [['SHORT', 'DONE']],
  )
  assert.deepEqual([done!.traded.startMs, done!.traded.equity.length], [noonMs + minuteMs, 3])
  assert.match(done!.decisions.logs[1]!.log, /1 LONG/)
})

test('the code begins with the storage and the last trigger that it is given', async () => {
  const lastTrigger = { action: 'EXIT', price: 7, at: 5 } as const
  const code =
    '$.log(JSON.stringify([await $.Storage.get(), $.Strategy.lastTrigger])); await $.Storage.set(2)'
  const logs = await logsOf(code, flat(2), { storage: '{"n":1}', lastTrigger })
  assert.deepEqual(
    logs.map((log) => JSON.parse(log)),
    [
      [{ n: 1 }, lastTrigger],
      [2, lastTrigger],
    ],
  )
  const [done] = await run("await $.Strategy.action('EXIT')", flat(1), [{}], { lastTrigger })
  assert.equal(done!.decisions.violations[0]!.violation.rule, 'consecutive_exit')
})

test('a violation suspends the strategy in the time of the candles, for longer each time', async () => {
  const code = `
    const run = ((await $.Storage.get()) ?? -1) + 1
    await $.Storage.set(run)
    $.log(run)
    if (run === 0) await $.Strategy.action('EXIT')
    if (run === 1 || run === 2) await $.Strategy.action('EXIT')`
  const [done] = await run(code, flat(30))
  const { decisions, traded } = done!
  assert.deepEqual(
    decisions.violations.map(({ atMs, violation, suspendedUntilMs }) => [
      (atMs - noonMs) / minuteMs,
      violation.rule,
      (suspendedUntilMs - noonMs) / minuteMs,
    ]),
    [
      [2, 'consecutive_exit', 7],
      [7, 'consecutive_exit', 22],
    ],
  )
  assert.deepEqual([decisions.runs, decisions.skipped, decisions.signals.length], [12, 18, 1])
  assert.equal(traded.equity.length, 30)
})

test('five actions in a second are accepted, and a sixth is a violation', async () => {
  const code = `await $.Strategy.action($.Strategy.lastTrigger.action === 'LONG' ? 'SHORT' : 'LONG')`
  const [done] = await run(code, market(Array(8).fill('100'), 100))
  assert.equal(done!.decisions.signals.length, 5)
  assert.equal(done!.decisions.violations[0]!.violation.rule, 'action_rate')
})

test('a run that hangs and one that fails take nothing from the others', async () => {
  const code = `
    const run = (new Date() - ${noonMs}) / ${minuteMs}
    if (run === 3) for (;;);
    if (run === 40) null.length
    await $.Storage.set(((await $.Storage.get()) ?? 0) + 1)`
  const [done] = await run(code, flat(60))
  const { decisions } = done!
  assert.deepEqual(
    decisions.violations.map(({ violation: { rule, limit, actual } }) => [rule, limit === actual]),
    [['execution_time', true]],
  )
  assert.deepEqual(
    decisions.failures.map(({ atMs, error }) => [(atMs - noonMs) / minuteMs, error.name, error.line]),
    [[40, 'TypeError', 4]],
  )
  assert.equal(decisions.storage, String(decisions.runs - 2))
})

test('a strategy that stops itself runs no more, and its position stays', async () => {
  const code = `${actsAt({ 0: 'LONG' })}
    if (run === 2) await $.Strategy.stop()`
  const [done] = await run(code, flat(10))
  assert.deepEqual([done!.decisions.runs, done!.decisions.skipped], [3, 7])
  assert.equal(done!.decisions.stoppedMs, noonMs + 3 * minuteMs)
  assert.deepEqual([done!.traded.equity.length, done!.traded.closed.length], [10, 0])
})

/** A sandbox that counts the series that it executes. */
function counting(): { parts: Pick<BacktestParts, 'sandbox'>; count: () => number } {
  let count = 0
  const series: Sandbox['series'] = (request) => {
    count += 1
    return sandbox.series(request)
  }
  return { parts: { sandbox: { series } }, count: () => count }
}

test('other fees run no code again, unless the code asks what its bot holds', async () => {
  const bots = ['0', '0.001', '0.002'].map((feeRate) => ({ feeRate }))
  const plain = counting()
  const done = await run(actsAt({ 0: 'LONG', 3: 'EXIT' }), flat(6), bots, { parts: plain.parts })
  assert.equal(plain.count(), 1)
  assert.deepEqual(
    done.map(({ traded }) => traded.equity.at(-1)!.equity),
    [10_000, 9_999.8, 9_999.6],
  )
  const asking = counting()
  const code = `
    const [held] = await $.Strategy.positions()
    if (held === undefined) await $.Strategy.action('LONG')
    else if (held.size === 1) $.log(JSON.stringify(held))`
  const [first] = await run(code, market(['100', '100', '103']), bots, { parts: asking.parts })
  assert.equal(asking.count(), 3)
  assert.deepEqual(JSON.parse(first!.decisions.logs.at(-1)!.log), {
    ...{ bot: { id: 1, name: 'b', mode: 'paper' }, symbol, side: 'long', size: 1, entryPrice: 100 },
    unrealised: 3,
    signal: { action: 'LONG', status: 'DONE', reason: null, at: noonMs + minuteMs },
  })
})

const busy = `
  const { sum, n } = (await $.Storage.get()) ?? { sum: 0, n: 0 }
  const { last, volume } = JSON.parse($.Request.data)
  await $.Storage.set({ sum: sum * 0.97 + last * volume, n: n + 1 })
  if (n % 31 === 7) $.log(n, sum, Date.now())
  if (n % 37 === 11) throw new Error('run ' + n)
  const chance = Math.random()
  const held = $.Strategy.lastTrigger.action
  if (chance < 0.03) await $.Strategy.action('LONG', { protection: { stop_loss: '0.5%' } })
  else if (chance < 0.05 && held !== 'EXIT') await $.Strategy.action('EXIT')
  else if (chance < 0.06) $.log((await $.candles($.Price.symbol, '5m', 3)).map(({ last }) => last))
  else if (chance < 0.07 && $.Env.ASKS) $.log(JSON.stringify(await $.Strategy.positions()))`

test('a backtest has the same result with any number of executors and events at once', async () => {
  const rows = Array.from({ length: 700 }, (_, index) =>
    String(100 + Math.round(900 * Math.sin(index / 40)) / 100),
  )
  const data = market(rows)
  for (const env of [{}, { ASKS: '1' }] as Record<string, string>[]) {
    // The first two are executed at the same time, on two executors.
    const [whole, again, ...others] = await Promise.all([
      run(busy, data, [{}], { env }),
      run(busy, data, [{}], { env }),
      ...[5, 250].map((eventsAtOnce) => run(busy, data, [{}], { env, parts: { eventsAtOnce } })),
    ])
    const { decisions, traded } = whole[0]!
    const counts = [decisions.signals.length, decisions.failed, traded.closed.length, decisions.logs.length]
    assert.ok(
      counts.every((count) => count > 4),
      counts.join(),
    )
    const digest = digestOf(whole)
    for (const other of [again, ...others]) assert.equal(digestOf(other), digest)
  }
  const [other] = await run(busy, data, [{}], { seed: 2 })
  assert.notEqual(other!.decisions.signals.length, 0)
})

test('code decides the same on candles that are cut off: it sees nothing that comes later', {
  skip: altbtc.skip,
}, async () => {
  const candles = parseCandles(await readFile(altbtc.path), altbtc.name)
  const data = new MarketData(symbol, candles)
  const code = await readFile(
    join(import.meta.dirname, '../../../../examples/reactions/rsi-ema-cross.js'),
    'utf8',
  )
  const end = 800
  const [whole] = await run(code, data, [{}], { end })
  assert.ok(whole!.decisions.signals.length > 1)
  for (const cut of [411]) {
    const [part] = await run(code, data.without(data.length - cut))
    const before = whole!.decisions.signals.filter(({ index }) => index < cut)
    assert.deepEqual(part!.decisions.signals, before)
  }
})

/** For each row of the table: code that logs, and what it logs at the end of the second candle. */
const found: Record<string, [code: string, log: unknown]> = {
  '$.Request': [
    '$.Request.data',
    `{"time":${noonMs + minuteMs},"open":100,"high":107,"low":99,"close":103,"last":103,"volume":1,"symbol":"${symbol}"}`,
  ],
  '$.Price': [
    '[$.Price.symbol, $.Price.price, $.Price.exchange, $.Price.service].join(" ")',
    `${symbol} 103 backtest futures`,
  ],
  '$.getExchangeRate': [
    `[await $.getExchangeRate($.Exchange.BINANCE, "BTCUSDT"), await $.getExchangeRate($.Exchange.KRAKEN, "ETH/USDT")].join()`,
    '103,',
  ],
  '$.candles': [
    `JSON.stringify([(await $.candles("btc/usdt", "1m", 5)).map(({ time, last, done }) => [time - ${noonMs}, last, done]),
      await $.candles("BTCUSDT", "7m", 1).catch((error) => error.message.slice(0, 41)),
      await $.candles("ETHUSDT", "1m", 1).catch((error) => error.message.slice(0, 24))])`,
    JSON.stringify([
      [
        [0, 100, true],
        [minuteMs, 103, true],
      ],
      'This backtest has no candles of "7m". Its',
      'This backtest has candle',
    ]),
  ],
  '$.Storage': ['await $.Storage.get()', 'stored at 1'],
  '$.Strategy.lastTrigger': [
    'JSON.stringify($.Strategy.lastTrigger)',
    `{"action":"LONG","price":100,"at":${noonMs + minuteMs}}`,
  ],
  '$.Strategy.action': [
    'JSON.stringify(await $.Strategy.action("SHORT"))',
    `{"id":2,"action":"SHORT","symbols":["${symbol}"],"price":103,"at":${noonMs + 2 * minuteMs},"delivered":false}`,
  ],
  '$.Strategy.positions': ['(await $.Strategy.positions())[0].size', '1'],
  '$.Strategy.signalSymbols': ['$.Strategy.signalSymbols.join()', symbol],
  '$.Strategy.stop': ['await $.Strategy.stop()', 'true'],
  '$.Env': ['JSON.stringify($.Env)', '{"FAST":"5"}'],
  '$.Http': [
    `[(await $.Http.get("https://example.com/a?b=1")).status, (await $.Http.get("https://example.com/other")).status].join()`,
    '200,403',
  ],
  '`$.Ta`, `$.Candles`, `$.log`': ['typeof $.Ta.EMA', 'function'],
  Date: [
    '[Date.now(), await $.getExchangeRate($.Exchange.BINANCE, "BTCUSDT"), Date.now()].join()',
    `${noonMs + 2 * minuteMs},103,${noonMs + 2 * minuteMs}`,
  ],
  'Math.random': ['Math.random() === Math.random()', 'false'],
}

test('the document says what code finds in a backtest', async () => {
  const rows = rowsOf(await read('docs/backtests.md'), 'member').map(([member]) => member)
  assert.deepEqual(rows, Object.keys(found))
  const data = market(['100', '100 107 99 103', '103'])
  const answers = [{ method: 'GET', url: 'https://example.com/a?b=1', status: 200, text: 'yes' }]
  for (const [member, [code, log]] of Object.entries(found)) {
    const whole = `
      if (Date.now() === ${noonMs + 2 * minuteMs}) $.log(${code})
      else if (Date.now() < ${noonMs + 2 * minuteMs}) await $.Strategy.action("LONG")
      if (Date.now() !== ${noonMs + 2 * minuteMs}) await $.Storage.set("stored at " + (Date.now() - ${noonMs}) / ${minuteMs})`
    const logs = await logsOf(whole, data, { env: { FAST: '5' }, answers })
    assert.deepEqual(logs, [log], member)
  }
})

test('an answer is for the address as it is sent, however the answer writes it', async () => {
  const answers = [{ method: 'get', url: 'https://Example.com', status: 200, text: 'yes' }]
  const code = `$.log((await $.Http.get('https://example.com')).status)`
  assert.deepEqual(await logsOf(code, market(['100']), { answers }), ['200'])
})

test('a backtest that goes on from any checkpoint comes to the same result', async () => {
  const data = market(Array.from({ length: 40 }, (_, index) => String(100 + (index % 7))))
  const acts = "await $.Strategy.action(['LONG', 'EXIT', 'EXIT', 'SHORT'][run % 4])"
  const codes = [
    `const run = ((await $.Storage.get()) ?? 0) + 1; await $.Storage.set(run)
     $.log(run, Math.random()); if (run % 9 === 8) throw new Error('no'); if (run % 2) ${acts}`,
    `const [held] = await $.Strategy.positions(); const run = (held?.size ?? 0) + $.Price.price
     if (run % 3 < 1) $.log(held); ${acts}`,
  ]
  // Two of three runs have no candle that ends with them.
  const deliveries = arriving(Array.from({ length: 60 }, (_, n) => 1 + n * 0.6))
  for (const [code, changes] of codes.flatMap((each) => [
    [each, {}] as const,
    [each, { deliveries }] as const,
  ])) {
    const places: { bot: number; arrival: Buffer; decided: Buffer[] }[] = []
    let lengths = nothingYet
    const arrived = (bot: number, known: Known) => {
      const before = places.at(-1)
      const isOther = before?.bot !== bot
      const added = packDecided(known.decisions, isOther ? nothingYet : lengths)
      lengths = lengthsOf(known.decisions)
      const decided = [...(isOther ? [] : before.decided), ...(added === null ? [] : [added])]
      places.push({ bot, arrival: packArrival(known), decided })
    }
    const bots = [{}, { feeRate: '0.02' }]
    const whole = await run(code, data, bots, { ...changes, parts: { arrived, eventsAtOnce: 5 } })
    const firstBot = places.filter(({ bot }) => bot === 0)
    assert.ok(firstBot.length > 4)
    for (const place of firstBot.filter((_, index) => index % 4 === 0)) {
      const known = (bot: number) => (bot === 0 ? unpackKnown(place.arrival, place.decided) : undefined)
      assert.deepEqual(await run(code, data, bots, { ...changes, parts: { known } }), whole)
    }
  }
})
