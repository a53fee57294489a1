import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { standIns } from '../../../test/exchanges/index.ts'
import { members } from '../../../test/exchanges/members.ts'
import type { Failure } from '../../../test/exchanges/trading.ts'
import { buyOf as buy, liveServices, nameOf, openLive as open, settled } from '../../../test/live-services.ts'
import { until } from '../../../test/until.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { LookUpOutcome } from '../types.ts'
import { LiveVenue } from './live-venue.ts'

const binanceSpot = liveServices[0]!
const binanceFutures = liveServices[1]!

describe('on each exchange', { concurrency: 10 }, () => {
  for (const service of liveServices) {
    const name = nameOf(service)
    const { symbol } = service

    test(`${name}: a market order is placed once, and reported with every execution and its fee`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      const rules = await venue.rules(symbol.replace('/', '').replace(/:.*/, ''))
      assert.equal(rules.symbol, symbol)
      const placed = await venue.place(buy(symbol))
      assert.equal(placed.status, 'placed')
      const found = await venue.lookUp(buy(symbol))
      assert.deepEqual(found, { status: 'found', report: placed.report })
      assert.equal(placed.report.status, 'FILLED')
      const [execution] = placed.report.executions
      const [trade] = trading.orders()[0]!.trades
      assert.equal(execution?.size, '0.01')
      assert.deepEqual(
        [Number(execution?.price), execution?.fee, execution?.feeAsset],
        [Number(trade!.price), trade!.fee, trade!.feeAsset],
      )
    })

    test(`${name}: an order that is executed in parts stays open until all parts are reported`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      trading.setFills('parts')
      const placed = await venue.place(buy(symbol))
      assert.equal(placed.status, 'placed')
      const outcome = await settled(venue, buy(symbol))
      assert.ok(outcome.status === 'found')
      assert.equal(outcome.report.status, 'FILLED')
      assert.equal(outcome.report.executions.length, 3)
    })

    test(`${name}: an order that the exchange ends half-way is cancelled, with its executed part`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      trading.setFills('never')
      const placed = await venue.place(buy(symbol))
      assert.ok(placed.status === 'placed' && placed.report.status === 'OPEN')
      trading.fillOpen('0.4')
      const outcome = await settled(venue, buy(symbol))
      assert.ok(outcome.status === 'found')
      assert.equal(outcome.report.status, 'CANCELED')
      assert.deepEqual(
        outcome.report.executions.map(({ size }) => size),
        ['0.004'],
      )
    })

    test(`${name}: an order is not final before the list of trades is complete`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      trading.hideTradesFor(3_600_000)
      trading.failNext('after-cut')
      await venue.place(buy(symbol))
      let early: LookUpOutcome | undefined
      await until('the order to be found', async () => {
        early = await venue.lookUp(buy(symbol))
        return early.status === 'found'
      })
      assert.ok(early?.status === 'found')
      assert.deepEqual([early.report.status, early.report.executions], ['OPEN', []])
      trading.hideTradesFor(0)
      const outcome = await settled(venue, buy(symbol))
      assert.ok(outcome.status === 'found' && outcome.report.status === 'FILLED')
    })

    const lost: Failure[] = ['after-cut', 'after-hang', 'after-5xx', 'after-garbage']
    // Kraken refuses a request that arrives after a later one. Here, the look-up is the later one.
    if (service.exchange !== 'kraken') lost.push('late')
    for (const failure of lost) {
      test(`${name}: an order whose answer is lost (${failure}) is unknown, then found, and exists once`, async () => {
        // However late a busy machine is, the order does not count as absent.
        const hangs = failure === 'after-hang' && { timeoutMs: 4_000 }
        await using opened = await open(service, { absentAfterMs: 30_000, ...hangs })
        const { venue, trading } = opened
        trading.hideFor(100)
        trading.failNext(failure)
        assert.equal((await venue.place(buy(symbol))).status, 'unknown')
        const outcome = await settled(venue, buy(symbol))
        assert.ok(outcome.status === 'found')
        assert.equal(outcome.report.status, 'FILLED')
        assert.equal((await venue.place(buy(symbol))).status, 'placed')
        assert.equal(trading.orders().length, 1)
      })
    }

    for (const failure of ['before-cut', 'before-5xx'] as const) {
      test(`${name}: an order that was never accepted (${failure}) is unknown, then absent, and can be sent again`, async () => {
        // Long enough for the first look-up to come before.
        await using opened = await open(service, { absentAfterMs: 3_000 })
        const { venue, trading } = opened
        trading.failNext(failure)
        assert.equal((await venue.place(buy(symbol))).status, 'unknown')
        assert.equal((await venue.lookUp(buy(symbol))).status, 'unknown')
        assert.equal((await settled(venue, buy(symbol))).status, 'absent')
        assert.deepEqual(trading.orders(), [])
        assert.equal((await venue.place(buy(symbol))).status, 'placed')
        assert.equal(trading.orders().length, 1)
      })
    }

    test(`${name}: an order that the exchange did not accept is refused, or busy if the reason is temporary`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      for (const [failure, status] of [
        ['reject', 'refused'],
        ['rate-limit', 'busy'],
      ] as const) {
        trading.failNext(failure)
        assert.equal((await venue.place(buy(symbol))).status, status)
        assert.deepEqual(trading.orders(), [])
      }
      assert.equal((await venue.place(buy(symbol))).status, 'placed')
    })

    test(`${name}: a failed look-up leaves the outcome unknown, however it fails`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      await venue.rules(symbol)
      for (const failure of ['before-cut', 'before-5xx', 'after-garbage', 'rate-limit'] as const) {
        trading.failNext(failure, 'question')
        assert.equal((await venue.lookUp(buy(symbol))).status, 'unknown', failure)
      }
    })

    if (service.isWallet === undefined)
      test(`${name}: without permission, or with a wrong key, orders are refused, and the reason contains no secret`, async () => {
        for (const wrong of [{ mayTrade: false }, { signs: false }]) {
          await using opened = await open(service)
          const { trading, standIn } = opened
          const { apiKey = '', secret = '' } = trading.credentials
          if ('mayTrade' in wrong) trading.addKey({ apiKey, secret, mayTrade: false })
          const other = Buffer.from('another-secret').toString('base64')
          await using other_ = await open(service, {
            endpoints: { [service.exchange]: standIn.endpoints },
            credentials: { apiKey, secret: 'signs' in wrong ? other : secret },
          })
          const outcome = await other_.venue.place(buy(symbol))
          assert.ok(outcome.status === 'refused')
          assert.match(outcome.reason, /credentials|key/)
          assert.ok(!outcome.reason.includes(secret) && !outcome.reason.includes(other))
          assert.deepEqual(trading.orders(), [])
        }
      })

    test(`${name}: an order without enough money, below the minimum or off the size step is refused`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      for (const size of ['0.00001', '0.0000001']) {
        assert.equal((await venue.place(buy(symbol, { size }))).status, 'refused', size)
      }
      trading.setBalance(service.quote, '1')
      const outcome = await venue.place(buy(symbol, { clientOrderId: 'tw-2-o' }))
      assert.ok(outcome.status === 'refused')
      assert.match(outcome.reason, /does not have enough/)
    })

    test(`${name}: an unreachable exchange gets no order, and works again later`, async () => {
      await using opened = await open(service)
      const { venue, standIn, trading } = opened
      standIn.failRest({ status: 502, body: 'Bad Gateway' })
      await assert.rejects(venue.rules(symbol), VenueUnreachable)
      assert.equal((await venue.place(buy(symbol))).status, 'busy')
      assert.equal((await venue.lookUp(buy(symbol))).status, 'unknown')
      standIn.failRest(undefined)
      assert.equal((await venue.place(buy(symbol))).status, 'placed')
      assert.equal(trading.orders().length, 1)
    })

    test(`${name}: the same order a hundred times at once is one order`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => venue.place(buy(symbol))))
      assert.ok(outcomes.every(({ status }) => status === 'placed'))
      assert.equal(trading.orders().length, 1)
    })

    test(`${name}: many orders at once do not get mixed up, whatever happens to each`, async () => {
      await using opened = await open(service)
      const { venue, trading } = opened
      await venue.rules(symbol)
      const failures: Failure[] = ['after-cut', 'before-cut', 'reject', 'after-5xx']
      for (const failure of [...failures, ...failures, ...failures]) trading.failNext(failure)
      const orders = Array.from({ length: 24 }, (_, i) => buy(symbol, { clientOrderId: `tw-${i}-o` }))
      const outcomes = await Promise.all(orders.map((order) => venue.place(order)))
      const count = (status: string) => outcomes.filter((outcome) => outcome.status === status).length
      assert.deepEqual([count('placed'), count('refused'), count('unknown')], [12, 3, 9])
      const ends = await Promise.all(orders.map((order) => settled(venue, order)))
      assert.equal(ends.filter(({ status }) => status === 'found').length, 18)
      assert.equal(trading.orders().length, 18)
    })
  }
})

