import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerLimit, fittingJson, partOf, withText } from './answers.ts'

const bytes = (text: string) => Buffer.byteLength(text)
/** Characters that take the most room in each way of writing them. */
const texts = {
  letters: 'abcdefghij'.repeat(4_000),
  quotes: '"\\'.repeat(12_000),
  controls: '\u0001\n'.repeat(12_000),
  pairs: '😀'.repeat(12_000),
  hidden: '\u{E0041}\u200B'.repeat(6_000),
  mixed: 'a😀\u202Eé"\n中'.repeat(5_000),
}

test('a long text is read in parts, none of which is lost, and none too large', () => {
  for (const [name, text] of Object.entries(texts)) {
    let read = ''
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const part: ReturnType<typeof partOf> = partOf(text, offset)
      assert.ok(part.text.length > 0, name)
      assert.ok(bytes(fittingJson(part.text)) <= answerLimit / 2 + 2, name)
      read += part.text
      offset = part.next_offset
    }
    assert.equal(read, text, name)
  }
})

test('an offset before the beginning is the beginning, and behind the end there is nothing', () => {
  assert.equal(partOf('abc', -5).text, 'abc')
  assert.deepEqual(partOf('abc', 100), { text: '' })
})

test('an answer fits, whatever is in it, and says what was cut', () => {
  for (const [name, text] of Object.entries(texts)) {
    const answers = [
      withText('log', text, 0, { id: 1, error: { message: text }, http: Array(300).fill({ url: text }) }),
      withText('log', text, 10, { id: 1 }),
      { value: { total: 9, items: Array.from({ length: 50 }, () => ({ name: text, symbol: text })) } },
    ]
    for (const answer of answers) {
      assert.ok('value' in answer)
      const shown = fittingJson(answer.value)
      assert.ok(bytes(shown) < answerLimit, name)
      assert.match(shown, /cut: \d+ (characters|items)|"next_offset"|too long/, name)
      JSON.parse(shown)
    }
  }
})

test('what a person would not see is shown', () => {
  const shown = fittingJson({ name: 'a\u200Bb\u202Ec\u{E0041}\uFE0Fd\u2028' })
  assert.equal(shown, String.raw`{"name":"a\u200bb\u202ec\udb40\udc41\ufe0fd\u2028"}`)
  assert.deepEqual(JSON.parse(shown), { name: 'a\u200Bb\u202Ec\u{E0041}\uFE0Fd\u2028' })
})
