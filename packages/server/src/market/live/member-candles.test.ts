import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type StandIn,
  startBitget,
  startGate,
  startHyperliquid,
  startKraken,
} from '../../../test/exchanges/index.ts'
import { livePrices } from '../../../test/live-prices.ts'
import { Candles } from '../candles/candles.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Place = {
  start: () => Promise<StandIn>
  exchange: string
  service: string
  symbol: string
  /** Where its candles come from. */
  paths: RegExp
  /** Requests for 1,000 candles. */
  requests: number
}

const venues: Place[] = [
  {
    ...{ start: startGate, exchange: 'gate', service: 'spot', symbol: 'BTC/USDT' },
    ...{ paths: /\/spot\/candlesticks$/, requests: 1 },
  },
  {
    ...{ start: startGate, exchange: 'gate', service: 'futures', symbol: 'BTC/USDT:USDT' },
    ...{ paths: /\/futures\/usdt\/candlesticks$/, requests: 1 },
  },
  {
    ...{ start: startBitget, exchange: 'bitget', service: 'spot', symbol: 'BTC/USDT' },
    ...{ paths: /\/spot\/market\/(history-)?candles$/, requests: 5 },
  },
  {
    ...{ start: startBitget, exchange: 'bitget', service: 'futures', symbol: 'BTC/USDT:USDT' },
    ...{ paths: /\/mix\/market\/(history-)?candles$/, requests: 5 },
  },
  {
    ...{ start: startHyperliquid, exchange: 'hyperliquid', service: 'spot', symbol: 'HYPE/USDC' },
    ...{ paths: /\/info$/, requests: 1 },
  },
  {
    ...{ start: startHyperliquid, exchange: 'hyperliquid', service: 'futures', symbol: 'BTC/USDC:USDC' },
    ...{ paths: /\/info$/, requests: 1 },
  },
  {
    ...{ start: startKraken, exchange: 'krakenfutures', service: 'futures', symbol: 'BTC/USD:USD' },
    ...{ paths: /\/api\/charts\//, requests: 1 },
  },
]

/** ccxt asks these exchanges by the clock of this machine, so theirs shows the same. */
async function candlesOf(t: TestContext, { start, exchange, service, symbol, paths }: Place) {
  const standIn = await start()
  t.after(() => standIn[Symbol.asyncDispose]())
  const { prices } = livePrices(t, { endpoints: { [exchange]: standIn.endpoints } })
  const candles = new Candles({
    source: prices,
    resolve: (venue, name) => prices.resolve(venue, name),
    patienceMs: 20_000,
  })
  const venue = { exchange, service }
  // Opening the exchange asks Hyperliquid for its markets, at the same path.
  await prices.resolve(venue, symbol)
  const asked = () =>
    [...standIn.restCalls()].reduce((sum, [path, count]) => sum + (paths.test(path) ? count : 0), 0)
  const before = asked()
  return { candles, venue, standIn, requests: () => asked() - before }
}

for (const venue of venues) {
  const name = `${venue.exchange} ${venue.service}`
  test(`${name}: the latest 1,000 candles have no gaps, and the last one is unfinished`, async (t) => {
    const { candles, venue: place, standIn, requests } = await candlesOf(t, venue)
    standIn.setPrice(venue.symbol, 61_000)
    const question = { ownerId: 1, symbol: venue.symbol, interval: '5m' }
    const from = Math.floor(Date.now() / (5 * minute))
    const found = await candles.latest(place, question, 1_000)
    const to = Math.floor(Date.now() / (5 * minute))
    assert.equal(found.length, 1_000)
    const last = found.at(-1)!
    const opening = last.time / (5 * minute)
    assert.ok(from <= opening && opening <= to, `${opening}`)
    assert.deepEqual([last.done, last.last], [false, 61_000])
    for (const [index, { time, open, high, low, volume, done }] of found.entries()) {
      assert.equal(time, last.time - (999 - index) * 5 * minute)
      assert.ok(low < open && open < high && volume >= 10 && Number.isFinite(volume))
      // A candle that has just ended may still change.
      if (index < 998) assert.equal(done, true)
    }
    assert.ok(requests() >= venue.requests && requests() <= venue.requests + 1, `${requests()} requests`)
  })

  test(`${name}: a range of days has every candle, also where an answer holds fewer than were asked for`, async (t) => {
    const { candles, venue: place } = await candlesOf(t, venue)
    const until = Math.floor(Date.now() / day) * day
    const range = { since: until - 400 * day, until }
    const question = { ownerId: 1, symbol: venue.symbol, interval: '1d' }
    const found = await candles.range(place, question, range)
    assert.deepEqual(
      found.map(({ time, done }) => [time, done]),
      Array.from({ length: 400 }, (_, index) => [range.since + index * day, true]),
    )
  })
}

test('Gate keeps 10,000 candles, and anyone who asks for older ones learns that', async (t) => {
  const { candles, venue, requests } = await candlesOf(t, venues[0]!)
  const question = { ownerId: 1, symbol: 'BTC/USDT', interval: '1m' }
  const before = requests()
  const long = Math.floor(Date.now() / minute - 11_000) * minute
  await assert.rejects(candles.range(venue, question, { since: long, until: long + hour }), {
    name: 'NoSuchCandles',
    field: 'since',
    message: /^gate spot keeps only its latest 10000 candles/,
  })
  assert.equal(requests(), before)
})
