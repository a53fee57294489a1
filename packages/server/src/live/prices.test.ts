/** The prices of one stream, with the time in the test's hands. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FollowPrice, type Price, sendPrices } from './prices.ts'
import { LiveStream } from './stream.ts'

const btc = { exchangeId: 3, symbol: 'BTC/USDT' }
const eth = { exchangeId: 3, symbol: 'ETH/USDT' }
const at = Date.UTC(2026, 0, 1)

/** A market whose prices the test sets. */
function openMarket() {
  const followers = new Map<string, (price: Price) => void>()
  const follow: FollowPrice = ({ symbol }, onPrice) => {
    followers.set(symbol, onPrice)
    return () => followers.delete(symbol)
  }
  return { follow, followers, set: (symbol: string, price: Price) => followers.get(symbol)?.(price) }
}

test('a stream gets at most four prices of a symbol a second, and always the latest', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const market = openMarket()
  const stream = new LiveStream({
    principal: { userId: 1, role: 'user', sessionId: 1 },
    selection: {},
    symbolCount: 2,
    latestId: () => 'e.1',
    onEnd: () => undefined,
  })
  stream.release()
  const read = () => {
    let text = ''
    for (let part = stream.read(); part !== null; part = stream.read()) text += part
    const events = text.split('\n\n').slice(0, -1)
    return events.map((event) => JSON.parse(event.replace(/^event: price\ndata: /, '')))
  }
  sendPrices(stream, [btc, eth], market.follow)
  const seen: number[] = []
  // A hundred prices a second, for two seconds.
  for (let n = 0; n < 200; n++) {
    market.set(btc.symbol, { price: n, at: at + n * 10 })
    for (const { symbol, price } of read()) {
      assert.equal(symbol, btc.symbol)
      seen.push(price)
    }
    context.mock.timers.tick(10)
  }
  assert.equal(seen[0], 0, 'the first price comes at once')
  assert.ok(seen.length >= 7 && seen.length <= 9, `${seen}`)
  context.mock.timers.tick(1_000)
  assert.deepEqual(
    read().map(({ price }) => price),
    [199],
    'the last price comes too, once',
  )
  // Each symbol has a pace of its own.
  market.set(btc.symbol, { price: 1, at })
  market.set(eth.symbol, { reason: 'The market is closed.' })
  assert.deepEqual(read(), [
    { exchange_id: 3, symbol: btc.symbol, price: 1, at: new Date(at).toISOString(), reason: null },
    { exchange_id: 3, symbol: eth.symbol, price: null, at: null, reason: 'The market is closed.' },
  ])
})

test('a stream that has ended follows no prices', async () => {
  const market = openMarket()
  const stream = new LiveStream({
    principal: { userId: 1, role: 'user', sessionId: 1 },
    selection: {},
    symbolCount: 1,
    latestId: () => 'e.1',
    onEnd: () => undefined,
  })
  sendPrices(stream, [btc, eth], market.follow)
  assert.equal(market.followers.size, 2)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.destroy()
  await closed
  assert.equal(market.followers.size, 0)
})
