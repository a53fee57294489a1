import assert from 'node:assert/strict'
import { checkText, forbiddenIdentifiers } from '../../packages/sandbox/src/text-check.ts'
import { textTarget } from '../target.ts'

const forbidden = new Set(forbiddenIdentifiers)

/** Finds the same words, at the same places, as a check that looks at one word after another. */
export default textTarget({
  seeds: [
    'const a = eval("1")',
    'e\\u0076al(1)\n\\u{65}val',
    '// process\r\nwindow.top',
    'évalué $fetch fetch_ fetch',
  ],
  words: [
    ...forbiddenIdentifiers.slice(0, 30),
    '\\u0065',
    '\\u{65}',
    '\\x65',
    '\\u{110000}',
    '\\',
    '\u200c',
    '\r\n',
    '\u2028',
  ],
  check: (code) => {
    const found = checkText(code)
    const expected = new Set(
      [...wordsOf(code), ...wordsOf(decoded(code))].filter((word) => forbidden.has(word)),
    )
    assert.deepEqual(new Set(found.map(({ identifier }) => identifier)), expected)
    const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
    for (const { identifier, line, column } of found) {
      const here = lines[line - 1]?.slice(column - 1) ?? ''
      assert.ok(here.startsWith(identifier) || here.includes('\\'), `${identifier} at ${line}:${column}`)
    }
  },
})

function wordsOf(text: string): string[] {
  return text.split(/[^\p{ID_Continue}$\u200c\u200d]+/u)
}

function decoded(code: string): string {
  return code.replaceAll(
    /\\u\{0*([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})/g,
    (written, ...digits) => {
      const point = Number.parseInt(
        digits.slice(0, 3).find((one) => one !== undefined),
        16,
      )
      return point <= 0x10ffff ? String.fromCodePoint(point) : written
    },
  )
}
