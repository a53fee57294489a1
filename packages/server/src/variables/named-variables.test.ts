import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVariables } from './named-variables.ts'

const read = (code: string) => {
  const { names, isDynamic } = readVariables(code)
  return [[...names].sort().join(' '), isDynamic]
}

test('each way to name a variable is found', () => {
  for (const code of [
    '$.Env.KEY',
    '$ . Env\n  .KEY',
    '$?.Env?.KEY',
    "$.Env['KEY']",
    '$.Env["KEY"]',
    '$.Env?.[ `KEY` ]',
    'const { KEY } = $.Env',
    'let {KEY: key = "",} = $.Env',
    '$.\\u0045nv.KEY',
    '$.Env.\\x4bEY',
    '`$' + '{$.Env.KEY}`',
  ]) {
    assert.deepEqual(read(code), ['KEY', false], code)
  }
  assert.deepEqual(read("const { A, B: b } = $.Env\n$.log($.Env.C, $.Env['1D'])"), ['1D A B C', false])
})

test('code that reads $.Env in another way may read any variable', () => {
  for (const code of [
    '$.Env[name]',
    '$.Env[`K$' + '{1}`]',
    'const env = $.Env\nenv.KEY',
    'JSON.stringify($.Env)',
    'const { KEY, ...rest } = $.Env',
    'const { [name]: value } = $.Env',
    'const { Env } = $',
    'f($)',
    'const api = $\napi.Env.KEY',
    "$['Env'].KEY",
    "$?.['Env'].KEY",
  ]) {
    assert.equal(readVariables(code).isDynamic, true, code)
  }
})

test('other code reads no variable', () => {
  for (const code of [
    '',
    '$.log(1)',
    '$.Environment.KEY',
    'my$.Env.KEY',
    '$$.Env.KEY',
    '`$' + '{price}`',
    '/^a$/.test(text)',
    '$.Strategy.action($.Action.LONG)',
    'const { action } = $.Strategy.lastTrigger',
  ]) {
    assert.deepEqual(read(code), ['', false], code)
  }
})

test('no text of the largest size keeps the service busy', () => {
  for (const part of [
    '{',
    '$.Env ',
    '= $ ',
    '$ ',
    '{a,',
    '} = $.Env',
    '{a} = $.Env ',
    '$.Env[',
    ' ',
    '\\u0024',
    '=',
    '{} = $.Env ',
  ]) {
    const code = `$${part.repeat(262_144 / part.length)}`
    assert.equal(typeof readVariables(code).isDynamic, 'boolean')
  }
})
