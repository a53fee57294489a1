import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { productOf, stepsOf, sumOf } from './decimals.ts'

test('sums are exact where doubles are not', () => {
  assert.equal(sumOf(['0.1', '0.2']), '0.3')
  assert.equal(
    sumOf(['12345678901234567890.5', '0.000000000000000001']),
    '12345678901234567890.500000000000000001',
  )
  assert.equal(sumOf(['-1.50', '1.5']), '0')
  assert.equal(sumOf(['-0.05', '-0.05']), '-0.1')
  assert.equal(sumOf([]), '0')
  assert.throws(() => sumOf(['1e5']), SyntaxError)
})

test('products are exact where doubles are not', () => {
  assert.equal(productOf('0.1', '0.2'), '0.02')
  assert.equal(productOf('-0.001', '65000.50'), '-65.0005')
  assert.equal(productOf('0.000000000000000001', '12345678901234567890'), '12.34567890123456789')
  assert.equal(productOf('0', '-3.5'), '0')
})

test('steps are exact, and none is beyond the last number', () => {
  assert.deepEqual(stepsOf({ first: '0.1', last: '0.35', step: '0.1' }, 9), ['0.1', '0.2', '0.3'])
  assert.deepEqual(stepsOf({ first: '-2', last: '+0.50', step: '1' }, 9), ['-2', '-1', '0'])
  assert.deepEqual(stepsOf({ first: '7', last: '7.0', step: '5' }, 1), ['7'])
  assert.equal(stepsOf({ first: '1', last: '10', step: '1' }, 9), 'many')
  assert.equal(stepsOf({ first: '0', last: '999999999999999', step: '0.000000000000001' }, 9), 'many')
  for (const [first, last, step] of [
    ['2', '1', '1'],
    ['1', '2', '0'],
    ['1', '2', '-1'],
  ] as const)
    assert.equal(stepsOf({ first, last, step }, 9), 'order')
  assert.throws(() => stepsOf({ first: '1e3', last: '2', step: '1' }, 9), SyntaxError)
})

test('what is added and subtracted again leaves nothing', () => {
  const decimal = fc
    .tuple(fc.bigInt(), fc.stringMatching(/^\d{0,20}$/))
    .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`))
  fc.assert(
    fc.property(fc.array(decimal), (values) => {
      const opposite = values.map((value) => (value.startsWith('-') ? value.slice(1) : `-${value}`))
      assert.equal(sumOf([...values, ...opposite]), '0')
    }),
  )
})
