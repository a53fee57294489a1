import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../base/errors.ts'
import { type JsonScan, scanJson } from '../base/json-scan.ts'
import { deepestNesting, mostFields, mostValues, parseJson, parseJsonBody } from './json-body.ts'

/** Texts of the characters that matter to the scan. */
const texts = fc
  .array(
    fc.constantFrom(
      ...['\0', '\ud800', '\udbff', '\udc00', '\udfff', 'a', 'u', '0', '"', '\\', '\\u0000', '💩'],
      ...['[', '}', ','],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    texts,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** The result of the scan, found by walking the value. */
function walk(value: unknown): JsonScan {
  const one = { values: 1, depth: 0, fields: 0, hasUnstorable: false }
  if (typeof value === 'string') return { ...one, hasUnstorable: isUnstorable(value) }
  if (typeof value !== 'object' || value === null) return one
  const inside = Object.values(value).map(walk)
  return {
    values: 1 + inside.reduce((sum, each) => sum + each.values, 0),
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    fields: Math.max(
      ...inside.map(({ fields }) => fields),
      Array.isArray(value) ? 0 : Object.keys(value).length,
    ),
    hasUnstorable:
      inside.some((each) => each.hasUnstorable) ||
      (!Array.isArray(value) && Object.keys(value).some(isUnstorable)),
  }
}

const isUnstorable = (text: string) => text.includes('\0') || !text.isWellFormed()

/** Writes every character outside of ASCII as an escape, as many clients do, some of them in upper case. */
const escaped = (json: string, isUpper: boolean) =>
  json.replaceAll(/[^\0-\x7f]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${isUpper ? hex.toUpperCase() : hex}`
  })

test('the scan of a text finds the same as walking its value', () => {
  fc.assert(
    fc.property(values, fc.boolean(), (value, isUpper) => {
      const found = walk(value)
      for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        for (const text of [json, escaped(json, isUpper)]) {
          const scanned = scanJson(Buffer.from(text))
          assert.deepEqual([scanned.depth, scanned.hasUnstorable], [found.depth, found.hasUnstorable], text)
          assert.ok(scanned.values >= found.values && scanned.values <= 2 * found.values, text)
          // An empty object counts as one with a field.
          assert.ok(scanned.fields >= found.fields && scanned.fields <= Math.max(1, found.fields), text)
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('the scan comes to an end with whatever is no JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('"', '\\', 'u', 'd8', '[', '}', ',', '0')), (parts) => {
      scanJson(Buffer.from(parts.join('')))
    }),
  )
})

const refusal = (body: string, code: string, words: RegExp) =>
  assert.throws(
    () => parseJsonBody(Buffer.from(body)),
    (error) => error instanceof AppError && error.code === code && words.test(error.message),
  )

test('a body that is nested too deep or has too many values is refused before it is parsed', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.doesNotThrow(() => parseJson(Buffer.from(nested(deepestNesting))))
  refusal(nested(deepestNesting + 1), 'request_malformed', /64 levels deep/)
  // A body that is refused so early need not be JSON.
  refusal('['.repeat(500_000), 'request_malformed', /64 levels deep/)
  const list = (items: number) => `[${'0,'.repeat(items - 1)}0]`
  assert.doesNotThrow(() => parseJson(Buffer.from(list(mostValues - 1))))
  refusal(list(mostValues + 1), 'request_malformed', /50000 values/)
  const map = (fields: number) => `[${'{},'.repeat(9)}{"a":{}${',"b":[0,0]'.repeat(fields - 1)}}]`
  assert.doesNotThrow(() => parseJson(Buffer.from(map(mostFields))))
  refusal(map(mostFields + 1), 'request_malformed', /10000 fields/)
  assert.throws(() => parseJson(Buffer.from(list(20)), 10), /10 values/)
  // Brackets and commas inside a text do not count.
  assert.equal(parseJson(Buffer.from(JSON.stringify('[,'.repeat(mostValues)))), '[,'.repeat(mostValues))
})

test('the error names text that no database can store, in at most twenty places', () => {
  refusal('{"a":{"b":["\\u0000"]}}', 'request_invalid', /body\.a\.b\.0 must not hold NUL/)
  refusal('{"\\uD800":1}', 'request_invalid', /body must not hold NUL/)
  assert.deepEqual(parseJsonBody(Buffer.from('{"a":"\\\\u0000\\ud83d\\uDCA9"}')), { a: '\\u0000💩' })
  // The scan sees a text that is not in the value, because the later field of the same name counts.
  assert.deepEqual(parseJsonBody(Buffer.from('{"a":"\\u0000","a":1}')), { a: 1 })
  const many = `[${'"\\u0000",'.repeat(40_000)}0]`
  assert.throws(
    () => parseJsonBody(Buffer.from(many)),
    (error) => error instanceof AppError && error.details?.length === 20,
  )
})
