import assert from 'node:assert/strict'
import { test } from 'node:test'
import { misspeltVariables } from './misspelt-variables.ts'

test('a variable that looks like a setting is reported with the setting that was probably meant', () => {
  assert.deepEqual(misspeltVariables({ DATABASE_ULR: 'x', data_dir: 'x', TICKWRIGHT_COLOUR: 'x' }), [
    'DATABASE_ULR is not a setting. Did you mean DATABASE_URL?',
    'data_dir is not a setting. Did you mean DATA_DIR?',
    'TICKWRIGHT_COLOUR is not a setting. docs/configuration.md lists all of them.',
  ])
})

test('variables of other programs are not reported', () => {
  const others = [
    'HOME',
    'PATH',
    'USER',
    'LANG',
    'PWD',
    'SHELL',
    'TERM',
    'SORT',
    'HOSTNAME',
    'DATABASE',
    'NODE_ENV',
  ]
  assert.deepEqual(misspeltVariables(Object.fromEntries(others.map((name) => [name, 'x']))), [])
  assert.deepEqual(misspeltVariables({ PORT: '3000', DATABASE_URL: 'x', WEBHOOK_RATE: '1' }), [])
})
