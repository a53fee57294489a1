/** Stops at exchanges with futures: what is sent, to the byte, and what becomes of each answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { startGate, startHyperliquid } from '../../../test/exchanges/index.ts'
import { keepIds, unlistEnded } from '../../../test/exchanges/kraken-futures-stops.ts'
import { type Stop, stopsOf } from '../../../test/exchanges/stops.ts'
import { buyOf, type LiveService, liveServices, openLive, settled } from '../../../test/live-services.ts'
import { until } from '../../../test/until.ts'
import type { FoundLeg, LegRequest } from '../protection/leg-venue.ts'
import { wantedLeg } from '../protection/legs.ts'

type Row = {
  /** What is sent to place a sale of 0.01 at 59000, and to cancel it. */
  sent: string
  canceled(stop: Stop): string
  /**
   * How a stop beyond the price ends: the exchange refuses it, executes it at once, or refuses it because of the mark
   * price, which says nothing about the last price.
   */
  beyond: 'refused' | 'executed' | 'refused for another price'
  /** The exchange accepts a stop without a position to reduce, and only executes nothing of it. */
  takesVain?: true
}

const rows: Record<string, Row> = {
  krakenfutures: {
    sent: 'POST /derivatives/api/v3/sendorder orderType=stp&symbol=PF_XBTUSD&side=sell&size=0.01&stopPrice=59000&triggerSignal=last&reduceOnly=true&cliOrdId=twabcdefgh-s1',
    canceled: () => 'POST /derivatives/api/v3/cancelorder cliOrdId=twabcdefgh-s1',
    beyond: 'executed',
  },
  bybit: {
    sent: 'POST /v5/order/create {"category":"linear","symbol":"BTCUSDT","side":"Sell","orderType":"Market","qty":"0.01","triggerDirection":2,"triggerPrice":"59000","triggerBy":"LastPrice","reduceOnly":true,"closeOnTrigger":true,"orderLinkId":"twabcdefgh-s1"}',
    canceled: () =>
      'POST /v5/order/cancel {"category":"linear","symbol":"BTCUSDT","orderLinkId":"twabcdefgh-s1"}',
    beyond: 'refused',
  },
  okx: {
    // A contract is 0.01 BTC, and ids have only letters and digits.
    sent: 'POST /api/v5/trade/order-algo {"instId":"BTC-USDT-SWAP","side":"sell","ordType":"conditional","sz":"1","slTriggerPx":"59000","slOrdPx":"-1","slTriggerPxType":"last","tdMode":"cross","reduceOnly":true,"algoClOrdId":"ea29d5bc1198a484f8dbcc7dcf9b90a5"}',
    canceled: ({ clientId }) =>
      `POST /api/v5/trade/cancel-algos [{"instId":"BTC-USDT-SWAP","algoClOrdId":"${clientId}"}]`,
    beyond: 'refused',
  },
  bitget: {
    sent: 'POST /api/v2/mix/order/place-tpsl-order {"marginCoin":"USDT","productType":"USDT-FUTURES","symbol":"BTCUSDT","planType":"loss_plan","triggerPrice":"59000","triggerType":"fill_price","executePrice":"0","holdSide":"buy","size":"0.01","clientOid":"twabcdefgh-s1"}',
    canceled: () =>
      'POST /api/v2/mix/order/cancel-plan-order {"orderIdList":[{"clientOid":"twabcdefgh-s1"}],"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginCoin":"USDT","planType":"loss_plan"}',
    beyond: 'refused for another price',
  },
  hyperliquid: {
    sent: 'POST /exchange {"action":{"type":"order","orders":[{"a":0,"b":false,"p":"53100","s":"0.01","r":true,"t":{"trigger":{"isMarket":true,"triggerPx":"59000","tpsl":"sl"}},"c":"CLIENT"}],"grouping":"na"}}',
    canceled: ({ clientId }) =>
      `POST /exchange {"action":{"type":"cancelByCloid","cancels":[{"asset":0,"cloid":"${clientId}"}]}}`,
    beyond: 'refused',
  },
  gate: {
    sent: 'POST /api/v4/futures/usdt/price_orders {"initial":{"contract":"BTC_USDT","size":-100,"price":"0","tif":"ioc","reduce_only":true},"trigger":{"strategy_type":0,"price_type":0,"price":"59000","rule":2,"expiration":553223}}',
    canceled: ({ id }) => `DELETE /api/v4/futures/usdt/price_orders/${id} `,
    beyond: 'refused',
    takesVain: true,
  },
}

const serviceOf = (exchange: string) =>
  liveServices.find((one) => one.exchange === exchange && one.service === 'futures') as LiveService

