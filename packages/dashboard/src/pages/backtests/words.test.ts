import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceText } from './words.ts'

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
