/** Targets at exchanges: what is sent, to the byte, and what becomes of each answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { startHyperliquid } from '../../../test/exchanges/index.ts'
import { keepEndedListed, unlistEnded } from '../../../test/exchanges/kraken-futures-stops.ts'
import { buyOf, liveServices, openLive, settled } from '../../../test/live-services.ts'
import type { LegRequest } from '../protection/leg-venue.ts'
import { wantedTargets } from '../protection/legs.ts'
import { noProtection } from '../protection/settings.ts'

/** What is sent to place a sale of 0.01 at 61000, and to cancel it. CLIENT stands for its id. `inHedgeMode`: the same there. */
const rows: Record<string, { sent: string; canceled: string; inHedgeMode?: true }> = {
  krakenfutures: {
    sent: 'POST /derivatives/api/v3/sendorder orderType=lmt&symbol=PF_XBTUSD&side=sell&size=0.01&limitPrice=61000&reduceOnly=true&cliOrdId=CLIENT',
    canceled: 'POST /derivatives/api/v3/cancelorder cliOrdId=CLIENT',
  },
  hyperliquid: {
    sent: 'POST /exchange {"action":{"type":"order","orders":[{"a":0,"b":false,"p":"61000","s":"0.01","r":true,"t":{"limit":{"tif":"Gtc"}},"c":"CLIENT"}],"grouping":"na"}}',
    canceled: 'POST /exchange {"action":{"type":"cancelByCloid","cancels":[{"asset":0,"cloid":"CLIENT"}]}}',
  },
  gate: {
    // A contract is 0.0001 BTC.
    sent: 'POST /api/v4/futures/usdt/orders {"contract":"BTC_USDT","size":-100,"price":"61000","tif":"gtc","reduce_only":true,"text":"CLIENT"}',
    canceled: 'DELETE /api/v4/futures/usdt/orders/CLIENT ',
    inHedgeMode: true,
  },
  bitget: {
    sent: 'POST /api/v2/mix/order/place-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","clientOid":"CLIENT","marginMode":"crossed","marginCoin":"USDT","size":"0.01","price":"61000","side":"sell","orderType":"limit","force":"gtc","reduceOnly":"YES"}',
    canceled:
      'POST /api/v2/mix/order/cancel-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","clientOid":"CLIENT","marginCoin":"USDT"}',
  },
}
const cases = Object.entries(rows).flatMap(([exchange, row]) =>
  (['one-way', 'hedge'] as const).flatMap((mode) =>
    mode === 'hedge' && row.inHedgeMode !== true ? [] : [{ exchange, mode, row }],
  ),
)

