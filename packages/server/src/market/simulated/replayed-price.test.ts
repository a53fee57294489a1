import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { altbtc, eurusd } from '../../../test/shared-candles.ts'
import { type Candles, parseCandles, readCandleFile } from './candle-file.ts'
import { replayedAt, spanOf } from './replayed-price.ts'

const minute = 60_000
const start = 1_700_000_040_000

/** One candle a minute: open, high, low and close. */
function candlesOf(
  ...rows: [atMinute: number, open: number, high: number, low: number, close: number][]
): Candles {
  const lines = rows.map(([at, ...prices]) => [start + at * minute, ...prices].join())
  return parseCandles(Buffer.from(`time,open,high,low,close\n${lines.join('\n')}`), 'test')
}

const priceAt = (candles: Candles, second: number) => {
  const moment = replayedAt(candles, start + second * 1000)
  return moment.state === 'ended' ? undefined : moment.price
}

test('a rising candle reaches its low first, a falling one its high', () => {
  const rising = candlesOf([0, 100, 130, 70, 110])
  const falling = candlesOf([0, 110, 130, 70, 100])
  const seconds = [0, 10, 20, 30, 40, 50, 60]
  assert.deepEqual(
    seconds.map((second) => priceAt(rising, second)),
    [100, 85, 70, 100, 130, 120, 110],
  )
  assert.deepEqual(
    seconds.map((second) => priceAt(falling, second)),
    [110, 120, 130, 100, 70, 85, 100],
  )
})

test('a candle that ends where it began reaches its low first', () => {
  assert.equal(priceAt(candlesOf([0, 100, 130, 70, 100]), 20), 70)
})

test('the next candle begins when the previous one ends', () => {
  const candles = candlesOf([0, 1, 2, 1, 2], [1, 5, 6, 5, 6])
  assert.equal(priceAt(candles, 60), 5)
})

test('where candles are missing, the last close remains the price', () => {
  const candles = candlesOf([0, 1, 2, 1, 2], [1, 5, 6, 5, 6], [9, 8, 8, 7, 7])
  assert.deepEqual(replayedAt(candles, start + 2 * minute), { state: 'trading', price: 6 })
  for (const afterMs of [1, 1000, 7 * minute - 1]) {
    assert.deepEqual(replayedAt(candles, start + 2 * minute + afterMs), { state: 'closed', price: 6 })
  }
  assert.deepEqual(replayedAt(candles, start + 9 * minute), { state: 'trading', price: 8 })
})

test('a candle ends when the next one begins, even if that is early', () => {
  const candles = candlesOf([0, 1, 4, 1, 4], [1, 4, 4, 4, 4], [2, 1, 4, 1, 4], [2.5, 9, 9, 9, 9])
  assert.equal(candles.periodMs, minute)
  assert.equal(priceAt(candles, 140), 4)
  assert.equal(priceAt(candles, 150), 9)
})

test('after the last candle, the market has ended', () => {
  const candles = candlesOf([0, 1, 2, 1, 2], [1, 5, 6, 5, 6])
  assert.equal(priceAt(candles, 120), 6)
  assert.deepEqual(replayedAt(candles, start + 2 * minute + 1), { state: 'ended' })
  assert.deepEqual(replayedAt(candles, start + 1000 * minute), { state: 'ended' })
  assert.deepEqual(spanOf(candles), { from: start, to: start + 2 * minute })
})

test('before the first candle, the market is closed at its open', () => {
  assert.deepEqual(replayedAt(candlesOf([0, 3, 4, 3, 4]), start - 1), { state: 'closed', price: 3 })
})

