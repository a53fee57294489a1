/** Targets at Gate and Bitget futures: what is sent, to the byte, and what becomes of each answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buyOf, liveServices, openLive, settled } from '../../../../test/live-services.ts'
import type { LegRequest } from '../../protection/leg-venue.ts'

const symbol = 'BTC/USDT:USDT'

/** What is sent to place a sale of 0.01 at 61000.5, and to cancel it. */
const rows = {
  gate: {
    // A contract is 0.0001 BTC.
    placed: (id: string) =>
      `POST /api/v4/futures/usdt/orders {"contract":"BTC_USDT","size":-100,"price":"61000.5","tif":"gtc","reduce_only":true,"text":"${id}"}`,
    cancelled: (id: string) => `DELETE /api/v4/futures/usdt/orders/${id} `,
    ended: 'The target was cancelled at the exchange.',
  },
  bitget: {
    placed: (id: string) =>
      `POST /api/v2/mix/order/place-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","clientOid":"${id}","marginMode":"crossed","marginCoin":"USDT","size":"0.01","price":"61000.5","side":"sell","orderType":"limit","force":"gtc","reduceOnly":"YES"}`,
    cancelled: (id: string) =>
      `POST /api/v2/mix/order/cancel-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","clientOid":"${id}","marginCoin":"USDT"}`,
    ended: 'The exchange ended the target, or somebody cancelled it there.',
  },
}

/** An account with a long of 0.01 BTC. A target is by default one of that long. */
async function openLong(exchange: string, position: 'one-way' | 'hedge' = 'one-way') {
  const futures = liveServices.find((one) => one.exchange === exchange && one.service === 'futures')!
  const opened = await openLive(futures)
  opened.trading.setMode({ position })
  const order = buyOf(symbol)
  await opened.venue.place(order)
  await settled(opened.venue, order)
  const legs = opened.venue.legs!
  const targetOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '61000.5', sentAt: Date.now(), isTarget: true },
    clientId: legs.clientId(`twabcdefgh-t${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  const found = async (leg: LegRequest) => {
    const answer = await legs.lookUp(leg)
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.leg
  }
  return { ...opened, legs, targetOf, found }
}

for (const [exchange, position] of [
  ['gate', 'one-way'],
  ['gate', 'hedge'],
  ['bitget', 'one-way'],
] as const) {
  describe(`a target at ${exchange} (${position})`, { concurrency: 4 }, () => {
    const { placed, cancelled, ended } = rows[exchange]

    test('is one limit order that only reduces, tells what it has executed, and is cancelled by its own id', async () => {
      await using opened = await openLong(exchange, position)
      const { legs, standIn, trading, venue, targetOf, found } = opened
      const leg = targetOf()
      const answer = await legs.place(leg)
      assert.equal(standIn.changes().at(-1), placed(leg.clientId))
      const resting = await found(leg)
      assert.ok(answer.status === 'placed' && resting.state === 'open', JSON.stringify(resting))
      assert.equal(resting.exchangeId, answer.exchangeId)
      trading.fillResting('0.004')
      assert.equal((await found(leg)).state, 'filling')
      await legs.cancel(leg)
      assert.equal(standIn.changes().at(-1), cancelled(leg.clientId))
      const over = await found(leg)
      assert.ok(over.state === 'triggered' && over.size === '0.004', JSON.stringify(over))
      const close = { side: 'sell', purpose: 'close', reduceOnly: true, size: '0.004' } as const
      const outcome = await settled(venue, { ...buyOf(symbol), ...close, legOrderId: over.orderId })
      assert.ok(outcome.status === 'found' && outcome.report.status === 'CANCELED', JSON.stringify(outcome))
      assert.deepEqual(
        outcome.report.executions.map(({ size, price }) => [size, Number(price)]),
        [['0.004', 61_000.5]],
      )
      const rest = targetOf({ size: '0.006' })
      await legs.place(rest)
      standIn.setPrice(symbol, 61_001)
      const filled = await found(rest)
      assert.ok(filled.state === 'triggered' && filled.size === '0.006', JSON.stringify(filled))
      assert.equal(trading.position(symbol), '0')
    })

    test('that somebody cancels has ended, and one with nothing to reduce is refused', async () => {
      await using opened = await openLong(exchange, position)
      const { legs, trading, targetOf, found } = opened
      const leg = targetOf()
      await legs.place(leg)
      await legs.cancel(leg)
      const { state, reason } = await found(leg)
      assert.deepEqual([state, reason], ['ended', ended])
      const vain = targetOf({ side: 'buy', price: '59000' })
      const nothing = await legs.place(vain)
      assert.ok(nothing.status === 'refused' && !nothing.isBeyond, JSON.stringify(nothing))
      assert.equal(trading.orders().filter(({ limit }) => limit !== undefined).length, 1)
    })

    test('whose answer is lost is unknown, is found, and is never there twice', async () => {
      await using opened = await openLong(exchange, position)
      const { legs, trading, targetOf, found } = opened
      trading.failNext('after-cut')
      const leg = targetOf()
      assert.equal((await legs.place(leg)).status, 'unknown')
      assert.equal((await found(leg)).state, 'open')
      assert.equal((await legs.place(leg)).status, 'unknown')
      assert.equal(trading.orders().filter(({ limit }) => limit !== undefined).length, 1)
      const absent = targetOf({ sentAt: Date.now() - 60_000 })
      assert.equal((await legs.lookUp(absent)).status, 'absent')
    })
  })
}

test('gate: a target that ended long ago is found in the list, by its text', async () => {
  await using opened = await openLong('gate')
  const { legs, standIn, trading, targetOf, found } = opened
  const [first, second] = [targetOf({ size: '0.004' }), targetOf({ size: '0.006', price: '61000.6' })]
  for (const leg of [first, second]) await legs.place(leg)
  standIn.setPrice(symbol, 61_002)
  assert.equal(trading.position(symbol), '0')
  const forgotten = '{"label":"ORDER_NOT_FOUND","message":"Order not found"}'
  standIn.failRest({ status: 404, body: forgotten }, /futures\/usdt\/orders\/t-/)
  for (const [leg, size] of [
    [first, '0.004'],
    [second, '0.006'],
  ] as const) {
    const over = await found(leg)
    assert.ok(over.state === 'triggered' && over.size === size, JSON.stringify(over))
  }
  // One from before it was sent is another one.
  const later = { ...first, sentAt: Date.now() + 120_000 }
  assert.equal((await legs.lookUp(later)).status, 'absent')
})

test('bitget: a target that pushes another one out has no id in its answer, and is looked up', async () => {
  await using opened = await openLong('bitget')
  const { legs, targetOf, found } = opened
  const [old, young] = [targetOf({ size: '0.006' }), targetOf({ size: '0.008', price: '62000' })]
  assert.equal((await legs.place(old)).status, 'placed')
  assert.equal((await legs.place(young)).status, 'unknown')
  assert.equal((await found(young)).state, 'open')
  assert.equal((await found(old)).state, 'ended')
})

test('bitget: in hedge mode, a target would keep its part of the position from the stop, so none is sent', async () => {
  await using opened = await openLong('bitget', 'hedge')
  const { legs, standIn, targetOf } = opened
  const before = standIn.changes().length
  assert.equal(await legs.canHave?.(targetOf()), false)
  const answer = await legs.place(targetOf())
  assert.ok(answer.status === 'refused', JSON.stringify(answer))
  assert.match(answer.reason, /In hedge mode, .* the service watches the target/)
  assert.equal(standIn.changes().length, before)
})
