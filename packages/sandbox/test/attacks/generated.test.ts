// Runs random hostile programs. Their runs must end in an allowed way, and other strategies must not notice them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkText } from '../../src/index.ts'
import { Arena } from './arena.ts'
import { probePrelude } from './probe.ts'
import { hostileProgram } from './program-arbitrary.ts'
import { type Limits, openChecked } from './runners.ts'

const numRuns = 100
const limits: Limits = { timeoutMs: 1_000, memoryLimitMb: 32 }

test('no generated program escapes, leaves anything behind or disturbs a neighbour', async () => {
  const arena = await Arena.open(await openChecked(limits), limits)
  try {
    await fc.assert(
      fc.asyncProperty(hostileProgram, async (code) => await arena.endure(code)),
      { numRuns },
    )
  } finally {
    await arena.close()
  }
})

test('generated programs pass the text check, and run', () => {
  const programs = fc.sample(hostileProgram, { numRuns: 100, seed: 1 })
  assert.deepEqual(
    programs.flatMap((code) => checkText(probePrelude + code)),
    [],
  )
})
