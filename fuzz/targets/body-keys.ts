import assert from 'node:assert/strict'
import { takeOutKey } from '../../packages/server/src/webhooks/body-key.ts'
import { textTarget } from '../target.ts'

/** Without its key, a body has the same other members, and every other byte stays. */
export default textTarget({
  seeds: [
    '{}',
    '{"key":"a"}',
    ' { "a" : 1 , "k\\u0065y" : {"key":[]} , "b" : "\\"}," } ',
    '{"a":1e400,"a":2,"key":1,"key":2}',
  ],
  words: ['"key":', '"k\\u0065y":', '"key"', ',', '{', '}', '\\"', '\\\\', '"__proto__":', '[', ']', ':1,'],
  check: (json) => {
    const before = parsed(json)
    if (!isObject(before)) return
    const text = takeOutKey(json)
    const after = parsed(text)
    assert.ok(isObject(after), text)
    assert.equal(Object.hasOwn(after, 'key'), false)
    const expected = Object.entries(before).filter(([name]) => name !== 'key')
    assert.equal(JSON.stringify(Object.entries(after)), JSON.stringify(expected))
    if (!Object.hasOwn(before, 'key')) assert.equal(text, json)
    assert.equal(takeOutKey(text), text)
    assert.ok(isSubsequence(text, json))
  },
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSubsequence(text: string, whole: string): boolean {
  let at = 0
  for (const character of text) {
    at = whole.indexOf(character, at) + character.length
    if (at < character.length) return false
  }
  return true
}
