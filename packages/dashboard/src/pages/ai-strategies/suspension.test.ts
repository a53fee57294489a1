import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspensionText } from './suspension.ts'

test('each rule has words with its figure, and an unknown one has its name', () => {
  const text = (rule: string, limit: number, actual: number) => suspensionText({ rule, limit, actual })
  assert.equal(text('storage_size', 24_576, 30_720), 'A run wanted to store 30 KB; 24 KB are allowed.')
  assert.equal(text('actions_per_run', 1, 2), 'A run wanted to act 2 times; 1 is allowed.')
  assert.match(text('action_rate', 10, 11), /11 times within a second; 10 are allowed/)
  assert.equal(text('consecutive_exit', 1, 2), 'A run wanted to close a position again after an EXIT.')
  assert.equal(text('new_rule', 3, 4), 'A run broke the rule new_rule: 4 of 3.')
})
