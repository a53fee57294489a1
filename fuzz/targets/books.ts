import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Decimal, decimal } from '../../packages/server/src/base/decimals.ts'
import { applyExecution, costOf, flatPosition, unrealised } from '../../packages/server/src/trading/ledger.ts'
import type { Side } from '../../packages/server/src/trading/types.ts'
import { valuesTarget } from '../target.ts'

const amount = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 31 }), fc.nat({ max: 12 }))
  .map(([digits, shift]) => new Decimal(`${digits}e-${shift}`).toFixed())
const fill = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell'),
  size: amount,
  price: amount,
  fee: fc.oneof(
    fc.constant('0'),
    amount.map((text) => decimal(text).div('1000').round(12).toFixed()),
  ),
  feeAsset: fc.constantFrom('USDT', 'BTC', 'BNB', '__proto__'),
  closes: fc.boolean(),
})

/** After any sequence of fills, cash is the realised profit minus the cost of the position, to the last digit. */
export default valuesTarget(
  fc.record({
    fills: fc.array(fill, { maxLength: 12 }),
    service: fc.constantFrom('spot' as const, 'futures' as const),
  }),
  ({ fills, service }) => {
    const rates = new Map([
      ['USDT', '1'],
      ['BNB', '612.4'],
    ])
    const terms = { base: 'BTC', quote: 'USDT', service, feeRates: { BNB: '612.4' } }
    let position = flatPosition()
    let cash = decimal('0')
    let held = decimal('0')
    for (const [index, { side, closes, ...given }] of fills.entries()) {
      const ends = closes && position.side === (side === 'buy' ? 'short' : 'long')
      const one = {
        ...given,
        size: ends ? position.size : given.size,
        tradeId: String(index),
        filledAt: index,
      }
      position = applyExecution(position, one, side, terms).position
      const size = side === 'buy' ? decimal(one.size) : decimal(one.size).neg()
      const rate = one.feeAsset === 'BTC' ? one.price : (rates.get(one.feeAsset) ?? '0')
      const inKind = one.feeAsset === 'BTC' && service === 'spot'
      held = held.plus(size).minus(inKind ? one.fee : '0')
      cash = cash.minus(size.times(one.price)).minus(inKind ? '0' : decimal(one.fee).times(rate))
    }
    const isShort = position.side === 'short'
    const cost = isShort ? decimal(costOf(position)).neg() : decimal(costOf(position))
    assert.ok((isShort ? decimal(position.size).neg() : decimal(position.size)).eq(held), position.size)
    assert.equal(decimal(position.realised).minus(cost).toFixed(), cash.toFixed())
    assert.equal(position.side === null, held.eq('0'))
    const end = decimal(position.realised).plus(unrealised(position, '7.5'))
    assert.equal(end.toFixed(), cash.plus(held.times('7.5')).toFixed())
  },
)
