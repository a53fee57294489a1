import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asEdited, endOfWord, offsetOf } from './positions.ts'

test('a place is found whatever ends its line', () => {
  for (const end of ['\n', '\r\n', '\r', '\u2028']) {
    const text = `one${end}two${end}three`
    assert.equal(text.slice(offsetOf(text, { line: 2, column: 2 })), `wo${end}three`)
    assert.equal(text.slice(offsetOf(text, { line: 3, column: 1 })), 'three')
  }
})

test('a place that the text does not have is its nearest one', () => {
  assert.equal(offsetOf('one\ntwo', { line: 1, column: 99 }), 3)
  assert.equal(offsetOf('one\ntwo', { line: 9, column: 1 }), 7)
  assert.equal(offsetOf('', { line: 1, column: 1 }), 0)
})

test('a mark covers the word at its place', () => {
  assert.equal(endOfWord('await fetch(1)', 6), 11)
  assert.equal(endOfWord('a + b', 2), 2)
})

test('the editor ends lines with a line feed', () => {
  assert.equal(asEdited('a\r\nb\rc\n'), 'a\nb\nc\n')
})
