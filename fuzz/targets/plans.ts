import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decimal, plain } from '../../packages/server/src/base/decimals.ts'
import type { MarketRules } from '../../packages/server/src/market/rules.ts'
import { fundsOf } from '../../packages/server/src/trading/equity-size.ts'
import { planOpening, planSignal } from '../../packages/server/src/trading/plan.ts'
import type { Position, TradeSignal } from '../../packages/server/src/trading/types.ts'
import { valuesTarget } from '../target.ts'

/** Numbers as exchanges and people write them. */
const amount = fc.oneof(
  fc.constantFrom('0.00000001', '1', '0.1', '100', '1000000000', '0.000000000000000001', '99999999.99999999'),
  fc
    .tuple(fc.nat({ max: 999_999 }), fc.nat({ max: 8 }))
    .map(([digits, shift]) => (Number(`1${digits}`) / 10 ** shift).toFixed(shift)),
)
const least = fc.oneof(fc.constant('0'), amount)
/** Every positive number that JSON allows. */
const size = fc.oneof(
  fc.constantFrom(5e-324, 1e-200, 1e-9, 1e29, 1e30, Number.MAX_VALUE),
  fc.double({ min: 5e-324, noNaN: true, noDefaultInfinity: true }),
)
const options = fc.record({ size, dilution: fc.boolean(), forceSize: fc.boolean() }, { requiredKeys: [] })
const input = fc.record({
  action: fc.constantFrom<TradeSignal['action']>('LONG', 'SHORT', 'EXIT'),
  options,
  side: fc.constantFrom<Position['side']>('long', 'short', null),
  held: amount,
  entry: amount,
  price: fc.option(amount),
  service: fc.constantFrom<MarketRules['service']>('spot', 'futures'),
  ...{ sizeStep: least, minSize: least, minNotional: least },
  settings: fc.record({
    ...{ amount, amountCurrency: fc.constant('USDT'), strictAmount: fc.boolean() },
    ...{ feeRate: fc.constantFrom('0', '0.001'), slippageRate: fc.constantFrom('0', '0.5') },
    maxPosition: fc.option(amount),
    amountUnit: fc.constantFrom('quote', 'base', 'equity_percent', 'risk_percent'),
    sizeUnit: fc.constantFrom(null, 'quote', 'base'),
    symbols: fc.constantFrom<string[]>([], ['BTCUSDT'], ['ETHUSDT'], ['?']),
  }),
  equity: fc.option(amount),
  stop: fc.option(fc.constantFrom('0.5', '0.99', '0.999999', '1.000001', '1.5')),
  rate: fc.option(fc.record({ market: fc.constant('USDT/EUR'), divides: fc.boolean(), price: amount })),
})

/** Any signal gives a plan or a refusal with a reason, and each order is one that the market accepts. */
export default valuesTarget(
  input,
  ({ action, options, side, held, entry, price, settings, rate, equity, stop, ...market }) => {
    const signal: TradeSignal = { botSignalId: 1, action, symbol: 'BTC/USDT', price: null, options, at: 0 }
    const rules = { ...market, symbol: 'BTC/USDT', base: 'BTC', quote: 'USDT' }
    const position: Position = {
      ...(side === null ? { side, size: '0', entryPrice: null } : { side, size: held, entryPrice: entry }),
      ...{ realised: '0', fees: '0', openedAt: null, lastLossAt: null },
    }
    const plan = planSignal({ signal, position, rules, price, settings })
    if (plan.status !== 'STEPS') return assert.ok(plan.reason.length > 0 && plan.reason.length < 1_000)
    assert.ok(plan.close !== null || plan.opens)
    if (plan.close !== null) {
      assert.ok(decimal(plan.close.size).lte(position.size) && plan.close.reduceOnly)
      assert.equal(plan.close.side, position.side === 'long' ? 'sell' : 'buy')
      fits(plan.close.size, rules)
    }
    if (!plan.opens) return
    const known = equity === null ? { unknown: 'Nobody knows the equity' } : { amount: equity }
    const funds = fundsOf(
      known,
      side === null ? [] : [{ symbol: rules.symbol, position, price }],
      'paper',
      rules,
      { ...settings, leverage: 3 },
    )
    const stopOf = (at: string) =>
      stop === null ? { reason: 'There is none.' } : { price: plain(decimal(at).times(stop)) }
    const opening = planOpening({ signal, rules, price, settings, rate, funds, stop: stopOf })
    if (opening.status === 'REFUSED')
      return assert.ok(opening.reason.length > 0 && opening.reason.length < 1_000)
    fits(opening.order.size, rules)
    assert.ok(decimal(opening.order.size).times(price!).gte(rules.minNotional))
  },
)

function fits(size: string, { sizeStep, minSize }: MarketRules): void {
  assert.match(size, /^\d+(\.\d+)?$/)
  assert.ok(decimal(size).gt('0') && decimal(size).gte(minSize), size)
  assert.ok(sizeStep === '0' || decimal(size).mod(sizeStep).eq('0') || /^0\.?0*$/.test(sizeStep), size)
}
