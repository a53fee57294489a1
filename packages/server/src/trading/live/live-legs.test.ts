/** Stops at Binance USD-M futures: what is sent, to the byte, and what becomes of each answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { buyOf, liveServices, openLive, settled } from '../../../test/live-services.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import type { LegRequest } from '../protection/leg-venue.ts'

const futures = liveServices.find(({ exchange, service }) => exchange === 'binance' && service === 'futures')!
const symbol = 'BTC/USDT:USDT'

function stopOf(changes: Partial<LegRequest> = {}): LegRequest {
  const clientId = `twabcdefgh-s${Math.random().toString(36).slice(2, 12)}`
  return { clientId, symbol, side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now(), ...changes }
}

/** An account with a long of 0.01 BTC. */
async function openLong(mode?: 'hedge') {
  const opened = await openLive(futures, { absentAfterMs: 30_000 })
  if (mode !== undefined) opened.trading.setMode({ position: mode })
  const order = buyOf(symbol)
  await opened.venue.place(order)
  await settled(opened.venue, order)
  return { ...opened, legs: opened.venue.legs!, stops: stopsOf(opened.standIn) }
}

describe('a stop at Binance futures', { concurrency: 4 }, () => {
  test('is sent as one algo order that only reduces, with exactly these fields', async () => {
    await using opened = await openLong()
    const { legs, stops } = opened
    const leg = stopOf({ clientId: 'twabcdefgh-s1' })
    const placed = await legs.place(leg)
    assert.deepEqual(placed, { status: 'placed', exchangeId: stops.all()[0]!.id })
    assert.deepEqual(stops.requests(), [
      'algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&quantity=0.01&triggerPrice=59000.5&workingType=CONTRACT_PRICE&reduceOnly=true&clientAlgoId=twabcdefgh-s1',
    ])
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found')
    assert.deepEqual([found.leg.state, found.leg.exchangeId], ['open', stops.all()[0]!.id])
  })

  test('names the position in hedge mode, instead of saying that it reduces', async () => {
    await using opened = await openLong('hedge')
    const { legs, stops } = opened
    assert.equal((await legs.place(stopOf({ clientId: 'twabcdefgh-s2' }))).status, 'placed')
    assert.deepEqual(stops.requests(), [
      'algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&quantity=0.01&triggerPrice=59000.5&workingType=CONTRACT_PRICE&positionSide=LONG&clientAlgoId=twabcdefgh-s2',
    ])
  })

  test('is followed to the order that it becomes, which is looked up by its own id', async () => {
    await using opened = await openLong()
    const { legs, venue, standIn, trading } = opened
    const leg = stopOf()
    await legs.place(leg)
    standIn.setPrice(symbol, 58_990)
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found' && found.leg.state === 'triggered')
    const order = { ...buyOf(symbol), side: 'sell' as const, purpose: 'close' as const, reduceOnly: true }
    const report = await settled(venue, { ...order, legOrderId: found.leg.orderId })
    assert.ok(report.status === 'found')
    assert.equal(report.report.status, 'FILLED')
    assert.deepEqual(
      report.report.executions.map(({ size, price }) => [size, Number(price)]),
      [['0.01', 58_990]],
    )
    assert.equal(trading.position(symbol), '0')
  })

  test('that is beyond the price, or has nothing to reduce, is certainly refused', async () => {
    await using opened = await openLong()
    const { legs } = opened
    const beyond = await legs.place(stopOf({ price: '61000' }))
    assert.ok(beyond.status === 'refused' && beyond.isBeyond)
    assert.match(beyond.reason, /would immediately trigger/)
    const nothing = await legs.place(stopOf({ side: 'buy', price: '61000' }))
    assert.ok(nothing.status === 'refused' && !nothing.isBeyond)
    const uneven = await legs.place(stopOf({ size: '0.0000001' }))
    assert.ok(uneven.status === 'refused')
  })

  test('whose answer is lost is unknown, is found, and ends when it is cancelled', async () => {
    await using opened = await openLong()
    const { legs, trading, stops } = opened
    const leg = stopOf()
    for (const failure of ['after-cut', 'after-5xx'] as const) {
      trading.failNext(failure, 'stop')
      const one = failure === 'after-cut' ? leg : stopOf()
      assert.equal((await legs.place(one)).status, 'unknown')
    }
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found' && found.leg.state === 'open')
    await legs.cancel(leg)
    const ended = await legs.lookUp(leg)
    assert.ok(ended.status === 'found' && ended.leg.state === 'ended')
    assert.equal(stops.open().length, 1)
    trading.failNext('rate-limit', 'stop')
    assert.equal((await legs.place(stopOf())).status, 'busy')
  })

  test('that the exchange does not know counts as absent only when no request can still arrive', async () => {
    await using opened = await openLong()
    const { legs } = opened
    assert.equal((await legs.lookUp(stopOf())).status, 'unknown')
    assert.equal((await legs.lookUp(stopOf({ sentAt: Date.now() - 60_000 }))).status, 'absent')
  })

  test('has a price step only in markets whose stops are known', async () => {
    await using opened = await openLong()
    assert.equal(Number(await opened.legs.priceStep(symbol)), 1e-8)
    await assert.rejects(opened.legs.priceStep('NO/SUCH:SUCH'), NoSuchMarket)
  })
})