test('a reduce-only order on futures never opens a position', async () => {
  await using opened = await open(binanceFutures)
  const { venue, trading } = opened
  const symbol = 'BTC/USDT:USDT'
  const close = buy(symbol, { side: 'sell', reduceOnly: true, purpose: 'close' })
  assert.equal((await venue.place(close)).status, 'refused')
  await venue.place(buy(symbol))
  await venue.place({ ...close, clientOrderId: 'tw-2-c', size: '1' })
  assert.equal(trading.position(symbol), '0')
})

test('an order whose time the exchange does not accept is busy, and the clocks are compared', async () => {
  await using opened = await open(binanceSpot)
  const { venue, standIn } = opened
  await venue.rules('BTC/USDT')
  standIn.skewClock(-60_000)
  const refused = await venue.place(buy('BTC/USDT'))
  assert.ok(refused.status === 'busy')
  assert.match(refused.reason, /clock/)
  assert.equal((await venue.place(buy('BTC/USDT'))).status, 'placed')
})

test('fees in the coin of the exchange are reported in that coin', async () => {
  await using opened = await open(binanceSpot)
  const { venue, trading } = opened
  trading.setBalance('BNB', '1')
  trading.setFee('0.00075', { asset: 'BNB', price: '600' })
  const placed = await venue.place(buy('BTC/USDT'))
  assert.ok(placed.status === 'placed')
  const [execution] = placed.report.executions
  assert.deepEqual([execution?.fee, execution?.feeAsset], ['0.00075', 'BNB'])
})

