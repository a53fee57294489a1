import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { busyFor } from '../test/busy.ts'
import { openSandbox } from './index.ts'
import { inputOf, newStrategyId, recordingHost, testSandbox, until } from './test-support.ts'

/** Code that ignores its timeout and the end of its isolate: only the death of its executor ends it. */
const stuck = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'

/** The process ids of the executors of this process. */
function executorPids(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter((pid) => pid.trim() !== '')
    .map(Number)
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--permission'))
}

test('a stuck run is a violation of its time, and its executor is replaced', async () => {
  const { run, sandbox } = await testSandbox({ timeoutMs: 300 })
  const outcome = await run(`$.log('before'); ${stuck}`)
  assert.equal(outcome.status, 'violation')
  assert.equal(outcome.violation!.rule, 'execution_time')
  assert.equal(outcome.log, 'before\n')
  await until('a new executor', () => sandbox.stats().alive === 1)
  assert.equal(sandbox.stats().respawns, 1)
})

test('innocent runs of a killed executor are repeated; those that had sent an action end as interrupted', async () => {
  // Both innocent runs must have begun before the kill, also on a busy machine.
  const { run, sandbox } = await testSandbox({ timeoutMs: 6_000 })
  let release = () => {}
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  // Both wait for the host until after the kill. The guilty one started long before them.
  const guilty = run(stuck)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const waiting = recordingHost({ stop: () => held })
  const bystander = run(`await $.Strategy.stop(); $.log('done')`, { host: waiting })
  const acting = recordingHost({ stop: () => held })
  const actor = run(`await $.Strategy.action('LONG'); await $.Strategy.stop()`, { host: acting })
  assert.equal((await guilty).violation!.rule, 'execution_time')
  await until('the second try of the bystander', () => waiting.stops.length === 2)
  release()
  const again = await bystander
  assert.equal(again.status, 'completed')
  assert.equal(again.log, 'done\n')
  const interrupted = await actor
  assert.equal(interrupted.status, 'interrupted')
  assert.equal(interrupted.violation, null)
  assert.equal(acting.actions.length, 1)
  assert.equal(sandbox.stats().respawns, 1)
})

test('an executor that is about to be killed gets no more runs', async () => {
  const { run, sandbox } = await testSandbox({ timeoutMs: 1_500 })
  const begun = Promise.withResolvers<boolean>()
  const beginning = recordingHost({
    stop: async () => {
      begun.resolve(true)
      return true
    },
  })
  const guilty = run(`await $.Strategy.stop(); ${stuck}`, { host: beginning })
  await begun.promise
  await new Promise((resolve) => setTimeout(resolve, 1_650))
  // It would be interrupted if it started before the kill, 300 ms after the deadline.
  const host = slowHost()
  const outcome = await run(`await $.Strategy.action('LONG'); await $.Strategy.stop()`, { host })
  assert.equal(outcome.status, 'completed')
  assert.equal(host.actions.length, 1)
  assert.equal((await guilty).violation!.rule, 'execution_time')
  assert.equal(sandbox.stats().respawns, 1)
})

test('an executor that is killed from outside costs nobody a run', async () => {
  const { run, sandbox } = await testSandbox()
  const before = executorPids()
  const outcomes = Array.from({ length: 20 }, () =>
    run(`await $.Strategy.stop(); $.log('done')`, { host: slowHost() }),
  )
  await until('all runs to start', () => sandbox.stats().running === 20)
  process.kill(before.at(-1)!, 'SIGKILL')
  for (const outcome of await Promise.all(outcomes)) assert.equal(outcome.status, 'completed')
  assert.equal(sandbox.stats().respawns, 1)
})

test('a run that aborts its executor is found among innocent ones, and is a violation', async () => {
  const { run, sandbox } = await testSandbox({ timeoutMs: 2_000 })
  await Promise.all(Array.from({ length: 5 }, () => run('$.log(1)')))
  // Simulates a guest that crashes V8: the executor aborts whenever the guilty run is in it.
  const guiltyHost = recordingHost({
    stop: async () => {
      process.kill(executorPids().at(-1)!, 'SIGABRT')
      return await new Promise<boolean>(() => {})
    },
  })
  const guilty = run('await $.Strategy.stop()', { host: guiltyHost })
  const bystanders = Array.from({ length: 5 }, () =>
    run(`await $.Strategy.stop(); $.log('done')`, { host: slowHost() }),
  )
  for (const outcome of await Promise.all(bystanders)) assert.equal(outcome.status, 'completed')
  const outcome = await guilty
  assert.equal(outcome.violation!.rule, 'memory')
  assert.equal(guiltyHost.stops.length, 2)
  assert.equal(sandbox.stats().respawns, 2)
})

