import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenRule } from './suspension.ts'

const broke = (rule: string, limit: number, actual: number) => brokenRule({ run_id: 7, rule, limit, actual })

test('each rule is a sentence with its figures', () => {
  assert.equal(broke('execution_time', 5000, 5213), 'took 5.2 s; at most 5 s are allowed')
  assert.equal(broke('storage_size', 24576, 30011), 'stored 30,011 bytes; at most 24,576 are allowed')
  assert.equal(broke('actions_per_run', 1, 2), 'sent 2 actions; at most 1 is allowed')
  assert.equal(broke('memory', 64 * 1024 ** 2, 64 * 1024 ** 2), 'needed more than 64 MB of memory')
})

test('an unknown rule keeps its name and figures', () => {
  assert.equal(broke('calls', 200, 201), 'broke the rule calls: 201 of 200')
})
