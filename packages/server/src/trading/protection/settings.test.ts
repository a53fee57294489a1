import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { changed, isNone, noProtection, readProtection, wholeProblem } from './settings.ts'

function problemsOf(given: Record<string, unknown>): string[] {
  return readProtection(given, 'body.').problems.map(({ field, message }) => `${field} ${message}`)
}

test('a whole protection is read as it is shown, with numbers or texts', () => {
  const { changes, problems } = readProtection(
    {
      stop_loss: ' 2 % ',
      take_profit: [
        { at: '1.50r', part: '0.5' },
        { at: '3R', part: 0.5 },
      ],
      trailing: { by: '1%', from: 52_000 },
      break_even: { after: '1R', plus: 0 },
      exit_after_seconds: '3600',
    },
    '',
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(changes, {
    stop_loss: '2%',
    take_profit: [
      { at: '1.5R', part: '0.5' },
      { at: '3R', part: '0.5' },
    ],
    trailing: { by: '1%', from: '52000', step: null },
    break_even: { after: '1R', plus: null },
    exit_after_seconds: 3600,
  })
})

test('alerts written for other services give single levels: a target then closes the whole position', () => {
  const { changes, problems } = readProtection({ stop_loss: '49000.5', take_profit: 52_000 }, '')
  assert.deepEqual(problems, [])
  assert.deepEqual(changes, { stop_loss: '49000.5', take_profit: [{ at: '52000', part: '1' }] })
})

test('only fields that are given change, and null takes one away', () => {
  const before = { ...noProtection, stop_loss: '2%', exit_after_seconds: 60 }
  const { changes } = readProtection({ stop_loss: null, take_profit: '4%' }, '')
  assert.deepEqual(changed(before, changes), {
    ...before,
    stop_loss: null,
    take_profit: [{ at: '4%', part: '1' }],
  })
  assert.equal(changed(before, { stop_loss: null, exit_after_seconds: null }), null)
  assert.equal(changed(null, {}), null)
})

const wrong: [given: Record<string, unknown>, problem: RegExp][] = [
  [
    { stop_loss: '2R' },
    /^body\.stop_loss must be a price such as 50000 or a distance such as "2%", got "2R"$/,
  ],
  [{ stop_loss: '100%' }, /^body\.stop_loss must be less than 100%/],
  [{ stop_loss: 0 }, /^body\.stop_loss must be more than 0/],
  [{ stop_loss: -1 }, /^body\.stop_loss must be a price/],
  [{ stop_loss: '{{close}}' }, /^body\.stop_loss must be a price/],
  [{ stop_loss: { price: 1 } }, /^body\.stop_loss must be a price/],
  [{ stop_loss: 1e300 }, /^body\.stop_loss must be/],
  [{ stop_loss: 1e-300 }, /^body\.stop_loss must/],
  [{ stop_loss: Number.NaN }, /^body\.stop_loss must be a price/],
  [{ stop_loss: '1e400%' }, /^body\.stop_loss must be a price/],
  [{ stop_loss: '9'.repeat(65) }, /^body\.stop_loss must be a price/],
  [{ stop_loss: '0.0000000000000000001' }, /^body\.stop_loss must have at most 18 digits/],
  [{ take_profit: '2000R' }, /^body\.take_profit\[0\]\.at must be at most 1000R/],
  [
    { take_profit: [{ at: '2%' }, { at: '3%', part: 0.5 }] },
    /^body\.take_profit\[0\]\.part must be a fraction/,
  ],
  [
    { take_profit: [{ at: '2%', part: 1.5 }] },
    /^body\.take_profit\[0\]\.part must be a fraction .* at most 1/,
  ],
  [
    {
      take_profit: [
        { at: '2%', part: 0.7 },
        { at: '3%', part: 0.4 },
      ],
    },
    /^body\.take_profit must have parts that are at most 1 together, got 1\.1$/,
  ],
  [
    {
      take_profit: [
        { at: '3%', part: 0.5 },
        { at: '2%', part: 0.5 },
      ],
    },
    /^body\.take_profit must list .* in order/,
  ],
  [
    {
      take_profit: [
        { at: 9, part: 0.1 },
        { at: 9, part: 0.1 },
      ],
    },
    /^body\.take_profit must list .* in order/,
  ],
  [
    { take_profit: Array(9).fill({ at: '2%', part: 0.1 }) },
    /^body\.take_profit must have at most 8 targets, got 9$/,
  ],
  [{ take_profit: [{ at: '2%', prat: 1 }] }, /^body\.take_profit\[0\]\.prat is not known here/],
  [{ take_profit: [[]] }, /^body\.take_profit\[0\] must be an object/],
  [{ trailing: {} }, /^body\.trailing\.by is required/],
  [{ trailing: '1%' }, /^body\.trailing must be an object such as/],
  [{ trailing: { by: 100 } }, /^body\.trailing\.by must be a distance/],
  [{ trailing: { by: '1%', step: 5 } }, /^body\.trailing\.step must be a distance/],
  [{ trailing: { by: '1%', form: '2%' } }, /^body\.trailing\.form is not known here/],
  [{ break_even: { plus: '1%' } }, /^body\.break_even\.after must be .* got nothing$/],
  [{ break_even: { after: '1%', plus: '1%' } }, /^body\.break_even\.plus must be less than after/],
  [{ exit_after_seconds: 0 }, /^body\.exit_after_seconds must be a whole number/],
  [{ exit_after_seconds: 1.5 }, /^body\.exit_after_seconds must be a whole number/],
]

for (const [given, expected] of wrong) {
  test(`${JSON.stringify(given).slice(0, 70)} is refused with its field`, () => {
    const problems = problemsOf(given)
    assert.equal(problems.length, 1, problems.join('; '))
    assert.match(problems[0]!, expected)
  })
}

test('one answer names every field that is wrong', () => {
  const problems = problemsOf({ stop_loss: 'near', trailing: {}, exit_after_seconds: 'soon' })
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['body.stop_loss', 'body.trailing.by', 'body.exit_after_seconds'],
  )
})

test('a level in R needs a stop to measure from', () => {
  const { changes } = readProtection({ take_profit: '2R' }, '')
  assert.equal(wholeProblem(changed(null, changes)!)?.field, 'take_profit')
  assert.equal(wholeProblem(changed({ ...noProtection, stop_loss: '2%' }, changes)!), null)
})

test('for any JSON, a protection is read or refused, and what was read is read again as the same', () => {
  const scalar = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('2%', '2R', 50_000, '50000.5', 0.5, null, '1.0%'),
  )
  const record = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, scalar])), { requiredKeys: [] })
  const given = fc.record(
    {
      stop_loss: scalar,
      take_profit: fc.oneof(scalar, fc.array(record('at', 'part'), { maxLength: 9 })),
      trailing: fc.oneof(scalar, record('by', 'from', 'step')),
      break_even: fc.oneof(scalar, record('after', 'plus')),
      exit_after_seconds: scalar,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(given, (value) => {
      const { changes, problems } = readProtection(value, '')
      for (const { field, message } of problems) assert.ok(field !== '' && message.length < 300)
      if (problems.length > 0) return
      const again = readProtection(changes as Record<string, unknown>, '')
      assert.deepEqual(again, { changes, problems: [] })
      const whole = changed(null, changes)
      assert.ok(whole === null || !isNone(whole))
    }),
    { numRuns: 1_000 },
  )
})
