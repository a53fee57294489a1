import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@tickwright/client'
import { fieldsNeeded, wordsOf } from './credentials.ts'

const refusal = (...fields: string[]) =>
  new ApiError({
    status: 400,
    code: 'request_invalid',
    message: 'Invalid request',
    details: fields.map((field) => ({ field: `body.${field}`, message: 'is required by it' })),
  })

test('the refusal of a check names the credentials, in the order of the form', () => {
  assert.deepEqual(fieldsNeeded(refusal('password', 'api_secret', 'api_key')), [
    'api_key',
    'api_secret',
    'password',
  ])
})

test('another failure stays one', () => {
  for (const error of [refusal('exchange_id'), new TypeError('lost')])
    assert.throws(
      () => fieldsNeeded(error),
      (thrown) => thrown === error,
    )
})

test('only what the exchange says is shown', () => {
  const silent = { account_id: null, account_type: null, ip_restricted: null, position_mode: null }
  assert.deepEqual(wordsOf({ ...silent, may_trade: true, may_withdraw: false }), [
    ['Trading', 'allowed'],
    ['Withdrawals', 'not allowed'],
  ])
})
