import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManualPrices, now } from '../../test/manual-prices.ts'
import { until } from '../../test/until.ts'
import { Market, type MarketOptions } from './market.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from './price-source.ts'

const spot: MarketVenue = { exchange: 'binance', service: 'spot' }
const futures: MarketVenue = { exchange: 'binance', service: 'futures' }

function marketOf(t: TestContext, options: Partial<MarketOptions> = {}) {
  const source = new ManualPrices()
  const errors: unknown[] = []
  const market = new Market({ source, onError: (error) => errors.push(error), ...options })
  t.after(() => market.close())
  return { source, errors, market }
}

test('the first caller waits for the first price, and later ones do not', async (t) => {
  const { source, market } = marketOf(t)
  const asked = market.price(spot, 'btcusdt')
  assert.equal(market.latest(spot, 'btcusdt'), undefined)
  const quote = now(64_000.5)
  ;(await source.listener()).onUpdate(quote)
  assert.deepEqual(await asked, { quote })
  assert.deepEqual(market.latest(spot, 'BTC/USDT'), undefined, 'a new spelling must be looked up first')
  assert.deepEqual(await market.price(spot, 'BTC/USDT'), { quote })
  assert.deepEqual(market.latest(spot, 'BTC/USDT'), quote)
})

test('a symbol is watched once, however many callers want it and however they spell it', async (t) => {
  const { source, market } = marketOf(t)
  const seen: number[] = []
  const unfollow = Array.from({ length: 50 }, (_, index) =>
    market.follow(spot, index % 2 === 0 ? 'btcusdt' : 'BTC/USDT', ({ price }) => seen.push(price)),
  )
  const asked = Promise.all(
    ['btcusdt', 'BTCUSDT', 'btc/usdt'].map((spelling) => market.price(spot, spelling)),
  )
  const listener = await source.listener()
  await until('all to have been looked up', async () => source.asked === 4)
  await sleep(0)
  listener.onUpdate(now(10))
  assert.deepEqual(
    (await asked).map((answer) => 'quote' in answer && answer.quote.price),
    [10, 10, 10],
  )
  assert.equal(seen.length, 50)
  assert.deepEqual(source.begun, ['spot BTCUSDT'])
  for (const each of unfollow) each()
  listener.onUpdate(now(11))
  assert.equal(seen.length, 50)
})

test('spot and futures of one symbol are watched separately', async (t) => {
  const { source, market } = marketOf(t)
  const asked = Promise.all([market.price(spot, 'btcusdt'), market.price(futures, 'btcusdt')])
  ;(await source.listener('spot BTCUSDT')).onUpdate(now(1))
  ;(await source.listener('futures BTCUSDT')).onUpdate(now(2))
  assert.deepEqual(
    (await asked).map((answer) => 'quote' in answer && answer.quote.price),
    [1, 2],
  )
})

test('a symbol is dropped when nobody wants it any more, and not before', async (t) => {
  const { source, market } = marketOf(t, { lingerMs: 50 })
  const unfollow = market.follow(spot, 'btcusdt', () => undefined)
  market.latest(spot, 'ethusdt')
  await source.listener()
  market.latest(spot, 'ethusdt')
  await source.listener('spot ETHUSDT')
  await until('the one that was asked for to be dropped', async () => !source.listeners.has('spot ETHUSDT'))
  assert.ok(source.listeners.has('spot BTCUSDT'))
  unfollow()
  await until('the other to be dropped', async () => source.listeners.size === 0)
  assert.equal(market.watched, 0)
})

test('a price expires ten seconds after its last confirmation', async (t) => {
  const { source, market } = marketOf(t, { patienceMs: 20 })
  market.price(spot, 'btcusdt').catch(() => undefined)
  const listener = await source.listener()
  listener.onUpdate({ price: 5, at: Date.now() - 9_000 })
  assert.equal(market.latest(spot, 'btcusdt')?.price, 5)
  listener.onUpdate({ price: 6, at: Date.now() - 10_001 })
  assert.equal(market.latest(spot, 'btcusdt'), undefined)
  const answer = await market.price(spot, 'btcusdt')
  assert.match('reason' in answer ? answer.reason : '', /no price of btcusdt on binance spot .* ten seconds/)
  listener.onConfirmation(now(6))
  assert.equal(market.latest(spot, 'btcusdt')?.price, 6)
})

