import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endingOf, openingOf, readInterval } from './candle-intervals.ts'
import { type Candle, type CandleRequest, joinCandles, packCandles } from './candles.ts'
import { candlesHeld } from './messages.ts'
import { inputOf, logged, newStrategyId, recordingHost, testSandbox } from './test-support.ts'

const { run } = await testSandbox()
const hour = 3_600_000
const start = Date.UTC(2026, 5, 1)

/** Hourly candles from `start` on; the last is unfinished. */
function hours(count: number): Candle[] {
  return Array.from({ length: count }, (_, index) => ({
    time: start + index * hour,
    open: 100 + index,
    high: 102 + index,
    low: 99 + index,
    last: 101 + index,
    volume: 1.5,
    done: index < count - 1,
  }))
}

/** A host with these candles, and what code asked it for. */
function hostWith(candles: Candle[]) {
  const asked: CandleRequest[] = []
  const host = recordingHost({
    candles: async (request) => {
      asked.push(request)
      return packCandles(candles.slice(-request.count))
    },
  })
  return { host, asked }
}

test('$.candles resolves to candles as the host has them, oldest first', async () => {
  const { host, asked } = hostWith(hours(1_000))
  const code = `const candles = await $.candles('btcusdt', '1h', 1000)
    const options = { exchange: $.Exchange.KRAKEN, service: 'futures' }
    $.log((await $.candles(' BTC/USD ', '15m', 2, options)).length)
    $.log(candles)`
  // Logs have 8 KB, so the code compares.
  const compare = code.replace('$.log(candles)', `$.log(JSON.stringify(candles) === $.Request.data)`)
  const request = { data: JSON.stringify(hours(1_000)), headers: {}, ip: '' }
  const outcome = await run(compare, { host, input: inputOf({ request }) })
  assert.equal(outcome.log, '2\ntrue\n', JSON.stringify(outcome))
  assert.deepEqual(asked, [
    { symbol: 'btcusdt', interval: '1h', count: 1_000, exchange: null, service: null },
    { symbol: ' BTC/USD ', interval: '15m', count: 2, exchange: 'KRAKEN', service: 'futures' },
  ])
})

test('indicators take candles as they are, and nothing shows the hidden name', async () => {
  const { host } = hostWith(hours(20))
  const code = `const candles = await $.candles('btcusdt', '1h', 20)
    const [atr, adx, cci] = [new $.Ta.ATR(5), new $.Ta.ADX(5), new $.Ta.CCI(5)]
    for (const candle of candles) for (const each of [atr, adx, cci]) each.update(candle)
    $.log([atr.isStable, atr.getResult(), adx.isStable, cci.isStable, Object.keys(candles[0]), JSON.stringify(candles[0])])`
  const fields = ['time', 'open', 'high', 'low', 'last', 'volume', 'done']
  assert.deepEqual(logged(await run(code, { host })), [
    true,
    3,
    true,
    true,
    fields,
    JSON.stringify(hours(2)[0]),
  ])
})

test('the list belongs to the code, and the next run gets its own', async () => {
  const { host } = hostWith(hours(5))
  const code = `const candles = await $.candles('btcusdt', '1h', 5)
    candles[0].last = 'changed'
    candles.reverse().pop()
    const again = await $.candles('btcusdt', '1h', 5)
    $.log([candles.length, again.length, again[0].last])`
  const strategyId = newStrategyId()
  for (let count = 0; count < 3; count += 1)
    assert.deepEqual(logged(await run(code, { host, strategyId })), [4, 5, 101])
})

test('runs share candles of the host, also when there are more of them than an executor holds', async () => {
  const lists = Array.from({ length: candlesHeld + 6 }, (_, index) => hours(index + 1))
  const packed = lists.map(packCandles)
  const host = recordingHost({ candles: async ({ count }) => packed[count - 1]! })
  const few = await testSandbox({ executors: 1 })
  const ask = async (counts: number[]) => {
    const code = `const lists = await Promise.all(${JSON.stringify(counts)}.map((count) => $.candles('b', '1h', count)))
      $.log(JSON.stringify(lists) === $.Request.data)
      for (const list of lists) list[0].last = 'changed'`
    const data = JSON.stringify(counts.map((count) => lists[count - 1]))
    const request = { data, headers: {}, ip: '' }
    return few.run(code, { host, input: inputOf({ request }), strategyId: newStrategyId() })
  }
  const counts = lists.map(({ length }) => length)
  // The last one asks for the first lists again, which the executor no longer holds.
  const asked = [
    [1, 1, 2],
    ...Array.from({ length: 9 }, (_, index) => counts.slice(8 * index, 8 * index + 8)),
    [1, 2, 70],
  ]
  for (const each of asked) assert.equal((await ask(each)).log, 'true\n', `${each}`)
  const together = await Promise.all(Array.from({ length: 40 }, (_, index) => ask([1 + index, 2, 70])))
  assert.deepEqual([...new Set(together.map(({ log }) => log))], ['true\n'])
})

