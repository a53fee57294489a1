import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Probation } from './probation.ts'
import { inputOf, newStrategyId, recordingHost, testSandbox, until } from './test-support.ts'
import type { RunOutcome } from './types.ts'

/** Opened before the first test: while a file waits between tests, the runner takes it to be over. */
const { sandbox, run } = await testSandbox({ executors: 1, probation: true, timeoutMs: 1_500 })

const short: RunOutcome = {
  status: 'completed',
  error: null,
  violation: null,
  storage: undefined,
  log: '',
  steps: null,
  calls: 0,
  clock: null,
  durationMs: 1,
  cpuMs: 1,
}
const slow: RunOutcome = { ...short, cpuMs: 26 }
const violation: RunOutcome = {
  ...short,
  status: 'violation',
  violation: { rule: 'memory', limit: 1, actual: 2 },
}

/** How many short runs it takes to end a probation. */
function shortRunsToGo(probation: Probation): number {
  let runs = 0
  while (!probation.isOver) {
    probation.count(short)
    runs += 1
  }
  return runs
}

test('a new strategy is on probation for three short runs', () => {
  assert.equal(shortRunsToGo(new Probation()), 3)
})

test('each slow run and each violation doubles the number of short runs that it takes, up to a limit', () => {
  const probation = new Probation()
  probation.count(slow)
  assert.equal(shortRunsToGo(probation), 6)
  probation.count(violation)
  assert.equal(shortRunsToGo(probation), 12)
  for (let index = 0; index < 20; index += 1) probation.count(slow)
  assert.equal(shortRunsToGo(probation), 3_000)
})

test('an interrupted run does not count, and waiting is not computing', () => {
  const probation = new Probation()
  probation.count({ ...slow, status: 'interrupted' })
  probation.count({ ...short, durationMs: 4_000 })
  assert.equal(shortRunsToGo(probation), 2)
})

test('a strategy leaves the executor of those on probation after three short runs, and returns after a slow one', async () => {
  const { sandbox, run } = await testSandbox({ executors: 1, probation: true, timeoutMs: 60_000 })
  // A number of steps, not a time: on a busy machine, this executor may compute for only a part of the time.
  const code = `let sum = 0
if ((await $.Storage.get()) === 'slow') for (let n = 0; n < 1e8; n += 1) sum += n % 7`
  /** Whether each run found no warm isolate, because the strategy was on another executor before. */
  const coldRuns = async () => {
    const strategyId = newStrategyId()
    const seen: boolean[] = []
    for (const storage of [null, null, null, null, '"slow"', null, null]) {
      const { coldStarts } = sandbox.stats()
      const outcome = await run(code, { strategyId, input: inputOf({ storage }) })
      assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
      // A virtual machine that has to wait for its processor counts that as computing, so even a short run can be slow.
      if (storage === null && outcome.cpuMs > 25) return undefined
      assert.ok(storage === null || outcome.cpuMs > 25)
      seen.push(sandbox.stats().coldStarts > coldStarts)
    }
    return seen
  }
  let seen: boolean[] | undefined
  for (let attempt = 0; seen === undefined && attempt < 10; attempt += 1) seen = await coldRuns()
  assert.deepEqual(seen, [true, false, false, true, false, true, false])
})

test('a strategy on probation that kills its executor does not affect the others', async () => {
  let quick = newStrategyId()
  const count = `await $.Strategy.stop()`
  for (let index = 0; index < 4; index += 1) {
    const { cpuMs } = await run(count, { strategyId: quick })
    if (cpuMs <= 25) continue
    // A busy machine has made it a slow one.
    quick = newStrategyId()
    index = -1
  }
  const { respawns } = sandbox.stats()
  const attacks = Array.from({ length: 2 }, () => run(`[].indexOf.call({ length: 2 ** 53 - 1 }, 1)`))
  let ended = false
  void Promise.all(attacks).then(() => {
    ended = true
  })
  let quickRuns = 0
  while (!ended) {
    const outcome = await run(count, { strategyId: quick, host: recordingHost() })
    assert.equal(outcome.status, 'completed')
    quickRuns += 1
    // The attacks get a processor only where nobody else wants it.
    await sleep(20)
  }
  for (const attack of await Promise.all(attacks)) assert.equal(attack.violation?.rule, 'execution_time')
  assert.ok(sandbox.stats().respawns > respawns)
  // If they waited for an attack, there would be about one for each.
  assert.ok(quickRuns > 10, `${quickRuns} runs`)
})

