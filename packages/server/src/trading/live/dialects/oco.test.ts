/** A stop and a target in one order, on the spot markets of Binance and OKX: what is sent, and which one was reached. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stopsOf } from '../../../../test/exchanges/stops.ts'
import { buyOf, liveServices, openLive, settled } from '../../../../test/live-services.ts'
import type { LegRequest } from '../../protection/leg-venue.ts'

const symbol = 'BTC/USDT'
const signing = /&?\b(timestamp|recvWindow|signature)=[^&]*/g

/** What is sent to place a sale of 0.01 with a stop at 59000.5 and a target at 61000.5, and to cancel it. */
const rows: Record<string, { placed: string; cancelled(leg: LegRequest): string }> = {
  binance: {
    placed:
      'POST /api/v3/orderList/oco symbol=BTCUSDT&side=SELL&quantity=0.01&aboveType=TAKE_PROFIT&aboveClientOrderId=TARGET&aboveStopPrice=61000.5&belowType=STOP_LOSS&belowClientOrderId=STOP&belowStopPrice=59000.5&newOrderRespType=ACK',
    cancelled: ({ clientId }) => `DELETE /api/v3/order symbol=BTCUSDT&origClientOrderId=${clientId}`,
  },
  okx: {
    placed:
      'POST /api/v5/trade/order-algo {"instId":"BTC-USDT","side":"sell","ordType":"oco","sz":"0.01","slTriggerPx":"59000.5","slOrdPx":"-1","slTriggerPxType":"last","tpTriggerPx":"61000.5","tpOrdPx":"-1","tpTriggerPxType":"last","tdMode":"cash","algoClOrdId":"STOP"}',
    cancelled: ({ clientId }) =>
      `POST /api/v5/trade/cancel-algos [{"instId":"BTC-USDT","algoClOrdId":"${clientId}"}]`,
  },
}

/** An account that holds 0.01 BTC. */
async function openHolding(exchange: string) {
  const spot = liveServices.find((one) => one.exchange === exchange && one.service === 'spot')!
  const opened = await openLive(spot)
  const { trading, venue, standIn } = opened
  trading.setBalance('BTC', '0.01')
  const legs = venue.legs!
  const newId = (role: string) =>
    legs.clientId(`twabcdefgh-${role}${Math.random().toString(36).slice(2, 12)}`)
  const pairOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now() },
    ...{ clientId: newId('s'), oco: { price: '61000.5', clientId: newId('t') } },
    ...changes,
  })
  const place = async (changes: Partial<LegRequest> = {}) => {
    const leg = pairOf(changes)
    const placed = await legs.place(leg)
    assert.ok(placed.status === 'placed', JSON.stringify(placed))
    return { leg, exchangeId: placed.exchangeId }
  }
  const found = async (leg: LegRequest) => {
    const answer = await legs.lookUp(leg)
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.leg
  }
  /** What was sold, and whether at the target. */
  const sold = async (leg: LegRequest) => {
    const made = await found(leg)
    assert.ok(made.state === 'triggered', JSON.stringify(made))
    const sale = { ...buyOf(symbol), side: 'sell', purpose: 'close', reduceOnly: true } as const
    const outcome = await settled(venue, { ...sale, legOrderId: made.orderId })
    assert.ok(outcome.status === 'found', JSON.stringify(outcome))
    const { status, executions } = outcome.report
    return [
      made.isTarget === true,
      status,
      ...executions.map(({ size, price }) => `${size} at ${Number(price)}`),
    ]
  }
  const changes = () => standIn.changes().map((text) => text.replaceAll(signing, '').replace(' &', ' '))
  return { ...opened, legs, pairOf, place, found, sold, changes }
}

