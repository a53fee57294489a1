import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkText, forbiddenIdentifiers } from './index.ts'

const words = (code: string) => checkText(code).map((hit) => hit.identifier)

test('every identifier on the list is found', () => {
  for (const identifier of forbiddenIdentifiers) {
    assert.deepEqual(checkText(identifier), [{ identifier, line: 1, column: 1 }])
  }
})

test('the list has the 58 words of the specification', () => {
  assert.equal(forbiddenIdentifiers.length, 58)
  assert.equal(new Set(forbiddenIdentifiers).size, 58)
})

test('comments, strings, templates and property names count', () => {
  assert.deepEqual(words('// eval'), ['eval'])
  assert.deepEqual(words('/* see window */'), ['window'])
  assert.deepEqual(words('"process"'), ['process'])
  assert.deepEqual(words('`$' + '{a} top`'), ['top'])
  assert.deepEqual(words('candle.close'), ['close'])
  assert.deepEqual(words('({ self: 1 })'), ['self'])
})

test('only whole identifiers in their own case count', () => {
  for (const code of [
    'closes',
    'isClose',
    'Close',
    'close2',
    '_close',
    '$close',
    'close$',
    'éclose',
    'closeé',
  ]) {
    assert.deepEqual(words(code), [], code)
  }
  assert.deepEqual(words('close\u200d'), [])
  assert.deepEqual(words('\u200cclose'), [])
  assert.deepEqual(words('a.close;b'), ['close'])
})

test('escapes are decoded', () => {
  for (const code of [
    '\\u0065val',
    '\\u{65}val',
    '\\u{00000065}val',
    'ev\\x61l',
    '\\u0065\\u0076\\u0061\\u006c',
  ]) {
    assert.deepEqual(words(code), ['eval'], code)
  }
  assert.deepEqual(words('\\u{110000}val'), [])
  assert.deepEqual(words('\\u0065vals'), [])
})

test('an escape beside an identifier does not hide it', () => {
  assert.deepEqual(words('\\u0061 eval'), ['eval'])
  assert.deepEqual(words('eval\\u0061'), ['eval'])
})

test('line and column count from 1 in the original text, for every kind of line end', () => {
  assert.deepEqual(checkText('a\nb eval'), [{ identifier: 'eval', line: 2, column: 3 }])
  assert.deepEqual(checkText('a\r\nb eval'), [{ identifier: 'eval', line: 2, column: 3 }])
  assert.deepEqual(checkText('a\rb\u2028eval'), [{ identifier: 'eval', line: 3, column: 1 }])
  assert.deepEqual(checkText('"\\u0061\\u0061" + \\u0065val, top'), [
    { identifier: 'eval', line: 1, column: 18 },
    { identifier: 'top', line: 1, column: 29 },
  ])
})

test('hits come in the order of the text, each place once', () => {
  assert.deepEqual(words('top \\u0065val close top'), ['top', 'eval', 'close', 'top'])
})

test('an identifier is reported at its place, anywhere in the text', () => {
  const filler = fc.array(
    fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\\', '"', '`', '/', '\\u0061', '𝒳', '1'),
  )
  fc.assert(
    fc.property(filler, fc.constantFrom(...forbiddenIdentifiers), filler, (before, identifier, rest) => {
      const head = `${before.join('')} `
      const code = `${head}${identifier} ${rest.join('')}`
      const lines = head.split(/\r\n|[\n\r\u2028\u2029]/)
      const expected = { identifier, line: lines.length, column: lines.at(-1)!.length + 1 }
      assert.deepEqual(checkText(code), [expected])
    }),
  )
})

test('256 KB are checked in a few milliseconds, hostile or not', () => {
  for (const piece of ['const rsi = new $.Ta.RSI(14)\n', 'c', '\\u0063', '\\', 'é', 'close ', 'clos']) {
    const code = piece.repeat((256 * 1024) / piece.length)
    checkText(code)
    // On a busy machine, the fastest of several tries is the most exact.
    const tries = Array.from({ length: 5 }, () => {
      const { user } = process.cpuUsage()
      checkText(code)
      return process.cpuUsage().user - user
    })
    const ms = Math.min(...tries) / 1000
    assert.ok(ms < 150, `${JSON.stringify(piece)}: ${ms} ms`)
  }
})
