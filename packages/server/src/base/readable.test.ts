import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal } from './decimals.ts'
import { readableMoney, readablePrice } from './readable.ts'

test('money has at most 8 decimals, and small money at least 4 significant digits', () => {
  for (const [exact, shown] of [
    ['-0.10004999286293325', '-0.10004999'],
    ['3.6942319999999995', '3.694232'],
    ['0.999999999', '1'],
    ['12345678901234567890.123456789', '12345678901234567890.12345679'],
    ['0.0000123456', '0.00001235'],
    ['0.00000123456', '0.000001235'],
    ['-0.000000000000123456', '-0.0000000000001235'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['100', '100'],
    ['0', '0'],
  ] as const) {
    assert.equal(readableMoney(decimal(exact)), shown)
  }
})

test('a remainder of a division is shown as zero, without a sign', () => {
  assert.equal(readableMoney(decimal('-0.000000000000000000000001')), '0')
})

test('a price has at most 8 decimals, and a small price at least 8 significant digits', () => {
  for (const [exact, shown] of [
    ['64123.455000000005', '64123.455'],
    ['56565.8788049999999999', '56565.878805'],
    ['0.0538617123456', '0.053861712'],
    ['0.000008512345678', '0.0000085123457'],
    ['0.00000001', '0.00000001'],
    ['0.000000000000123456789', '0.000000000000123457'],
  ] as const) {
    assert.equal(readablePrice(decimal(exact)), shown)
  }
})
