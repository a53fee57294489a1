import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@tickwright/client'
import { problemsOf, sizeBodyOf } from './size-body.ts'

const form = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

test('the preview gets what sizes an order, without empty fields', () => {
  assert.deepEqual(
    sizeBodyOf(
      form({
        exchange_id: '472',
        name: 'One',
        symbol: ' BTC/USDT ',
        amount: '0.10',
        amount_rate: '',
        mode: 'paper',
      }),
    ),
    { exchange_id: 472, symbol: 'BTC/USDT', amount: '0.10' },
  )
  const live = form({ exchange_id: '2', mode: 'live', start_balance: '', connection_id: '' })
  assert.deepEqual(sizeBodyOf(live, 7), { exchange_id: 2, mode: 'live', start_balance: null, bot_id: 7 })
  live.set('connection_id', '9')
  assert.equal(sizeBodyOf(live)?.connection_id, 9)
  assert.equal(sizeBodyOf(form({ exchange_id: '', amount: '1' })), null)
  const backed = sizeBodyOf(form({ exchange_id: '2', leverage: '5', margin_mode: 'isolated' }))
  assert.deepEqual(backed, { exchange_id: 2, leverage: 5, margin_mode: 'isolated' })
  assert.deepEqual(sizeBodyOf(form({ exchange_id: '2', leverage: 'five', margin_mode: '' })), {
    exchange_id: 2,
  })
  const stops = { 'protection.stop_loss': '2%', max_stop_distance: '3%', require_stop: 'on' }
  const stopped = sizeBodyOf(form({ exchange_id: '2', ...stops }))
  assert.deepEqual(
    [stopped?.protection?.stop_loss, stopped?.max_stop_distance, stopped?.require_stop],
    ['2%', '3%', true],
  )
  // What is wrong with it is said where it is, when the form is saved.
  const wrong = sizeBodyOf(form({ exchange_id: '2', 'protection.exit_after_seconds': 'soon' }))
  assert.deepEqual(wrong, { exchange_id: 2 })
})

test('a refusal names its fields, and other failures are no problem of the form', () => {
  const refused = (status: number) =>
    new ApiError({
      ...{ status, code: 'request_invalid', message: 'Invalid.' },
      details: [{ field: 'body.amount_unit', message: 'cannot be base' }],
    })
  assert.deepEqual(problemsOf(refused(400)), ['amount unit cannot be base'])
  assert.deepEqual([problemsOf(refused(503)), problemsOf(new Error('away')), problemsOf(null)], [[], [], []])
})
