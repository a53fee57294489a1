import assert from 'node:assert/strict'
import { test } from 'node:test'
import Big from 'big.js'
import fc from 'fast-check'
import { divisionPlaces } from './decimal-division.ts'
import { type Decimal, decimal } from './decimals.ts'

/** The division of big.js itself. */
const Slow = Big()
Slow.strict = true
Slow.DP = divisionPlaces

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 })
const texts = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.oneof(fc.constantFrom('', '000', '5', '9'), digits))
  .map(([sign, whole, part]) => `${sign}${whole}${part === '' ? '' : `.${part}`}`)
const exponents = fc.integer({ min: -70, max: 70 })
const amounts = fc.oneof(
  texts,
  fc.tuple(texts, exponents).map(([text, exponent]) => `${text}e${exponent}`),
  fc.constantFrom('0', '-0', '1', '-1', '3', '0.001', '1e-48', '5e-49', '49e-50', '1e60'),
)

/** Sign, exponent and digits, or the message of the error. */
function partsOf(calculate: () => Big) {
  try {
    const { s, e, c } = calculate()
    return { s, e, c }
  } catch (error) {
    return (error as Error).message
  }
}

test('division and remainder are those of big.js, digit by digit', () => {
  fc.assert(
    fc.property(amounts, amounts, (one, other) => {
      for (const operation of ['div', 'mod'] as const) {
        const [left, right] = [decimal(one), decimal(other)]
        const expected = partsOf(() => new Slow(one)[operation](new Slow(other)))
        const calculated = partsOf(() => left[operation](right))
        assert.deepEqual(calculated, expected, `${one} ${operation} ${other}`)
        assert.deepEqual(
          partsOf(() => left[operation](other)),
          expected,
        )
        // Neither of them has changed.
        assert.ok(isSame(left, decimal(one)) && isSame(right, decimal(other)))
      }
    }),
    { numRuns: 3_000 },
  )
})

test('the half of the last place is rounded up, away from zero', () => {
  for (const [above, below, expected] of [
    ['1e-48', '2', '1e-48'],
    ['-1e-48', '2', '-1e-48'],
    ['0.9999e-48', '2', '0'],
    ['2', '3', `0.${'6'.repeat(47)}7`],
  ] as const) {
    assert.ok(decimal(above).div(below).eq(expected), `${above} / ${below}`)
  }
})

test('results of divisions calculate like any other amount', () => {
  const third = decimal('1').div('3')
  const sum = third.plus(third).plus(third)
  assert.equal(sum.toFixed(), `0.${'9'.repeat(48)}`)
  assert.equal(decimal('7').mod('4').div('8').times(third).div(third).toFixed(), '0.375')
})

function isSame(one: Decimal, other: Decimal): boolean {
  return one.s === other.s && one.e === other.e && one.c.join() === other.c.join()
}
