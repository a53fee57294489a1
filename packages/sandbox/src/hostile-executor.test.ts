// Code may break out of its isolate and control its executor. These executors are real processes with a hostile program.
// The parent must not believe them, and they must not harm it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packCandles } from './candles.ts'
import { executorCommand } from './containment.ts'
import { Slot } from './slot.ts'
import { inputOf, recordingHost } from './test-support.ts'
import type { RunOutcome } from './types.ts'

const command = await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 })

/**
 * A program that speaks the protocol, reports that it is ready, and executes `onRun` for each run. `afterReplies(n, then)`
 * waits until so many calls have their answers: at most eight may wait at a time.
 */
const hostile = (onRun: string) => `
  const pipe = new (require('node:net').Socket)({ fd: 3 })
  const raw = (bytes) => pipe.write(bytes)
  const frame = (text) => { const b = Buffer.from(text); const h = Buffer.alloc(4); h.writeUInt32BE(b.length); raw(Buffer.concat([h, b])) }
  const say = (message) => frame(JSON.stringify(message))
  const end = { type: 'end', how: 'returned', error: null, log: '', clock: [1], durationMs: 1, cpuMs: 1, kept: true }
  const waits = []
  const afterReplies = (count, then) => waits.push([count, then])
  let replies = 0
  let buffer = Buffer.alloc(0)
  pipe.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE(0)) {
      const size = buffer.readUInt32BE(0)
      const message = JSON.parse(buffer.toString('utf8', 4, 4 + size))
      buffer = buffer.subarray(4 + size)
      if (message.type === 'open') say({ type: 'ready' })
      if (message.type === 'reply') {
        replies += 1
        for (const [count, then] of waits) if (count === replies) then()
      }
      if (message.type === 'run') { const run = message.run; ${onRun} }
    }
  })`

/** A slot whose executors run a program. @param died called with each death, before the next start */
function slotOf(code: { executor: string }, died: (cause: unknown) => void): Slot {
  let ids = 0
  const scripts = { indicators: '', client: '', runtime: '', harden: '' }
  return new Slot({
    command,
    code: Object.assign(code, { scripts }),
    open: {
      type: 'open',
      memoryLimitMb: 64,
      // Long enough for a busy machine, and what does not end is soon over.
      timeoutMs: 2_000,
      serviceWaitMs: 2_000,
      runsPerIsolate: 10,
      warmIsolates: 10,
      entersDirectly: true,
      apiBaseUrl: null,
      scripts,
    },
    residentLimitBytes: 200 * 1024 * 1024,
    nextAttemptId: () => ++ids,
    log: (_event, fields) => died(fields.cause),
  })
}

test('an executor that dies at its start is started again, three times in all', async () => {
  const deaths: unknown[] = []
  const code = { executor: 'process.exit(7)' }
  const never = slotOf(code, (cause) => deaths.push(cause))
  await assert.rejects(never.open(), /could not be started: exit code 7/)
  assert.deepEqual(deaths, ['crashed', 'crashed', 'crashed'])
  await never.close()
  const later = slotOf(code, () => {
    code.executor = hostile('')
  })
  await later.open()
  await later.close()
})

/** Runs a strategy once in a slot whose executors all run the hostile program. */
async function outcomeOf(onRun: string, input = inputOf(), host = recordingHost()) {
  const deaths: unknown[] = []
  const slot = slotOf({ executor: hostile(onRun) }, (cause) => deaths.push(cause))
  await slot.open()
  const sweeper = setInterval(() => slot.sweep(performance.now()), 25)
  const outcome = await new Promise<RunOutcome>((settle) => {
    const request = { strategyId: 1, code: '', input, host }
    slot.add({ request, codeId: 1, deaths: 0, alone: false, seed: 1, requestedAt: performance.now(), settle })
  })
  clearInterval(sweeper)
  await slot.close()
  return { outcome, host, deaths }
}

