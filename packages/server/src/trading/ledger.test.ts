import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Applied, applyExecution, averagePrice, costOf, flatPosition, unrealised } from './ledger.ts'
import type { BookingTerms, Execution, Position, Side } from './types.ts'

const futures: BookingTerms = { base: 'BTC', quote: 'USDT', service: 'futures', feeRates: {} }
const spot: BookingTerms = { ...futures, service: 'spot' }

type Trade = [side: Side, size: string, price: string, fee?: string, feeAsset?: string]

function applyAll(trades: readonly Trade[], terms = futures): { position: Position; applied: Applied[] } {
  let position = flatPosition()
  const applied = trades.map(([side, size, price, fee = '0', feeAsset = 'USDT'], index) => {
    const execution = { tradeId: String(index), size, price, fee, feeAsset, filledAt: index + 1 }
    const one = applyExecution(position, execution, side, terms)
    position = one.position
    return one
  })
  return { position, applied }
}

test('a long with additions and partial closes realises its profit over the average price, after fees', () => {
  const { position, applied } = applyAll([
    ['buy', '1', '100', '0.1'],
    ['buy', '3', '120', '0.36'],
    ['sell', '1', '130', '0.13'],
    ['sell', '3', '110', '0.33'],
  ])
  // 100 + 3 × 120 = 460 for 4, which is 115 each.
  assert.equal(applied[1]!.position.entryPrice, '115')
  assert.deepEqual(
    applied.map(({ realised }) => realised),
    ['-0.1', '-0.36', '14.87', '-15.33'],
  )
  assert.deepEqual(position, {
    ...flatPosition(),
    realised: '-0.92',
    fees: '0.92',
    lastLossAt: 4,
  })
})

test('a short gains when the price falls', () => {
  const { applied } = applyAll([
    ['sell', '2', '50'],
    ['sell', '2', '40'],
    ['buy', '4', '30', '1'],
  ])
  assert.deepEqual([applied[1]!.position.side, applied[1]!.position.entryPrice], ['short', '45'])
  assert.equal(unrealised(applied[1]!.position, '30'), '60')
  assert.equal(applied[2]!.realised, '59')
  assert.equal(applied[2]!.position.side, null)
})

test('an execution of more than the position closes it, and opens the other side at its price', () => {
  const { position, applied } = applyAll([
    ['buy', '1', '100'],
    ['sell', '3', '110', '0.33'],
  ])
  assert.equal(applied[1]!.realised, '9.67')
  assert.deepEqual([position.side, position.size, position.entryPrice], ['short', '2', '110'])
  assert.equal(position.openedAt, 2)
})

test('on spot, a fee in base currency reduces the holding, and counts at the price of the execution', () => {
  const { position, applied } = applyAll(
    [
      ['buy', '1', '100', '0.001', 'BTC'],
      ['sell', '0.999', '120', '0.11988'],
    ],
    spot,
  )
  assert.deepEqual([applied[0]!.realised, applied[0]!.fee], ['-0.1', '0.1'])
  const held = applied[0]!.position
  assert.deepEqual([held.size, held.entryPrice, held.fees], ['0.999', '100', '0.1'])
  // 0.999 × 20, minus the fee of the sale.
  assert.equal(applied[1]!.realised, '19.86012')
  assert.equal(position.realised, '19.76012')
})

test('on futures, a fee in base currency is money: the position keeps its size', () => {
  const { position } = applyAll([['buy', '1', '100', '0.001', 'BTC']])
  assert.deepEqual([position.size, position.realised, position.fees], ['1', '-0.1', '0.1'])
})

test('a fee in another asset counts at its price, or not at all without a price', () => {
  const trade: Trade = ['buy', '1', '100', '0.0002', 'BNB']
  const counted = applyAll([trade], { ...spot, feeRates: { BNB: '600' } })
  assert.deepEqual([counted.applied[0]!.fee, counted.position.realised], ['0.12', '-0.12'])
  const unknown = applyAll([trade], spot)
  assert.deepEqual([unknown.applied[0]!.fee, unknown.position.realised], [null, '0'])
  // An asset with the name of a property of every object is unknown, too.
  assert.equal(applyAll([['buy', '1', '100', '1', 'constructor']]).applied[0]!.fee, null)
})

test('a rebate is a negative fee', () => {
  assert.equal(applyAll([['buy', '1', '100', '-0.02']]).position.realised, '0.02')
})

test('an opening fee starts no cool-down; a close with a loss does, even if only its fee makes it a loss', () => {
  const { applied } = applyAll([
    ['buy', '2', '100', '5'],
    ['sell', '1', '101', '0'],
    ['sell', '1', '101', '2'],
  ])
  assert.deepEqual(
    applied.map(({ position }) => position.lastLossAt),
    [null, null, 3],
  )
})

test('closing in thirds loses nothing to rounding', () => {
  const { position, applied } = applyAll([
    ['buy', '1', '10'],
    ['buy', '2', '10.01'],
    ['sell', '1', '11'],
    ['sell', '1', '11'],
    ['sell', '1', '11'],
  ])
  assert.equal(applied[2]!.realised, '0.993333333333333333333333')
  assert.equal(position.realised, '2.98')
})

test('invalid amounts are refused by name', () => {
  for (const [size, price, fee, message] of [
    ['0', '1', '0', /size must be above zero, got "0"/],
    ['-1', '1', '0', /size must be above zero/],
    ['1', 'NaN', '0', /price must be a decimal number, got "NaN"/],
    ['1', '1', '', /fee must be a decimal number, got ""/],
    ['1e999999', '1', '0', /size must be a decimal number/],
  ] as const) {
    assert.throws(() => applyAll([['buy', size, price, fee]]), message)
  }
})

