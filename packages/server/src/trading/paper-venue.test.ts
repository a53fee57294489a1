import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, PaperBench, spotRules } from '../../test/trading.ts'
import { testVenueContract } from '../../test/venue-contract.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { PaperVenue } from './paper-venue.ts'
import type { OrderRequest } from './types.ts'

testVenueContract('the paper venue', async () => {
  const bench = new PaperBench({ rules: spotRules, settings: { feeRate: '0.001' } })
  return {
    venue: venueThatKnows(bench, 'BTC/USDT'),
    symbol: 'BTC/USDT',
    size: '0.1',
    tooSmall: '0.0001',
    async book(order, report) {
      const { clientOrderId } = order
      await bench.books.plan(1, order)
      await bench.books.report(clientOrderId, report, { ...spotRules, feeRates: {} })
    },
    async [Symbol.asyncDispose]() {},
  }
})

/** A market for the contract tests that refuses unknown symbols. */
function venueThatKnows(bench: PaperBench, known: string): PaperVenue {
  return new PaperVenue({
    settings: bench.settings,
    books: bench.books,
    market: {
      rules: async (symbol) => {
        if (symbol !== known) throw new NoSuchMarket(`There is no ${symbol}.`)
        return spotRules
      },
      price: async () => '100',
    },
    now: () => bench.clock.now(),
  })
}

function order(changes: Partial<OrderRequest> = {}): OrderRequest {
  return {
    clientOrderId: 'tw-1-o',
    symbol: 'BTC/USDT:USDT',
    side: 'buy',
    purpose: 'open',
    reduceOnly: false,
    size: '0.3',
    ...changes,
  }
}

test('an order is executed completely at the price plus slippage, to the last digit', async () => {
  const { venue, clock } = new PaperBench({ settings: { feeRate: '0.00075', slippageRate: '0.0005' } })
  clock.moveTo(noon + 7)
  for (const [side, price, fee] of [
    ['buy', '100.05', '0.02251125'],
    ['sell', '99.95', '0.02248875'],
  ] as const) {
    const clientOrderId = `tw-${side}`
    const outcome = await venue.place(order({ side, clientOrderId }))
    assert.deepEqual(outcome, {
      status: 'placed',
      report: {
        exchangeOrderId: clientOrderId,
        status: 'FILLED',
        executions: [
          {
            tradeId: `${clientOrderId}-1`,
            size: '0.3',
            price,
            fee,
            feeAsset: 'USDT',
            filledAt: noon + 7,
          },
        ],
        reason: null,
      },
    })
  }
})

test('a stop is executed at the worse of its price and the current price, plus slippage', async () => {
  const bench = new PaperBench({ rules: futuresRules, settings: { feeRate: '0', slippageRate: '0.01' } })
  await bench.follow('LONG')
  const priceAt = async (price: string, trigger: string, id: string) => {
    bench.price = price
    const close = order({
      clientOrderId: id,
      side: 'sell',
      purpose: 'close',
      reduceOnly: true,
      size: '0.1',
      trigger,
    })
    const outcome = await bench.venue.place(close)
    assert.equal(outcome.status, 'placed')
    return outcome.status === 'placed' ? outcome.report.executions[0]!.price : ''
  }
  assert.equal(await priceAt('90', '95', 'a'), '89.1')
  assert.equal(await priceAt('97', '95', 'b'), '94.05')
})

test('a close that was missed gets the price of its time, plus slippage, whatever the price is now', async () => {
  const bench = new PaperBench({ rules: futuresRules, settings: { feeRate: '0', slippageRate: '0.01' } })
  await bench.follow('LONG')
  const close = {
    ...order(),
    side: 'sell' as const,
    purpose: 'close' as const,
    reduceOnly: true,
    size: '0.1',
  }
  for (const [id, price] of [
    ['a', '90'],
    ['b', '120'],
  ] as const) {
    bench.price = price
    const outcome = await bench.venue.place({ ...close, clientOrderId: id, trigger: '98', missedPrice: '95' })
    assert.equal(outcome.status === 'placed' && outcome.report.executions[0]!.price, '94.05')
  }
})

test('the same client order id twice, at once or later, is executed once', async () => {
  const bench = new PaperBench()
  const [first, second] = await Promise.all([bench.venue.place(order()), bench.venue.place(order())])
  bench.price = '200'
  assert.deepEqual(second, first)
  assert.deepEqual(await bench.venue.place(order()), first)
  assert.deepEqual(await bench.venue.lookUp(order()), { ...first, status: 'found' })
})

test('an order that breaks the rules of the market is refused, and an unknown order is certainly absent', async () => {
  const { venue } = new PaperBench({ rules: { ...futuresRules, minNotional: '1' } })
  for (const [size, reason] of [
    ['0.0005', 'The minimum order size is 0.001 BTC, got 0.0005.'],
    ['0.0015', 'The size must be a multiple of 0.001 BTC, got 0.0015.'],
    ['0.009', 'The minimum notional is 1 USDT, got 0.9.'],
  ] as const) {
    assert.deepEqual(await venue.place(order({ size })), { status: 'refused', reason })
  }
  assert.deepEqual(await venue.lookUp(order()), { status: 'absent', isCertain: true })
})

