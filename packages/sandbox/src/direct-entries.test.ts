// A strategy with short runs enters its isolate on the main thread of its executor. These strategies behave until the
// executor trusts them. Then a value in the payload makes them harmful.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyFor } from '../test/busy.ts'
import type { RunHost, RunOutcome } from './index.ts'
import {
  inputOf,
  newStrategyId,
  recordingHost,
  type TestSandbox,
  testSandbox,
  until,
} from './test-support.ts'

const timeoutMs = 1_000
/** More short runs than a strategy needs before it may enter directly. */
const shortRuns = 20
/** As in the executor. */
const shortMs = 5

/** Code that does what the payload names. */
const code = `
  const busy = () => { ${busyFor(200)} }
  const what = $.Request.data
  $.log(what)
  if (what === 'loop') for (;;);
  if (what === 'stuck') Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
  if (what === 'slow') busy()
  if (what === 'memory') { const all = []; for (;;) all.push(new Array(1e5).fill(1)) }
  if (what === 'rejection') Promise.reject(new Error('nobody handles this'))
  if (what === 'recursion') (function deeper() { deeper() })()
  if (what === 'act, then slow') { $.Strategy.action('LONG'); busy() }
  if (what === 'act, then loop') { await $.Strategy.action('LONG'); for (;;); }
  if (what === 'act') $.log((await $.Strategy.action('LONG')).price)
  await $.Storage.set(what)`

type Trusted = { run(what: string, host?: RunHost): Promise<RunOutcome> }

/** A strategy whose next run enters directly. */
async function trusted({ run, sandbox }: TestSandbox): Promise<Trusted> {
  for (;;) {
    const strategyId = newStrategyId()
    const runOnce: Trusted['run'] = (what, host = recordingHost()) => {
      const request = { data: what, headers: {}, ip: '127.0.0.1' }
      return run(code, { strategyId, input: inputOf({ request }), host })
    }
    // A busy machine can make a short run slow: then the row begins again. It can also make a direct entry vain, which
    // costs the isolate: then the executor asks for a longer row, so another strategy begins.
    let row = 0
    for (let runs = 0, cold = -1; row < shortRuns; runs += 1) {
      const { status, cpuMs } = await runOnce('nothing')
      assert.equal(status, 'completed')
      const { coldStarts } = sandbox.stats()
      if (runs > 0 && coldStarts !== cold) break
      cold = coldStarts
      row = cpuMs <= shortMs ? row + 1 : 0
    }
    if (row === shortRuns) return { run: runOnce }
  }
}

const shared = await testSandbox({ timeoutMs, memoryLimitMb: 32 })
/** For runs that compute for a while and end by themselves, also on a busy machine. */
const patient = await testSandbox({ timeoutMs: 60_000, memoryLimitMb: 32 })

test('a direct entry stores, logs and acts like any other', async () => {
  const { run } = await trusted(shared)
  const host = recordingHost()
  const { steps: _, clock: __, ...outcome } = await run('act', host)
  assert.deepEqual(
    { ...outcome, durationMs: 0, cpuMs: 0 },
    {
      status: 'completed',
      error: null,
      violation: null,
      storage: '"act"',
      log: 'act\n101.5\n',
      calls: 1,
      durationMs: 0,
      cpuMs: 0,
    },
  )
  assert.equal(host.actions.length, 1)
})

test('a run that is too long for a direct entry starts again, and nothing of the first start is seen', async () => {
  const { run } = await trusted(patient)
  const coldBefore = patient.sandbox.stats().coldStarts
  const host = recordingHost()
  const outcome = await run('act, then slow', host)
  assert.equal(outcome.status, 'completed')
  assert.equal(outcome.log, 'act, then slow\n')
  assert.equal(outcome.calls, 1)
  assert.equal(host.actions.length, 1)
  // The isolate of the first start is gone. This also shows that the entry was a direct one.
  assert.equal(patient.sandbox.stats().coldStarts, coldBefore + 1)
})

test('a strategy that was too long for a direct entry must be short for longer before the next one', async () => {
  const { run } = await trusted(patient)
  await run('slow')
  for (let n = 0; n < shortRuns; n += 1) await run('nothing')
  const coldBefore = patient.sandbox.stats().coldStarts
  assert.equal((await run('slow')).status, 'completed')
  assert.equal(patient.sandbox.stats().coldStarts, coldBefore)
})

const ends: [what: string, status: RunOutcome['status'], ruleOrError: RegExp][] = [
  ['loop', 'violation', /^execution_time$/],
  // On a busy machine, the time can end before the memory does.
  ['memory', 'violation', /^(memory|execution_time)$/],
  ['rejection', 'failed', /^Error$/],
  ['recursion', 'failed', /^RangeError$/],
]
for (const [what, status, ruleOrError] of ends) {
  test(`a direct entry ends as it would on another thread: ${what}`, async () => {
    const { run } = await trusted(shared)
    const outcome = await run(what)
    assert.equal(outcome.status, status, JSON.stringify(outcome))
    assert.match(`${outcome.violation?.rule ?? outcome.error?.name}`, ruleOrError)
    assert.equal(outcome.log, `${what}\n`)
  })
}

test('after its action, a run has all its time, and does not act again', async () => {
  const { run } = await trusted(shared)
  const host = recordingHost()
  const outcome = await run('act, then loop', host)
  assert.equal(outcome.violation?.rule, 'execution_time')
  assert.ok(outcome.durationMs >= timeoutMs)
  assert.equal(host.actions.length, 1)
})

test('a loop in a direct entry holds up others only for a moment', async () => {
  // The neighbour must have ended before the loop does, also on a busy machine.
  const own = await testSandbox({ timeoutMs: 5_000 })
  const { run } = await trusted(own)
  const neighbour = await trusted(own)
  let isOver = false
  const loop = run('loop').finally(() => {
    isOver = true
  })
  assert.equal((await neighbour.run('nothing')).status, 'completed')
  assert.equal(isOver, false)
  assert.equal((await loop).violation?.rule, 'execution_time')
})

test('a direct entry that ignores its time costs its executor at once, and harms only its own strategy', async () => {
  const deaths: unknown[] = []
  const own = await testSandbox({ timeoutMs: 6_000, log: (_event, { cause }) => deaths.push(cause) })
  const { run } = await trusted(own)
  const neighbour = await trusted(own)
  let isOver = false
  const stuck = run('stuck').finally(() => {
    isOver = true
  })
  // The neighbour's run is in the executor that is killed.
  const outcome = await neighbour.run('nothing')
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
  assert.deepEqual(deaths, ['stuck'])
  // Its second start is on another thread, so the neighbour works on.
  assert.equal((await neighbour.run('nothing')).status, 'completed')
  assert.equal(isOver, false)
  const { violation } = await stuck
  assert.equal(violation?.rule, 'execution_time')
  await until('a new executor', () => own.sandbox.stats().alive === 1)
  assert.deepEqual(deaths, ['stuck', 'overdue'])
})
