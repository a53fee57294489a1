/** Stops on the spot markets of Bitget and Gate, which become orders with other ids: what is sent, and how they end. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { startGate } from '../../../../test/exchanges/index.ts'
import { stopsOf } from '../../../../test/exchanges/stops.ts'
import type { AccountMode } from '../../../../test/exchanges/trading.ts'
import { buyOf, liveServices, openLive, settled } from '../../../../test/live-services.ts'
import { until } from '../../../../test/until.ts'
import { NoSuchMarket } from '../../../market/price-source.ts'
import type { LegRequest } from '../../protection/leg-venue.ts'

const symbol = 'BTC/USDT'

type Row = {
  /** What is sent to place a sale of 0.01 at 59000.5, and to cancel it. */
  placed: string
  cancelled(id: string): string
  renewAfterMs: number
  room?: string
}

const rows: Record<string, Row> = {
  bitget: {
    placed:
      'POST /api/v2/spot/trade/place-plan-order {"symbol":"BTCUSDT","side":"sell","triggerPrice":"59000.5","triggerType":"fill_price","orderType":"market","planType":"amount","size":"0.01","clientOid":"twabcdefgh-s1"}',
    cancelled: () => 'POST /api/v2/spot/trade/cancel-plan-order {"clientOid":"twabcdefgh-s1"}',
    renewAfterMs: 60 * 86_400_000,
  },
  gate: {
    placed:
      'POST /api/v4/spot/price_orders {"trigger":{"price":"59000.5","rule":"<=","expiration":78023},"put":{"type":"limit","side":"sell","price":"53100.45","amount":"0.01","account":"normal","time_in_force":"ioc"},"market":"BTC_USDT"}',
    cancelled: (id) => `DELETE /api/v4/spot/price_orders/${id} `,
    renewAfterMs: 12 * 3_600_000,
    room: '0.1',
  },
}

/** An account that holds 0.01 BTC. */
async function openHolding(exchange: string, mode: Partial<AccountMode> = {}) {
  const spot = liveServices.find((one) => one.exchange === exchange && one.service === 'spot')!
  const opened = await openLive(spot)
  const { trading, venue, standIn } = opened
  trading.setMode(mode)
  trading.setBalance('BTC', '0.01')
  const legs = venue.legs!
  const stopOf = (changes: Partial<LegRequest> = {}): LegRequest => ({
    ...{ symbol, side: 'sell', size: '0.01', price: '59000.5', sentAt: Date.now() },
    clientId: legs.clientId(`twabcdefgh-s${Math.random().toString(36).slice(2, 12)}`),
    ...changes,
  })
  /** Places it. The books then have the exchange's id of it. */
  const place = async (changes: Partial<LegRequest> = {}): Promise<LegRequest> => {
    const leg = stopOf(changes)
    const placed = await legs.place(leg)
    assert.ok(placed.status === 'placed', JSON.stringify(placed))
    return { ...leg, exchangeId: placed.exchangeId }
  }
  const found = async (leg: LegRequest) => {
    const answer = await legs.lookUp(leg)
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.leg
  }
  /** What the order has executed that a stop has become. */
  const executed = async (leg: LegRequest) => {
    const made = await found(leg)
    assert.ok(made.state === 'triggered', JSON.stringify(made))
    const sale = { ...buyOf(symbol), side: 'sell', purpose: 'close', reduceOnly: true } as const
    const outcome = await settled(venue, { ...sale, legOrderId: made.orderId })
    assert.ok(outcome.status === 'found', JSON.stringify(outcome))
    const { status, executions } = outcome.report
    return [status, ...executions.map(({ size, price }) => `${size} at ${Number(price)}`)]
  }
  return { ...opened, legs, stops: stopsOf(standIn), stopOf, place, found, executed }
}

