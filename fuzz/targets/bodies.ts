import assert from 'node:assert/strict'
import { AppError } from '../../packages/server/src/base/errors.ts'
import { parseJsonBody } from '../../packages/server/src/http/json-body.ts'
import { bytesTarget } from '../target.ts'

/** A body is JSON that every database can store, or it is refused with 400. */
export default bytesTarget({
  seeds: [
    '',
    '{}',
    `${'[{"a":'.repeat(40)}1${'}]'.repeat(40)}`,
    '{"a":[1,"b",null,true,{"c":-1.5e3}]}',
    '"\\ud83d\\ude00"',
    '{"a\\u0000":1}',
    '["\\ud800"]',
    Buffer.from([0x22, 0xff, 0x22]),
  ],
  words: [
    '\\u0000',
    '\\ud800',
    '\\udc00',
    '\\u005c',
    '\\\\',
    '\\"',
    '__proto__',
    'null',
    '\ufeff',
    '[[',
    '{"a":',
  ],
  check: (body) => {
    let parsed: unknown
    try {
      parsed = parseJsonBody(body)
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 400, String(error))
      assert.ok((error.details?.length ?? 0) <= 20 && JSON.stringify(error.details ?? []).length < 16_000)
      return
    }
    if (body.length === 0) return assert.equal(parsed, undefined)
    // Well-formed JSON escapes lone surrogates, and always NUL.
    const written = JSON.stringify(parsed)
    assert.doesNotMatch(written, /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/)
    assert.equal(JSON.stringify(JSON.parse(body.toString())), written)
  },
})
