import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Noise } from './noise.ts'

const skip = existsSync('/proc/stat') ? false : 'needs /proc'

function compute(ms: number): void {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < ms * 1000);
}

test('noise is the load of all processes except those of the measurement', { skip }, () => {
  const ours = new Noise([process.pid])
  const notOurs = new Noise([])
  compute(250)
  const all = notOurs.seconds!
  const others = ours.seconds!
  assert.ok(all > others + 0.2, `${all} s; ${others} s`)
  assert.match(ours.describe(), /^measured in \d+ s, other programs took \d+ % of the processors$/)
})
