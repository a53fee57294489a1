// Many strategies that break no rule, but together need more memory than an executor has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStrategyId, recordingHost, testSandbox } from '../../src/test-support.ts'

const leavings: [what: string, code: string][] = [
  ['objects', 'const kept = []; for (let n = 0; n < 500; n += 1) kept.push(new Array(10_000).fill(n + 0.5))'],
  [
    'buffers',
    'const kept = []; for (let n = 0; n < 40; n += 1) kept.push(new Uint8Array(1_000_000).fill(1))',
  ],
]

for (const [what, code] of leavings) {
  test(`garbage in warm isolates costs no other strategy a run: ${what}`, async () => {
    // The neighbour waits for all the others, however slow the machine is.
    const { run, sandbox } = await testSandbox({ timeoutMs: 60_000 })
    let release = () => {}
    const held = new Promise<boolean>((resolve) => {
      release = () => resolve(true)
    })
    // It has sent an action, so that it could not be repeated.
    const neighbour = run(`await $.Strategy.action('LONG'); await $.Strategy.stop(); $.log('done')`, {
      host: recordingHost({ stop: () => held }),
    })
    for (let strategies = 0; strategies < 32; strategies += 1) {
      const outcome = await run(code, { strategyId: newStrategyId() })
      assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
    }
    release()
    assert.equal((await neighbour).log, 'done\n')
    assert.equal(sandbox.stats().respawns, 0)
  })
}
