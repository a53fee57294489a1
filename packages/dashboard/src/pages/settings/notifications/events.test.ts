import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, readEvent, statusOf } from './events.ts'

const delivery = (fields: object) => ({
  endpoint_id: 1,
  status: 'WAITING' as const,
  attempts: 1,
  last_status: null,
  last_error: null,
  last_attempt_at: null,
  next_attempt_at: null,
  ...fields,
})

test('an address names an event that exists, also one that no endpoint asks for', () => {
  assert.equal(readEvent('run.failed'), 'run.failed')
  for (const other of ['test', 'signal.ended']) assert.equal(readEvent(other), other)
  for (const wrong of [undefined, '', 'run', 'toString']) assert.equal(readEvent(wrong), undefined)
})

test('the last answer is told with its reason', () => {
  assert.equal(answerOf(delivery({ attempts: 0 })), 'not tried yet')
  assert.equal(answerOf(delivery({})), 'no answer')
  assert.equal(answerOf(delivery({ last_error: 'timed out' })), 'timed out')
  assert.equal(answerOf(delivery({ last_status: 204 })), '204')
  assert.equal(answerOf(delivery({ last_status: 500, last_error: 'refused' })), '500: refused')
  assert.equal(answerOf(delivery({ last_status: 410, last_error: 'It answered 410.' })), 'It answered 410.')
})

test('of several endpoints, the worst counts', () => {
  const all = [delivery({ status: 'DELIVERED' }), delivery({}), delivery({ status: 'FAILED' })]
  assert.equal(statusOf(all), 'FAILED')
  assert.equal(statusOf(all.slice(0, 2)), 'WAITING')
  assert.equal(statusOf([]), null)
})