/** An account with a long of 0.01, and targets of it. */
async function openLong(exchange: string, position: 'one-way' | 'hedge' = 'one-way') {
  const service = liveServices.find((one) => one.exchange === exchange && one.service === 'futures')!
  const { symbol } = service
  const opened = await openLive(service)
  const { venue } = opened
  if (exchange === 'krakenfutures') keepEndedListed(opened.standIn)
  if (position === 'hedge') opened.trading.setMode({ position })
  const order = buyOf(symbol)
  await venue.place(order)
  await settled(venue, order)
  const legs = venue.legs!
  const targetOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '61000', sentAt: Date.now(), isTarget: true },
    clientId: legs.clientId(`twabcdefgh-t${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  const found = async (leg: LegRequest) => {
    const answer = await legs.lookUp(leg)
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.leg
  }
  /** What was sent last to change something, without number and signature. */
  const lastChange = () =>
    opened.standIn
      .changes()
      .findLast(isChange)!
      .replace(/,"nonce":.*\}$/, '}')
  return { ...opened, legs, symbol, targetOf, found, lastChange }
}

const isChange = (text: string) => !text.startsWith('POST /info')

for (const { exchange, mode, row } of cases) {
  describe(`a target at ${exchange} (${mode})`, { concurrency: 4 }, () => {
    test('is sent as one limit order that only reduces, with exactly these fields, and is cancelled by its own id', async () => {
      await using opened = await openLong(exchange, mode)
      const { legs, trading, targetOf, found, lastChange } = opened
      const leg = targetOf()
      const placed = await legs.place(leg)
      assert.ok(placed.status === 'placed', JSON.stringify(placed))
      assert.equal(lastChange(), row.sent.replace('CLIENT', leg.clientId))
      const [order, ...others] = trading.orders().filter(({ limit }) => limit !== undefined)
      assert.deepEqual(
        [order!.side, order!.size, order!.limit, order!.reduceOnly],
        ['sell', '0.01', '61000', true],
      )
      assert.deepEqual(others, [])
      assert.deepEqual(await found(leg), { state: 'open', exchangeId: placed.exchangeId, reason: null })
      await legs.cancel(leg)
      assert.equal(lastChange(), row.canceled.replace('CLIENT', leg.clientId))
      assert.equal((await found(leg)).state, 'ended')
      assert.deepEqual([order!.status, trading.position(opened.symbol)], ['canceled', '0.01'])
    })

    test('tells how much it has executed, while it rests and when it has ended, and its order has just that', async () => {
      await using opened = await openLong(exchange, mode)
      const { legs, standIn, trading, venue, symbol, targetOf, found } = opened
      const leg = targetOf()
      await legs.place(leg)
      trading.fillResting('0.004')
      assert.equal((await found(leg)).state, 'filling')
      await legs.cancel(leg)
      const over = await found(leg)
      assert.ok(over.state === 'triggered')
      assert.equal(over.size, '0.004')
      const close = { ...buyOf(symbol), side: 'sell', purpose: 'close', reduceOnly: true } as const
      const outcome = await settled(venue, { ...close, size: '0.004', legOrderId: over.orderId })
      assert.ok(outcome.status === 'found', JSON.stringify(outcome))
      assert.deepEqual(
        outcome.report.executions.map(({ size, price }) => [size, Number(price)]),
        [['0.004', 61_000]],
      )
      const rest = targetOf({ size: '0.006' })
      await legs.place(rest)
      standIn.setPrice(symbol, 61_001)
      const filled = await found(rest)
      assert.ok(filled.state === 'triggered' && filled.size === '0.006', JSON.stringify(filled))
      assert.equal(trading.position(symbol), '0')
    })

    test('with nothing to reduce is refused, one at a better price is executed at once, and one that is not there is absent', async () => {
      await using opened = await openLong(exchange, mode)
      const { legs, trading, symbol, targetOf, found } = opened
      const vain = await legs.place(targetOf({ side: 'buy', price: '59000' }))
      assert.ok(vain.status === 'refused' && !vain.isBeyond, JSON.stringify(vain))
      const passed = targetOf({ price: '59000' })
      assert.equal((await legs.place(passed)).status, 'placed')
      const filled = await found(passed)
      assert.ok(filled.state === 'triggered' && filled.size === '0.01', JSON.stringify(filled))
      assert.equal(trading.position(symbol), '0')
      assert.equal((await legs.lookUp(targetOf())).status, 'unknown')
      assert.equal((await legs.lookUp(targetOf({ sentAt: Date.now() - 60_000 }))).status, 'absent')
    })

    test('whose answer is lost is unknown, is found, and is never there twice', async () => {
      await using opened = await openLong(exchange, mode)
      const { legs, trading, targetOf, found } = opened
      trading.failNext('after-cut')
      const leg = targetOf()
      assert.equal((await legs.place(leg)).status, 'unknown')
      assert.equal((await found(leg)).state, 'open')
      assert.equal(trading.orders().filter(({ limit }) => limit !== undefined).length, 1)
      trading.failNext('rate-limit')
      assert.equal((await legs.place(targetOf())).status, 'busy')
      trading.failNext('before-5xx', 'question')
      assert.equal((await legs.lookUp(leg)).status, 'unknown')
    })
  })
}

describe('a target at Kraken Futures that is no longer listed', { concurrency: 4 }, () => {
  async function openUnlisted() {
    const opened = await openLong('krakenfutures')
    unlistEnded(opened.standIn)
    return opened
  }

  test('has ended when it was cancelled, and has executed what its fills say when they are all there', async () => {
    await using opened = await openUnlisted()
    const { legs, standIn, symbol, trading, targetOf, found } = opened
    const [cancelled, whole] = [targetOf(), targetOf({ price: '60500' })]
    await legs.place(cancelled)
    assert.equal((await found(cancelled)).state, 'open')
    await legs.cancel(cancelled)
    assert.equal((await found(cancelled)).state, 'ended')
    await legs.place(whole)
    standIn.setPrice(symbol, 60_501)
    const filled = await found(whole)
    assert.ok(filled.state === 'triggered' && filled.size === '0.01', JSON.stringify(filled))
    assert.equal(trading.position(symbol), '0')
  })

  test('is unknown after a part of it while more fills may be listed, and then has executed that part', async () => {
    await using opened = await openUnlisted()
    const { legs, trading, targetOf, found } = opened
    const leg = targetOf()
    await legs.place(leg)
    trading.fillResting('0.004')
    await legs.cancel(leg)
    assert.equal((await legs.lookUp(leg)).status, 'unknown')
    const order = trading.orders().find(({ limit }) => limit !== undefined)!
    for (const trade of order.trades) trade.at = Date.now() - 31_000
    const over = await found(leg)
    assert.ok(over.state === 'triggered' && over.size === '0.004', JSON.stringify(over))
  })
})

describe('a target at Hyperliquid', { concurrency: 4 }, () => {
  test('is accepted at a price of any size, and never earns less than was asked for', async () => {
    await using opened = await openLong('hyperliquid')
    const { legs, standIn, symbol, targetOf } = opened
    const { priceDigits } = legs
    const steps = { sizeStep: '0.00001', priceStep: await legs.priceStep(symbol), priceDigits }
    for (const [last, level, price] of [
      [123_456, '130001.234', '130002'],
      [12_345, '12999.96', '13000'],
      [1_234, '1311.123', '1311.2'],
      [1.5, '1.63456', '1.7'],
    ] as const) {
      standIn.setPrice(symbol, last)
      const position = {
        side: 'long',
        size: '0.01',
        openedSize: '0.01',
        entryPrice: String(last),
        openedAt: 1,
      } as const
      const protection = { ...noProtection, take_profit: [{ at: level, part: '1' }] }
      const [leg] = wantedTargets(position, protection, steps)
      assert.equal(leg?.price, price)
      const sent = targetOf({ price })
      const placed = await legs.place(sent)
      assert.equal(placed.status, 'placed', JSON.stringify(placed))
      await legs.cancel(sent)
    }
  })

  test('that the exchange has ended by itself has ended, with its word for that, and a new word is not guessed', async () => {
    await using opened = await openLong('hyperliquid')
    const { legs, standIn, targetOf, found } = opened
    const { nameStates } = standIn as unknown as Awaited<ReturnType<typeof startHyperliquid>>
    const leg = targetOf()
    await legs.place(leg)
    await legs.cancel(leg)
    nameStates({ canceled: 'reduceOnlyCanceled' })
    const { state, reason } = await found(leg)
    assert.deepEqual([state, reason], ['ended', 'The exchange ended the target (reduceOnlyCanceled).'])
    nameStates({ canceled: 'somethingNew' })
    assert.equal((await legs.lookUp(leg)).status, 'unknown')
  })
})

test('gate: a target that ended long ago is found in the list, by its text', async () => {
  await using opened = await openLong('gate')
  const { legs, standIn, symbol, trading, targetOf, found } = opened
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
