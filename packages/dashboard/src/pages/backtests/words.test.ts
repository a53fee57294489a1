import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisText, sourceText, sweepText } from './words.ts'

test('a backtest says where its signals are from', () => {
  const nameOf = (id: number | null) => `Breakout ${id}`
  const none = { strategy_id: null, version: null, bot_webhook_id: null, webhook_id: null }
  assert.equal(sourceText({ ...none, strategy_id: 7, version: 3 }, nameOf), 'Breakout 7, version 3')
  assert.equal(sourceText({ ...none, strategy_id: 7 }, nameOf), 'Breakout 7, a draft')
  assert.equal(sourceText({ ...none, bot_webhook_id: 4 }, nameOf), 'signals of bot webhook 4')
  assert.equal(sourceText(none, nameOf), 'given with the request')
  const onDeliveries = { ...none, strategy_id: 7, version: 3, webhook_id: 5 }
  assert.equal(sourceText(onDeliveries, nameOf), 'Breakout 7, version 3, on deliveries of webhook 5')
})

test('a sweep says what it varies, and leaves the names of parameters as they are', () => {
  const sweep = { combinations: 1_000, parameters: ['FAST_MA', 'max_percent'], settings: ['fee_rate'] }
  assert.equal(sweepText(sweep), '1,000 combinations of FAST_MA, max_percent, fee rate')
  assert.equal(axisText({ of: 'parameter', name: 'max_percent' }), 'max_percent')
  assert.equal(axisText({ of: 'setting', name: 'fee_rate' }), 'fee rate')
})
