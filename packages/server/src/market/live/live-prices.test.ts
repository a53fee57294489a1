import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startBinance } from '../../../test/exchanges/index.ts'
import {
  callsTo,
  Follower,
  follow,
  livePrices,
  noPolls,
  onBinance,
  subscribed,
} from '../../../test/live-prices.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import { type MarketVenue, NoSuchMarket } from '../price-source.ts'

const spot: MarketVenue = { exchange: 'binance', service: 'spot' }
const futures: MarketVenue = { exchange: 'binance', service: 'futures' }

test('a new price is an update, with the time of its arrival on this machine', async (t) => {
  const { binance, prices } = await onBinance(t, noPolls)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  const before = Date.now()
  binance.setPrice('BTC/USDT', 61_234.5)
  await btc.sees(61_234.5)
  const { at } = btc.updates.at(-1)!
  assert.ok(at >= before && at <= Date.now())
  assert.equal(callsTo(binance, '/api/v3/ticker/24hr'), 0)
})

test('concurrent callers share one read of the markets', async (t) => {
  const { binance, prices } = await onBinance(t)
  const spellings = ['btcusdt', 'BTC/USDT', 'btc_usdt', ' BTC-USDT ']
  const symbols = await Promise.all(spellings.map((spelling) => prices.resolve(spot, spelling)))
  assert.deepEqual(new Set(symbols), new Set(['BTC/USDT']))
  assert.equal(callsTo(binance, '/api/v3/exchangeInfo'), 1)
})

test('spot and futures are separate, and each reads its own markets', async (t) => {
  const { binance, prices } = await onBinance(t)
  const there = await follow(prices, spot, 'BTCUSDT')
  const here = await follow(prices, futures, 'BTCUSDT')
  await Promise.all([there.begins(), here.begins()])
  assert.equal(here.symbol, 'BTC/USDT:USDT')
  binance.setPrice('BTC/USDT', 100)
  binance.setPrice('BTC/USDT:USDT', 200)
  await Promise.all([there.sees(100), here.sees(200)])
})

test('inverse and dated futures have prices too, by WebSocket and by REST', async (t) => {
  const { binance, prices } = await onBinance(t)
  const inverse = await follow(prices, futures, 'BTCUSD')
  const linear = await follow(prices, futures, 'ETHUSDT.P')
  assert.equal(inverse.symbol, 'BTC/USD:BTC')
  await Promise.all([inverse.begins(), linear.begins()])
  binance.refuseUpgrades(503)
  binance.dropConnections()
  binance.setPrice('BTC/USD:BTC', 111)
  binance.setPrice('ETH/USDT:USDT', 222)
  await Promise.all([inverse.sees(111), linear.sees(222)])
})

test('an unknown symbol is an error, and causes a new read of the markets only now and then', async (t) => {
  const { binance, prices } = await onBinance(t, { marketsAgainMs: 60_000 })
  for (let i = 0; i < 20; i++) {
    await assert.rejects(prices.resolve(spot, `nosuch${i}`), NoSuchMarket)
  }
  await assert.rejects(prices.resolve(spot, 'bccusdt'), /Binance spot does not trade BCC\/USDT at the moment/)
  assert.equal(callsTo(binance, '/api/v3/exchangeInfo'), 1)
  const again = livePrices(t, { endpoints: { binance: binance.endpoints }, pace: { marketsAgainMs: 0 } })
  await assert.rejects(again.prices.resolve(spot, 'nosuch'), NoSuchMarket)
  await assert.rejects(again.prices.resolve(spot, 'nosuch'), NoSuchMarket)
  assert.ok(callsTo(binance, '/api/v3/exchangeInfo') > 2)
})

test('an unknown exchange has no prices', async (t) => {
  const { prices } = livePrices(t, { endpoints: {} })
  for (const exchange of ['uniswap', '../binance', '']) {
    await assert.rejects(prices.resolve({ exchange, service: 'spot' }, 'BTCUSDT'), NoSuchMarket)
  }
})

