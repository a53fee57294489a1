import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, decimal, floorToStep, plain } from './decimals.ts'

test('a JavaScript number is never accepted as an amount', () => {
  assert.throws(() => new Decimal(0.1 as unknown as string), TypeError)
  assert.throws(() => decimal('1').plus(1 as unknown as string), TypeError)
})

test('an amount is printed without exponent, whatever its size', () => {
  for (const text of ['0.00000001', '123456789012345678901234567890', '-0.5', '0']) {
    assert.equal(plain(decimal(text)), text)
  }
  assert.equal(plain(decimal('1e-8')), '0.00000001')
  assert.equal(plain(decimal('1.500')), '1.5')
  assert.equal(plain(decimal('-0')), '0')
})

test('the error about an invalid amount names it, and shortens the text', () => {
  for (const text of ['', ' ', 'abc', 'NaN', 'Infinity', '0x10', '1,5', '1e999999999', '1e-999999999']) {
    assert.throws(() => decimal(text, 'fee'), {
      name: 'RangeError',
      message: /^fee must be a decimal number/,
    })
  }
  assert.throws(
    () => decimal('9'.repeat(5_000)),
    (error: Error) => error.message.length < 100,
  )
})

test('a size is rounded down to its step, even if the step is not a power of ten', () => {
  for (const [value, step, expected] of [
    ['1.0019', '0.001', '1.001'],
    ['0.3', '0.1', '0.3'],
    ['0.0009', '0.001', '0'],
    ['7.49', '0.25', '7.25'],
    ['100', '3', '99'],
    ['0.123456789', '0', '0.123456789'],
  ] as const) {
    assert.equal(plain(floorToStep(decimal(value), decimal(step))), expected)
  }
})
