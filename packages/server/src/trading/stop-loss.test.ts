import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, PaperBench, spotRules } from '../../test/trading.ts'
import { decimal, plain, zero } from '../base/decimals.ts'
import { fundsOf } from './equity-size.ts'
import { planOpening } from './plan.ts'
import { firstStop } from './protection/plan.ts'
import { noProtection, type Protection } from './protection/settings.ts'
import { executedAt, lossOfUnit } from './stop-loss.ts'

const amountOf = (least: number, most: number, places = 3) =>
  fc
    .integer({ min: least, max: most })
    .map((count) => plain(decimal(String(count)).div(`1${'0'.repeat(places)}`)))
const riskOf = { amountUnit: 'risk_percent', startBalance: '1000' } as const
const withStop = (stop_loss: string): Protection => ({ ...noProtection, stop_loss })

test('whatever the price, the stop, the step and the fees: a stopped position loses at most its part of the equity', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        percent: amountOf(1, 100_000),
        equity: amountOf(1_000, 1_000_000_000),
        price: amountOf(1, 100_000_000),
        step: fc.constantFrom('0.001', '0.00000001', '0.03', '1'),
        // How far away the stop is, as a part of the price.
        distance: amountOf(1, 9_000, 4),
        kind: fc.constantFrom('percent', 'price', 'trailing'),
        feeRate: fc.constantFrom('0', '0.001', '0.333333333333333333'),
        slippageRate: fc.constantFrom('0', '0.0005', '0.01'),
        maxPosition: fc.option(amountOf(1, 1_000_000_000), { nil: null }),
        isLong: fc.boolean(),
      }),
      async ({ percent, equity, price, step, distance, kind, isLong, ...others }) => {
        const side = isLong ? 'long' : 'short'
        const bench = new PaperBench({
          rules: { ...futuresRules, sizeStep: step, minSize: '0', minNotional: '0' },
          settings: { ...riskOf, ...others, amount: percent, startBalance: equity },
        })
        bench.price = price
        const gone = decimal(price).times(distance)
        const level = isLong ? decimal(price).minus(gone) : decimal(price).plus(gone)
        const far = `${plain(decimal(distance).times('100'))}%`
        const protection: Protection =
          kind === 'trailing'
            ? { ...noProtection, trailing: { by: far, from: null, step: null } }
            : withStop(kind === 'percent' ? far : plain(level))
        const { status, reason } = await bench.follow(isLong ? 'LONG' : 'SHORT', { protection })
        const { size, entryPrice } = await bench.position()
        if (status !== 'DONE') return assert.ok(reason !== null && size === '0')
        const stop = firstStop(protection, { side, price, entry: entryPrice! })!.price
        bench.price = stop
        assert.equal((await bench.follow('EXIT')).status, 'DONE')
        const loss = zero.minus((await bench.position()).realised)
        const most = decimal(equity).times(percent).div('100')
        assert.ok(loss.lte(most), `lost ${plain(loss)} of ${plain(most)}`)
        // Without a limit, one more step would lose more.
        const more = loss.times(decimal(size).plus(step)).div(size)
        if (reason === null) assert.ok(more.gt(most), `one step more loses ${plain(more)} of ${plain(most)}`)
      },
    ),
    { numRuns: 400 },
  )
})

test('the size follows from the distance to the stop of the signal or of the bot, with both fees', async () => {
  const costs = { feeRate: '0.001', slippageRate: '0' }
  const settings = { ...riskOf, amount: '1', protection: withStop('2%') }
  const bench = new PaperBench({ settings: { ...settings, ...costs } })
  assert.deepEqual(await bench.follow('LONG'), { status: 'DONE', reason: null })
  // 10 USDT, where each BTC loses 2 by the price, 0.1 by the first fee and 0.098 by the second.
  assert.equal((await bench.position()).size, '4.549')
  const closer = new PaperBench({ settings })
  await closer.follow('SHORT', { protection: { stop_loss: '101' } })
  assert.equal((await closer.position()).size, '10')
})

test('what is free and max_position limit the size, and the reason says so', async () => {
  const settings = { ...riskOf, amount: '5', protection: withStop('1%') }
  const free = new PaperBench({ rules: spotRules, settings })
  const all = await free.follow('LONG')
  assert.deepEqual(all, {
    status: 'DONE',
    reason:
      'Only 1000 USDT of the equity is free, so the bot risks less than 5 % of the equity of 1000 USDT.',
  })
  assert.equal((await free.position()).size, '10')
  const limited = new PaperBench({ settings: { ...settings, maxPosition: '200' } })
  assert.match((await limited.follow('LONG')).reason!, /at most 200 USDT \(max_position\), so the bot risks/)
  assert.equal((await limited.position()).size, '2')
})

test('without a stop of its own from the first fill on, an opening has no size', async () => {
  const settings = { ...riskOf, amount: '1' }
  const none = /^Neither the signal nor the bot names a stop that stands from the first fill on/
  for (const protection of [
    noProtection,
    { ...noProtection, take_profit: [{ at: '2%', part: '1' }] },
    { ...noProtection, trailing: { by: '1%', from: '2%', step: null } },
  ]) {
    const bench = new PaperBench({ settings })
    const { status, reason } = await bench.follow('LONG', { protection })
    assert.equal(status, 'REFUSED')
    assert.match(reason!, none)
  }
  const bench = new PaperBench({ settings })
  const wrong = await bench.follow('LONG', { protection: { stop_loss: '101' } })
  assert.match(wrong.reason!, /^The stop of a long must be below the price/)
  await bench.follow('LONG', { protection: { stop_loss: '90' } })
  const more = await bench.follow('LONG', { protection: { stop_loss: '95' }, dilution: true })
  assert.equal(more.status, 'REFUSED')
  assert.match(more.reason!, /keeps its stop, so no size follows/)
  assert.equal((await bench.position()).size, '1')
  const small = new PaperBench({ settings: { ...settings, startBalance: '0.005' } })
  assert.equal(
    (await small.follow('LONG', { protection: { stop_loss: '90' } })).reason,
    'At a price of 100, a loss of 1 % of the equity of 0.005 USDT at the stop of 90 is 0 BTC; the minimum order size is 0.001 BTC.',
  )
})

test('at an exchange, the usual fee there counts if it is higher than that of the settings', () => {
  const { settings, ...bench } = new PaperBench({ settings: { ...riskOf, amount: '1', feeRate: '0.001' } })
  const signal = new PaperBench().signal('LONG')
  const rules = { ...bench.rules, takerRate: '0.004' }
  const sizeOf = (kind: 'paper' | 'live') => {
    const funds = fundsOf({ amount: '1000' }, [], kind, rules, settings)
    const stop = () => ({ price: '99' })
    const opening = planOpening({ signal, rules, price: '100', settings, rate: null, funds, stop })
    return opening.status === 'OPEN' ? opening.order.size : opening.reason
  }
  const lossOf = (size: string, feeRate: string) => {
    const costs = { feeRate, slippageRate: '0' }
    const entry = executedAt('100', 'buy', costs)
    return lossOfUnit({ side: 'buy', entry, stop: '99' }, costs).times(size)
  }
  assert.equal(sizeOf('paper'), '8.34')
  assert.equal(sizeOf('live'), '5.567')
  assert.ok(lossOf(sizeOf('live'), '0.004').lte('10') && lossOf('5.568', '0.004').gt('10'))
})