test('twice as many runs as compute at a time may wait for the host, and delay nobody', async () => {
  // With the usual 5 s, the first of them would end before the last one starts on a slow machine: each needs a new isolate.
  const { run, sandbox } = await testSandbox({ timeoutMs: 600_000 })
  let release = () => {}
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  const waiting = Array.from({ length: 64 }, () =>
    run('await $.Strategy.stop(); $.log(1)', { host: recordingHost({ stop: () => held }) }),
  )
  await until('all of them waiting', () => sandbox.stats().running === 64)
  for (let index = 0; index < 20; index += 1) assert.equal((await run('$.log(1)')).status, 'completed')
  release()
  for (const outcome of await Promise.all(waiting)) assert.equal(outcome.log, '1\n')
})

test('a run that waits for a host that does not answer ends, and so does one that the service has forgotten', async () => {
  const never = <T>() => new Promise<T>(() => {})
  const { run, sandbox } = await testSandbox({ timeoutMs: 200, serviceWaitMs: 300 })
  const host = recordingHost({ stop: never, http: never })
  const asking = await run(`await $.Http.get('https://example.com')`, { host })
  assert.equal(asking.violation!.rule, 'execution_time')
  assert.ok(asking.durationMs >= 200)
  const stopping = await run('await $.Strategy.stop()', { host })
  assert.deepEqual([stopping.status, stopping.violation], ['interrupted', null])
  assert.equal(stopping.error!.message, 'The service did not answer the run in time.')
  assert.ok(stopping.durationMs >= 300)
  assert.equal(sandbox.stats().respawns, 0, 'nothing had to be killed for it')
})

test('runs of different strategies run in parallel', async () => {
  const { run } = await testSandbox({ timeoutMs: 100_000 })
  let isOver = false
  const slow = run(busyFor(1_000)).finally(() => {
    isOver = true
  })
  const quick = await run('$.log(1)')
  assert.equal(quick.status, 'completed')
  assert.equal(isOver, false)
  assert.equal((await slow).status, 'completed')
})

test('all runs of a burst over several executors succeed', async () => {
  const { run, sandbox } = await testSandbox({ executors: 2, warmIsolates: 8, timeoutMs: 600_000 })
  const ids = Array.from({ length: 30 }, newStrategyId)
  const outcomes = await Promise.all(
    Array.from({ length: 120 }, (_, index) => {
      const strategyId = ids[index % ids.length]!
      const input = inputOf({ request: { data: String(index), headers: {}, ip: '' } })
      return run('$.log($.Request.data)', { strategyId, input })
    }),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome.log),
    outcomes.map((_, index) => `${index}\n`),
  )
  assert.ok(sandbox.stats().warmIsolates <= 16)
})

test('closing ends current runs as interrupted, and leaves no process', async () => {
  const sandbox = await openSandbox({ executors: 2 })
  const pids = executorPids()
  const run = sandbox.run({ strategyId: 1, code: 'for (;;);', input: inputOf(), host: recordingHost() })
  await until('the run to start', () => sandbox.stats().running === 1)
  await sandbox.close()
  assert.equal((await run).status, 'interrupted')
  assert.deepEqual(
    executorPids().filter((pid) => pids.slice(-2).includes(pid)),
    [],
  )
  await assert.rejects(
    sandbox.run({ strategyId: 1, code: '', input: inputOf(), host: recordingHost() }),
    /closed/,
  )
})

test('an error names the option that is out of range', async () => {
  for (const [name, value] of [
    ['executors', 0],
    ['memoryLimitMb', 7],
    ['timeoutMs', 1.5],
    ['runsPerIsolate', 0],
    ['warmIsolates', -1],
  ] as const) {
    await assert.rejects(openSandbox({ [name]: value }), (error: Error) => {
      assert.ok(error instanceof RangeError)
      assert.ok(error.message.startsWith(`${name} must be`), error.message)
      return true
    })
  }
})

test('without JIT, everything works in the same way', async () => {
  const { run, sandbox } = await testSandbox({ jit: false })
  assert.equal(sandbox.stats().jit, false)
  assert.equal((await run('$.log(new $.Ta.SMA(2).updates([1, 3]).at(-1))')).status, 'completed')
})

function slowHost() {
  return recordingHost({
    stop: () => new Promise((resolve) => setTimeout(() => resolve(true), 300)),
  })
}