test('the executor for probation has the lowest priority', {
  skip: process.platform !== 'linux',
}, async () => {
  // A killed executor is replaced, and takes its priority when it is there.
  await run('')
  const priorities = () => [...new Set(childrenOf(process.pid).map(priorityOf))].sort((a, b) => a - b)
  await until('both priorities', () => priorities().join() === [getPriority(), 19].join())
})

const linux = { skip: process.platform === 'linux' ? false : 'priorities of threads are those of Linux' }

test('with the normal priority, code on probation still has an executor of its own', linux, async () => {
  const before = new Set(executorsOf(process.pid))
  const own = await testSandbox({ executors: 1, probation: true, probationPriority: 'normal' })
  const opened = executorsOf(process.pid).filter((pid) => !before.has(pid))
  assert.deepEqual(opened.map(priorityOf), [getPriority(), getPriority()])
  const coldRuns = async () => {
    const strategyId = newStrategyId()
    const { coldStarts } = own.sandbox.stats()
    const seen: number[] = []
    for (let index = 0; index < 5; index += 1) {
      const { cpuMs } = await own.run('', { strategyId })
      if (cpuMs > 25) return undefined
      seen.push(own.sandbox.stats().coldStarts - coldStarts)
    }
    return seen
  }
  let seen: number[] | undefined
  for (let attempt = 0; seen === undefined && attempt < 10; attempt += 1) seen = await coldRuns()
  assert.deepEqual(seen, [1, 1, 1, 2, 2], 'after three short runs, it is with the others')
})

test(
  'a busy machine delays no start: the executor for probation gets the lowest priority when it is ready',
  linux,
  async () => {
    const before = new Set(executorsOf(process.pid))
    const seen = new Map<number, Set<number>>()
    let isOpen = false
    const opening = testSandbox({ executors: 1, probation: true }).finally(() => {
      isOpen = true
    })
    // If this process waits for a processor, the next look still comes before it handles what the executor has sent.
    for (; !isOpen; await sleep(10)) {
      for (const pid of executorsOf(process.pid)) {
        if (!before.has(pid)) seen.set(pid, (seen.get(pid) ?? new Set()).add(priorityOf(pid)))
      }
    }
    const { run } = await opening
    const yielding = executorsOf(process.pid).filter((pid) => !before.has(pid) && priorityOf(pid) === 19)
    assert.equal(yielding.length, 1)
    assert.ok(seen.get(yielding[0]!)!.has(getPriority()), 'it started with the priority of this process')
    // A run that is not on the main thread has a new one, which has the same priority.
    assert.equal((await run('$.log(1)')).status, 'completed')
    const threads = readdirSync(`/proc/${yielding[0]}/task`).map(Number)
    assert.ok(threads.length > 1)
    assert.deepEqual(new Set(threads.map(priorityOf)), new Set([19]))
  },
)

test(
  'where nobody may lower the priority of another user, the executor for probation starts with the lowest',
  linux,
  async () => {
    const program = `
    const { openSandbox } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)})
    const log = (event, { cause }) => console.log(event, cause)
    const sandbox = await openSandbox({ executors: 1, probation: true, log })
    process.send(sandbox.stats().alive)
    process.on('disconnect', () => process.exit())`
    const node = [process.execPath, ...process.execArgv, '--input-type=module', '--eval', program]
    const dropped = process.getuid?.() === 0 ? ['--bounding-set=-sys_nice', '--inh-caps=-sys_nice'] : []
    const service = spawn('setpriv', [...dropped, ...node], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    const printed = text(service.stdout!)
    const [alive] = await once(service, 'message')
    const priorities = executorsOf(service.pid!).map(priorityOf)
    service.disconnect()
    assert.equal(alive, 2)
    assert.deepEqual(
      priorities.sort((a, b) => a - b),
      [getPriority(), 19],
    )
    assert.equal(await printed, '', 'nothing that an operator has to know')
  },
)

/** The processes of Node below a process: its executors, without the programs of their chains. */
function executorsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [
    ...(programOf(child) === process.execPath ? [child] : []),
    ...executorsOf(child),
  ])
}

function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]
  } catch {
    return undefined
  }
}

/** Of a process that may have ended since it was listed: then it has that of this one. */
function priorityOf(pid: number): number {
  try {
    return getPriority(pid)
  } catch {
    return getPriority()
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
  } catch {
    // The process has ended since it was listed.
    return []
  }
}