test('an order that may no longer be sent when it is prepared reaches no exchange, and can be sent later', async () => {
  await using opened = await open(binanceSpot)
  const { venue, trading } = opened
  const order = buy('BTC/USDT')
  const reason = 'The node lost its database.'
  assert.deepEqual(await venue.place(order, () => reason), { status: 'unknown', reason })
  assert.equal(trading.orders().length, 0)
  assert.equal((await settled(venue, order)).status, 'absent')
  assert.equal((await venue.place(order)).status, 'placed')
  assert.equal(trading.orders().length, 1)
})

test('coin-settled futures, unknown symbols and unsupported exchanges are refused', async () => {
  await using opened = await open(binanceFutures)
  const { venue } = opened
  await assert.rejects(venue.rules('BTC/USD:BTC'), /settled in BTC/)
  await assert.rejects(venue.rules('NOSUCH'), NoSuchMarket)
  await using other = await open(binanceSpot, { venue: { exchange: 'bitso', service: 'spot' } })
  await assert.rejects(other.venue.rules('BTC/USD'), NoSuchMarket)
  assert.equal((await other.venue.place(buy('BTC/USD'))).status, 'refused')
})

for (const { member, exchange, service, symbols } of members) {
  test(`${exchange} ${service}: the rules of a market are decimal numbers in base currency`, async () => {
    await using standIn = await standIns[member]()
    const venue = new LiveVenue({
      venue: { exchange, service },
      credentials: {},
      endpoints: { [member]: standIn.endpoints },
      price: async (symbol) => standIn.price(symbol),
    })
    const [first] = symbols
    const rules = await venue.rules(first)
    assert.deepEqual([rules.symbol, rules.service], [first, service])
    for (const amount of [rules.sizeStep, rules.minSize, rules.minNotional])
      assert.match(amount, /^\d+(\.\d+)?$/)
    assert.ok(Number(rules.sizeStep) > 0)
    await venue.close()
  })
}