for (const [exchange, row] of Object.entries(rows)) {
  describe(`a stop on ${exchange} spot`, { concurrency: 4 }, () => {
    test('is sent with exactly these fields, and is cancelled by its own id', async () => {
      await using opened = await openHolding(exchange)
      const { legs, standIn, stops, place, found } = opened
      const { locksFunds, renewAfterMs, room } = legs
      assert.deepEqual([locksFunds, renewAfterMs, room], [true, row.renewAfterMs, row.room])
      const leg = await place({ clientId: legs.clientId('twabcdefgh-s1') })
      assert.deepEqual(standIn.changes(), [row.placed])
      for (const known of [leg, withoutId(leg)]) {
        const exchangeId = leg.exchangeId!
        assert.deepEqual(await found(known), { state: 'open', exchangeId, reason: null })
      }
      await legs.cancel(leg)
      assert.deepEqual(standIn.changes().slice(1), [row.cancelled(leg.exchangeId!)])
      assert.deepEqual(stops.open(), [])
      const { state, reason } = await found(leg)
      assert.deepEqual([state, reason], ['ended', 'The stop was cancelled at the exchange.'])
    })

    test('is followed to the sale that it becomes, also if only a part of it was executed', async () => {
      await using opened = await openHolding(exchange)
      const { standIn, trading, place, executed } = opened
      const first = await place({ size: '0.006' })
      standIn.setPrice(symbol, 58_990)
      assert.deepEqual(await executed(first), ['FILLED', '0.006 at 58990'])
      const second = await place({ size: '0.004', price: '58900' })
      trading.setFills('never')
      standIn.setPrice(symbol, 58_800)
      trading.fillOpen('0.5')
      assert.deepEqual(await executed(withoutId(second)), ['CANCELED', '0.002 at 58800'])
      assert.equal(Number(trading.balance('BTC')), 0.002)
    })

    test('that is beyond the price is not placed, and one without coins to sell ends and sells nothing', async () => {
      await using opened = await openHolding(exchange)
      const { legs, standIn, stops, trading, stopOf, place, found } = opened
      const beyond = await legs.place(stopOf({ price: '61000' }))
      assert.ok(beyond.status === 'refused' && beyond.isBeyond, JSON.stringify(beyond))
      const uneven = await legs.place(stopOf({ size: '0.000000001' }))
      assert.ok(uneven.status === 'refused' && !uneven.isBeyond)
      assert.deepEqual(stops.all(), [])
      const leg = await place()
      trading.setBalance('BTC', '0.004')
      standIn.setPrice(symbol, 58_990)
      const { state, reason } = await found(leg)
      assert.equal(state, 'ended')
      assert.match(reason!, /The price reached the stop, but the exchange/)
      assert.equal(trading.balance('BTC'), '0.004')
    })

    test('whose answer is lost is unknown, is found, and is never there twice', async () => {
      await using opened = await openHolding(exchange)
      const { legs, trading, stops, stopOf, found } = opened
      const sent: LegRequest[] = []
      for (const [i, failure] of (['after-cut', 'after-5xx', 'late'] as const).entries()) {
        trading.failNext(failure, 'stop')
        sent.push(stopOf({ price: String(59_000 - i) }))
        assert.equal((await legs.place(sent[i]!)).status, 'unknown')
      }
      for (const leg of sent) {
        await until('the stop to be found', async () => (await legs.lookUp(leg)).status === 'found')
        assert.equal((await found(leg)).state, 'open')
      }
      assert.deepEqual(
        stops.all().map(({ price }) => price),
        sent.map(({ price }) => price),
      )
      await legs.cancel(sent[0]!)
      assert.equal((await found(sent[0]!)).state, 'ended')
      assert.equal(stops.open().length, 2)
      trading.failNext('rate-limit', 'stop')
      assert.equal((await legs.place(stopOf())).status, 'busy')
      trading.failNext('before-5xx', 'question')
      assert.equal((await legs.lookUp(sent[1]!)).status, 'unknown')
    })

    test('that the exchange does not know counts as absent only when no request can still arrive', async () => {
      await using opened = await openHolding(exchange)
      const { legs, stopOf } = opened
      assert.equal((await legs.lookUp(stopOf())).status, 'unknown')
      const old = stopOf({ sentAt: Date.now() - 60_000 })
      assert.equal((await legs.lookUp(old)).status, 'absent')
      assert.equal((await legs.lookUp({ ...old, exchangeId: '9999999' })).status, 'absent')
      await assert.rejects(legs.priceStep('NO/SUCH'), NoSuchMarket)
    })
  })
}