test('a number that cannot be a price is ignored', async (t) => {
  const { source, market } = marketOf(t, { patienceMs: 20 })
  const asked = market.price(spot, 'btcusdt')
  const listener = await source.listener()
  for (const price of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) listener.onUpdate(now(price))
  assert.ok('reason' in (await asked))
})

test('a caller that gets no price learns why', async (t) => {
  const { source, market } = marketOf(t, { patienceMs: 3_000 })
  assert.deepEqual(await market.price(spot, 'nosuch'), {
    reason: 'There is no NOSUCH.',
    scope: 'symbol',
    isUnknown: true,
  })
  const asked = market.price(spot, 'btcusdt')
  ;(await source.listener()).onTrouble({ reason: 'Binance is closed on Sundays.', scope: 'venue' })
  assert.deepEqual(await asked, {
    reason: 'Binance is closed on Sundays.',
    scope: 'venue',
    isUnknown: false,
  })
})

test('the reason of an unreachable exchange reaches the caller', async (t) => {
  const { source, errors, market } = marketOf(t)
  source.failures.push(new VenueUnreachable('Binance spot cannot be reached: timed out.'))
  const reason = 'Binance spot cannot be reached: timed out.'
  assert.deepEqual(await market.price(spot, 'btcusdt'), { reason, scope: 'venue', isUnknown: false })
  assert.deepEqual(errors, [])
})

test('nobody waits for an exchange that is known to be unreachable, until it is back', async (t) => {
  const { source, market } = marketOf(t, { patienceMs: 600_000 })
  const asked = market.price(spot, 'btcusdt')
  const listener = await source.listener()
  listener.onUpdate({ price: 5, at: Date.now() - 9_999 })
  await asked
  listener.onTrouble({ reason: 'out of reach', scope: 'symbol' })
  await until('the price to be old', async () => market.latest(spot, 'btcusdt') === undefined)
  assert.deepEqual(await market.price(spot, 'btcusdt'), {
    reason: 'out of reach',
    scope: 'symbol',
    isUnknown: false,
  })
  listener.onConfirmation(now(5))
  assert.ok('quote' in (await market.price(spot, 'btcusdt')))
})

test('an unexpected failure of a look-up is reported, and the next call tries again', async (t) => {
  const { source, errors, market } = marketOf(t, { patienceMs: 3_000 })
  const failure = new Error('unreachable')
  source.failures.push(failure)
  assert.ok('reason' in (await market.price(spot, 'btcusdt')))
  assert.deepEqual(errors, [failure])
  const asked = market.price(spot, 'btcusdt')
  ;(await source.listener()).onUpdate(now(3))
  assert.ok('quote' in (await asked))
})

test('a follower gets prices as soon as the look-up of the symbol succeeds', async (t) => {
  const { source, market } = marketOf(t, { retryMs: 5 })
  source.failures.push(new Error('unreachable'), new NoSuchMarket('not yet'), new Error('unreachable'))
  const seen: number[] = []
  market.follow(spot, 'btcusdt', ({ price }) => seen.push(price))
  ;(await source.listener()).onUpdate(now(7))
  assert.deepEqual(seen, [7])
})

test('a confirmation is not an update', async (t) => {
  const { source, market } = marketOf(t)
  const seen: number[] = []
  market.follow(spot, 'btcusdt', ({ price }) => seen.push(price))
  const listener = await source.listener()
  listener.onUpdate(now(7))
  listener.onConfirmation(now(7))
  assert.deepEqual(seen, [7])
})

test('after closing, nothing is watched, whatever was in progress', async () => {
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail, patienceMs: 20 })
  const asked = market.price(spot, 'btcusdt')
  market.follow(spot, 'ethusdt', () => assert.fail('it was closed'))
  await market.close()
  assert.ok('reason' in (await asked))
  assert.deepEqual([source.listeners.size, market.watched, source.closed], [0, 0, true])
})