test('candles keep every number that a float can have', async () => {
  const odd = [0, 1e-8, 5e-324, 1.7976931348623157e308, 9007199254740991, 0.1 + 0.2, 12345.678]
  const list = odd.map((value, index) => ({
    ...{ time: start + index * hour, open: value, high: value, low: -value || 0, last: value, volume: value },
    done: true,
  }))
  const host = recordingHost({ candles: async () => packCandles(list) })
  const outcome = await run(`$.log(JSON.stringify(await $.candles('b', '1h', 7)))`, { host })
  assert.equal(outcome.log, `${JSON.stringify(list)}\n`)
  const none = recordingHost({ candles: async () => packCandles([]) })
  assert.deepEqual(logged(await run(`$.log(await $.candles('b', '1h', 7))`, { host: none })), [])
})

test('a call rejects with the reason of the host, at the line of the call', async () => {
  const host = recordingHost({ candles: () => Promise.reject(new Error('binance spot is away.')) })
  const { status, error } = await run(`\nawait $.candles('btcusdt', '1h', 5)`, { host })
  assert.deepEqual([status, error?.message, error?.line], ['failed', 'binance spot is away.', 2])
})

test('a run calls it at most twenty times', async () => {
  const { host, asked } = hostWith(hours(2))
  const code = `for (let count = 1; count <= 22; count += 1)
    await $.candles('btcusdt', '1h', 1).catch((error) => $.log(count, error.message))`
  const { log } = await run(code, { host })
  const message = 'A run may call $.candles at most 20 times.'
  assert.equal(log, `21 ${message}\n22 ${message}\n`)
  assert.equal(asked.length, 20)
})

test('$.Candles reads columns and joins candles', async () => {
  const { host } = hostWith(hours(7))
  const code = `const candles = await $.candles('btcusdt', '1h', 6)
    const { lasts, highs, lows, volumes, typical, resample } = $.Candles
    $.log([lasts(candles), highs(candles), lows(candles), volumes(candles)[0], typical(candles)[0], resample(candles, '4h'), resample(candles, '1h').length])`
  const [lasts, highs, lows, volume, typical, joined, same] = logged(await run(code, { host })) as unknown[]
  assert.deepEqual(
    [lasts, highs, lows, volume],
    [[102, 103, 104, 105, 106, 107], [103, 104, 105, 106, 107, 108], [100, 101, 102, 103, 104, 105], 1.5],
  )
  assert.equal(typical, (103 + 100 + 102) / 3)
  // The candle from 00:00 on has lost its first hour.
  const second = {
    time: start + 4 * hour,
    open: 104,
    high: 108,
    low: 103,
    last: 107,
    volume: 4.5,
    done: false,
  }
  assert.deepEqual([joined, same], [[second], 6])
  const refusals = `const candles = await $.candles('btcusdt', '1h', 6)
    for (const attempt of [() => $.Candles.resample(candles, '30m'), () => $.Candles.resample(candles, 'hour'),
      () => $.Candles.resample(candles.toReversed(), '1d'), () => $.Candles.lasts($.candles)])
      try { attempt() } catch (error) { $.log(error.name, error.message) }`
  assert.equal(
    (await run(refusals, { host })).log,
    [
      'RangeError interval must not be shorter than that of the candles, got 30m',
      'TypeError interval must be a text such as 1m, 4h, 1d, 1w or 1M',
      'RangeError candles must be in order of time, oldest first',
      'TypeError candles must be a list, as $.candles returns it',
      '',
    ].join('\n'),
  )
})

const moment = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2100, 0, 1) })
const name = fc.constantFrom('1m', '7m', '90m', '1h', '4h', '1d', '3d', '1w', '2w', '1M', '3M', '12M')

test('every moment belongs to one candle of an interval', () => {
  fc.assert(
    fc.property(name, moment, (text, at) => {
      const interval = readInterval(text)!
      const opening = openingOf(interval, at)
      const ending = endingOf(interval, opening)
      assert.ok(opening <= at && at < ending)
      assert.equal(openingOf(interval, opening), opening)
      assert.equal(openingOf(interval, ending), ending)
      assert.equal(openingOf(interval, ending - 1), opening)
      assert.equal(endingOf(interval, ending, -1), opening)
      assert.ok(ending - opening >= interval.ms)
    }),
  )
  for (const text of [
    '',
    'm',
    '0m',
    '01m',
    '1000m',
    '1s',
    '1H',
    '1y',
    ' 1m',
    '1m\n',
    '-1m',
    '1.5h',
    5,
    null,
  ]) {
    assert.equal(readInterval(text), undefined, String(text))
  }
})

test('candles that are joined twice are like candles that are joined once', () => {
  const shifts = fc.integer({ min: 0, max: 1_000 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), shifts, (count, shift) => {
      const candles = hours(count).map((candle) => ({ ...candle, time: candle.time + 4 * shift * hour }))
      const [four, day] = [readInterval('4h')!, readInterval('1d')!]
      assert.deepEqual(
        joinCandles(joinCandles(candles, four, hour), day, 4 * hour),
        joinCandles(candles, day, hour),
      )
    }),
  )
})
