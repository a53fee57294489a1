import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from './refusal.ts'

test('an answer of the service keeps its words; one of a proxy has its status and the time to wait', () => {
  const details = [{ field: 'body.password', message: 'is too short' }]
  const own = refusalOf(400, JSON.stringify({ code: 'request_invalid', error: 'No.', details }), null)
  assert.deepEqual([own.status, own.code, own.message, own.details], [400, 'request_invalid', 'No.', details])
  const proxy = refusalOf(429, '<h1>Slow down</h1>', '7')
  assert.deepEqual([proxy.code, proxy.message], ['unknown', 'HTTP status 429. Try again in 7 s.'])
  for (const text of ['', 'null', '"x"', '{"code": 1}'])
    assert.equal(refusalOf(502, text, 'soon').message, 'HTTP status 502.', text)
})