describe('a target at Binance futures', { concurrency: 4 }, () => {
  const targetOf = (changes: Partial<LegRequest> = {}) =>
    stopOf({ price: '61000.5', isTarget: true, ...changes })

  test('is sent as one limit order that only reduces, with exactly these fields', async () => {
    await using opened = await openLong()
    const { legs, standIn, trading } = opened
    const leg = targetOf({ clientId: 'twabcdefgh-t1' })
    const placed = await legs.place(leg)
    const [order] = trading.orders().filter(({ limit }) => limit !== undefined)
    assert.deepEqual(placed, { status: 'placed', exchangeId: order!.id })
    const varying = /(timestamp|recvWindow|signature)=[^&]*&?/g
    assert.equal(
      standIn.changes().at(-1)!.replace(varying, '').replace(/&$/, ''),
      'POST /fapi/v1/order symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=0.01&price=61000.5&reduceOnly=true&newClientOrderId=twabcdefgh-t1',
    )
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found')
    assert.deepEqual([found.leg.state, found.leg.exchangeId], ['open', order!.id])
  })
  test('names the position in hedge mode, and asks for an order only with its own id', async () => {
    await using opened = await openLong('hedge')
    const { legs, standIn, trading } = opened
    const leg = targetOf({ clientId: 'twabcdefgh-t2' })
    assert.equal((await legs.place(leg)).status, 'placed')
    assert.match(standIn.changes().at(-1)!, /price=61000\.5&positionSide=LONG&newClientOrderId=twabcdefgh-t2/)
    await legs.cancel(leg)
    assert.match(
      standIn.changes().at(-1)!,
      /^DELETE \/fapi\/v1\/order .*symbol=BTCUSDT&origClientOrderId=twabcdefgh-t2/,
    )
    const ended = await legs.lookUp(leg)
    assert.ok(ended.status === 'found' && ended.leg.state === 'ended')
    assert.equal(trading.position(symbol), '0.01')
  })

  test('tells how much it has executed, while it rests and when it has ended', async () => {
    await using opened = await openLong()
    const { legs, trading } = opened
    const leg = targetOf()
    await legs.place(leg)
    trading.fillResting('0.004')
    const filling = await legs.lookUp(leg)
    assert.ok(filling.status === 'found' && filling.leg.state === 'filling')
    await legs.cancel(leg)
    const over = await legs.lookUp(leg)
    assert.ok(over.status === 'found' && over.leg.state === 'triggered')
    assert.equal(over.leg.size, '0.004')
    const order = { ...buyOf(symbol), side: 'sell' as const, purpose: 'close' as const, reduceOnly: true }
    const report = await settled(opened.venue, { ...order, size: '0.004', legOrderId: over.leg.orderId })
    assert.ok(report.status === 'found')
    assert.deepEqual(
      [
        report.report.status,
        ...report.report.executions.map(({ size, price }) => `${size} ${Number(price)}`),
      ],
      ['CANCELED', '0.004 61000.5'],
    )
  })

  test('whose answer is lost is unknown, and one with nothing to reduce is certainly refused', async () => {
    await using opened = await openLong()
    const { legs, trading } = opened
    const leg = targetOf()
    trading.failNext('after-cut', 'order')
    assert.equal((await legs.place(leg)).status, 'unknown')
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found' && found.leg.state === 'open')
    const nothing = await legs.place(targetOf({ side: 'buy', price: '59000' }))
    assert.ok(nothing.status === 'refused' && !nothing.isBeyond)
    assert.equal((await legs.lookUp(targetOf())).status, 'unknown')
    assert.equal((await legs.lookUp(targetOf({ sentAt: Date.now() - 60_000 }))).status, 'absent')
  })
})
