import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type StandIn, startBinance, startKraken } from '../../../test/exchanges/index.ts'
import { callsTo, follow, livePrices } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import { Candles, type CandlesOptions } from '../candles/candles.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'

const spot = { exchange: 'binance', service: 'spot' }
const kraken = { exchange: 'kraken', service: 'spot' }
const klines = '/api/v3/klines'
const minute = 60_000
const hour = 60 * minute
const question = { ownerId: 1, symbol: 'btcusdt', interval: '1h' }
/** 20 minutes after a full hour. */
const start = Date.UTC(2026, 5, 1, 12, 20)

type StartExchange = () => Promise<StandIn>

/** Candles of an exchange whose clock, like this machine's, shows what the test sets. */
async function candlesOf(
  t: TestContext,
  startExchange: StartExchange,
  options: Partial<CandlesOptions> = {},
) {
  const exchange = await startExchange()
  t.after(() => exchange[Symbol.asyncDispose]())
  let skewMs = 0
  const set = (at: number) => {
    skewMs = at - Date.now()
    exchange.skewClock(skewMs)
  }
  set(start)
  const { binance, kraken } = { binance: exchange.endpoints, kraken: exchange.endpoints }
  const now = () => Date.now() + skewMs
  const { prices } = livePrices(t, { endpoints: { binance, kraken }, now })
  const resolve: CandlesOptions['resolve'] = (venue, name) => prices.resolve(venue, name)
  return {
    exchange,
    set,
    prices,
    candles: new Candles({ source: prices, resolve, patienceMs: 10_000, ...options }),
  }
}

test('candles come oldest first, and only the unfinished one is not done', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  exchange.setPrice('BTC/USDT', 61_000)
  const found = await candles.latest(spot, question, 3)
  assert.deepEqual(
    found.map(({ time, done }) => [time, done]),
    [
      [start - 20 * minute - 2 * hour, true],
      [start - 20 * minute - hour, true],
      [start - 20 * minute, false],
    ],
  )
  assert.equal(found.at(-1)!.last, 61_000)
  for (const { open, high, low, last, volume } of found) {
    assert.ok(low < Math.min(open, last) && high > Math.max(open, last) && volume >= 10)
  }
})

test('five hundred callers with any spelling make one request', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  const spellings = ['btcusdt', 'BTC/USDT', 'BINANCE:BTCUSDT', ' btc-usdt ']
  const all = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      candles.latest(spot, { ownerId: index, symbol: spellings[index % 4]!, interval: '1h' }, 200),
    ),
  )
  assert.equal(callsTo(exchange, klines), 1)
  assert.ok(all.every((list) => list === all[0]))
  // A moment later, the answer is ready, also for fewer.
  assert.deepEqual(await candles.latest(spot, question, 7), all[0]!.slice(-7))
  assert.equal(callsTo(exchange, klines), 1)
})

test('a finished candle never changes, and the next load asks only for what is new', async (t) => {
  const { exchange, candles, set } = await candlesOf(t, startBinance)
  exchange.setPrice('BTC/USDT', 61_000)
  const before = await candles.latest(spot, question, 1_000)
  set(start + 45 * minute)
  exchange.setPrice('BTC/USDT', 62_000)
  const after = await candles.latest(spot, question, 1_000)
  assert.equal(callsTo(exchange, klines), 2)
  assert.deepEqual(after.slice(0, -2), before.slice(1, -1))
  const [ended, unfinished] = after.slice(-2)
  assert.deepEqual([ended!.time, ended!.done], [before.at(-1)!.time, true])
  assert.notEqual(ended!.last, 61_000)
  assert.deepEqual([unfinished!.last, unfinished!.done], [62_000, false])
})

test('the unfinished candle is loaded again after some seconds', async (t) => {
  const { exchange, candles, set } = await candlesOf(t, startBinance)
  await candles.latest(spot, question, 10)
  exchange.setPrice('BTC/USDT', 63_000)
  set(start + 9_000)
  assert.notEqual((await candles.latest(spot, question, 10)).at(-1)!.last, 63_000)
  // Later than ten seconds after the first answer, which may have taken some.
  set(start + 30_000)
  assert.equal((await candles.latest(spot, question, 10)).at(-1)!.last, 63_000)
})

