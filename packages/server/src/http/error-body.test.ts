import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import { errorBody, errorBodyLimit } from './error-body.ts'

test('no error has a body over 64 KB, and it counts the details that it leaves out', () => {
  const hostile = '\u0001"💩\ud800'.repeat(100_000)
  const detail = { field: hostile, message: hostile, name: hostile }
  const kinds: ErrorDetail[] = [
    detail,
    { message: 'x', list: Array.from({ length: 10_000 }, () => hostile.slice(0, 10)) },
    { field: 'body.code', message: 'eval is forbidden', line: 1, column: 1 },
  ]
  for (const kind of kinds) {
    for (const count of [0, 1, 100, 101, 100_000]) {
      const details = Array.from({ length: count }, () => kind)
      const text = errorBody(new AppError('request_invalid', hostile, { details }), 'id')
      assert.ok(Buffer.byteLength(text) <= errorBodyLimit, `${Buffer.byteLength(text)} bytes`)
      const body = JSON.parse(text)
      assert.deepEqual([body.code, body.request_id], ['request_invalid', 'id'])
      const left = /^and (\d+) more$/.exec(body.details.at(-1)?.message)?.[1]
      assert.equal(body.details.length + (left === undefined ? 0 : Number(left) - 1), count)
    }
  }
  const short = new AppError('auth_missing', 'No.')
  assert.deepEqual(JSON.parse(errorBody(short, 'id')), {
    error: 'No.',
    code: 'auth_missing',
    request_id: 'id',
  })
})
