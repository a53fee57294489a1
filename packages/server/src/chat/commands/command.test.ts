import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, type Bot } from './command.ts'

test('the size of an opening is said in the unit of the bot', () => {
  const says = (settings: Partial<Bot>) =>
    amountOf({ amount_currency: 'USDT', amount_in: null, ...settings } as Bot)
  assert.equal(says({ amount: '1500', amount_unit: 'quote' }), '1,500 USDT')
  assert.equal(says({ amount: '0.01', amount_unit: 'base', amount_in: 'BTC' }), '0.01 BTC')
  assert.equal(says({ amount: '0.01', amount_unit: 'base' }), '0.01 of the base currency')
  assert.equal(says({ amount: '5', amount_unit: 'equity_percent' }), '5 % of its equity')
  assert.equal(says({ amount: '1', amount_unit: 'risk_percent' }), '1 % of its equity at risk')
})