test('without a price nothing is executed, and the same order can be placed later', async () => {
  const bench = new PaperBench()
  bench.price = new VenueUnreachable('There is no price.')
  assert.deepEqual(await bench.venue.place(order()), { status: 'refused', reason: 'There is no price.' })
  bench.price = '100'
  assert.equal((await bench.venue.place(order())).status, 'placed')
})

test('the free balance must cover an opening with its fee', async () => {
  for (const rules of [spotRules, futuresRules]) {
    const bench = new PaperBench({ rules, settings: { startBalance: '100', feeRate: '0.01', amount: '60' } })
    assert.equal((await bench.follow('LONG')).status, 'DONE')
    // 100 minus 60 and its fee of 0.6.
    const outcome = await bench.follow('LONG', { dilution: true, size: 40 })
    assert.deepEqual(outcome, {
      status: 'FAILED',
      reason: 'The order costs 40.4 USDT with its fee, but only 39.4 USDT is free.',
    })
    assert.equal((await bench.follow('LONG', { dilution: true, size: 39 })).status, 'DONE')
  }
})

test('a short binds its value, and its loss reduces the free balance', async () => {
  const bench = new PaperBench({ settings: { startBalance: '100', amount: '50' } })
  await bench.follow('SHORT')
  bench.price = '120'
  // The equity is 90, and the short binds 60.
  const outcome = await bench.follow('SHORT', { dilution: true, size: 36 })
  assert.deepEqual(outcome, {
    status: 'FAILED',
    reason: 'The order costs 36 USDT with its fee, but only 30 USDT is free.',
  })
  assert.equal((await bench.follow('SHORT', { dilution: true, size: 30 })).status, 'DONE')
})

test('the same money does not cover two openings at once', async () => {
  const bench = new PaperBench({ settings: { startBalance: '100' } })
  const outcomes = await Promise.all([
    bench.venue.place(order({ size: '0.6' })),
    bench.venue.place(order({ size: '0.6', clientOrderId: 'tw-2-o', symbol: 'ETH/USDT:USDT' })),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['placed', 'refused'],
  )
})

test('a close never closes more than the position, and spot is never sold short', async () => {
  const close = { purpose: 'close', reduceOnly: true, side: 'sell' } as const
  const bench = new PaperBench({ rules: spotRules, settings: { amount: '10' } })
  await bench.follow('LONG')
  for (const [changes, reason] of [
    [{ ...close, size: '0.2' }, 'The bot does not hold the 0.2 BTC that the order would close.'],
    [{ ...close, side: 'buy', size: '0.1' }, 'The bot does not hold the 0.1 BTC that the order would close.'],
    [{ side: 'sell', size: '0.1' }, 'On spot, a bot cannot sell short.'],
  ] as const) {
    const outcome = await bench.venue.place(
      order({ symbol: spotRules.symbol, clientOrderId: 'tw-9-c', ...changes }),
    )
    assert.deepEqual(outcome, { status: 'refused', reason })
  }
})

test('with a leverage, a paper bot on futures opens for several times what is free, and no more', async () => {
  const settings = { startBalance: '1000', feeRate: '0.001', slippageRate: '0', leverage: 5 }
  const bench = new PaperBench({ settings: { ...settings, amount: '4900' } })
  assert.deepEqual(await bench.follow('LONG'), { status: 'DONE', reason: null })
  assert.equal((await bench.position()).size, '49')
  const more = await bench.follow('LONG', { dilution: true, size: 100 })
  assert.equal(more.status, 'FAILED')
  // 1000 less the fee of 4.9 and the margin of 980.
  assert.match(more.reason!, /needs a margin of 20\.1 USDT with its fee, but only 15\.1 USDT is free/)
  // The whole profit is free, and the margin grows with the value.
  bench.price = '110'
  assert.equal((await bench.follow('LONG', { dilution: true, size: 2_000 })).status, 'DONE')
  const all = new PaperBench({ settings: { ...settings, amountUnit: 'risk_percent', amount: '50' } })
  const { status, reason } = await all.follow('SHORT', { protection: { stop_loss: '101' } })
  assert.equal(status, 'DONE')
  assert.match(reason!, /Only 1000 USDT of the equity is free, so the bot risks less than 50 %/)
  // A margin of a fifth and the fee of each 100 USDT.
  assert.equal((await all.position()).size, '49.751')
  const spot = new PaperBench({ rules: spotRules, settings: { ...settings, amount: '1001' } })
  assert.match((await spot.follow('LONG')).reason!, /^The order costs/)
})
