import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { indentJson } from './json-text.ts'

test('a JSON text is indented as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(indentJson(text), JSON.stringify(JSON.parse(text), null, 2))
    }),
    { examples: [['{"a":[{},[]," ",{"b":null}]}']] },
  )
})

test('numbers beyond doubles, repeated names and escapes stay as they came', () => {
  const text = '{"n":12345678901234567890.10,"n":1e400,"s":"\\u0041 {,}:"}'
  assert.equal(
    indentJson(text),
    '{\n  "n": 12345678901234567890.10,\n  "n": 1e400,\n  "s": "\\u0041 {,}:"\n}',
  )
})

test('what is no JSON, or too deep to read, stays as it is', () => {
  assert.equal(indentJson('{"a":'), '{"a":')
  assert.equal(indentJson(''), '')
  const deep = `${'['.repeat(5000)}1${']'.repeat(5000)}`
  assert.equal(indentJson(deep, 10_000), deep)
})
