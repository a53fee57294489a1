import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Noise } from './noise.ts'

const skip = existsSync('/proc/stat') ? false : 'needs /proc'

function compute(ms: number): void {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < ms * 1000);
}

const shareOf = (noise: Noise) => Number(/took (\d+) % of the processors$/.exec(noise.describe())![1])

test('noise is the load of all processes except those of the measurement', { skip }, () => {
  const ours = new Noise([process.pid])
  const notOurs = new Noise([])
  compute(250)
  assert.ok(shareOf(notOurs) > shareOf(ours) + 5, `${notOurs.describe()}; ${ours.describe()}`)
})
