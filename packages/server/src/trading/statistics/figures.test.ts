import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Decimal, decimal, plain } from '../../base/decimals.ts'
import { Calendar } from './calendar.ts'
import { Drawdown } from './drawdown.ts'
import { Exposure } from './exposure.ts'
import { Outcomes } from './outcomes.ts'

const text = (value: Decimal | null) => value && plain(value)

test('won and lost trades give rates, averages and the longest losing streak in the order of their ends', () => {
  const outcomes = new Outcomes()
  const given: [net: string, order: number][] = [
    ['10', 1],
    ['-2', 5],
    ['0', 4],
    ['-4', 2],
    ['-6', 3],
    ['30', 6],
  ]
  for (const [net, order] of given) outcomes.add({ net: decimal(net), openMs: order * 10, order })
  const { winRatePercent, profitFactor, expectancy, averageWin, averageLoss, ...rest } = outcomes.figures()
  assert.deepEqual(
    [text(profitFactor), text(averageWin), text(averageLoss)],
    ['3.333333333333333333333333333333333333333333333333', '20', '-4'],
  )
  assert.equal(winRatePercent?.toFixed(3), '33.333')
  assert.equal(expectancy?.toFixed(3), '4.667')
  assert.deepEqual(
    { ...rest, largestWin: text(rest.largestWin), largestLoss: text(rest.largestLoss) },
    {
      ...{ count: 6, won: 2, lost: 3, even: 1, largestWin: '30', largestLoss: '-6' },
      ...{ longestLosingStreak: 2, averageOpenMs: 35 },
    },
  )
})

test('without trades, nothing is divided by zero', () => {
  const { count, won, lost, even, longestLosingStreak, ...divided } = new Outcomes().figures()
  assert.deepEqual([count, won, lost, even, longestLosingStreak], [0, 0, 0, 0, 0])
  assert.ok(Object.values(divided).every((figure) => figure === null))
  const outcomes = new Outcomes()
  outcomes.add({ net: decimal('1'), openMs: 0, order: 1 })
  assert.equal(outcomes.figures().profitFactor, null)
  assert.equal(outcomes.figures().averageLoss, null)
})

test('thousands of trades keep their order', () => {
  const outcomes = new Outcomes()
  // Each tenth wins, and the last ends first.
  for (let n = 5_000; n > 0; n--)
    outcomes.add({ net: decimal(n % 10 === 0 ? '1' : '-1'), openMs: 1, order: n })
  assert.equal(outcomes.figures().longestLosingStreak, 9)
  assert.equal(outcomes.figures().count, 5_000)
})

const falls = (values: readonly string[]) => {
  const drawdown = new Drawdown()
  for (const [at, value] of values.entries()) drawdown.add(at, decimal(value))
  const { largest, steepest } = drawdown.drawdowns()
  const shown = (fall: typeof largest) =>
    fall && [text(fall.amount), text(fall.percent), fall.peakAt, fall.lowestAt]
  return { largest: shown(largest), steepest: shown(steepest) }
}

test('the largest fall in money and the steepest in percent may be different ones', () => {
  assert.deepEqual(falls(['100', '50', '1000', '900', '800', '1000']), {
    largest: ['200', '20', 2, 4],
    steepest: ['50', '50', 0, 1],
  })
  assert.deepEqual(falls(['1', '2', '3']), { largest: null, steepest: null })
  assert.deepEqual(falls([]), { largest: null, steepest: null })
})

test('a fall from a peak at or below zero has no percentage', () => {
  assert.deepEqual(falls(['0', '-5']), { largest: ['5', null, 0, 1], steepest: null })
})

test('the drawdown is the largest difference between a point and a later one', () => {
  const points = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(points, (values) => {
      const differences = values.flatMap((peak, at) => values.slice(at).map((low) => peak - low))
      const largest = Math.max(...differences)
      assert.equal(falls(values.map(String)).largest?.[0] ?? '0', String(largest))
      const peaks = values.map((_, at) => Math.max(...values.slice(0, at + 1)))
      const shares = values.map((low, at) => (peaks[at]! > 0 ? (peaks[at]! - low) / peaks[at]! : 0))
      const steepest = Math.max(0, ...shares) * 100
      assert.ok(Math.abs(Number(falls(values.map(String)).steepest?.[1] ?? 0) - steepest) < 1e-9)
    }),
  )
})

test('days and months are those of UTC, in order, and add up', () => {
  const calendar = new Calendar()
  calendar.add(Date.parse('2026-02-01T00:00:00Z'), { profit: decimal('3'), fees: decimal('1') })
  calendar.add(Date.parse('2026-01-31T23:59:59.999Z'), { profit: decimal('-5') })
  calendar.add(Date.parse('2026-01-01T00:00:00Z'), { funding: decimal('2'), profit: decimal('2') })
  const shown = (rows: ReturnType<Calendar['days']>) =>
    rows.map(([name, { profit }]) => [name, plain(profit)])
  assert.deepEqual(shown(calendar.days()), [
    ['2026-01-01', '2'],
    ['2026-01-31', '-5'],
    ['2026-02-01', '3'],
  ])
  assert.deepEqual(shown(calendar.months()), [
    ['2026-01', '-3'],
    ['2026-02', '3'],
  ])
  assert.equal(plain(calendar.total().funding), '2')
})

test('the time in the market counts overlapping positions once, within the span', () => {
  const exposure = new Exposure({ since: 100, until: 200 })
  exposure.change('A', true, 50)
  exposure.change('B', true, 110)
  exposure.change('A', false, 120)
  exposure.change('B', false, 130)
  exposure.change('A', true, 150)
  // Reported late: time goes on.
  exposure.change('A', false, 140)
  exposure.change('A', true, 190)
  assert.equal(exposure.total(), 40)
})
