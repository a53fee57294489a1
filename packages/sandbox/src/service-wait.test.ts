import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lastingFor } from '../test/busy.ts'
import type { ActionResult } from './index.ts'
import { recordingHost, testSandbox, until } from './test-support.ts'

const timeoutMs = 1_500
const { run } = await testSandbox({ timeoutMs })

/** Answers after twice the time that a run may take. */
const late = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 2 * timeoutMs, value))
const signal: ActionResult = {
  ...{ id: 1, action: 'LONG', symbols: ['BTCUSDT'], price: 101.5, at: 1_700_000_000_000, delivered: true },
}

// They wait more than they compute.
const options = { concurrency: 4 }

describe('the time in which a run only waits for the service does not count', options, () => {
  for (const [what, code, host] of [
    ['an action', `await $.Strategy.action('LONG')`, { action: () => late(signal) }],
    ['its positions', `await $.Strategy.positions()`, { positions: () => late([]) }],
    ['a stop', `await $.Strategy.stop()`, { stop: () => late(true) }],
  ] as const)
    test(what, async () => {
      const outcome = await run(`${code}; $.log('after'); await $.Storage.set(1)`, {
        host: recordingHost(host),
      })
      assert.deepEqual([outcome.status, outcome.violation], ['completed', null])
      assert.match(outcome.log, /after/)
      assert.equal(outcome.storage, '1')
      assert.ok(outcome.durationMs >= 2 * timeoutMs, 'its duration is what it took')
    })

  test('in a warm isolate, run after run', async () => {
    const request = { strategyId: 1_000_000, host: recordingHost({ action: () => late(signal) }) }
    for (let n = 0; n < 2; n++) {
      const { status } = await run(`await $.Strategy.action('LONG')`, request)
      assert.equal(status, 'completed')
    }
  })

  test('what it takes before and after counts together', async () => {
    const host = recordingHost({ action: () => late(signal) })
    // Both together are too long. The first alone is not, even if a busy machine prolongs it.
    const part = lastingFor(0.55 * timeoutMs)
    const code = `${part}; await $.Strategy.action('LONG'); ${part}`
    const { status, violation, durationMs } = await run(code, { host })
    assert.deepEqual([status, violation?.rule], ['violation', 'execution_time'])
    const waitedMs = durationMs - violation!.actual
    assert.ok(waitedMs > 1.9 * timeoutMs, `${durationMs} ms, of which ${violation!.actual} count`)
  })
})

describe('the time of a run goes on while it', options, () => {
  const host = () =>
    recordingHost({ action: () => late(signal), http: () => late({ status: 200, text: '', cache: false }) })

  for (const [what, code] of [
    ['waits for others', `await $.Http.get('https://example.com')`],
    [
      'waits for others besides',
      `const [sent] = [$.Strategy.action('LONG')]; await $.Http.get('https://example.com'); await sent`,
    ],
    ['computes besides', `const sent = $.Strategy.action('LONG'); ${lastingFor(2 * timeoutMs)}; await sent`],
  ] as const)
    test(what, async () => {
      const { status, violation } = await run(code, { host: host() })
      assert.deepEqual([status, violation?.rule], ['violation', 'execution_time'])
    })
})

test('code that hides behind its action in a function that cannot be stopped is killed in time', async () => {
  const own = await testSandbox({ timeoutMs })
  const host = recordingHost({ action: () => new Promise(() => {}) })
  const code = `$.Strategy.action('LONG'); [].indexOf.call({ length: 2 ** 53 - 1 }, 1)`
  const { violation } = await own.run(code, { host })
  assert.equal(violation?.rule, 'execution_time')
  await until('a new executor', () => own.sandbox.stats().respawns === 1)
})
