import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fittingJson, partOf, resultLimit, withText } from './results.ts'

const bytes = (text: string) => Buffer.byteLength(text)
/** Texts whose characters need more room in one encoding or another. */
const texts = {
  letters: 'abcdefghij'.repeat(4_000),
  quotes: '"\\'.repeat(12_000),
  controls: '\u0001\n'.repeat(12_000),
  pairs: '😀'.repeat(12_000),
  hidden: '\u{E0041}\u200B'.repeat(6_000),
  mixed: 'a😀\u202Eé"\n中'.repeat(5_000),
}

test('the parts of a long text are complete together, and none is too large', () => {
  for (const [name, text] of Object.entries(texts)) {
    let read = ''
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const part: ReturnType<typeof partOf> = partOf(text, offset)
      assert.ok(part.text.length > 0, name)
      assert.ok(bytes(fittingJson(part.text)) <= resultLimit / 2 + 2, name)
      read += part.text
      offset = part.next_offset
    }
    assert.equal(read, text, name)
  }
})

test('an offset before the beginning starts at the beginning, and one after the end finds nothing', () => {
  assert.equal(partOf('abc', -5).text, 'abc')
  assert.deepEqual(partOf('abc', 100), { text: '' })
})

test('a result fits, whatever is in it, and says what was cut', () => {
  for (const [name, text] of Object.entries(texts)) {
    const results = [
      withText('log', text, 0, { id: 1, error: { message: text }, http: Array(300).fill({ url: text }) }),
      withText('log', text, 10, { id: 1 }),
      { value: { total: 9, items: Array.from({ length: 50 }, () => ({ name: text, symbol: text })) } },
    ]
    for (const result of results) {
      assert.ok('value' in result)
      const shown = fittingJson(result.value)
      assert.ok(bytes(shown) < resultLimit, name)
      assert.match(shown, /cut: \d+ (characters|items)|"next_offset"|too long/, name)
      JSON.parse(shown)
    }
  }
})

test('invisible characters are shown as escapes', () => {
  const shown = fittingJson({ name: 'a\u200Bb\u202Ec\u{E0041}\uFE0Fd\u2028' })
  assert.equal(shown, String.raw`{"name":"a\u200bb\u202ec\udb40\udc41\ufe0fd\u2028"}`)
  assert.deepEqual(JSON.parse(shown), { name: 'a\u200Bb\u202Ec\u{E0041}\uFE0Fd\u2028' })
})
