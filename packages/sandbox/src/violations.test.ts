import assert from 'node:assert/strict'
import { test } from 'node:test'
import { violations } from './index.ts'

test('each rule has one error: its record has the limit and the figure, and its message too', () => {
  const errors = [
    violations.execution_time(5_300.6),
    violations.storage_size(24_577),
    violations.actions_per_run(),
    violations.action_rate(),
    violations.consecutive_exit(),
    violations.forbidden_identifier(2),
    violations.memory(70_000_000, 67_108_864),
  ]
  assert.deepEqual(
    errors.map(({ name, violation: { rule, limit, actual }, message }) => [
      name,
      rule,
      limit,
      actual,
      message,
    ]),
    [
      ['RunViolation', 'execution_time', 5_000, 5_301, 'A run may take 5000 ms; this one took 5301 ms.'],
      [
        'RunViolation',
        'storage_size',
        24_576,
        24_577,
        'Storage is limited to 24576 bytes; this value has 24577.',
      ],
      ['RunViolation', 'actions_per_run', 1, 2, 'A run may send one action; this would be the second.'],
      [
        'RunViolation',
        'action_rate',
        5,
        6,
        'The strategies of an account may send 5 actions within a second; this would be one more.',
      ],
      ['RunViolation', 'consecutive_exit', 1, 2, 'EXIT after EXIT is not permitted.'],
      ['RunViolation', 'forbidden_identifier', 0, 2, 'The code has 2 forbidden identifiers.'],
      [
        'RunViolation',
        'memory',
        67_108_864,
        70_000_000,
        'A run may use 67108864 bytes of memory; this one needs more.',
      ],
    ],
  )
  assert.equal(new Set(errors.map(({ violation }) => violation.rule)).size, Object.keys(violations).length)
})

test('a figure below the limit, as two clocks may tell it, is recorded as the limit', () => {
  assert.equal(violations.execution_time(4_999).violation.actual, 5_000)
  assert.equal(violations.memory(0, 64).violation.actual, 64)
})