function withoutId({ exchangeId: _, ...leg }: LegRequest): LegRequest {
  return leg
}

describe('a stop on Bitget spot', { concurrency: 4 }, () => {
  test('whose order nobody can name yet is neither over nor at rest', async () => {
    await using opened = await openHolding('bitget')
    const { standIn, place, found } = opened
    const leg = await place()
    standIn.setPrice(symbol, 58_990)
    const body =
      '{"code":"00000","msg":"success","requestTime":1,"data":[{"orderId":"77","status":"in_progress"}]}'
    standIn.failRest({ status: 200, body }, /plan-sub-order/)
    assert.equal((await found(leg)).state, 'triggering')
  })

  test('is found behind a hundred others', async () => {
    await using opened = await openHolding('bitget')
    const { legs, stops, place, stopOf, found } = opened
    const leg = await place()
    for (let i = 0; i < 101; i++) await legs.place(stopOf({ size: '0.0001' }))
    assert.equal((await found(leg)).state, 'open')
    for (const { clientId } of stops.open()) stops.cancel(clientId)
    assert.equal((await found(leg)).state, 'ended')
  })

  test('is not for unified accounts, which have no such orders', async () => {
    await using opened = await openHolding('bitget', { account: 'unified' })
    const { legs, stops, stopOf } = opened
    await assert.rejects(legs.priceStep(symbol), NoSuchMarket)
    assert.equal((await legs.place(stopOf())).status, 'busy')
    assert.deepEqual(stops.requests(), [])
  })
})

describe('a stop on Gate spot', { concurrency: 4 }, () => {
  test('is told from others with the same trigger and size, and nobody guesses which of two is meant', async () => {
    await using opened = await openHolding('gate')
    const { legs, place, found } = opened
    const [first, second] = [await place(), await place()]
    for (const leg of [first, second]) assert.equal((await found(withoutId(leg))).exchangeId, leg.exchangeId)
    await legs.place(second)
    assert.equal((await legs.lookUp(withoutId(second))).status, 'unknown')
    assert.equal((await found(second)).exchangeId, second.exchangeId)
    const later = { ...withoutId(first), sentAt: Date.now() + 120_000 }
    assert.equal((await legs.lookUp(later)).status, 'absent')
  })

  test('sells nothing below its room, and says so', async () => {
    await using opened = await openHolding('gate')
    const { standIn, trading, place, executed } = opened
    const leg = await place()
    standIn.setPrice(symbol, 50_000)
    assert.deepEqual(await executed(leg), ['CANCELED'])
    assert.equal(trading.balance('BTC'), '0.01')
  })

  test('that has expired has ended, and says so', async () => {
    await using opened = await openHolding('gate')
    const { standIn, place, found } = opened
    const leg = await place()
    ;(standIn as unknown as Awaited<ReturnType<typeof startGate>>).expireStops()
    const { state, reason } = await found(leg)
    assert.deepEqual(
      [state, reason],
      ['ended', 'The stop has expired: the service lets Gate keep it for at most a day.'],
    )
  })

  test('names the account that holds the coins', async () => {
    await using opened = await openHolding('gate', { account: 'unified' })
    const { standIn, place, executed, found } = opened
    const leg = await place()
    assert.match(standIn.changes()[0]!, /"account":"unified"/)
    assert.equal((await found(withoutId(leg))).state, 'open')
    standIn.setPrice(symbol, 58_990)
    assert.deepEqual(await executed(leg), ['FILLED', '0.01 at 58990'])
  })
})
