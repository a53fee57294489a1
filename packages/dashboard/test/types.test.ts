import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeFiles } from '../build/type-files.ts'
import { Checker } from '../src/parts/editor/types/checker.ts'

const { files, libraries } = await typeFiles()
const checker = new Checker(files, libraries)

const namesAfter = (code: string) => checker.suggest(code, code.length)?.names.map(({ name }) => name) ?? []
const messages = (code: string) => checker.check(code).map(({ message }) => message)

test('the names of $ and of what code makes of it are known', () => {
  assert.ok(['Strategy', 'Storage', 'candles'].every((name) => namesAfter('$.').includes(name)))
  assert.deepEqual(namesAfter('const a = await $.Strategy.action($.Action.LONG)\na.id.toFix'), [
    ...['toExponential', 'toFixed', 'toLocaleString', 'toPrecision', 'toString', 'valueOf'],
  ])
  assert.ok(namesAfter('const r = new $.Ta.RSI(14)\nr.').includes('update'))
  assert.ok(namesAfter('const api = $.Http.createApiClient({})\napi.').includes('signals'))
  const found = checker.suggest('await $.Sto', 11)!
  assert.equal(found.from, 8)
  assert.ok(!namesAfter('').includes('strategy'), 'the function around the code is no name')
})

test('names have their types and documentation', () => {
  const rate = checker.describe('$.', 2, 'getExchangeRate')!
  assert.match(rate.type, /getExchangeRate\(exchange: .*, symbol: string\): Promise<number/)
  assert.match(rate.about, /^The current rate of a symbol[\s\S]*@param symbol such as/)
  const meaning = checker.explain('await $.Storage.get()', 17)!
  assert.deepEqual(
    [meaning.from, meaning.to, meaning.about],
    [16, 19, 'A fresh copy of the stored value, or `null`.'],
  )
  assert.equal(checker.explain('   ', 1), null)
})

test('errors of types are warnings at their places in the code', () => {
  const code = 'const a = 1\nawait $.Storage.sett(a)'
  const [mark, ...others] = checker.check(code)
  assert.deepEqual(others, [])
  assert.equal(code.slice(mark!.from, mark!.to), 'sett')
  assert.equal(mark!.severity, 'warning')
  assert.match(mark!.message, /'sett' does not exist/)
})

test('code that is right has no marks, whatever a strategy may do', () => {
  for (const code of [
    'return',
    'for await (const a of []) $.log(a)',
    'const { price } = JSON.parse($.Request.data)\nif (price > $.Price.price) return $.Strategy.action("LONG", { size: 5 })',
    'const seen = (await $.Storage.get()) ?? {}\nseen.count += 1\nawait $.Storage.set(seen)',
    'return Object.groupBy(await $.candles("btcusdt", "1h", 10), ({ done }) => String(done))',
    'return new Set([1]).union(new Set([2]))',
  ])
    assert.deepEqual(messages(code), [], code)
})

test('objects that strategies do not have are unknown', () => {
  for (const name of ['Proxy', 'document', 'window', 'SharedArrayBuffer'])
    assert.match(messages(`return ${name}`).join(), /Cannot find name/, name)
})

test('syntax errors are left to the service', () => {
  assert.deepEqual(messages('const = 1'), [])
})
