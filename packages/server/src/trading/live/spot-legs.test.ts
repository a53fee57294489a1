/** Stops on spot markets that are orders like others, with the same id before and after the trigger, at each exchange. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  buyOf,
  finalReport,
  type LiveService,
  liveServices,
  openLive,
  settled,
} from '../../../test/live-services.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import type { LegRequest } from '../protection/leg-venue.ts'

type SpotStops = {
  exchange: string
  /** The path and the fields of the request, without those that sign it. */
  request: string
  /** `null`: nothing that it answers says that the price is beyond the stop. */
  isBeyond: RegExp | null
}

const all: SpotStops[] = [
  {
    exchange: 'binance',
    request:
      'POST /api/v3/order symbol=BTCUSDT&side=SELL&type=STOP_LOSS&quantity=0.01&stopPrice=59000.5&newClientOrderId=twabcdefgh-s1&newOrderRespType=ACK',
    isBeyond: /would trigger immediately/,
  },
  {
    exchange: 'bybit',
    request:
      'POST /v5/order/create {"category":"spot","symbol":"BTCUSDT","side":"Sell","orderType":"Market","qty":"0.01","marketUnit":"baseCoin","triggerPrice":"59000.5","orderFilter":"tpslOrder","orderLinkId":"twabcdefgh-s1"}',
    isBeyond: /beyond the stop already/,
  },
  {
    exchange: 'kraken',
    request:
      'POST /0/private/AddOrder pair=XXBTZUSD&type=sell&ordertype=stop-loss&volume=0.01&price=59000.5&trigger=last&cl_ord_id=twabcdefgh-s1',
    isBeyond: null,
  },
]

const signing = /&?\b(timestamp|recvWindow|signature|nonce)=[^&]*/g

function stopOf(symbol: string, changes: Partial<LegRequest> = {}): LegRequest {
  const clientId = `twabcdefgh-s${Math.random().toString(36).slice(2, 8)}`
  return { clientId, symbol, side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now(), ...changes }
}

/** An account with 0.01 BTC, and nothing more. */
async function openHolding(service: LiveService) {
  const opened = await openLive(service, { absentAfterMs: 30_000 })
  const { trading, venue, standIn } = opened
  trading.setBalance('BTC', '0.01')
  const stops = () => trading.orders().filter(({ stop }) => stop !== undefined)
  return {
    ...opened,
    ...{ legs: venue.legs!, stops },
    requests: () => standIn.changes().map((change) => change.replaceAll(signing, '').replace(' &', ' ')),
  }
}

