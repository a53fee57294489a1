import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Candle, joinCandles, readInterval } from '@tickwright/sandbox'
import fc from 'fast-check'
import { eurusd } from '../../../test/shared-candles.ts'
import { Candles } from '../candles/candles.ts'
import { parseCandles, readCandleFile } from './candle-file.ts'
import { ReplayedPrices } from './replayed-prices.ts'
import { simulatedPair, simulatedPrice } from './simulated-price.ts'
import { SimulatedPrices } from './simulated-prices.ts'

const venue = { exchange: 'sim', service: 'spot' }
const minute = 60_000
const start = Date.UTC(2026, 5, 1, 12, 20, 30)
const bitcoin = simulatedPair({ base: 'BTC', quote: 'USDT' })

/** Candles of the simulated market at a time. */
function simulated(now: () => number) {
  const prices = new SimulatedPrices(now)
  return new Candles({ source: prices, resolve: (each, name) => prices.resolve(each, name) })
}

/** Candles of a file, replayed at a speed of 1, and a function that lets time pass. */
function replayed(file: ReturnType<typeof parseCandles>) {
  let elapsedMs = 0
  const prices = new ReplayedPrices({
    candles: file,
    speed: 1,
    clock: { elapsedMs: () => elapsedMs, onMove: () => {} },
  })
  const candles = new Candles({ source: prices, resolve: (each, name) => prices.resolve(each, name) })
  const passTo = (ms: number) => {
    elapsedMs = ms
  }
  return { candles, passTo }
}

const question = (interval: string, symbol = 'btcusdt') => ({ ownerId: 1, symbol, interval })

test('a simulated candle of a minute has exactly the prices of its seconds', async () => {
  const candles = await simulated(() => start).latest(venue, question('1m'), 100)
  assert.equal(candles.length, 100)
  for (const { time, open, high, low, last, done } of candles) {
    const seconds = Math.min(60, (start - time) / 1000 + 1)
    const prices = Array.from({ length: seconds }, (_, index) => simulatedPrice(bitcoin, time + index * 1000))
    assert.deepEqual([open, last], [prices[0], prices.at(-1)])
    assert.deepEqual([high, low], [Math.max(...prices), Math.min(...prices)])
    assert.equal(done, time + minute <= start)
  }
})

test('simulated candles are the same whenever they are computed, and never change once they are done', async () => {
  const moments = fc.integer({ min: 0, max: 30 * 86_400 })
  const intervals = fc.constantFrom('1m', '15m', '4h', '1d', '1w', '1M')
  await fc.assert(
    fc.asyncProperty(moments, moments, intervals, async (one, other, interval) => {
      const [early, late] = [start + Math.min(one, other) * 1000, start + Math.max(one, other) * 1000]
      const then = await simulated(() => early).latest(venue, question(interval), 20)
      let now = early
      const moving = simulated(() => now)
      await moving.latest(venue, question(interval), 20)
      now = late
      const later = await moving.latest(venue, question(interval), 200)
      assert.deepEqual(later, await simulated(() => late).latest(venue, question(interval), 200))
      const known = new Map(later.map((candle) => [candle.time, candle]))
      for (const candle of then) {
        assert.ok(candle.time <= early && (!candle.done || endOf(candle, interval) <= early))
        const same = known.get(candle.time)
        if (candle.done && same !== undefined) assert.deepEqual(same, candle)
      }
    }),
    { numRuns: 12 },
  )
})

