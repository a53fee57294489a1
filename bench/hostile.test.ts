import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkText, openSandbox } from '../packages/sandbox/src/index.ts'
import { hostileStrategies } from './hostile.ts'
import { runSteadily, runWithoutRest } from './neighbours.ts'
import { requestOf } from './run-request.ts'
import { typicalCode } from './typical-reaction.ts'
import { typicalRun } from './typical-run.ts'

const timeoutMs = 200

test('every hostile strategy passes the checks before a run', () => {
  assert.equal(hostileStrategies.length, 10)
  for (const { name, code } of hostileStrategies) assert.deepEqual(checkText(code), [], name)
})

test('hostile strategies break rules, throw, or are stopped only by limits', async () => {
  await using sandbox = await openSandbox({ executors: 1, timeoutMs })
  const ends: Record<string, string> = {}
  for (const [index, { name, code }] of hostileStrategies.entries()) {
    const host = { stop: async () => true }
    const outcome = await sandbox.run(requestOf({ strategyId: index + 1, code, host }))
    ends[name] = outcome.violation?.rule ?? outcome.status
  }
  // Whether these reach their own end or that of their time first depends on the speed of the machine.
  const ownEnds: Record<string, string> = {
    'memory-bomb': 'memory',
    'huge-storage': 'storage_size',
    'call-flood': 'completed',
    'exception-storm': 'failed',
  }
  assert.equal(Object.keys(ends).length, hostileStrategies.length)
  for (const [name, end] of Object.entries(ends))
    assert.ok(end === 'execution_time' || end === ownEnds[name], `${name}: ${end}`)
})

test('while others run without a pause, neighbours run at their rate, with correct results', async () => {
  await using sandbox = await openSandbox({ executors: 1, timeoutMs })
  const stop = new AbortController()
  const loop = runWithoutRest(sandbox, [{ strategyId: 9, code: '$.log(1)' }], stop.signal)
  const neighbours = { strategyIds: [1, 2], code: typicalCode, ...(await typicalRun()) }
  const latenciesMs = await runSteadily(sandbox, neighbours, { perSecond: 50, ms: 500 })
  stop.abort()
  await loop
  assert.equal(latenciesMs.length, 25)
  assert.ok(latenciesMs.every((ms) => ms > 0))
})

test('a failed run of a neighbour ends the benchmark', async () => {
  await using sandbox = await openSandbox({ executors: 1, timeoutMs })
  const neighbours = { strategyIds: [1], code: 'throw new Error("no")', ...(await typicalRun()) }
  await assert.rejects(runSteadily(sandbox, neighbours, { perSecond: 50, ms: 100 }), /A run failed/)
})
