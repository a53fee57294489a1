// A strategy pretends to be another one that runs on the same executor.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputOf, newStrategyId, recordingHost } from '../../src/test-support.ts'
import { openChecked } from './runners.ts'

/** Tries to reach the functions of the runtime that send messages, in order to act and to store for the victim. */
const impostor = `
  const calls = Array.from({ length: 9 }, () => $.Http.get('http://a.example/'))
  let sites
  try { await calls[8] } catch (error) {
    Object.defineProperty(error, 'message', { get() { sites ??= Error.prepareStackTrace.arguments[1]; return '' } })
    void error.stack
  }
  await Promise.all(calls.slice(0, 8))
  const request = sites[1].getFunction()
  let state
  await $.Http.get('http://a.example/', { get a() { state = request.arguments[0]; return 1 } })
  for (let run = 0; run < 50; run += 1) {
    state.post(2, JSON.stringify({ run, call: 2, name: 'action', action: 'SHORT', options: {}, storage: '"stolen"' }))
    state.post(3, JSON.stringify({ type: 'end', run, error: null, isSyntax: false }))
  }`

test('no message of a strategy counts for another one', async () => {
  const runner = await openChecked({ timeoutMs: 3_000, memoryLimitMb: 32 })
  let release = () => {}
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  const host = recordingHost({ stop: () => held })
  const victim = runner.run({
    strategyId: newStrategyId(),
    code: `await $.Strategy.stop(); $.log('done')`,
    input: inputOf(),
    host,
  })
  const attack = { strategyId: newStrategyId(), code: impostor, input: inputOf(), host: recordingHost() }
  const { status } = await runner.run(attack)
  release()
  const { log, storage } = await victim
  const { respawns } = runner.stats()
  await runner.close()
  assert.deepEqual(
    { log, storage, actions: host.actions, respawns },
    { log: 'done\n', storage: undefined, actions: [], respawns: 0 },
  )
  assert.equal(status, 'failed')
})
