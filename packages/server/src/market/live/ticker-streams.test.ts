import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startBinance } from '../../../test/exchanges/index.ts'
import { fastPace, subscribed } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import { createExchange } from './ccxt-exchange.ts'
import { ownConnections, refuseConnections } from './connections.ts'
import { defaultPace } from './pace.ts'
import { TickerStreams } from './ticker-streams.ts'

/** Streams of an exchange where ccxt cannot end a subscription. */
async function endlessStreams(t: TestContext) {
  const binance = await startBinance()
  t.after(() => binance[Symbol.asyncDispose]())
  const venue = { exchange: 'binance', service: 'spot' }
  const exchange = await createExchange(venue, { binance: binance.endpoints })
  exchange.has.unWatchTicker = false
  ownConnections(exchange)
  await exchange.loadMarkets()
  const prices = new Map<string, number | undefined>()
  const lost: unknown[] = []
  const streams = new TickerStreams({
    exchange,
    pace: { ...defaultPace, ...fastPace },
    onTicker: (symbol, { last }) => prices.set(symbol, last),
    onLost: (error) => lost.push(error),
    onUnsupported: assert.fail,
  })
  t.after(async () => {
    streams.close()
    refuseConnections(exchange)
    await exchange.close()
  })
  return { binance, exchange, streams, prices, lost }
}

test('a subscription that cannot be ended alone ends with its connection, and the others subscribe again', async (t) => {
  const { binance, streams, prices, lost } = await endlessStreams(t)
  for (const symbol of ['BTC/USDT', 'ETH/USDT', 'SOL/USDT']) streams.add(symbol)
  await until('prices', async () => prices.size === 3)
  streams.drop('BTC/USDT')
  await subscribed(binance, 'ETH/USDT', 'SOL/USDT')
  streams.drop('SOL/USDT')
  await subscribed(binance, 'ETH/USDT')
  binance.setPrice('ETH/USDT', 7)
  await until('the price', async () => prices.get('ETH/USDT') === 7)
  streams.drop('ETH/USDT')
  await until('no connection', async () => binance.connections() === 0)
  assert.deepEqual(lost, [], 'the connections did not fail')
})

test('a subscription stays if it is wanted again before it has ended', async (t) => {
  const { binance, streams, prices } = await endlessStreams(t)
  streams.add('BTC/USDT')
  streams.add('ETH/USDT')
  await until('prices', async () => prices.size === 2)
  for (let i = 0; i < 100; i++) {
    streams.drop('BTC/USDT')
    streams.add('BTC/USDT')
  }
  await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
  binance.setPrice('BTC/USDT', 8)
  await until('the price', async () => prices.get('BTC/USDT') === 8)
  assert.equal(binance.connectionCount(), 1)
})

test('a symbol is subscribed to again without disturbing the others', async (t) => {
  const { binance, exchange, streams, prices } = await endlessStreams(t)
  exchange.has.unWatchTicker = true
  streams.add('BTC/USDT')
  streams.add('ETH/USDT')
  await until('prices', async () => prices.size === 2)
  prices.clear()
  streams.renew('BTC/USDT')
  await until('a snapshot', async () => prices.has('BTC/USDT'))
  await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
  assert.equal(binance.connectionCount(), 1)
  assert.ok(!prices.has('ETH/USDT'))
})
