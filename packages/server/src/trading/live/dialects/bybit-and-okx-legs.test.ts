/** Stops at Bybit and OKX in each mode of an account, and how they end. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stopsOf } from '../../../../test/exchanges/stops.ts'
import { buyOf, liveServices, openLive, settled } from '../../../../test/live-services.ts'
import type { LegRequest } from '../../protection/leg-venue.ts'

const symbol = 'BTC/USDT:USDT'

/** An account with a long of 0.01 BTC. A stop is by default one of that long. */
async function openLong(
  exchange: string,
  { position, account }: { position?: 'hedge'; account?: string } = {},
) {
  const futures = liveServices.find((one) => one.exchange === exchange && one.service === 'futures')!
  const opened = await openLive(futures)
  opened.trading.setMode({ ...(position && { position }), ...(account && { account }) })
  const order = buyOf(symbol)
  await opened.venue.place(order)
  await settled(opened.venue, order)
  const legs = opened.venue.legs!
  const stopOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now() },
    clientId: legs.clientId(`twabcdefgh-s${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  const found = async (leg: LegRequest) => {
    const answer = await legs.lookUp(leg)
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.leg
  }
  return { ...opened, legs, stops: stopsOf(opened.standIn), stopOf, found }
}

describe('at each of them', { concurrency: 4 }, () => {
  for (const [exchange, named] of [
    ['bybit', '"reduceOnly":true,"closeOnTrigger":true,"positionIdx":1,"orderLinkId"'],
    ['okx', '"slTriggerPxType":"last","tdMode":"cross","posSide":"long","algoClOrdId"'],
  ] as const) {
    test(`${exchange}: in hedge mode, a stop names the position that it closes`, async () => {
      await using opened = await openLong(exchange, { position: 'hedge' })
      const { legs, stops, standIn, trading, stopOf, found } = opened
      const leg = stopOf()
      assert.equal((await legs.place(leg)).status, 'placed')
      const [sent, ...others] = stops.requests()
      assert.ok(sent!.includes(named), String(sent))
      assert.deepEqual(others, [])
      standIn.setPrice(symbol, 59_000)
      assert.equal((await found(leg)).state, 'triggered')
      assert.deepEqual([trading.position(symbol), trading.orders().at(-1)!.positionSide], ['0', 'long'])
    })

    test(`${exchange}: a stop that misses a change of the position mode is busy, and the next one reads the mode`, async () => {
      await using opened = await openLong(exchange)
      const { legs, stops, trading, stopOf } = opened
      trading.setMode({ position: 'hedge' })
      const leg = stopOf()
      assert.equal((await legs.place(leg)).status, 'busy')
      assert.deepEqual(stops.all(), [])
      assert.equal((await legs.place(leg)).status, 'placed')
    })

    test(`${exchange}: the stop of a short is above the price, and never closes more than is left`, async () => {
      await using opened = await openLong(exchange)
      const { legs, standIn, trading, stopOf, found } = opened
      trading.trade(symbol, 'sell', '0.03')
      const leg = stopOf({ side: 'buy', price: '61000.5', size: '0.02' })
      assert.equal((await legs.place(leg)).status, 'placed')
      trading.trade(symbol, 'buy', '0.01')
      standIn.setPrice(symbol, 61_001)
      assert.equal((await found(leg)).state, 'triggered')
      assert.equal(trading.position(symbol), '0')
      const beyond = await legs.place(stopOf({ side: 'buy', price: '61000' }))
      assert.ok(beyond.status === 'refused' && beyond.isBeyond, JSON.stringify(beyond))
    })

    test(`${exchange}: the same stop sent again is never a second one`, async () => {
      await using opened = await openLong(exchange)
      const { legs, stops, stopOf, found } = opened
      const leg = stopOf()
      assert.equal((await legs.place(leg)).status, 'placed')
      assert.equal((await legs.place(leg)).status, 'unknown')
      assert.equal(stops.all().length, 1)
      assert.equal((await found(leg)).state, 'open')
    })

    test(`${exchange}: a stop whose order is refused has ended, and says why`, async () => {
      await using opened = await openLong(exchange)
      const { legs, standIn, trading, stopOf, found } = opened
      const leg = stopOf()
      await legs.place(leg)
      trading.trade(symbol, 'sell', '0.01')
      standIn.setPrice(symbol, 58_990)
      const { state, reason } = await found(leg)
      assert.equal(state, 'ended')
      assert.match(
        reason!,
        exchange === 'bybit' ? /refused .* \(EC_Others\)\.$/ : /refused .* \(code 51169\)\.$/,
      )
      assert.equal(trading.position(symbol), '0')
    })
  }
})

/** A sale of 0.01 BTC at 61000.5, as it is sent; CLIENT stands for its id. A contract of OKX is 0.01 BTC. */
const sentTargets = {
  bybit: (named: string) =>
    `POST /v5/order/create {"category":"linear","symbol":"BTCUSDT","side":"Sell","orderType":"Limit","qty":"0.01","price":"61000.5","timeInForce":"GTC","reduceOnly":true,${named}"orderLinkId":"CLIENT"}`,
  okx: (named: string) =>
    `POST /api/v5/trade/order {"instId":"BTC-USDT-SWAP","side":"sell","ordType":"limit","sz":"1","px":"61000.5","tdMode":"cross",${named}"clOrdId":"CLIENT"}`,
}

for (const [exchange, position, named] of [
  ['bybit', 'one-way', ''],
  ['bybit', 'hedge', '"positionIdx":1,'],
  ['okx', 'one-way', '"reduceOnly":true,'],
  ['okx', 'hedge', '"posSide":"long",'],
] as const) {
  test(`${exchange}: a target is one limit order that only reduces, and tells what it has executed (${position})`, async () => {
    await using opened = await openLong(exchange, position === 'hedge' ? { position } : {})
    const { legs, standIn, trading, venue, stopOf, found } = opened
    const clientId = legs.clientId('twabcdefgh-t1')
    const leg = stopOf({ price: '61000.5', isTarget: true, clientId })
    assert.equal((await legs.place(leg)).status, 'placed')
    assert.equal(standIn.changes().at(-1), sentTargets[exchange](named).replace('CLIENT', clientId))
    assert.equal((await legs.place(leg)).status, 'unknown')
    assert.equal((await found(leg)).state, 'open')
    trading.fillResting('0.004')
    assert.equal((await found(leg)).state, 'filling')
    await legs.cancel(leg)
    const over = await found(leg)
    assert.ok(over.state === 'triggered')
    assert.equal(over.size, '0.004')
    const close = { side: 'sell', purpose: 'close', reduceOnly: true, size: '0.004' } as const
    const outcome = await settled(venue, { ...buyOf(symbol), ...close, legOrderId: over.orderId })
    assert.ok(outcome.status === 'found' && outcome.report.status === 'CANCELED', JSON.stringify(outcome))
    const rest = stopOf({ price: '61000.5', isTarget: true, size: '0.006' })
    await legs.place(rest)
    standIn.setPrice(symbol, 61_001)
    const filled = await found(rest)
    assert.ok(filled.state === 'triggered' && filled.size === '0.006')
    assert.equal(trading.position(symbol), '0')
    const nothing = await legs.place(stopOf({ price: '62000', isTarget: true }))
    assert.ok(nothing.status === 'refused' && !nothing.isBeyond, JSON.stringify(nothing))
    const cancelled = stopOf({ price: '62000', isTarget: true })
    trading.trade(symbol, 'buy', '0.01')
    await legs.place(cancelled)
    await legs.cancel(cancelled)
    assert.equal((await found(cancelled)).state, 'ended')
  })
}

test('bybit: a stop that was triggered weeks after it was placed is found in the history', async () => {
  await using opened = await openLong('bybit')
  const { legs, stops, standIn, venue, stopOf, found } = opened
  const leg = stopOf({ sentAt: Date.now() - 20 * 86_400_000 })
  await legs.place(leg)
  stops.all()[0]!.at = leg.sentAt
  standIn.setPrice(symbol, 58_990)
  const made = await found(leg)
  assert.ok(made.state === 'triggered')
  const close = { side: 'sell', purpose: 'close', reduceOnly: true, plannedAt: leg.sentAt } as const
  const outcome = await settled(venue, { ...buyOf(symbol), ...close, legOrderId: made.orderId })
  assert.ok(outcome.status === 'found' && outcome.report.status === 'FILLED', JSON.stringify(outcome))
})

test('okx: a stop has the margin mode of its position', async () => {
  await using opened = await openLong('okx')
  const { legs, stops, trading, stopOf } = opened
  trading.setMode({ margin: 'isolated' })
  assert.equal((await legs.place(stopOf())).status, 'placed')
  assert.match(stops.requests()[0]!, /"tdMode":"isolated"/)
})

test('okx: an account in portfolio margin mode keeps stops and targets only in hedge mode', async () => {
  await using inOneWay = await openLong('okx', { account: '4' })
  const refused = await inOneWay.legs.place(inOneWay.stopOf())
  assert.ok(refused.status === 'refused' && !refused.isBeyond)
  assert.match(refused.reason, /^In portfolio margin mode, OKX/)
  assert.deepEqual(inOneWay.stops.requests(), [])
  assert.equal(await inOneWay.legs.canHave?.(inOneWay.stopOf({ isTarget: true })), false)
  await using hedged = await openLong('okx', { account: '4', position: 'hedge' })
  assert.equal(await hedged.legs.canHave?.(hedged.stopOf({ isTarget: true })), true)
  assert.equal((await hedged.legs.place(hedged.stopOf())).status, 'placed')
})

/** An account at OKX that holds 0.01 BTC on spot. */
async function openHolding(account?: string) {
  const spot = liveServices.find((one) => one.exchange === 'okx' && one.service === 'spot')!
  const opened = await openLive(spot)
  opened.trading.setBalance('BTC', '0.01')
  if (account !== undefined) opened.trading.setMode({ account })
  const legs = opened.venue.legs!
  const stopOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol: 'BTC/USDT', side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now() },
    clientId: legs.clientId(`twabcdefgh-s${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  return { ...opened, legs, stopOf, stops: stopsOf(opened.standIn) }
}

describe('okx spot', { concurrency: 4 }, () => {
  for (const [account, tdMode] of [
    ['2', 'cash'],
    ['3', 'cross'],
  ] as const) {
    test(`a stop is sent with exactly these fields (${tdMode}), and is followed to the sale that it becomes`, async () => {
      await using opened = await openHolding(account)
      const { legs, stops, standIn, venue, stopOf, trading } = opened
      assert.equal(legs.locksFunds, true)
      const leg = stopOf()
      assert.equal((await legs.place(leg)).status, 'placed')
      assert.deepEqual(stops.requests(), [
        `{"instId":"BTC-USDT","side":"sell","ordType":"conditional","sz":"0.01","slTriggerPx":"59000.5","slOrdPx":"-1","slTriggerPxType":"last","tdMode":"${tdMode}","algoClOrdId":"${leg.clientId}"}`,
      ])
      standIn.setPrice('BTC/USDT', 58_990)
      const found = await legs.lookUp(leg)
      assert.ok(found.status === 'found' && found.leg.state === 'triggered')
      const sale = { ...buyOf('BTC/USDT'), side: 'sell', purpose: 'close', reduceOnly: true } as const
      const outcome = await settled(venue, { ...sale, legOrderId: found.leg.orderId })
      assert.ok(outcome.status === 'found' && outcome.report.status === 'FILLED', JSON.stringify(outcome))
      assert.equal(Number(trading.balance('BTC')), 0)
    })
  }

  test('a stop that is beyond the price is refused, and one that is cancelled has ended', async () => {
    await using opened = await openHolding()
    const { legs, stops, standIn, stopOf } = opened
    const beyond = await legs.place(stopOf({ price: '61000' }))
    assert.ok(beyond.status === 'refused' && beyond.isBeyond, JSON.stringify(beyond))
    const leg = stopOf()
    await legs.place(leg)
    await legs.cancel(leg)
    const request = `[{"instId":"BTC-USDT","algoClOrdId":"${leg.clientId}"}]`
    assert.equal(standIn.changes().at(-1), `POST /api/v5/trade/cancel-algos ${request}`)
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found' && found.leg.state === 'ended')
    assert.deepEqual(stops.open(), [])
  })

  test('a stop without coins to sell has ended when the price reaches it, and sells nothing', async () => {
    await using opened = await openHolding()
    const { legs, standIn, stopOf, trading } = opened
    const leg = stopOf()
    await legs.place(leg)
    trading.setBalance('BTC', '0.004')
    standIn.setPrice('BTC/USDT', 58_990)
    const found = await legs.lookUp(leg)
    assert.ok(found.status === 'found' && found.leg.state === 'ended')
    assert.match(found.leg.reason!, /refused its order \(code 51008\)/)
    assert.equal(trading.balance('BTC'), '0.004')
  })

  test('an account that borrows automatically gets no stop, because it could sell more than it holds', async () => {
    await using opened = await openHolding('3 borrowing')
    const refused = await opened.legs.place(opened.stopOf())
    assert.ok(refused.status === 'refused' && !refused.isBeyond)
    assert.match(refused.reason, /Turn automatic borrowing off/)
    assert.deepEqual(opened.stops.requests(), [])
  })
})
