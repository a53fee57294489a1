import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVariables, variableFor } from './variables.ts'

test('each way to name a variable is found', () => {
  for (const code of [
    '$.Env.KEY',
    '$ . Env\n  .KEY',
    '$?.Env?.KEY',
    "$.Env['KEY']",
    '$.Env?.[ `KEY` ]',
    'const { KEY } = $.Env',
    'let {KEY: key = "",} = $.Env',
  ]) {
    assert.deepEqual(readVariables(code), { names: ['KEY'], isDynamic: false }, code)
  }
})

test('code that reads $.Env in another way may read any variable', () => {
  for (const code of ['$.Env[name]', 'const env = $.Env', 'const { KEY, ...rest } = $.Env']) {
    assert.equal(readVariables(code).isDynamic, true, code)
  }
  assert.deepEqual(readVariables('$.Environment.KEY + my$.Env.KEY'), { names: [], isDynamic: false })
})

test('the variable of the nearest folder counts', () => {
  const variables = [
    { id: 1, name: 'KEY', folder_id: null },
    { id: 2, name: 'KEY', folder_id: 5 },
  ]
  assert.equal(variableFor('KEY', variables, [6, 5])?.id, 2)
  assert.equal(variableFor('KEY', variables, [6])?.id, 1)
  assert.equal(variableFor('OTHER', variables, [5]), undefined)
})