test('a clock of the exchange that is ahead shows nothing from the future', async (t) => {
  const { exchange, candles, prices, set } = await candlesOf(t, startBinance)
  const end = start + 40 * minute
  // Only the candles are left to ask for, so that this ends before the hour does.
  await prices.resolve(spot, 'btcusdt')
  set(end - 20_000)
  exchange.skewClock(end + 5_000 - Date.now())
  const found = await candles.latest(spot, question, 5)
  assert.deepEqual([found.at(-1)!.time, found.at(-1)!.done], [end - hour, false])
})

test('a candle that has ended may still change for a moment if the exchange has not begun the next one', async (t) => {
  const { exchange, candles, prices, set } = await candlesOf(t, startBinance)
  const end = start + 40 * minute
  await prices.resolve(spot, 'btcusdt')
  set(end + 200)
  exchange.skewClock(end - 10_000 - Date.now())
  const found = await candles.latest(spot, question, 5)
  assert.deepEqual([found.at(-1)!.time, found.at(-1)!.done], [end - hour, false])
  set(end + 4_000)
  const later = await candles.latest(spot, question, 5)
  assert.deepEqual(
    later.slice(-2).map(({ time, done }) => [time, done]),
    [
      [end - hour, true],
      [end, false],
    ],
  )
})

test('a range of the past is loaded once for all, in pages if the exchange needs them', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  const range = { since: start - 20 * minute - 2_000 * hour, until: start - 20 * minute - 1_000 * hour }
  const lists = await Promise.all([1, 2, 3].map(() => candles.range(spot, question, range)))
  const again = await candles.range(spot, question, range)
  assert.deepEqual(
    [again.length, again[0]!.time, again.at(-1)!.time],
    [1_000, range.since, range.until - hour],
  )
  assert.ok([...lists, again].every((list) => list.every(({ done }) => done)))
  assert.equal(callsTo(exchange, klines), 1)
  const futures = { exchange: 'binance', service: 'futures' }
  const inPages = await candles.range(futures, question, range)
  assert.deepEqual(
    inPages.map(({ time }) => time),
    again.map(({ time }) => time),
  )
  assert.equal(callsTo(exchange, '/fapi/v1/klines'), 2)
})

test('Kraken keeps 720 candles, and anyone who asks for more or for older ones learns that', async (t) => {
  const { exchange, candles } = await candlesOf(t, startKraken)
  const inDollars = { ...question, symbol: 'BTC/USD' }
  assert.equal((await candles.latest(kraken, inDollars, 720)).length, 720)
  assert.equal(callsTo(exchange, '/0/public/OHLC'), 1)
  await assert.rejects(candles.latest(kraken, inDollars, 721), {
    name: 'NoSuchCandles',
    field: 'count',
    message: /720/,
  })
  const long = start - 1_000 * hour
  await assert.rejects(candles.range(kraken, inDollars, { since: long, until: long + hour }), {
    name: 'NoSuchCandles',
    field: 'since',
    message: /keeps only its latest 720 candles.*begin at 2026-05-02T13:00/,
  })
})

test('an interval that the exchange does not have is refused with those that it has', async (t) => {
  const { candles } = await candlesOf(t, startKraken)
  for (const interval of ['3m', '1s', '0h', '', '1H', '__proto__', '1h ']) {
    await assert.rejects(candles.latest(kraken, { ownerId: 1, symbol: 'BTC/USD', interval }, 10), {
      name: 'NoSuchCandles',
      message: /Its intervals are 1m, 5m, 15m, 30m, 1h, 4h, 1d, 1w, 2w\.$/,
    })
  }
})

test('a symbol that does not exist has no candles', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  await assert.rejects(candles.latest(spot, { ...question, symbol: 'nothing' }, 10), NoSuchMarket)
  assert.equal(callsTo(exchange, klines), 0)
})

test('a caller waits only so long, and the next one finds the candles ready', async (t) => {
  const { exchange, candles, prices } = await candlesOf(t, startBinance, { patienceMs: 300 })
  await prices.resolve(spot, 'btcusdt')
  exchange.failRest('hang', /klines/)
  const late = candles.latest(spot, question, 10)
  await assert.rejects(late, {
    name: 'VenueUnreachable',
    message: /not sent 1h candles of btcusdt within 300 ms/,
  })
})