test('a price has the decimals of the file, stays within the candle, and passes all four of its prices', () => {
  const level = fc.integer({ min: 1, max: 1_000_000 })
  const candle = fc.tuple(level, level, level, level, fc.integer({ min: 0, max: 8 }))
  fc.assert(
    fc.property(candle, fc.integer({ min: 0, max: minute }), ([one, two, three, four, decimals], afterMs) => {
      const [low, lower, higher, high] = [one, two, three, four]
        .toSorted((a, b) => a - b)
        .map((value) => Number((value / 10 ** decimals).toFixed(decimals)))
      const candles = candlesOf([0, lower!, high!, low!, higher!])
      const moment = replayedAt(candles, start + afterMs)
      assert.ok(moment.state === 'trading')
      assert.ok(moment.price >= low! && moment.price <= high!)
      assert.equal(moment.price, Number(moment.price.toFixed(decimals)))
      assert.deepEqual(
        [0, 20, 40, 60].map((second) => priceAt(candles, second)),
        [lower, low, high, higher],
      )
    }),
  )
})

test('hourly candles of EUR/USD give these prices', { skip: eurusd.skip }, async () => {
  const candles = await readCandleFile(eurusd.path)
  const at = (time: number, afterMinutes: number) => replayedAt(candles, time + afterMinutes * minute)
  const trading = (price: number) => ({ state: 'trading', price })
  // Rises: 1.0716, 1.0722, 1.07083, 1.07219.
  assert.deepEqual(at(1492592400000, 0), trading(1.0716))
  assert.deepEqual(at(1492592400000, 5), trading(1.07141))
  assert.deepEqual(at(1492592400000, 20), trading(1.07083))
  assert.deepEqual(at(1492592400000, 40), trading(1.0722))
  assert.deepEqual(at(1492592400000, 60), trading(1.07214))
  // Falls: 1.07256, 1.07299, 1.0717, 1.07192.
  assert.deepEqual(at(1492599600000, 5), trading(1.07267))
  assert.deepEqual(at(1492599600000, 20), trading(1.07299))
  assert.deepEqual(at(1492599600000, 40), trading(1.0717))
  // A weekend.
  assert.deepEqual(at(1492804800000, 60), trading(1.07268))
  assert.deepEqual(at(1492804800000, 61), { state: 'closed', price: 1.07268 })
  assert.deepEqual(at(1492981200000, -1), { state: 'closed', price: 1.07268 })
  assert.deepEqual(at(1492981200000, 0), trading(1.0893))
  assert.deepEqual(at(1518015600000, 60), trading(1.22904))
  assert.deepEqual(at(1518015600000, 61), { state: 'ended' })
})

test('minute candles of a pair in BTC give these prices', { skip: altbtc.skip }, async () => {
  const candles = await readCandleFile(altbtc.path)
  const at = (time: number, afterSeconds: number) => replayedAt(candles, time + afterSeconds * 1000)
  // Falls: 0.00161109, 0.00161133, 0.0015939, 0.00159602.
  assert.deepEqual(at(1509848520000, 20), { state: 'trading', price: 0.00161133 })
  assert.deepEqual(at(1509848520000, 40), { state: 'trading', price: 0.0015939 })
  assert.deepEqual(at(1509848520000, 50), { state: 'trading', price: 0.00159496 })
  // There was no trade for six minutes.
  assert.deepEqual(at(1509836820000, 60), { state: 'trading', price: 0.00160345 })
  assert.deepEqual(at(1509836820000, 61), { state: 'closed', price: 0.00160345 })
  assert.deepEqual(at(1509837240000, 0), { state: 'trading', price: 0.00161902 })
})

for (const { name, path, skip } of [altbtc, eurusd]) {
  test(`every price of a replay of ${name} is within its candle`, { skip }, async () => {
    const candles = await readCandleFile(path)
    const { from, to } = spanOf(candles)
    const { times, lows, highs } = candles
    let index = 0
    for (let at = from; at <= to; at += candles.periodMs * 0.131) {
      while (index + 1 < times.length && times[index + 1]! <= at) index++
      const moment = replayedAt(candles, at)
      if (moment.state === 'ended') assert.fail(`ended at ${at}`)
      assert.ok(moment.price >= lows[index]! && moment.price <= highs[index]!, `${moment.price} at ${at}`)
      assert.equal(moment.state, at <= times[index]! + candles.periodMs ? 'trading' : 'closed')
    }
    assert.equal(replayedAt(candles, to + 1).state, 'ended')
  })
}
