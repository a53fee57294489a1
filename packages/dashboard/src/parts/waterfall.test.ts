import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longestOf, type Step, waterfallOf } from './waterfall.ts'

const step = (kind: string, offset_ms: number | null, took_ms: number | null = null): Step => ({
  at: null,
  offset_ms,
  run_ms: null,
  took_ms,
  kind,
  text: '',
  reason: null,
  is_usual: true,
})

test('what waits begins at its time, and what has ended ends there', () => {
  const steps = [step('received', 0), step('queued', 0, 40), step('started', 50), step('ended', 100, 50)]
  const { rows, wholeMs } = waterfallOf(steps)
  assert.equal(wholeMs, 100)
  assert.deepEqual(
    rows.map(({ bar }) => bar),
    [
      { start: 0, width: 0 },
      { start: 0, width: 40 },
      { start: 50, width: 0 },
      { start: 50, width: 50 },
    ],
  )
  assert.equal(longestOf(steps, wholeMs), steps[3])
})

test('a step without a time has no bar, and clocks that differ leave no bar outside the axis', () => {
  const { rows, wholeMs } = waterfallOf([step('received', null), step('ended', 10, 500)])
  assert.equal(rows[0]!.bar, null)
  assert.deepEqual(rows[1]!.bar, { start: 0, width: 100 })
  assert.equal(wholeMs, 10)
  assert.deepEqual(waterfallOf([]), { rows: [], wholeMs: 1 })
})

test('nothing stands out if nothing took a fifth of the time', () => {
  assert.equal(longestOf([step('ended', 100, 10)], 100), undefined)
})