const breaches: [what: string, onRun: string][] = [
  ['a frame that is not JSON', `frame('{')`],
  ['a frame over the limit', `raw(Buffer.from([255, 255, 255, 255]))`],
  ['an unknown message', `say({ type: 'exec', run })`],
  ['the end of a run that is not its own', `say({ ...end, run: run + 1 })`],
  ['an end told twice', `say({ ...end, run: run + 7 }); say({ ...end, run })`],
  ['a call out of order', `say({ type: 'call', run, call: 2, name: 'stop', notify: true })`],
  [
    'more calls than a run can make',
    `for (let call = 1; call <= 201; call += 1) say({ type: 'call', run, call, name: 'stop', notify: true })`,
  ],
  [
    'an action with options nobody checked',
    `say({ type: 'call', run, call: 1, name: 'action', action: 'LONG', options: { size: -5 } })`,
  ],
  [
    'an action with a size that no order can have',
    `say({ type: 'call', run, call: 1, name: 'action', action: 'LONG', options: { size: 5e-324 } })`,
  ],
  [
    'an action with a list as its options',
    `say({ type: 'call', run, call: 1, name: 'action', action: 'LONG', options: [] })`,
  ],
  ['an action without options', `say({ type: 'call', run, call: 1, name: 'action', action: 'LONG' })`],
  [
    'more candles than a call may have',
    `say({ type: 'call', run, call: 1, name: 'candles', request: { symbol: 'x', interval: '1h', count: 1001, exchange: null, service: null } })`,
  ],
  ['a stored value that is not JSON', `say({ ...end, run, storage: '{' })`],
  ['ready again', `say({ type: 'ready' })`],
  ['cold for a run that has its code', `say({ type: 'cold', run })`],
  ['times of host calls that it has not made', `say({ ...end, run, marks: [1, 0] })`],
  ['an answer that it has not got', `say({ ...end, run, clock: [1, 1, 5] })`],
  [
    'runs of a series that it has not got',
    `say({ type: 'chunk', run, done: 1, failures: [], logs: [], goesOn: false })`,
  ],
  ['a log over its limit', `say({ ...end, run, log: 'x'.repeat(20000) })`],
]

for (const [what, onRun] of breaches) {
  test(`a breach of the protocol ends the executor, and the run that was alone in it is a violation: ${what}`, async () => {
    const { outcome, deaths } = await outcomeOf(onRun)
    assert.deepEqual(deaths, ['breach'])
    assert.equal(outcome.status, 'violation')
  })
}

test('calls for candles over the limit of a run never reach the host', async () => {
  let asked = 0
  const host = recordingHost({
    candles: async () => {
      asked += 1
      return packCandles([])
    },
  })
  const request = JSON.stringify({ symbol: 'x', interval: '1h', count: 1, exchange: null, service: null })
  const onRun = `let call = 0
    const send = () => { for (let sent = 0; sent < 8; sent += 1) say({ type: 'call', run, call: call += 1, name: 'candles', request: ${request} }) }
    send(); afterReplies(8, send); afterReplies(16, send); afterReplies(24, () => say({ ...end, run }))`
  const { outcome } = await outcomeOf(onRun, inputOf(), host)
  assert.equal(outcome.status, 'completed')
  assert.equal(asked, 20)
})

test('a payload to sign over the limit of a run never reaches the host', async () => {
  const lengths: number[] = []
  const host = recordingHost({
    sign: async (payload) => {
      lengths.push(payload.length)
      return ''
    },
  })
  const onRun = `for (let call = 1; call <= 6; call += 1)
    say({ type: 'call', run, call, name: 'sign', payload: 'x'.repeat(200 * 1024), secret: 's', algorithm: 'HMAC' })
    say({ ...end, run })`
  const { outcome } = await outcomeOf(onRun, inputOf(), host)
  assert.equal(outcome.calls, 6)
  assert.deepEqual(lengths, Array(5).fill(200 * 1024))
})

test("an action of a strategy without 'send signal' never reaches the host", async () => {
  const action = `say({ type: 'call', run, call: 1, name: 'action', action: 'LONG', options: {} })`
  const input = inputOf({ strategy: { id: 1, type: 'code-strategy', signal: null } })
  const { host, deaths } = await outcomeOf(action, input)
  assert.deepEqual(deaths, ['breach'])
  assert.equal(host.actions.length, 0)
})

test("positions of a strategy without 'send signal', and an eleventh call, never reach the host", async () => {
  let asked = 0
  const positions = async () => {
    asked += 1
    return []
  }
  const call = (number: number) => `say({ type: 'call', run, call: ${number}, name: 'positions' });`
  const input = inputOf({ strategy: { id: 1, type: 'code-strategy', signal: null } })
  const { deaths } = await outcomeOf(call(1), input, recordingHost({ positions }))
  assert.deepEqual([deaths, asked], [['breach'], 0])
  const later = `afterReplies(8, () => { ${[9, 10, 11, 12].map(call).join('')} say({ ...end, run }) })`
  const all = `${[1, 2, 3, 4, 5, 6, 7, 8].map(call).join('')} ${later}`
  const { outcome } = await outcomeOf(all, inputOf(), recordingHost({ positions }))
  assert.deepEqual([outcome.calls, asked], [12, 10])
})

