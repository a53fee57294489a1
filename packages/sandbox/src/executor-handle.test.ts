import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executorCommand } from './containment.ts'
import { type Death, ExecutorHandle } from './executor-handle.ts'
import { loadGuestCode } from './guest-code.ts'
import type { ExecutorMessage, OpenMessage } from './messages.ts'

const command = await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 })
const code = await loadGuestCode()
const open: OpenMessage = {
  type: 'open',
  memoryLimitMb: 64,
  timeoutMs: 500,
  runsPerIsolate: 10,
  warmIsolates: 10,
  entersDirectly: true,
  apiBaseUrl: null,
  scripts: code.scripts,
}

/** Starts an executor and waits for its first message. */
async function started(program: string, args: string[]) {
  const first = Promise.withResolvers<ExecutorMessage>()
  const death = Promise.withResolvers<Death>()
  const handle = new ExecutorHandle({ ...command, program, args }, code, open, {
    message: first.resolve,
    death: death.resolve,
  })
  await Promise.race([first.promise, death.promise])
  return { handle, death: death.promise }
}

test('a killed executor ends even if its chain does not end it', async () => {
  // This simulates a kill of the chain while it forks: the kernel then does not kill the child with its parent. A shell
  // replaces the chain and starts only Node, because the programs of the chain would ask the kernel for it.
  const node = command.args.slice(command.args.indexOf(process.execPath))
  const { handle, death } = await started('/bin/sh', ['-c', 'exec 4<&0; "$@" <&4 & wait', 'sh', ...node])
  handle.kill('closed')
  // The pipe of its standard error closes with its last process.
  assert.equal((await death).cause, 'closed')
})
