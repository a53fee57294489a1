import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CalledStep } from '@tickwright/sandbox'
import { fittingSteps } from './steps.ts'

const call: CalledStep = { ms: 1, tookMs: 2, name: 'rate', asked: 'KRAKEN BTC', answered: '1', failed: false }

test('the steps of an ordinary run all fit', () => {
  const steps = [...Array(200).fill([1, 2]), ...Array(200).fill(call)]
  const kept = fittingSteps({ waitedMs: 1, steps })
  assert.deepEqual(kept, { waitedMs: 1, steps, leftOut: 0 })
})

test('steps with long texts are kept as far as there is room, and the others are counted', () => {
  const long = { ...call, answered: 'x'.repeat(1_000) }
  const { steps, leftOut } = fittingSteps({ waitedMs: 1, steps: Array(200).fill(long) })
  assert.equal(steps.length + leftOut, 200)
  assert.ok(leftOut > 150 && JSON.stringify(steps).length < 33_000, `${leftOut}`)
})

test('texts that the database refuses are replaced', () => {
  const { steps } = fittingSteps({ waitedMs: 1, steps: [{ ...call, asked: 'a\0b\ud800' }] })
  assert.equal((steps[0] as CalledStep).asked, 'a\ufffdb\ufffd')
})