for (const [exchange, row] of Object.entries(rows)) {
  describe(`a stop with a target on ${exchange} spot`, { concurrency: 4 }, () => {
    test('is sent as one order with exactly these fields, locks its coins once, and is cancelled by one request', async () => {
      await using opened = await openHolding(exchange)
      const { legs, venue, place, found, changes } = opened
      assert.equal(await legs.hasOco?.(symbol), true)
      const { leg, exchangeId } = await place()
      const placed = row.placed.replace('STOP"', `${leg.clientId}"`).replace('=STOP&', `=${leg.clientId}&`)
      assert.deepEqual(changes(), [placed.replace('TARGET', leg.oco!.clientId)])
      assert.deepEqual(await found(leg), { state: 'open', exchangeId, reason: null })
      const [btc] = (await venue.account.balances()).filter(({ asset }) => asset === 'BTC')
      assert.deepEqual([Number(btc!.total), Number(btc!.free)], [0.01, exchange === 'binance' ? 0 : 0.01])
      await legs.cancel(leg)
      assert.equal(changes().at(-1), row.cancelled(leg))
      const { state, reason } = await found(leg)
      assert.deepEqual([state, reason], ['ended', 'The stop was cancelled at the exchange.'])
      assert.deepEqual(await venue.account.openOrders(symbol), [])
    })

    test('sells everything at the level that the price reaches first, and never at both', async () => {
      await using opened = await openHolding(exchange)
      const { standIn, trading, place, sold } = opened
      const { leg } = await place()
      standIn.setPrice(symbol, 61_001)
      standIn.setPrice(symbol, 58_000)
      assert.deepEqual(await sold(leg), [true, 'FILLED', '0.01 at 61001'])
      standIn.setPrice(symbol, 60_000)
      trading.setBalance('BTC', '0.01')
      const second = await place()
      standIn.setPrice(symbol, 59_000)
      standIn.setPrice(symbol, 62_000)
      assert.deepEqual(await sold(second.leg), [false, 'FILLED', '0.01 at 59000'])
      assert.equal(Number(trading.balance('BTC')), 0)
    })

    test('of which the target has executed only a part is followed, and its stop is over', async () => {
      await using opened = await openHolding(exchange)
      const { standIn, trading, place, sold } = opened
      const { leg } = await place()
      trading.setFills('never')
      standIn.setPrice(symbol, 61_001)
      trading.fillOpen('0.4')
      assert.deepEqual(await sold(leg), [true, 'CANCELED', '0.004 at 61001'])
      standIn.setPrice(symbol, 58_000)
      assert.equal(Number(trading.balance('BTC')), 0.006)
    })

    test('that is beyond one of its levels is refused, which does not say that the price is beyond the stop', async () => {
      await using opened = await openHolding(exchange)
      const { legs, pairOf, trading } = opened
      for (const levels of [{ price: '61000' }, { oco: { price: '59500', clientId: 'twabcdefghtx' } }]) {
        const refused = await legs.place(pairOf(levels))
        assert.ok(refused.status === 'refused' && !refused.isBeyond, JSON.stringify(refused))
      }
      assert.deepEqual(trading.orders(), [])
      assert.deepEqual(stopsOf(opened.standIn).all(), [])
    })

    test('whose answer is lost is unknown, is found, and is never there twice', async () => {
      await using opened = await openHolding(exchange)
      const { legs, trading, venue, pairOf, found } = opened
      trading.failNext('after-cut', 'stop')
      const leg = pairOf()
      assert.equal((await legs.place(leg)).status, 'unknown')
      assert.equal((await found(leg)).state, 'open')
      assert.notEqual((await legs.place(leg)).status, 'placed')
      await legs.cancel(leg)
      assert.equal((await found(leg)).state, 'ended')
      assert.deepEqual(await venue.account.openOrders(symbol), [])
    })
  })
}

test('binance: of a stop without its target nobody says that it rests', async () => {
  await using opened = await openHolding('binance')
  const { legs, place, found } = opened
  const { leg } = await place({ oco: { price: '61000.5', clientId: 'twabcdefgh-t1' } })
  const asked = { ...leg, oco: { price: '61000.5', clientId: 'twabcdefgh-t2' } }
  assert.equal((await legs.lookUp(asked)).status, 'unknown')
  assert.equal((await found(leg)).state, 'open')
})