function endOf({ time }: Candle, interval: string): number {
  const { ms, months } = readInterval(interval)!
  const date = new Date(time)
  return months === 0 ? time + ms : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

test('the volume of an unfinished simulated candle only grows', async () => {
  let before = 0
  for (let second = 0; second < 30; second++) {
    const at = start - 30_000 + second * 1000
    const [candle] = await simulated(() => at).latest(venue, question('5m'), 1)
    assert.ok(candle!.volume > before)
    before = candle!.volume
  }
})

test('weeks begin on Monday, months on the first', async () => {
  const of = async (interval: string) => await simulated(() => start).latest(venue, question(interval), 3)
  const openings = async (interval: string) =>
    (await of(interval)).map(({ time }) => new Date(time).toISOString().slice(0, 10))
  assert.deepEqual(await openings('1w'), ['2026-05-18', '2026-05-25', '2026-06-01'])
  assert.deepEqual(await openings('1M'), ['2026-04-01', '2026-05-01', '2026-06-01'])
  assert.deepEqual(await openings('1d'), ['2026-05-30', '2026-05-31', '2026-06-01'])
})

const opening = Date.UTC(2026, 0, 5)
const file = parseCandles(
  Buffer.from(
    `time,open,high,low,close,volume\n${[
      [0, 100, 130, 70, 110, 60],
      [1, 110, 120, 100, 105, 10],
      // Nothing was traded for two minutes.
      [4, 105, 106, 104, 104, 4],
      [5, 104, 104, 90, 91, 8],
    ]
      .map(([at, ...rest]) => [opening + at! * minute, ...rest].join())
      .join('\n')}`,
  ),
  'test',
)

test('a replayed candle has only what has happened so far', async () => {
  const { candles, passTo } = replayed(file)
  const seen: unknown[] = []
  for (const second of [0, 20, 30, 40, 59, 60]) {
    passTo(second * 1000)
    const found = await candles.latest(venue, question('1m', 'anything'), 10)
    seen.push(found.map(({ open, high, low, last, volume, done }) => [open, high, low, last, volume, done]))
  }
  assert.deepEqual(seen, [
    [[100, 100, 100, 100, 0, false]],
    [[100, 100, 70, 70, 20, false]],
    [[100, 100, 70, 100, 30, false]],
    [[100, 130, 70, 130, 40, false]],
    [[100, 130, 70, 111, 59, false]],
    [
      [100, 130, 70, 110, 60, true],
      [110, 110, 110, 110, 0, false],
    ],
  ])
})

test('longer replayed candles are joined from the file, without the future', async () => {
  const { candles, passTo } = replayed(file)
  passTo(4 * minute)
  const found = await candles.latest(venue, question('3m', 'x'), 10)
  assert.deepEqual(
    found.map(({ time, open, high, low, last, volume, done }) => [
      time - opening,
      open,
      high,
      low,
      last,
      volume,
      done,
    ]),
    [
      [0, 100, 130, 70, 105, 70, true],
      [3 * minute, 105, 105, 105, 105, 0, false],
    ],
  )
  passTo(60 * minute)
  assert.ok((await candles.latest(venue, question('3m', 'x'), 10)).every(({ done }) => done))
  await assert.rejects(candles.latest(venue, question('30s', 'x'), 10), {
    name: 'NoSuchCandles',
    message: /intervals are 1m, 3m, 5m/,
  })
})

test('at no moment does a replay of real candles show the future', { skip: eurusd.skip }, async () => {
  const real = await readCandleFile(eurusd.path)
  const index = new Map(Array.from(real.times, (time, at) => [time, at]))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 300 * 86_400 }), async (seconds) => {
      const { candles, passTo } = replayed(real)
      passTo(seconds * 1000)
      const at = real.times[0]! + seconds * 1000
      const found = await candles.latest(venue, question('1h', 'x'), 100)
      for (const { time, high, low, last, done } of found) {
        const row = index.get(time)!
        assert.ok(time <= at)
        assert.equal(done, time + 60 * minute <= at)
        if (done) assert.deepEqual([high, low, last], [real.highs[row], real.lows[row], real.closes[row]])
        else assert.ok(high <= real.highs[row]! && low >= real.lows[row]!)
      }
      const joined = await candles.latest(venue, question('4h', 'x'), 20)
      const again = joinCandles(
        await candles.latest(venue, question('1h', 'x'), 100),
        readInterval('4h')!,
        60 * minute,
      )
      assert.deepEqual(
        joined.slice(-10).map(({ time, open, high, low, last }) => [time, open, high, low, last]),
        again.slice(-10).map(({ time, open, high, low, last }) => [time, open, high, low, last]),
      )
    }),
    { numRuns: 50 },
  )
})