/** An account with a long of 0.01. */
async function openLong(exchange: string) {
  const service = serviceOf(exchange)
  const { symbol } = service
  const opened = await openLive(service, { absentAfterMs: 30_000 })
  const order = buyOf(symbol)
  await opened.venue.place(order)
  await settled(opened.venue, order)
  const legs = opened.venue.legs!
  const stopOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '59000', sentAt: Date.now() },
    clientId: legs.clientId(`twabcdefgh-s${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  /** Asks until the exchange says more than that it knows nothing, or that it rests. */
  const becomes = async (leg: LegRequest): Promise<FoundLeg> => {
    let found: FoundLeg | undefined
    await until('the stop to be found', async () => {
      const answer = await legs.lookUp(leg)
      found = answer.status === 'found' && answer.leg.state !== 'open' ? answer.leg : undefined
      return found !== undefined
    })
    return found!
  }
  /** Follows the order that a stop has become to its end. */
  const executed = async (leg: LegRequest) => {
    const found = await becomes(leg)
    assert.ok(found.state === 'triggered', JSON.stringify(found))
    const close = { ...buyOf(symbol), side: 'sell', purpose: 'close', reduceOnly: true } as const
    const outcome = await settled(opened.venue, { ...close, legOrderId: found.orderId })
    assert.ok(outcome.status === 'found', JSON.stringify(outcome))
    return outcome.report
  }
  return { ...opened, legs, symbol, stops: stopsOf(opened.standIn), stopOf, becomes, executed }
}

/** What was sent to change something since the position was opened, without number and signature. */
function changesOf({ changes }: { changes(): readonly string[] }): string[] {
  return changes()
    .filter((text) => !text.startsWith('POST /info'))
    .slice(1)
    .map((text) => text.replace(/,"nonce":.*\}$/, '}'))
}

for (const [exchange, row] of Object.entries(rows)) {
  describe(`a stop at ${exchange}`, { concurrency: 4 }, () => {
    test('is sent as one order that only reduces, with exactly these fields, and is cancelled by its own id', async () => {
      await using opened = await openLong(exchange)
      const { legs, stops, standIn, stopOf } = opened
      const leg = stopOf({ clientId: legs.clientId('twabcdefgh-s1') })
      const placed = await legs.place(leg)
      assert.ok(placed.status === 'placed', JSON.stringify(placed))
      const sent = row.sent.replace('CLIENT', leg.clientId)
      assert.deepEqual(changesOf(standIn), [sent])
      const [stop] = stops.open()
      assert.deepEqual(
        [stop!.side, stop!.size, stop!.price, stop!.reduceOnly],
        ['sell', '0.01', '59000', true],
      )
      const found = await legs.lookUp(leg)
      assert.ok(found.status === 'found')
      assert.deepEqual(found.leg, { state: 'open', exchangeId: placed.exchangeId, reason: null })
      await legs.cancel(leg)
      assert.deepEqual(changesOf(standIn), [sent, row.canceled(stop!)])
      assert.deepEqual(stops.open(), [])
      assert.equal((await opened.becomes(leg)).state, 'ended')
    })

    test('is followed to the order that it becomes, which is looked up by its own id', async () => {
      await using opened = await openLong(exchange)
      const { legs, standIn, trading, symbol, stopOf, executed } = opened
      const leg = stopOf()
      await legs.place(leg)
      standIn.setPrice(symbol, 58_990)
      const report = await executed(leg)
      assert.equal(report.status, 'FILLED')
      assert.deepEqual(
        report.executions.map(({ size, price }) => [size, Number(price)]),
        [['0.01', 58_990]],
      )
      assert.equal(trading.position(symbol), '0')
    })

    test('that somebody cancels has ended, and says so', async () => {
      await using opened = await openLong(exchange)
      const { legs, stops, stopOf, becomes } = opened
      const leg = stopOf()
      await legs.place(leg)
      stops.cancel(stops.open()[0]!.clientId)
      const { state, reason } = await becomes(leg)
      assert.deepEqual([state, reason], ['ended', 'The stop was cancelled at the exchange.'])
    })

    test('that has nothing to reduce executes nothing, and a size between two steps is refused', async () => {
      await using opened = await openLong(exchange)
      const { legs, stops, stopOf } = opened
      const uneven = await legs.place(stopOf({ size: '0.0000001' }))
      assert.ok(uneven.status === 'refused')
      assert.deepEqual(stops.all(), [])
      const vain = stopOf({ side: 'buy', price: '61000' })
      const nothing = await legs.place(vain)
      if (row.takesVain === undefined) {
        assert.ok(nothing.status === 'refused' && !nothing.isBeyond, JSON.stringify(nothing))
        assert.deepEqual(stops.all(), [])
        return
      }
      opened.standIn.setPrice(opened.symbol, 61_001)
      const { state, reason } = await opened.becomes(vain)
      assert.deepEqual([state, /exchange refused its order/.test(reason!)], ['ended', true])
    })

    test(`that is beyond the price is ${row.beyond}`, async () => {
      await using opened = await openLong(exchange)
      const { legs, trading, symbol, stopOf, executed } = opened
      const leg = stopOf({ price: '61000' })
      const placed = await legs.place(leg)
      if (row.beyond !== 'executed') {
        assert.ok(placed.status === 'refused', JSON.stringify(placed))
        assert.equal(placed.isBeyond, row.beyond === 'refused')
        return
      }
      assert.equal(placed.status, 'placed')
      assert.equal((await executed(leg)).status, 'FILLED')
      assert.equal(trading.position(symbol), '0')
    })

    test('whose answer is lost is unknown, is found, and is never there twice', async () => {
      await using opened = await openLong(exchange)
      const { legs, trading, stops, stopOf } = opened
      const sent: LegRequest[] = []
      for (const [i, failure] of (['after-cut', 'after-5xx', 'late'] as const).entries()) {
        trading.failNext(failure, 'stop')
        sent.push(stopOf({ price: String(59_000 - i) }))
        assert.equal((await legs.place(sent[i]!)).status, 'unknown')
      }
      for (const leg of sent) {
        await until('the stop to be found', async () => {
          const found = await legs.lookUp(leg)
          return found.status === 'found' && found.leg.state === 'open'
        })
      }
      assert.deepEqual(
        stops
          .all()
          .map(({ clientId, price }) => clientId || price)
          .sort(),
        sent.map(({ clientId, price }) => (stops.all()[0]!.clientId === '' ? price : clientId)).sort(),
      )
      trading.failNext('rate-limit', 'stop')
      assert.equal((await legs.place(stopOf())).status, 'busy')
      trading.failNext('before-5xx', 'question')
      assert.equal((await legs.lookUp(sent[0]!)).status, 'unknown')
    })

    test('that the exchange does not know counts as absent only when no request can still arrive', async () => {
      await using opened = await openLong(exchange)
      const { legs, stopOf } = opened
      assert.equal((await legs.lookUp(stopOf())).status, 'unknown')
      assert.equal((await legs.lookUp(stopOf({ sentAt: Date.now() - 60_000 }))).status, 'absent')
    })
  })
}

describe('a stop at Kraken Futures that is no longer listed', { concurrency: 4 }, () => {
  for (const kept of ['both', 'own', 'client'] as const) {
    test(`is followed when its order has ${kept === 'both' ? 'both ids' : `its ${kept} id`}`, async () => {
      await using opened = await openLong('krakenfutures')
      const { legs, standIn, symbol, stopOf, executed } = opened
      keepIds(standIn, kept)
      const leg = stopOf()
      await legs.place(leg)
      standIn.setPrice(symbol, 58_990)
      unlistEnded(standIn)
      assert.equal((await executed(leg)).status, 'FILLED')
    })
  }

  test('has been triggered, and nobody guesses its order, if nothing connects them', async () => {
    await using opened = await openLong('krakenfutures')
    const { legs, standIn, symbol, stopOf, becomes } = opened
    keepIds(standIn, 'none')
    const leg = stopOf()
    await legs.place(leg)
    standIn.setPrice(symbol, 58_990)
    assert.equal((await becomes(leg)).state, 'triggering')
    unlistEnded(standIn)
    assert.equal((await becomes(leg)).state, 'triggering')
  })

  test('has ended when it was cancelled, or when its order executed nothing', async () => {
    await using opened = await openLong('krakenfutures')
    const { legs, standIn, stops, symbol, trading, stopOf, becomes } = opened
    const [cancelled, late] = [stopOf(), stopOf({ price: '58900' })]
    for (const leg of [cancelled, late]) await legs.place(leg)
    stops.cancel(stops.open()[0]!.clientId)
    trading.trade(symbol, 'sell', '0.01')
    standIn.setPrice(symbol, 58_000)
    assert.match((await becomes(late)).reason!, /did not execute its order/)
    unlistEnded(standIn)
    assert.match((await becomes(cancelled)).reason!, /cancelled at the exchange/)
    const found = await becomes(late)
    assert.deepEqual([found.state, found.reason!.includes('did not execute')], ['ended', true])
  })
})

describe('a stop at Hyperliquid', { concurrency: 4 }, () => {
  async function openHyperliquid() {
    const opened = await openLong('hyperliquid')
    const { nameStates } = opened.standIn as unknown as Awaited<ReturnType<typeof startHyperliquid>>
    return { ...opened, nameStates }
  }

  test('is accepted at a price of any size, and is never rounded away from the market price', async () => {
    await using opened = await openHyperliquid()
    const { legs, standIn, stops, symbol } = opened
    const { priceDigits } = legs
    const steps = { sizeStep: '0.00001', priceStep: await legs.priceStep(symbol), priceDigits }
    assert.deepEqual(steps, { sizeStep: '0.00001', priceStep: '0.1', priceDigits: 5 })
    for (const [last, level, price] of [
      [123_456, '120001.234', '120002'],
      [12_345, '11999.96', '12000'],
      [1_234, '1111.123', '1111.2'],
      [123, '99.998', '100'],
      [1.5, '1.23456', '1.3'],
    ] as const) {
      standIn.setPrice(symbol, last)
      const leg = wantedLeg({ side: 'long', size: '0.01' }, { price: level, reason: 'stop_loss' }, steps)
      assert.equal(leg?.price, price)
      const placed = await legs.place(opened.stopOf({ price }))
      assert.equal(placed.status, 'placed', JSON.stringify(placed))
      stops.cancel(stops.open()[0]!.clientId)
    }
  })

  test('that the exchange has ended by itself has ended, with its word for that', async () => {
    await using opened = await openHyperliquid()
    const { legs, stops, stopOf, becomes, nameStates } = opened
    const leg = stopOf()
    await legs.place(leg)
    stops.cancel(leg.clientId)
    nameStates({ canceled: 'reduceOnlyCanceled' })
    const { state, reason } = await becomes(leg)
    assert.deepEqual([state, reason], ['ended', 'The exchange cancelled the stop (reduceOnlyCanceled).'])
    nameStates({ canceled: 'somethingNew' })
    const strange = await legs.lookUp(leg)
    assert.ok(strange.status === 'unknown')
  })

  test('whose order was refused has ended, and one whose order executed a part is followed', async () => {
    await using opened = await openHyperliquid()
    const { legs, standIn, symbol, trading, stops, stopOf, becomes, executed, nameStates } = opened
    const [partly, late] = [stopOf(), stopOf({ price: '58000' })]
    for (const leg of [partly, late]) await legs.place(leg)
    trading.setFills('never')
    standIn.setPrice(symbol, 58_990)
    trading.fillOpen('0.5', 'marketOrderNoLiquidityRejected')
    Object.assign(stops.all()[0]!, { status: 'canceled' })
    nameStates({ canceled: 'marketOrderNoLiquidityRejected' })
    const report = await executed(partly)
    assert.deepEqual([report.status, report.executions.map(({ size }) => size)], ['CANCELED', ['0.005']])
    trading.setFills('whole')
    trading.trade(symbol, 'sell', '0.005')
    standIn.setPrice(symbol, 57_000)
    const found = await becomes(late)
    assert.equal(found.state, 'ended')
    assert.match(found.reason!, /exchange refused its order \(reduceOnlyRejected\)/)
  })
})

describe('a stop at Gate', { concurrency: 4 }, () => {
  test('is told from others with the same trigger and size', async () => {
    await using opened = await openLong('gate')
    const { legs, stops, stopOf, becomes } = opened
    const [first, second] = [stopOf(), stopOf()]
    const placed = [await legs.place(first), await legs.place(second)]
    for (const [i, leg] of [first, second].entries()) {
      const found = await legs.lookUp(leg)
      assert.ok(found.status === 'found' && placed[i]!.status === 'placed')
      assert.equal(found.leg.exchangeId, placed[i]!.exchangeId)
    }
    await legs.cancel(first)
    assert.deepEqual([(await becomes(first)).state, stops.open().length], ['ended', 1])
    // Nobody guesses which of two is meant.
    await legs.place(second)
    assert.equal((await legs.lookUp(second)).status, 'unknown')
    // One from before it was sent is another one.
    assert.equal((await legs.lookUp({ ...second, sentAt: Date.now() + 120_000 })).status, 'absent')
  })

  test('that has expired has ended, and says so', async () => {
    await using opened = await openLong('gate')
    const { legs, standIn, stopOf, becomes } = opened
    const leg = stopOf()
    await legs.place(leg)
    ;(standIn as unknown as Awaited<ReturnType<typeof startGate>>).expireStops()
    const { state, reason } = await becomes(leg)
    assert.deepEqual(
      [state, reason],
      ['ended', 'The stop has expired: Gate keeps it for at most seven days.'],
    )
  })

  test('reduces the position of its side in dual mode', async () => {
    await using opened = await openLong('gate')
    const { legs, standIn, stops, symbol, trading, stopOf, executed } = opened
    trading.setMode({ position: 'hedge' })
    const leg = stopOf()
    await legs.place(leg)
    assert.equal(stops.open()[0]!.positionSide, 'long')
    standIn.setPrice(symbol, 58_990)
    assert.equal((await executed(leg)).status, 'FILLED')
    assert.equal(trading.position(symbol), '0')
  })
})
