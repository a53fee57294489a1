import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sweep } from './backtests.ts'
import { byResult, type Combination, heatMapOf, warmthOf } from './heat-map.ts'

const combination = (number: number, fast: string, slow: string, fee: string, result: number | null) =>
  ({
    ...{ number, parameters: { FAST: fast, SLOW: slow }, settings: { fee_rate: fee } },
    return_percent: result,
  }) as unknown as Combination

const sweep = {
  objective: 'return_percent',
  axes: [
    { of: 'parameter', name: 'FAST', values: ['5', '10'] },
    { of: 'parameter', name: 'SLOW', values: ['50'] },
    { of: 'setting', name: 'fee_rate', values: ['0', '1'] },
  ],
  combinations: [
    combination(1, '5', '50', '0', 4),
    combination(2, '5', '50', '1', -8),
    combination(3, '10', '50', '0', null),
    combination(4, '5', '50', '0', 2),
  ],
} as unknown as Sweep

test('a map has the best of the combinations at each place of the first two axes that vary', () => {
  const map = heatMapOf(sweep)!
  assert.deepEqual([map.columns.name, map.rows?.name], ['FAST', 'fee_rate'])
  assert.deepEqual(
    map.cells.map((row) => row.map((each) => each?.number ?? null)),
    [
      [1, null],
      [2, null],
    ],
  )
  assert.deepEqual([warmthOf(4, map, sweep), warmthOf(-8, map, sweep)], [0.5, -1])
  assert.equal(heatMapOf({ ...sweep, axes: [sweep.axes[1]!] }), null)
})

test('the best combination is first, and one without the figure last', () => {
  assert.deepEqual(
    sweep.combinations.toSorted(byResult(sweep)).map(({ number }) => number),
    [1, 4, 2, 3],
  )
})