test('a second action never reaches the host, whatever the executor lets through', async () => {
  const action = (call: number) =>
    `say({ type: 'call', run, call: ${call}, name: 'action', action: 'LONG', options: {} });`
  const { outcome, host } = await outcomeOf(`${action(1)}${action(2)} say({ ...end, run })`)
  assert.equal(host.actions.length, 1)
  assert.deepEqual(outcome.violation, { rule: 'actions_per_run', limit: 1, actual: 2 })
})

test('a 21st HTTP request never reaches the host, whatever the executor lets through', async () => {
  const request = `{ method: 'GET', url: 'https://a.example/', params: [], headers: {}, body: null }`
  const flood = `let call = 0
    const send = () => { for (let sent = 0; sent < 7; sent += 1) say({ type: 'call', run, call: call += 1, name: 'http', request: ${request} }) }
    send(); for (const replies of [7, 14, 21]) afterReplies(replies, send)
    afterReplies(28, () => say({ ...end, run }))`
  const { outcome, host } = await outcomeOf(flood)
  assert.equal(outcome.status, 'completed')
  assert.equal(outcome.calls, 28)
  assert.equal(host.requests.length, 20)
})

test('a stored value over the limit is a violation even if the executor does not report it', async () => {
  const { outcome } = await outcomeOf(`say({ ...end, run, storage: JSON.stringify('x'.repeat(30000)) })`)
  assert.deepEqual(outcome.violation, { rule: 'storage_size', limit: 24_576, actual: 30_002 })
  assert.equal(outcome.storage, undefined)
})

test('an executor cannot report a shorter time for a run than the parent has measured', async () => {
  const { outcome, deaths } = await outcomeOf(`say({ type: 'alive', started: [[run, 0, 'so far']] })`)
  assert.deepEqual(deaths, ['overdue'])
  assert.equal(outcome.violation!.rule, 'execution_time')
  assert.equal(outcome.log, 'so far')
})

test('an executor cannot report a longer time for a run than the parent has known it', async () => {
  const before = performance.now()
  const { outcome } = await outcomeOf(`say({ ...end, run, durationMs: 1e9 })`)
  assert.equal(outcome.status, 'completed')
  assert.ok(outcome.durationMs <= performance.now() - before)
})

test('an executor cannot report that a line was logged after the end of its run', async () => {
  const before = performance.now()
  const { outcome } = await outcomeOf(`say({ ...end, run, log: 'a', marks: [1e300, 1] })`)
  assert.equal(outcome.steps!.steps.length, 1)
  assert.ok((outcome.steps!.steps[0] as [number, number])[0] <= performance.now() - before)
})

test('an executor that exceeds its memory is killed', async () => {
  // Where memory is slow, a process that says nothing meanwhile would be stuck. One that does not say when its run has
  // begun gets more time for it.
  const { outcome, deaths } = await outcomeOf(`
    const hoard = []
    const grow = () => {
      hoard.push(Buffer.alloc(20e6, 1))
      say({ type: 'alive', started: [] })
      if (hoard.length < 20) setImmediate(grow)
    }
    grow()`)
  assert.deepEqual(deaths, ['memory'])
  assert.equal(outcome.violation!.rule, 'memory')
  assert.ok(outcome.violation!.actual > 200e6)
})

test('a run whose executor falls silent starts again, and breaks a rule only if that happens again', async () => {
  const { outcome, deaths } = await outcomeOf(`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`)
  assert.deepEqual(deaths, ['silent', 'silent'])
  assert.equal(outcome.violation!.rule, 'memory')
})

test('an executor that ends by itself, even with exit code 0, has died', async () => {
  const { outcome, deaths } = await outcomeOf(`process.exit(0)`)
  assert.deepEqual(deaths, ['crashed', 'crashed', 'crashed'])
  assert.equal(outcome.status, 'interrupted')
  assert.equal(outcome.error!.name, 'Interrupted')
})