test('the average price of executions is weighted by size', () => {
  assert.equal(averagePrice([]), null)
  assert.equal(
    averagePrice([
      { size: '1', price: '100' },
      { size: '3', price: '120' },
    ]),
    '115',
  )
})

// Independent of the ledger: calculated from cash and holdings alone, in BigInt units of 10^-60.

const scale = 60
function units(text: string): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  const value = BigInt(whole + part.padEnd(scale, '0'))
  return sign === '-' ? -value : value
}
const times = (a: bigint, b: bigint) => {
  const product = a * b
  assert.equal(product % 10n ** BigInt(scale), 0n, 'the scale holds every digit')
  return product / 10n ** BigInt(scale)
}

const amount = (decimals: number, most: number) =>
  fc.integer({ min: 1, max: most }).map((n) => {
    const digits = String(n).padStart(decimals + 1, '0')
    return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  })

const tradeOf = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell'),
  size: fc.oneof(amount(8, 2_000_000_000), amount(0, 1_000_000), amount(3, 5_000)),
  price: fc.oneof(amount(2, 9_999_999), amount(10, 99_999), amount(5, 300_000)),
  fee: fc.oneof(
    fc.constant('0'),
    amount(12, 1_000_000_000),
    amount(8, 99).map((text) => `-${text}`),
  ),
  feeAsset: fc.constantFrom('USDT', 'BTC', 'BNB', 'XYZ'),
  isWhole: fc.boolean(),
})

for (const terms of [futures, spot]) {
  test(`over any sequence on ${terms.service}, cash is realised profit minus the cost of the holding`, () => {
    const rated = { ...terms, feeRates: { BNB: '612.4' } }
    fc.assert(
      fc.property(fc.array(tradeOf, { maxLength: 40 }), (trades) => {
        let position = flatPosition()
        let cash = 0n
        let held = 0n
        let fees = 0n
        let realised = 0n
        for (const trade of trades) {
          // Often the whole position, so that positions end.
          const isClosing =
            trade.isWhole && position.side !== null && (trade.side === 'sell') === (position.side === 'long')
          const size = isClosing ? position.size : trade.size
          const execution: Execution = { ...trade, size, tradeId: '1', filledAt: 1 }
          const applied = applyExecution(position, execution, trade.side, rated)
          position = applied.position
          realised += units(applied.realised)

          const sign = trade.side === 'buy' ? 1n : -1n
          const price = units(trade.price)
          const fee = units(trade.fee)
          const inQuote = { USDT: fee, BTC: times(fee, price), BNB: times(fee, units('612.4')), XYZ: 0n }
          const worth = inQuote[trade.feeAsset as keyof typeof inQuote]
          const isInKind = trade.feeAsset === 'BTC' && terms.service === 'spot'
          held += sign * units(size) - (isInKind ? fee : 0n)
          cash -= sign * times(units(size), price) + (isInKind ? 0n : worth)
          fees += worth
        }
        const sign = position.side === 'short' ? -1n : 1n
        assert.equal(sign * units(position.size), held)
        assert.equal(units(position.realised) - sign * units(costOf(position)), cash)
        assert.equal(units(position.realised), realised)
        assert.equal(units(position.fees), fees)
        assert.equal(position.side === null, held === 0n)
        // After a close at any price, the books contain only cash.
        const end = times(held, units('7.5'))
        assert.equal(units(position.realised) + units(unrealised(position, '7.5')), cash + end)
      }),
      { numRuns: 2_000 },
    )
  })
}

/** A fraction, never rounded. */
type Fraction = [bigint, bigint]
const fraction = (text: string): Fraction => [units(text), 10n ** BigInt(scale)]
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const product = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const quotient = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d, b * c]
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d])

test('the profit of each execution is the gain over the average price, within 10^-20', () => {
  const small = fc.record({
    opens: fc.boolean(),
    size: amount(4, 99_999),
    price: amount(2, 999_999),
  })
  fc.assert(
    fc.property(
      fc.array(small, { maxLength: 8 }),
      fc.constantFrom<Side>('buy', 'sell'),
      (trades, opening) => {
        let position = flatPosition()
        let size: Fraction = [0n, 1n]
        let average: Fraction = [0n, 1n]
        for (const { opens, size: text, price: priceText } of trades) {
          const closes = !opens && position.side !== null
          const traded = closes && Number(text) > Number(position.size) ? position.size : text
          const side = closes ? (opening === 'buy' ? 'sell' : 'buy') : opening
          const execution = {
            tradeId: '1',
            size: traded,
            price: priceText,
            fee: '0',
            feeAsset: 'USDT',
            filledAt: 1,
          }
          const applied = applyExecution(position, execution, side, futures)
          position = applied.position
          const [amountTraded, price] = [fraction(traded), fraction(priceText)]
          let expected: Fraction = [0n, 1n]
          if (closes) {
            const gain = product(minus(price, average), amountTraded)
            expected = opening === 'buy' ? gain : [-gain[0], gain[1]]
            size = minus(size, amountTraded)
          } else {
            const total = plus(size, amountTraded)
            average = quotient(plus(product(average, size), product(price, amountTraded)), total)
            size = total
          }
          const [numerator, denominator] = minus(fraction(applied.realised), expected)
          const difference = numerator < 0n ? -numerator : numerator
          assert.ok(difference * 10n ** 20n < (denominator < 0n ? -denominator : denominator))
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
