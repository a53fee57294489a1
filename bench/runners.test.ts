import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGuestCode } from '../packages/sandbox/src/guest-code.ts'
import { RunnerProcess } from './runner-process.ts'
import type { RunnerOrder } from './runners/protocol.ts'
import { runnerNames } from './runners/runner.ts'
import { actingCode, typicalCode } from './typical-reaction.ts'
import { typicalRun } from './typical-run.ts'

const { expected, ...input } = await typicalRun()
const { indicators } = (await loadGuestCode()).scripts
const order: RunnerOrder = {
  name: 'inline',
  code: typicalCode,
  indicators,
  input,
  expected,
  actsPerRun: 0,
  sandbox: { jit: true },
}
const briefly = { strategies: 2, fresh: false, ms: 50 }

for (const name of runnerNames) {
  test(`${name} does the same work: its storage is checked, and its host calls are counted`, async () => {
    await using process = await RunnerProcess.start({
      order: { ...order, name, code: actingCode, actsPerRun: 1 },
    })
    const { perSecond, p50Ms, p99Ms, ownCpuMs } = await process.measure(briefly)
    assert.ok(perSecond > 0 && ownCpuMs >= 0)
    assert.ok(p50Ms > 0 && p50Ms <= p99Ms)
    await process.measure({ ...briefly, fresh: true })
  })
}

test('a result that differs is an error, not a figure', async () => {
  await using process = await RunnerProcess.start({ order: { ...order, expected: '{}' } })
  await assert.rejects(process.measure(briefly), /instead of \{\}/)
})

test('missing host calls are an error, not a figure', async () => {
  await using process = await RunnerProcess.start({ order: { ...order, actsPerRun: 1 } })
  await assert.rejects(process.measure(briefly), /runs called the host 0 times/)
})

test('idle strategies of the sandbox hold memory of its executor', async () => {
  await using process = await RunnerProcess.start({ order: { ...order, name: 'sandbox' } })
  const idle = await process.idle(10, 2)
  if (idle !== null) assert.ok(idle.othersBytes > 500_000, `${idle.othersBytes} bytes`)
})
