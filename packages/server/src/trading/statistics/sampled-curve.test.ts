import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, plain } from '../../base/decimals.ts'
import { SampledCurve } from './sampled-curve.ts'

/** The points of a curve from 0 to 100, as time, equity, fall and percentage. */
function sampled(count: number, added: readonly [at: number, equity: string][]) {
  const curve = new SampledCurve(0, 100, count)
  for (const [at, equity] of added) curve.add(at, decimal(equity))
  return curve
    .end()
    .map(({ at, equity, fall, percent }) => [at, plain(equity), plain(fall), percent && plain(percent)])
}

test('an equity holds until the next, and a fall between two points is not lost', () => {
  const added: [number, string][] = [
    [0, '100'],
    [10, '200'],
    [12, '150'],
    [14, '190'],
    [50, '180'],
    [100, '220'],
  ]
  assert.deepEqual(sampled(5, added), [
    [0, '100', '0', '0'],
    [25, '190', '50', '25'],
    // What is added at the moment of a point belongs to it.
    [50, '180', '20', '10'],
    [75, '180', '20', '10'],
    // The last part begins below the peak.
    [100, '220', '20', '10'],
  ])
})

test('what comes after the end counts at the end, and nothing is divided by zero', () => {
  assert.deepEqual(
    sampled(2, [
      [0, '0'],
      [300, '-5'],
      [100, '-4'],
    ]),
    [
      [0, '0', '0', null],
      [100, '-4', '5', null],
    ],
  )
  assert.deepEqual(sampled(3, []), [])
})
