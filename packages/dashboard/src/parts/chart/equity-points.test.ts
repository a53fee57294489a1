import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, isFlat, pointsOf } from './equity-points.ts'

const point = (at: string, equity: string, drawdown_percent: string | null = '0') => ({
  ...{ at: `2026-03-01T10:00:${at}Z`, equity, drawdown_percent },
})

test('a second has one point, the last, and no fall is drawn as zero without a sign', () => {
  const points = pointsOf([point('00.000', '10'), point('01.200', '9', '10'), point('01.900', '9.5', '5')])
  const first = Date.parse('2026-03-01T10:00:00Z')
  assert.deepEqual(points, [
    { at: first, equity: 10, drawdown: 0 },
    { at: first + 1000, equity: 9.5, drawdown: -5 },
  ])
  assert.ok(Object.is(points[0]!.drawdown, 0))
})

test('a change is exact, and a percentage only of what is above zero', () => {
  assert.deepEqual(changeOf([point('00', '1000'), point('01', '1000.1')])?.amount, '0.1')
  assert.deepEqual(changeOf([point('00', '200'), point('01', '150')]), { amount: '-50', percent: -25 })
  assert.deepEqual(changeOf([point('00', '-2'), point('01', '1')]), { amount: '3', percent: null })
  assert.equal(changeOf([]), null)
})

test('a fall that was won back is not flat', () => {
  assert.ok(isFlat([point('00', '5'), point('01', '5', null)]))
  assert.ok(!isFlat([point('00', '5'), point('01', '5', '0.1')]))
  assert.ok(!isFlat([point('00', '5'), point('01', '6')]))
})
