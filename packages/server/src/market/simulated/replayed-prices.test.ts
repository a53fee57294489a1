import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quotes } from '../../../test/quotes.ts'
import { altbtc } from '../../../test/shared-candles.ts'
import { until } from '../../../test/until.ts'
import { NoSuchMarket } from '../price-source.ts'
import { parseCandles, readCandleFile } from './candle-file.ts'
import { replayedAt } from './replayed-price.ts'
import { ReplayedPrices, type ReplayOptions } from './replayed-prices.ts'

const binance = { exchange: 'binance', service: 'spot' }
const minute = 60_000

/** Two minutes at one price, a gap of seven, then two minutes at another price. */
const candles = parseCandles(
  Buffer.from(`time,open,high,low,close
1700000040000,3,3,3,3
1700000100000,3,3,3,3
1700000580000,5,5,5,5
1700000640000,5,5,5,5
`),
  'test',
)

/** A replay whose clock `forward` moves. */
function open(t: { after(fn: () => void): void }, options: Partial<ReplayOptions> = {}) {
  let forwardMs = 0
  let moved = () => {}
  const clock = {
    elapsedMs: () => performance.now() + forwardMs,
    onMove: (told: () => void) => (moved = told),
  }
  const prices = new ReplayedPrices({ candles, speed: 1, clock, ...options })
  t.after(() => prices.close())
  const watch = () => {
    const quotes = new Quotes()
    prices.watch(binance, 'BTC/USDT', quotes)
    return quotes
  }
  return { prices, watch, forward: (ms: number) => (forwardMs += ms), moved: () => moved() }
}

test('where a clock was moved, its price comes at once', async (t) => {
  const { watch, forward, moved } = open(t)
  const quotes = watch()
  await until('an update', async () => quotes.updates.length > 0)
  forward(9 * minute)
  moved()
  assert.equal(quotes.updates.at(-1)!.price, 5)
})

test('each second of a candle is an update, even without a change', async (t) => {
  const quotes = open(t).watch()
  await until('updates', async () => quotes.updates.length >= 3)
  for (const { price, at } of quotes.updates) {
    assert.equal(price, 3)
    assert.ok(Math.abs(Date.now() - at) < 60_000, 'the current time, not that of the candles')
  }
  assert.deepEqual([quotes.confirmations, quotes.troubles], [[], []])
})

test('where candles are missing, the last close is confirmed but not updated', async (t) => {
  const { watch, forward } = open(t)
  const before = watch()
  await until('an update', async () => before.updates.length > 0)
  forward(3 * minute)
  await until('confirmations', async () => before.confirmations.length >= 2)
  const updates = before.updates.length
  assert.ok(before.confirmations.every(({ price }) => price === 3))
  await until('more confirmations', async () => before.confirmations.length >= 4)
  assert.equal(before.updates.length, updates)

  forward(6 * minute)
  await until('an update', async () => before.updates.at(-1)!.price === 5)
  assert.deepEqual(before.troubles, [])
})

test('a new listener in a gap gets the last close as an update once', async (t) => {
  const { watch, forward } = open(t)
  forward(3 * minute)
  const quotes = watch()
  await until('confirmations', async () => quotes.confirmations.length >= 2)
  assert.deepEqual(
    quotes.updates.map(({ price }) => price),
    [3],
  )
})

test('after the last candle there is no price, and each listener learns why once', async (t) => {
  const { watch, forward } = open(t)
  const quotes = watch()
  await until('an update', async () => quotes.updates.length > 0)
  forward(20 * minute)
  await until('the end', async () => quotes.troubles.length > 0)
  const { updates, confirmations } = structuredClone(quotes)
  const late = watch()
  await Promise.resolve()
  assert.equal(late.troubles.length, 1)
  assert.match(late.troubles[0]!, /^The candle file has ended/)

  forward(minute)
  const later = watch()
  await until('a second more', async () => later.troubles.length > 0)
  assert.deepEqual({ ...quotes }, { updates, confirmations, troubles: late.troubles })
  assert.deepEqual([late.updates, later.updates], [[], []])
})

test('the speed is a factor, in steps of whole seconds from the start', {
  skip: altbtc.skip,
}, async (t) => {
  const real = await readCandleFile(altbtc.path)
  const speed = 90.5
  const quotes = open(t, { candles: real, speed }).watch()
  await until('updates', async () => quotes.updates.length >= 3)
  const possible = Array.from({ length: 60 }, (_, second) => {
    const moment = replayedAt(real, real.times[0]! + second * 1000 * speed)
    return moment.state === 'ended' ? undefined : moment.price
  })
  const sent = quotes.updates.map(({ price }) => price)
  assert.equal(sent[0], possible[0])
  let from = 0
  for (const price of sent) {
    const at = possible.indexOf(price, from)
    assert.ok(at >= 0, `${price} after step ${from}`)
    from = at + 1
  }
})

test('every symbol has the prices of the file, whatever its name', async (t) => {
  const { prices } = open(t)
  const names: Record<string, string> = {
    btcusdt: 'BTC/USDT',
    'BTC/USDT:USDT': 'BTC/USDT',
    ' altbtc ': 'ALT/BTC',
    aapl: 'AAPL',
    '^gspc': '^GSPC',
  }
  for (const [spelling, symbol] of Object.entries(names)) {
    assert.equal(await prices.resolve(binance, spelling), symbol)
  }
  await assert.rejects(prices.resolve(binance, ' '), NoSuchMarket)
})

test('prices do not have the name of a real exchange', (t) => {
  const { prices } = open(t)
  assert.equal(prices.kind, 'replay')
  assert.equal(prices.nameOf(binance), 'replay')
})
