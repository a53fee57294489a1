/** Compares `docs/backtests.md` with the figures of a report. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metrics } from '../packages/server/src/backtests/report/metrics.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const markdown = await read('docs/backtests.md')

test('backtests.md defines each figure of a report as the code does', () => {
  assert.ok(metrics.length > 15)
  assert.deepEqual(
    rowsOf(markdown, 'figure'),
    metrics.map(({ name, unit, formula, source }) => [name, unit, formula, source]),
  )
})

test('no two figures of a set have the same name', () => {
  for (const set of [metrics]) {
    assert.equal(new Set(set.map(({ name }) => name)).size, set.length)
  }
})
