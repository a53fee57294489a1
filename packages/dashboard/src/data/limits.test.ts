import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type UserLimits } from '@tickwright/client'
import { changedLimits, limitRows } from './limits.ts'

const names = [
  ...['api_keys', 'sessions', 'invitations', 'data_webhooks', 'bot_webhooks', 'shares', 'test_payloads'],
  ...['strategies', 'folders', 'variables', 'bots', 'exchange_connections', 'ai_connections'],
  ...['notification_endpoints', 'callback_hosts', 'candle_series'],
]
const limits = Object.fromEntries(
  names.map((name) => [name, { limit: 10, own: null, default: 10, used: 1 }]),
) as UserLimits

test('every limit has a row, and only those of administrators have invitations', () => {
  assert.deepEqual(
    limitRows(limits, true)
      .map(({ name }) => name)
      .toSorted(),
    names.toSorted(),
  )
  assert.ok(!limitRows(limits, false).some(({ name }) => name === 'invitations'))
})

test('only changed limits are sent, and an empty field restores the default', () => {
  const rows = limitRows({ ...limits, bots: { limit: 5, own: 5, default: 10, used: 1 } }, false)
  const change = (texts: Record<string, string>) => changedLimits(new Map(Object.entries(texts)), rows)
  assert.deepEqual(change({ bots: '5', strategies: '' }), {})
  assert.deepEqual(change({ bots: ' ', strategies: ' 20 ', folders: '0' }), {
    bots: null,
    strategies: 20,
    folders: 0,
  })
  for (const text of ['-1', '1.5', '1e3', 'ten', '10000000']) {
    assert.throws(
      () => change({ bots: '5', folders: text }),
      (error) => error instanceof ApiError && error.details[0]!.field === 'body.folders',
      text,
    )
  }
})
