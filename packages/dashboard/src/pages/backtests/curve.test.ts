import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curveOf, daysOf, lowestOf, momentsOf } from './curve.ts'

test('the drawdown of a point is below the highest equity before it', () => {
  const curve = curveOf([
    { at: 0, equity: 100 },
    { at: 1_500, equity: 120 },
    { at: 2_000, equity: 90 },
    { at: 3_000, equity: 130 },
  ])
  assert.deepEqual(curve, [
    { at: 0, equity: 100, drawdown: 0 },
    { at: 1_000, equity: 120, drawdown: 0 },
    { at: 2_000, equity: 90, drawdown: -25 },
    { at: 3_000, equity: 130, drawdown: 0 },
  ])
  assert.equal(lowestOf(curve)!.at, 2_000)
  assert.equal(lowestOf([]), null)
})

test('of several points in one second, the last counts; an equity that is lost has no drawdown beyond it', () => {
  assert.deepEqual(
    curveOf([
      { at: 10, equity: 50 },
      { at: 20, equity: 0 },
    ]),
    [{ at: 0, equity: 0, drawdown: -100 }],
  )
  assert.deepEqual(curveOf([{ at: 0, equity: -1 }]), [{ at: 0, equity: -1, drawdown: 0 }])
})

test('the days of a report begin with the equity at its start', () => {
  const days = [
    { day: '2026-01-01', equity: 101 },
    { day: '2026-01-02', equity: 99 },
  ]
  const points = daysOf({ days, from: '2026-01-01T05:00:00Z', start_equity: 100 })
  assert.deepEqual(
    curveOf(points).map(({ at, equity }) => [new Date(at).toISOString(), equity]),
    [
      ['2026-01-01T05:00:00.000Z', 100],
      ['2026-01-01T23:59:59.000Z', 101],
      ['2026-01-02T23:59:59.000Z', 99],
    ],
  )
})

test('the moments of a report begin with the equity at its start', () => {
  const report = { from: '2026-01-01T05:00:00Z', start_equity: 100 }
  assert.deepEqual(momentsOf(report, [{ at: '2026-01-01T06:00:00Z', equity: 101 }]), [
    { at: Date.UTC(2026, 0, 1, 5), equity: 100 },
    { at: Date.UTC(2026, 0, 1, 6), equity: 101 },
  ])
})
