import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordingHost, testSandbox, until } from './test-support.ts'

/** The time of a run, and a standstill in which it passes. */
const timeoutMs = 3_000
const standstillMs = 3_500

test('a run whose time passes while all processes are paused begins again', async () => {
  const program = fileURLToPath(new URL('../test/pausable.ts', import.meta.url))
  const service = spawn(process.execPath, [...process.execArgv, program, String(timeoutMs)], {
    // A process group of its own, with its executor.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'close')
  const signal = (name: NodeJS.Signals) => process.kill(-service.pid!, name)
  let last = ''
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      last = line
      if (line !== 'asked') continue
      signal('SIGSTOP')
      await sleep(standstillMs)
      signal('SIGCONT')
    }
  } finally {
    if (service.exitCode === null && service.signalCode === null) signal('SIGKILL')
    await ended
  }
  assert.deepEqual(JSON.parse(last), {
    ...{ status: 'completed', violation: null, log: 'an answer\n', requests: 2 },
  })
})

test('a run that has acted is no violation either, and one that computes without end is excused only once', async () => {
  const { run, sandbox } = await testSandbox({ timeoutMs })
  const never = <T>() => new Promise<T>(() => {})
  const acting = recordingHost({ http: never })
  const actor = run(`await $.Strategy.action('LONG'); await $.Http.get('https://example.com')`, {
    host: acting,
  })
  const endless = run('for (;;);')
  await until('both to work', () => acting.requests.length === 1 && sandbox.stats().running === 2)
  const blocking = recordingHost({
    http: async () => {
      // Nothing else happens in this process meanwhile.
      if (blocking.requests.length === 1)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standstillMs)
      return { status: 200, text: 'an answer', cache: false }
    },
  })
  const innocent = await run(`$.log((await $.Http.get('https://example.com')).text)`, { host: blocking })
  assert.deepEqual([innocent.status, innocent.log], ['completed', 'an answer\n'])
  const acted = await actor
  assert.deepEqual([acted.status, acted.violation, acting.actions.length], ['interrupted', null, 1])
  assert.equal(acted.error!.message, 'The service stood still after the run had sent an action.')
  assert.equal((await endless).violation!.rule, 'execution_time')
  // Each of the three began in a new isolate, and so did the second attempts of two.
  assert.equal(sandbox.stats().coldStarts, 5)
  assert.equal(sandbox.stats().respawns, 0)
})
