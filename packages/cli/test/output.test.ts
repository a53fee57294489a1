import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explained } from '../src/failures.ts'
import { jsonLine, printable, printableLines } from '../src/output/printable.ts'
import { type Column, tabbedOf, tableOf, widthOf } from '../src/output/table.ts'

/** What a terminal obeys, or what hides in a text. */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff\u00ad]/u

test('a printable text contains nothing that a terminal obeys, and other texts stay', () => {
  assert.equal(
    printable('\u001b[2J\u0007a\u009b31mb\r\nc\td\u202ee\u2028'),
    '\\x1b[2J\\x07a\\x9b31mb\\r\\nc\\td\\u202ee\\u2028',
  )
  assert.equal(printable('\ud800 \u{e0041}'), '\\ud800 \\u{e0041}')
  for (const text of ['BTC/USDT', 'ключ 👩‍💻 Größe', '日本']) assert.equal(printable(text), text)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !obeyed.test(printable(text))))
  assert.equal(printableLines('a\u001b\nb'), 'a\\x1b\nb')
})

test('a line of JSON is one line of printable text, and means the same', () => {
  assert.equal(jsonLine({ a: '\u009b\u{e0041}\n' }), '{"a":"\\u009b\\udb40\\udc41\\n"}')
  const anything = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(anything, (value) => {
      const line = jsonLine(value)
      assert.ok(!obeyed.test(line))
      assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(value)))
    }),
  )
})

type Row = { name: string; size: string | null }
const columns: Column<Row>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'size', value: ({ size }) => size, isNumber: true },
]

test('a table lines up texts on the left and numbers on the right, by their width on a terminal', () => {
  const rows = [
    { name: '日本', size: '1.5' },
    { name: 'evil\u001b[31m', size: null },
  ]
  assert.deepEqual(tableOf(columns, rows, 80), [
    'name          size',
    '日本           1.5',
    'evil\\x1b[31m     -',
  ])
})

test('a table that is too wide loses parts of its texts, and nothing of its numbers', () => {
  const size = '0.123456789012345678'
  const lines = tableOf(columns, [{ name: 'a name that is rather long 😀😀😀', size }], 40)
  for (const line of lines) assert.ok(widthOf(line) <= 40, line)
  assert.match(lines[1]!, /^a name that.*… {2}0\.123456789012345678$/)
  assert.match(tableOf(columns, [{ name: 'x', size }], 5)[1]!, /0\.123456789012345678$/)
})

test('for a program, cells stand between tabs, and no cell contains one', () => {
  assert.deepEqual(tabbedOf(columns, [{ name: 'a\tb', size: '1' }]), ['name\tsize', 'a\\tb\t1'])
})

test('each kind of failure has its exit code', () => {
  const refusal = (status: number) =>
    explained(Object.assign(new Error('no'), { name: 'ApiError', status, requestId: null })).exitCode
  assert.deepEqual([400, 404, 429, 500].map(refusal), [1, 1, 1, 1])
  assert.deepEqual([401, 403].map(refusal), [3, 3])
  assert.deepEqual([409, 412].map(refusal), [4, 4])
  assert.deepEqual([502, 503, 504].map(refusal), [6, 6, 6])
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  const lost = explained(Object.assign(new Error('lost', { cause }), { name: 'ConnectionError' }))
  assert.equal(lost.exitCode, 6)
  assert.match(lost.message, /ECONNREFUSED/)
})