for (const { exchange, request, isBeyond } of all) {
  const service = liveServices.find((one) => one.exchange === exchange && one.service === 'spot')!
  const { symbol } = service
  describe(`a stop on ${exchange} spot`, { concurrency: 4 }, () => {
    test('is sent with exactly these fields, and locks the coins that it would sell', async () => {
      await using opened = await openHolding(service)
      const { legs, venue, stops, trading } = opened
      assert.equal(legs.locksFunds, true)
      const leg = stopOf(symbol, { clientId: legs.clientId('twabcdefgh-s1') })
      const placed = await legs.place(leg)
      assert.deepEqual(opened.requests(), [request])
      const found = await legs.lookUp(leg)
      assert.ok(placed.status === 'placed' && found.status === 'found')
      assert.deepEqual(found.leg, { state: 'open', exchangeId: placed.exchangeId, reason: null })
      const [btc] = (await venue.account.balances()).filter(({ asset }) => asset === 'BTC')
      assert.deepEqual([Number(btc!.total), Number(btc!.free)], [0.01, 0])
      const [order] = await venue.account.openOrders(symbol)
      assert.deepEqual([order!.exchangeOrderId, order!.clientOrderId], [placed.exchangeId, leg.clientId])
      const sale = buyOf(symbol, { side: 'sell', purpose: 'close' })
      assert.equal((await venue.place(sale)).status, 'refused')
      await legs.cancel(leg)
      const ended = await legs.lookUp(leg)
      assert.ok(ended.status === 'found' && ended.leg.state === 'ended')
      assert.equal((await finalReport(venue, await placedAgain(venue, sale))).status, 'FILLED')
      assert.equal(Number(trading.balance('BTC')), 0)
      assert.deepEqual(
        stops().map(({ status }) => status),
        ['canceled'],
      )
    })

    test('keeps its id when it is triggered, and its fills are found under that id', async () => {
      await using opened = await openHolding(service)
      const { legs, venue, standIn } = opened
      const leg = stopOf(symbol)
      const placed = await legs.place(leg)
      standIn.setPrice(symbol, 58_990)
      const found = await legs.lookUp(leg)
      assert.ok(placed.status === 'placed' && found.status === 'found' && found.leg.state === 'triggered')
      assert.equal(found.leg.orderId, placed.exchangeId)
      const order = buyOf(symbol, { side: 'sell', purpose: 'close', reduceOnly: true })
      const report = await finalReport(venue, { ...order, legOrderId: found.leg.orderId })
      assert.deepEqual(
        [report.status, ...report.executions.map(({ size, price }) => `${size} at ${Number(price)}`)],
        ['FILLED', '0.01 at 58990'],
      )
    })

    test('of which a part was sold is followed, although the exchange ended it', async () => {
      await using opened = await openHolding(service)
      const { legs, venue, standIn, trading } = opened
      trading.setFills('never')
      const leg = stopOf(symbol)
      await legs.place(leg)
      standIn.setPrice(symbol, 58_990)
      trading.fillOpen('0.5')
      const found = await legs.lookUp(leg)
      assert.ok(found.status === 'found' && found.leg.state === 'triggered')
      const order = buyOf(symbol, { side: 'sell', purpose: 'close', reduceOnly: true })
      const report = await finalReport(venue, { ...order, legOrderId: found.leg.orderId })
      assert.deepEqual([report.status, report.executions[0]?.size], ['CANCELED', '0.005'])
    })

    test('that is beyond the price, or has nothing to sell, is certainly refused', async () => {
      await using opened = await openHolding(service)
      const { legs } = opened
      const beyond = await legs.place(stopOf(symbol, { price: '61000' }))
      assert.ok(beyond.status === 'refused' && beyond.isBeyond === (isBeyond !== null))
      assert.match(beyond.reason, isBeyond ?? /./)
      const tooMuch = await legs.place(stopOf(symbol, { size: '0.02' }))
      assert.ok(tooMuch.status === 'refused' && !tooMuch.isBeyond)
      const uneven = await legs.place(stopOf(symbol, { size: '0.000000001' }))
      assert.ok(uneven.status === 'refused')
    })

    test('whose answer is lost is unknown, is found, and ends when somebody cancels it', async () => {
      await using opened = await openHolding(service)
      const { legs, trading } = opened
      const leg = stopOf(symbol)
      trading.failNext('after-cut', 'stop')
      assert.equal((await legs.place(leg)).status, 'unknown')
      trading.failNext('before-cut', 'question')
      assert.equal((await legs.lookUp(leg)).status, 'unknown')
      const found = await legs.lookUp(leg)
      assert.ok(found.status === 'found' && found.leg.state === 'open')
      await legs.cancel(leg)
      const ended = await legs.lookUp(leg)
      assert.ok(ended.status === 'found' && ended.leg.state === 'ended')
      assert.match(ended.leg.reason ?? '', /cancelled/)
      trading.failNext('rate-limit', 'stop')
      assert.equal((await legs.place(stopOf(symbol))).status, 'busy')
    })

    test('that the exchange does not know counts as absent only when no request can still arrive', async () => {
      await using opened = await openHolding(service)
      const { legs } = opened
      assert.equal((await legs.lookUp(stopOf(symbol))).status, 'unknown')
      assert.equal((await legs.lookUp(stopOf(symbol, { sentAt: Date.now() - 60_000 }))).status, 'absent')
      await assert.rejects(legs.priceStep('NO/SUCH'), NoSuchMarket)
    })
  })
}

/** The bot plans another order after a refusal. */
async function placedAgain(
  venue: Awaited<ReturnType<typeof openHolding>>['venue'],
  order: ReturnType<typeof buyOf>,
) {
  const again = { ...order, clientOrderId: `${order.clientOrderId}2` }
  assert.equal((await venue.place(again)).status, 'placed')
  await settled(venue, again)
  return again
}
