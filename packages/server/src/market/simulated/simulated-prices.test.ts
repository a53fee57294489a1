import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quotes } from '../../../test/quotes.ts'
import { until } from '../../../test/until.ts'
import { NoSuchMarket } from '../price-source.ts'
import { simulatedPair, simulatedPrice } from './simulated-price.ts'
import { SimulatedPrices } from './simulated-prices.ts'

const binance = { exchange: 'binance', service: 'spot' }
const kraken = { exchange: 'krakenfutures', service: 'futures' }
const bitcoin = simulatedPair({ base: 'BTC', quote: 'USDT' })

function open(t: { after(fn: () => void): void }, now = Date.now): SimulatedPrices {
  const prices = new SimulatedPrices(now)
  t.after(() => prices.close())
  return prices
}

test('every second has one price, the same on every venue and in every process', async (t) => {
  const [here, there] = [open(t), open(t)]
  const [one, other] = [new Quotes(), new Quotes()]
  here.watch(binance, await here.resolve(binance, 'btcusdt'), one)
  there.watch(kraken, await there.resolve(kraken, 'BTC/USDT:USDT'), other)
  await until('updates', async () => one.updates.length >= 3 && other.updates.length >= 3)
  for (const { price, at } of [...one.updates, ...other.updates]) {
    assert.equal(at % 1000, 0)
    assert.equal(price, simulatedPrice(bitcoin, at))
  }
  assert.equal(new Set(one.updates.map(({ at }) => at)).size, one.updates.length)
  assert.deepEqual([one.confirmations, one.troubles], [[], []])
})

test('the first price arrives at once', async (t) => {
  const quotes = new Quotes()
  open(t).watch(binance, 'ETH/BTC', quotes)
  assert.equal(quotes.updates.length, 0)
  await Promise.resolve()
  assert.equal(quotes.updates.length, 1)
  assert.ok(Date.now() - quotes.updates[0]!.at < 60_000)
})

test('a symbol that is no longer watched gets no prices', async (t) => {
  const prices = open(t)
  const [kept, dropped] = [new Quotes(), new Quotes()]
  prices.watch(binance, 'BTC/USDT', kept)
  const unwatch = prices.watch(binance, 'ETH/USDT', dropped)
  unwatch()
  unwatch()
  await until('two updates', async () => kept.updates.length >= 2)
  assert.deepEqual(dropped, new Quotes())
})

test('ten thousand symbols get a price every second', async (t) => {
  const prices = open(t)
  const all = Array.from({ length: 10_000 }, (_, index) => {
    const quotes = new Quotes()
    prices.watch(binance, `COIN${index}/USDT`, quotes)
    return quotes
  })
  await until('updates of all', async () => all.every(({ updates }) => updates.length >= 2))
  assert.ok(new Set(all.map(({ updates }) => updates[0]!.price)).size > 9_000)
})

test('a text that is not a pair is not a market, and the message says how to write one', async (t) => {
  const prices = open(t)
  for (const spelling of ['hello', '', 'BTC', 'x'.repeat(1_000_000)]) {
    await assert.rejects(prices.resolve(binance, spelling), (error) => {
      assert.ok(error instanceof NoSuchMarket)
      assert.match(error.message, /^The simulated market has only pairs, .* such as BTC\/USDT\.$/)
      assert.ok(error.message.length < 200)
      return true
    })
  }
})

test('prices do not have the name of a real exchange', (t) => {
  const prices = open(t)
  assert.equal(prices.kind, 'sim')
  for (const venue of [binance, kraken]) assert.equal(prices.nameOf(venue), 'sim')
})
