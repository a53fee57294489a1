import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf } from './excerpt.ts'

const code = Array.from({ length: 10 }, (_, n) => `line ${n + 1}`).join('\n')
const numbers = (line: number) =>
  excerptOf(code, line).map(({ number, isError }) => (isError ? -number : number))

test('an excerpt has the line of the error and those around it', () => {
  assert.deepEqual(numbers(5), [2, 3, 4, -5, 6, 7, 8])
  assert.deepEqual(numbers(1), [-1, 2, 3, 4])
  assert.deepEqual(numbers(10), [7, 8, 9, -10])
  assert.equal(excerptOf(code, 5)[3]!.text, 'line 5')
  assert.deepEqual(excerptOf('a\r\nb', 2).at(-1), { number: 2, text: 'b', isError: true })
})

test('a line that the code does not have has no excerpt', () => {
  for (const line of [0, 11, -1, Number.NaN]) assert.deepEqual(excerptOf(code, line), [])
})