test('a symbol has one subscription, and none when nobody watches it', async (t) => {
  const { binance, prices } = await onBinance(t, noPolls)
  const eth = await follow(prices, spot, 'ethusdt')
  await eth.begins()
  for (let i = 0; i < 200; i++) new Follower(prices, spot, 'BTC/USDT').stop()
  const btc = new Follower(prices, spot, 'BTC/USDT')
  await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
  binance.setPrice('BTC/USDT', 5)
  await btc.sees(5)
  btc.stop()
  btc.stop()
  await subscribed(binance, 'ETH/USDT')
  binance.setPrice('ETH/USDT', 6)
  await eth.sees(6)
  const again = new Follower(prices, spot, 'BTC/USDT')
  await again.begins()
  await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
  const updatesBefore = btc.updates.length
  binance.setPrice('BTC/USDT', 7)
  await again.sees(7)
  assert.equal(btc.updates.length, updatesBefore)
  assert.equal(eth.price, 6)
})

test('a venue is closed a while after its last symbol, and opened again for the next one', async (t) => {
  const { binance, prices } = await onBinance(t, { ...noPolls, idleMs: 100 })
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  btc.stop()
  await until('no connection', async () => binance.connections() === 0)
  assert.equal(await prices.resolve(spot, 'ethusdt'), 'ETH/USDT')
  const again = await follow(prices, spot, 'btcusdt')
  await again.begins()
  assert.equal(binance.connections(), 1)
})

test('REST confirms the price of a quiet market', async (t) => {
  const { prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await until('confirmations', async () => btc.confirmations.length >= 3)
  assert.deepEqual(btc.troubles, [])
  assert.equal(btc.confirmations.at(-1)!.price, btc.price)
})

test('a listener that throws does not affect others', async (t) => {
  const { binance, prices, lines } = await onBinance(t, noPolls)
  await prices.resolve(spot, 'btcusdt')
  const fail = () => assert.fail('on purpose')
  prices.watch(spot, 'BTC/USDT', { onUpdate: fail, onConfirmation: fail, onTrouble: fail })
  const eth = await follow(prices, spot, 'ethusdt')
  await eth.begins()
  binance.setPrice('ETH/USDT', 4)
  await eth.sees(4)
  await until('a line', async () => lines.some(({ msg }) => msg === 'a listener of a price failed'))
})

test('after closing, even twice or concurrently, nothing is open and there are no updates', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  const opening = prices.resolve(futures, 'btcusdt').catch((error: unknown) => error)
  binance.silence(true)
  await Promise.all([prices.close(), prices.close()])
  assert.ok((await opening) instanceof Error)
  await until('no connection', async () => binance.connections() === 0)
  const updatesBefore = btc.updates.length
  binance.silence(false)
  binance.setPrice('BTC/USDT', 3)
  await assert.rejects(prices.resolve(spot, 'btcusdt'))
  const fail = () => assert.fail('an update after closing')
  prices.watch(spot, 'BTC/USDT', { onUpdate: fail, onConfirmation: fail, onTrouble: fail })()
  await sleep(50)
  assert.equal(btc.updates.length, updatesBefore)
})

test('closing does not wait for an exchange that does not answer', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest('hang')
  binance.silence(true)
  const lookup = prices.resolve(futures, 'btcusdt').catch((error: unknown) => error)
  await until('a request', async () => callsTo(binance, '/fapi/v1/exchangeInfo') > 0)
  const ended = prices.close().then(() => 'closed')
  assert.equal(await Promise.race([ended, sleep(8_000, 'late', { ref: false })]), 'closed')
  assert.ok((await lookup) instanceof Error)
})

test('a process can end after it has closed its prices', async (t) => {
  const binance = await startBinance()
  t.after(() => binance[Symbol.asyncDispose]())
  const program = `
    import { pino } from 'pino'
    import { LivePrices } from '${new URL('./live-prices.ts', import.meta.url)}'
    const endpoints = { binance: ${JSON.stringify(binance.endpoints)} }
    const prices = new LivePrices({ endpoints, logger: pino({ level: 'silent' }) })
    const venue = { exchange: 'binance', service: 'spot' }
    const symbol = await prices.resolve(venue, 'btcusdt')
    await new Promise((onUpdate) =>
      prices.watch(venue, symbol, { onUpdate, onConfirmation() {}, onTrouble() {} }))
    await prices.close()
    console.log('closed')
  `
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: longPatienceMs })
  assert.equal(stdout, 'closed\n')
})