test('an exchange that wants fewer requests gets none, and callers learn why', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  exchange.failRest({ ...exchange.rateLimited, headers: { 'retry-after': '60' } }, /klines/)
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(candles.latest(spot, question, 10), {
      name: 'VenueUnreachable',
      message: /it asks for fewer requests/,
    })
  }
  assert.equal(callsTo(exchange, klines), 1)
})

test('after an outage, candles come again', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  exchange.failRest({ status: 503 }, /klines/)
  await assert.rejects(candles.latest(spot, question, 10), VenueUnreachable)
  exchange.failRest(undefined)
  await until('candles', async () => {
    const found = await candles.latest(spot, question, 10).catch(() => [])
    return found.length === 10
  })
})

test('while an exchange cannot be reached, every call learns that', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  exchange.failRest({ status: 503 })
  for (let attempt = 0; attempt < 30; attempt++) {
    await assert.rejects(candles.latest(spot, question, 10), {
      name: 'VenueUnreachable',
      message: /cannot be reached/,
    })
  }
})

test('an account can have only so many exchanges opened', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  exchange.failRest({ status: 503 })
  const venues = Array.from({ length: 12 }, (_, index) => ({ exchange: `unknown${index}`, service: 'spot' }))
  const outcomes = await Promise.allSettled(venues.map((venue) => candles.markets(venue, 1)))
  const names = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.name)
  assert.deepEqual(names, [...Array(10).fill('NoSuchMarket'), 'AppError', 'AppError'])
  await assert.rejects(candles.markets(venues[11]!, 2), { name: 'NoSuchMarket' })
})

test('rubbish from an exchange is left out or refused', async (t) => {
  const { exchange, candles } = await candlesOf(t, startBinance)
  const row = (at: number, open: string) => [
    at,
    open,
    '2',
    '1',
    '1.5',
    '10',
    at + hour - 1,
    '1',
    1,
    '1',
    '1',
    '0',
  ]
  const opening = start - 20 * minute
  const rows = [row(opening - hour, '1.2'), row(opening - hour, '9'), row(opening, 'NaN'), row(opening, '-1')]
  exchange.failRest({ status: 200, body: JSON.stringify(rows) }, /klines/)
  const found = await candles.latest(spot, question, 10)
  assert.deepEqual(
    found.map(({ time, open }) => [time, open]),
    [[opening - hour, 1.2]],
  )
  exchange.failRest({ status: 200, body: '<html>' }, /klines/)
  await assert.rejects(candles.latest(spot, { ...question, interval: '1d' }, 10), VenueUnreachable)
})

test('a price does not wait for the candles that others have asked for', async (t) => {
  const exchange = await startBinance()
  t.after(() => exchange[Symbol.asyncDispose]())
  const { rest, ws } = exchange.endpoints
  const { prices } = livePrices(t, { endpoints: { binance: { rest, ws } } })
  const candles = new Candles({ source: prices, resolve: (venue, name) => prices.resolve(venue, name) })
  await prices.resolve(spot, 'btcusdt')
  exchange.refuseUpgrades(503)
  let pending = 0
  const asked = Array.from({ length: 100 }, async (_, index) => {
    const since = Date.UTC(2026, 0, 1) + index * hour
    pending += 1
    await candles
      .range(spot, { ...question, interval: '1m' }, { since, until: since + hour })
      .catch(() => undefined)
    pending -= 1
  })
  const price = await follow(prices, spot, 'btcusdt')
  await price.begins()
  assert.ok(pending > 50, String(pending))
  await Promise.all(asked)
})

test('an account that loads too many different series is stopped, and others are not', async (t) => {
  const { candles } = await candlesOf(t, startBinance)
  const symbols = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'ETH/BTC', 'BTC/USDC', 'BTC/EUR', 'PEPE/USDT']
  const outcomes = await Promise.allSettled(
    symbols.flatMap((symbol) =>
      ['1m', '5m', '1h', '1d'].flatMap((interval) =>
        Array.from({ length: 6 }, (_, index) =>
          candles.range(
            spot,
            { ownerId: 1, symbol, interval },
            { since: 1e12 + index * 864e5, until: 1e12 + (index + 1) * 864e5 },
          ),
        ),
      ),
    ),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  assert.ok(refused.length > 0 && refused.length < 60, String(refused.length))
  assert.ok(refused.every(({ reason }) => reason.code === 'rate_limited'))
  assert.equal((await candles.latest(spot, { ...question, ownerId: 2 }, 10)).length, 10)
})
