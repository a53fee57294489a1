import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type StandIn, startBinance } from '../../../test/exchanges/index.ts'
import { Follower, follow, livePrices } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import { NoSuchMarket, type Venue } from '../price-source.ts'
import type { Pace } from './pace.ts'

const spot: Venue = { exchange: 'binance', service: 'spot' }
const futures: Venue = { exchange: 'binance', service: 'futures' }
/** REST that leaves WebSocket alone. */
const noPolls = { quietMs: 60_000, pollMs: 60_000, firstAskMs: 60_000, troubleMs: 60_000 }

async function onBinance(t: TestContext, pace: Partial<Pace> = {}) {
  const binance = await startBinance()
  t.after(() => binance[Symbol.asyncDispose]())
  return { binance, ...livePrices(t, { endpoints: { binance: binance.endpoints }, pace }) }
}

/** Resolves when exactly these are subscribed. */
function subscribed(standIn: StandIn, ...symbols: string[]): Promise<void> {
  return until(`subscriptions to ${symbols.join(' ') || 'nothing'}`, async () => {
    return standIn.subscriptions().join() === symbols.toSorted().join()
  })
}

const callsTo = (standIn: StandIn, path: string) => standIn.restCalls().get(path) ?? 0

test('a price that changes is told, with the time of its arrival on our clock', async (t) => {
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

test('markets are read once for all who ask at the same time', async (t) => {
  const { binance, prices } = await onBinance(t)
  const spellings = ['btcusdt', 'BTC/USDT', 'btc_usdt', ' BTC-USDT ']
  const symbols = await Promise.all(spellings.map((spelling) => prices.resolve(spot, spelling)))
  assert.deepEqual(new Set(symbols), new Set(['BTC/USDT']))
  assert.equal(callsTo(binance, '/api/v3/exchangeInfo'), 1)
})

test('spot and futures are told apart, and each reads its own markets', async (t) => {
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

test('a symbol that does not exist is told so, and looked for among new markets now and then only', async (t) => {
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

test('an exchange that nobody knows has no prices', async (t) => {
  const { prices } = livePrices(t, { endpoints: {} })
  for (const exchange of ['uniswap', '../binance', '']) {
    await assert.rejects(prices.resolve({ exchange, service: 'spot' }, 'BTCUSDT'), NoSuchMarket)
  }
})

test('a symbol has one subscription, and none once nobody watches it', async (t) => {
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
  const told = btc.updates.length
  binance.setPrice('BTC/USDT', 7)
  await again.sees(7)
  assert.equal(btc.updates.length, told)
  assert.equal(eth.price, 6)
})

test('a venue is closed some time after its last symbol, and opened when one is wanted again', async (t) => {
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

for (const code of [undefined, 1000, 1012]) {
  test(`a connection that ends ${code === undefined ? 'without a word' : `with ${code}`} is made again`, async (t) => {
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

test('what is called off while the connection is away is not subscribed to again', async (t) => {
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

test('where WebSocket is refused REST serves, and WebSocket again when it is back', async (t) => {
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

test('a quiet market is confirmed by REST', async (t) => {
  const { prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await until('confirmations', async () => btc.confirmations.length >= 3)
  assert.deepEqual(btc.troubles, [])
  assert.equal(btc.confirmations.at(-1)!.price, btc.price)
})

test('a WebSocket that is silent is found out: REST serves meanwhile, and it is made anew', async (t) => {
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

test('frames that nobody can read disturb nothing', async (t) => {
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

test('a price that cannot be one is not told, and its symbol goes stale', async (t) => {
  const { binance, prices, lines } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest({ status: 200, body: JSON.stringify({ symbol: 'BTCUSDT', lastPrice: '0' }) })
  const told = btc.updates.length
  const sure = btc.confirmations.length
  const lies = ['0', '-1', 'NaN', '', 'Infinity', '1e999', 'abc']
  await until('trouble', async () => {
    for (const price of lies) {
      binance.sendTicker('BTC/USDT', { price })
      await sleep(5)
    }
    return btc.troubles.length > 0
  })
  assert.deepEqual(btc.updates.slice(told), [])
  assert.ok(btc.confirmations.length <= sure + 1)
  assert.deepEqual(btc.troubles, ['Binance spot tells no price of BTC/USDT that can be used.'])
  assert.equal(lines.filter(({ msg }) => msg.includes('cannot be used')).length, 1)
  binance.failRest(undefined)
  binance.setPrice('BTC/USDT', 55)
  await btc.sees(55)
})

test('a feed that says the same again and again, or tells the past, is as good as silent', async (t) => {
  const { binance, prices } = await onBinance(t, { quietMs: 60_000, firstAskMs: 60_000, pollMs: 60_000 })
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.setPrice('BTC/USDT', 31)
  await btc.sees(31)
  const told = btc.updates.length
  let hourAgo = Date.now() - 3_600_000
  await until('trouble', async () => {
    binance.repeat('BTC/USDT')
    await sleep(5)
    binance.sendTicker('BTC/USDT', { price: '30', timestampMs: hourAgo-- })
    await sleep(5)
    return btc.troubles.length > 0
  })
  assert.equal(btc.updates.length, told)
  assert.deepEqual(btc.confirmations, [])
  binance.setPrice('BTC/USDT', 32)
  await btc.sees(32)
})

for (const hours of [-1, 1]) {
  test(`an exchange whose clock is ${hours} h off has prices of now`, async (t) => {
    const { binance, prices } = await onBinance(t)
    binance.skewClock(hours * 3_600_000)
    const btc = await follow(prices, spot, 'btcusdt')
    await btc.begins()
    binance.setPrice('BTC/USDT', 21)
    await btc.sees(21)
    assert.ok(Math.abs(btc.updates.at(-1)!.at - Date.now()) < 5_000)
  })
}

test('an exchange that sets its clock back is believed after a while', async (t) => {
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

test('who asks too often waits for as long as the exchange says', async (t) => {
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

test('an exchange that is away is told in words for people, once, and its return is noticed', async (t) => {
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

test('markets that cannot be read fail fast until the next attempt, which succeeds', async (t) => {
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

test('a listener that throws harms nobody', async (t) => {
  const { binance, prices, lines } = await onBinance(t, noPolls)
  await prices.resolve(spot, 'btcusdt')
  const fail = () => assert.fail('on purpose')
  prices.watch(spot, 'BTC/USDT', { onUpdate: fail, onConfirmation: fail, onTrouble: fail })
  const eth = await follow(prices, spot, 'ethusdt')
  await eth.begins()
  binance.setPrice('ETH/USDT', 4)
  await eth.sees(4)
  await until('a line', async () => lines.some(({ msg }) => msg === 'whoever watches a price failed'))
})

test('once closed, twice or at once, nothing is open and nothing is told', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  const opening = prices.resolve(futures, 'btcusdt').catch((error: unknown) => error)
  binance.silence(true)
  await Promise.all([prices.close(), prices.close()])
  assert.ok((await opening) instanceof Error)
  await until('no connection', async () => binance.connections() === 0)
  const told = btc.updates.length
  binance.silence(false)
  binance.setPrice('BTC/USDT', 3)
  await assert.rejects(prices.resolve(spot, 'btcusdt'))
  const fail = () => assert.fail('told after the end')
  prices.watch(spot, 'BTC/USDT', { onUpdate: fail, onConfirmation: fail, onTrouble: fail })()
  await sleep(50)
  assert.equal(btc.updates.length, told)
})

test('closing does not wait for an exchange that does not answer', async (t) => {
  const { binance, prices } = await onBinance(t)
  const btc = await follow(prices, spot, 'btcusdt')
  await btc.begins()
  binance.failRest('hang')
  binance.silence(true)
  const lookup = prices.resolve(futures, 'btcusdt').catch((error: unknown) => error)
  await until('a question', async () => callsTo(binance, '/fapi/v1/exchangeInfo') > 0)
  const ended = prices.close().then(() => 'closed')
  assert.equal(await Promise.race([ended, sleep(8_000, 'late', { ref: false })]), 'closed')
  assert.ok((await lookup) instanceof Error)
})

test('a process that has closed its prices can end', async (t) => {
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
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 })
  assert.equal(stdout, 'closed\n')
})
