/** Failures of an exchange, with a stand-in that fails on demand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callsTo, Follower, follow, noPolls, onBinance, subscribed } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import type { MarketVenue } from '../price-source.ts'

const spot: MarketVenue = { exchange: 'binance', service: 'spot' }

for (const code of [undefined, 1000, 1012]) {
  test(`after a connection ends ${code === undefined ? 'without a code' : `with ${code}`}, the feed connects again`, async (t) => {
    const { binance, prices, lines } = await onBinance(t, { ...noPolls, healthyMs: 100 })
    const followers = await Promise.all(
      ['btcusdt', 'ethusdt'].map((spelling) => follow(prices, spot, spelling)),
    )
    await Promise.all(followers.map((follower) => follower.begins()))
    binance.dropConnections(code)
    await until('another connection', async () => binance.connectionCount() >= 2)
    await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
    await sleep(150)
    binance.setPrice('BTC/USDT', 71)
    binance.setPrice('ETH/USDT', 72)
    await Promise.all([followers[0]!.sees(71), followers[1]!.sees(72)])
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['Binance spot: its price stream was lost', 'Binance spot: its price stream is back'],
    )
  })
}

test('a symbol that is dropped while the connection is lost is not subscribed to again', async (t) => {
  const { binance, prices } = await onBinance(t, noPolls)
  const btc = await follow(prices, spot, 'btcusdt')
  const eth = await follow(prices, spot, 'ethusdt')
  await Promise.all([btc.begins(), eth.begins()])
  binance.refuseUpgrades(503)
  binance.dropConnections()
  await until('no connection', async () => binance.connections() === 0)
  btc.stop()
  const sol = await follow(prices, spot, 'solusdt')
  binance.refuseUpgrades(undefined)
  await sol.begins()
  await subscribed(binance, 'ETH/USDT', 'SOL/USDT')
})

test('while WebSocket is refused, prices come by REST, and then by WebSocket again', async (t) => {
  const { binance, prices, lines } = await onBinance(t)
  binance.refuseUpgrades(503)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.setPrice('BTC/USDT', 81)
  await btc.sees(81)
  assert.equal(binance.connections(), 0)
  binance.refuseUpgrades(undefined)
  await subscribed(binance, 'BTC/USDT')
  binance.setPrice('BTC/USDT', 82)
  await btc.sees(82)
  const before = callsTo(binance, '/api/v3/ticker/24hr')
  for (let i = 1; i <= 20; i++) {
    binance.setPrice('BTC/USDT', 1_000 + i)
    await btc.sees(1_000 + i)
    await sleep(20)
  }
  assert.ok(callsTo(binance, '/api/v3/ticker/24hr') - before <= 5)
  assert.deepEqual(btc.troubles, [])
  assert.equal(lines.filter(({ msg }) => msg.endsWith('was lost')).length, 1)
})

test('a silent WebSocket is detected and renewed; meanwhile, prices come by REST', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.silence(true)
  let price = 90
  await until('another connection', async () => {
    binance.setPrice('BTC/USDT', ++price)
    return binance.connectionCount() >= 2
  })
  binance.setPrice('BTC/USDT', 500)
  await btc.sees(500)
  binance.silence(false)
  binance.failRest({ status: 503 })
  await until('an update by WebSocket', async () => {
    binance.setPrice('BTC/USDT', ++price)
    await sleep(20)
    return btc.price === price
  })
  await subscribed(binance, 'BTC/USDT')
})

test('unreadable frames disturb nothing', async (t) => {
  const { binance, prices } = await onBinance(t, noPolls)
  const btc = await follow(prices, spot, 'btcusdt')
  const eth = await follow(prices, spot, 'ethusdt')
  await Promise.all([btc.begins(), eth.begins()])
  const garbage = [
    '',
    'x',
    '{',
    'null',
    '[]',
    '[null]',
    '0',
    '"a"',
    '{"e":"24hrTicker"}',
    '{"error":{"code":2}}',
  ]
  for (let i = 0; i < 20; i++) for (const text of garbage) binance.sendRaw(text)
  binance.sendRaw('{"e":"24hrTicker","E":{},"s":"BTCUSDT","c":[],"C":"x"}')
  binance.sendRaw(`{"e":"24hrTicker","s":"${'X'.repeat(100_000)}","c":"1"}`)
  binance.setPrice('BTC/USDT', 41)
  binance.setPrice('ETH/USDT', 42)
  await Promise.all([btc.sees(41), eth.sees(42)])
  binance.setPrice('BTC/USDT', 43)
  await btc.sees(43)
  await subscribed(binance, 'BTC/USDT', 'ETH/USDT')
  assert.ok(binance.connectionCount() <= 4)
})

test('an unusable price is ignored, and the last one expires', async (t) => {
  const { binance, prices, lines } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest({ status: 200, body: JSON.stringify({ symbol: 'BTCUSDT', lastPrice: '0' }) })
  const updatesBefore = btc.updates.length
  const confirmationsBefore = btc.confirmations.length
  const lies = ['0', '-1', 'NaN', '', 'Infinity', '1e999', 'abc']
  await until('trouble', async () => {
    for (const price of lies) {
      binance.sendTicker('BTC/USDT', { price })
      await sleep(5)
    }
    return btc.troubles.length > 0
  })
  assert.deepEqual(btc.updates.slice(updatesBefore), [])
  assert.ok(btc.confirmations.length <= confirmationsBefore + 1)
  assert.deepEqual(btc.troubles, ['Binance spot sends no usable price of BTC/USDT.'])
  assert.equal(lines.filter(({ msg }) => msg.includes('unusable prices')).length, 1)
  binance.failRest(undefined)
  binance.setPrice('BTC/USDT', 55)
  await btc.sees(55)
})

test('a feed that repeats itself, or sends old prices, counts as silent', async (t) => {
  const { binance, prices } = await onBinance(t, { quietMs: 60_000, firstPollMs: 60_000, pollMs: 60_000 })
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.setPrice('BTC/USDT', 31)
  await btc.sees(31)
  const updatesBefore = btc.updates.length
  let hourAgo = Date.now() - 3_600_000
  await until('trouble', async () => {
    binance.repeat('BTC/USDT')
    await sleep(5)
    binance.sendTicker('BTC/USDT', { price: '30', timestampMs: hourAgo-- })
    await sleep(5)
    return btc.troubles.length > 0
  })
  assert.equal(btc.updates.length, updatesBefore)
  assert.deepEqual(btc.confirmations, [])
  binance.setPrice('BTC/USDT', 32)
  await btc.sees(32)
})

for (const hours of [-1, 1]) {
  test(`an exchange whose clock is ${hours} h off has current prices`, async (t) => {
    const { binance, prices } = await onBinance(t)
    binance.skewClock(hours * 3_600_000)
    const btc = await follow(prices, spot, 'btcusdt')
    await btc.begins()
    binance.setPrice('BTC/USDT', 21)
    await btc.sees(21)
    assert.ok(Math.abs(btc.updates.at(-1)!.at - Date.now()) < 5_000)
  })
}

test('an exchange that sets its clock back is accepted after a while', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.skewClock(-3_600_000)
  let price = 10
  await until('a new price', async () => {
    binance.setPrice('BTC/USDT', ++price)
    await sleep(50)
    return (btc.price ?? 0) > 10 && btc.price! <= price && btc.price !== 60_000.01
  })
})

test('after a rate limit, the feed waits for as long as the exchange says', async (t) => {
  const { binance, prices } = await onBinance(t)
  binance.refuseUpgrades(429)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest({ ...binance.rateLimited, headers: { 'retry-after': '3' } })
  const before = callsTo(binance, '/api/v3/ticker/24hr')
  await until('trouble', async () => btc.troubles.length > 0)
  assert.equal(btc.troubles.length, 1)
  assert.match(btc.troubles[0]!, /^Binance spot cannot be reached: it asks for fewer requests/)
  assert.ok(callsTo(binance, '/api/v3/ticker/24hr') - before <= 2)
  assert.ok(binance.connectionCount() === 0)
  binance.failRest(undefined)
  binance.setPrice('BTC/USDT', 11)
  await btc.sees(11)
})

test('an unreachable exchange is reported once, as a sentence, and its return is noticed', async (t) => {
  const { binance, prices, lines } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest({ status: 503, body: '<html>' })
  binance.refuseUpgrades(503)
  binance.dropConnections()
  await until('trouble', async () => btc.troubles.length > 0)
  assert.match(btc.troubles[0]!, /^Binance spot cannot be reached: [a-z ]+( \(HTTP 503\))?\.$/)
  binance.failRest(undefined)
  binance.refuseUpgrades(undefined)
  binance.setPrice('BTC/USDT', 12)
  await btc.sees(12)
  assert.ok(lines.length <= 4, JSON.stringify(lines))
  assert.doesNotMatch(JSON.stringify(lines), /127\.0\.0\.1|https?:/)
})

test('if markets cannot be loaded, look-ups fail fast until the next attempt succeeds', async (t) => {
  const { binance, prices, lines } = await onBinance(t)
  binance.failRest({ status: 500, body: 'oops' })
  const early = new Follower(prices, spot, 'BTC/USDT')
  for (let i = 0; i < 50; i++) {
    await assert.rejects(
      prices.resolve(spot, 'btcusdt'),
      /^VenueUnreachable: Binance spot cannot be reached: /,
    )
  }
  assert.ok(callsTo(binance, '/api/v3/exchangeInfo') < 25)
  await until('trouble', async () => early.troubles.length > 0)
  assert.equal(lines.length, 1)
  binance.failRest(undefined)
  await early.begins()
  assert.equal(await prices.resolve(spot, 'btcusdt'), 'BTC/USDT')
})
