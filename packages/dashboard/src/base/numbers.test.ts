import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, formatBytes, formatNumber, fractionDigits, roundPrice } from './numbers.ts'

test('a number has the digits that it is known to, and a true minus sign', () => {
  assert.equal(formatNumber(1234.5), '1,234.5')
  assert.equal(formatNumber(-0.1), '\u22120.1')
  assert.equal(formatNumber(1, { digits: 2 }), '1.00')
  assert.equal(formatNumber(null), '–')
  assert.equal(formatNumber(undefined), '–')
})

test('a result has a sign, except zero', () => {
  assert.equal(formatNumber(3, { isSigned: true }), '+3')
  assert.equal(formatNumber(-3, { isSigned: true }), '\u22123')
  assert.equal(formatNumber(0, { isSigned: true }), '0')
})

test('a decimal text is shown digit by digit, also beyond doubles', () => {
  assert.equal(
    formatNumber('12345678901234567890.123456789', { digits: 9 }),
    '12,345,678,901,234,567,890.123456789',
  )
  assert.equal(formatNumber('0.000000000000000001', { digits: 18 }), '0.000000000000000001')
})

test('amounts of data and counts have their unit', () => {
  assert.equal(formatBytes(512), '512 B')
  assert.equal(formatBytes(24_576), '24 KB')
  assert.equal(formatBytes(1_572_864), '1.5 MB')
  assert.equal(formatBytes(3 * 1024 ** 3), '3 GB')
  assert.equal(count(1, 'run'), '1 run')
  assert.equal(count(1000, 'reply', 'replies'), '1,000 replies')
})

test('digits after the point are counted in the number as it is shown', () => {
  for (const [value, digits] of [
    ['1234567.25', 2],
    ['-0.000000000001', 12],
    [7, 0],
    [null, 0],
  ] as const)
    assert.equal(fractionDigits(formatNumber(value)), digits)
})

test('an average price keeps eight digits, and all before the decimal point', () => {
  assert.equal(roundPrice('60202.976445'), 60_202.976)
  assert.equal(roundPrice('1712345678.123456'), 1_712_345_678)
  assert.equal(roundPrice('0.00000001234567891'), 0.000000012345679)
  assert.equal(roundPrice('64000'), 64_000)
  for (const odd of ['0', '-1.5', '1e300']) assert.equal(roundPrice(odd), Number(odd))
})
