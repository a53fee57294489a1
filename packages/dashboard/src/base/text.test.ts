import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beginningOf, piecesOf, plainText } from './text.ts'

test('characters that deceive are shown by their numbers, and all others as they are', () => {
  assert.deepEqual(piecesOf('pay \u202Eevil\u202C now'), [
    { text: 'pay ', isEscaped: false },
    { text: 'U+202E', isEscaped: true },
    { text: 'evil', isEscaped: false },
    { text: 'U+202C', isEscaped: true },
    { text: ' now', isEscaped: false },
  ])
  for (const odd of [
    '\0',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u200b',
    '\u2066',
    '\ufeff',
    '\ud800',
    '\udc00',
    '\u{e0041}',
  ])
    assert.match(plainText(`a${odd}b`), /^a\[U\+[0-9A-F]{4,5}\]b$/)
  for (const plain of ['<b>&amp;</b>', 'grüße', '多头', '👩‍💻', 'a\tb\nc', '=1+1'])
    assert.deepEqual(piecesOf(plain), [{ text: plain, isEscaped: false }])
})

test('of any text, nothing is lost but what is escaped, and the pieces contain no half characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = piecesOf(text)
      for (const piece of pieces) assert.ok(piece.text.isWellFormed() && piece.text !== '')
      const escaped = pieces.filter(({ isEscaped }) => isEscaped).length
      const shown = pieces.filter(({ isEscaped }) => !isEscaped).map(({ text }) => text)
      assert.equal([...shown.join('')].length + escaped, [...text].length)
    }),
  )
})

test('a long text is cut between two characters', () => {
  assert.deepEqual(beginningOf('abc', 3), { text: 'abc', left: 0 })
  assert.deepEqual(beginningOf('abcd', 3), { text: 'abc', left: 1 })
  assert.deepEqual(beginningOf('ab👍cd', 3), { text: 'ab', left: 4 })
  assert.deepEqual(beginningOf('x'.repeat(262_144), 4000).left, 258_144)
})
