import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packCandles } from './candles.ts'
import { executorCommand } from './containment.ts'
import { type Death, ExecutorHandle } from './executor-handle.ts'
import { loadGuestCode } from './guest-code.ts'
import { candlesHeld, type ExecutorMessage, type OpenMessage } from './messages.ts'

const command = await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 })
const code = await loadGuestCode()
const open: OpenMessage = {
  type: 'open',
  memoryLimitMb: 64,
  timeoutMs: 500,
  serviceWaitMs: 500,
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

test('an executor gets the same candles once', async () => {
  // This executor tells what it gets: the number of the candles as an age, and a log of 5,000 characters if they came with it.
  const program = `
    const pipe = new (require('node:net').Socket)({ fd: 3 })
    let buffer = Buffer.alloc(0)
    pipe.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk])
      while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE(0)) {
        const size = buffer.readUInt32BE(0)
        const { type, run, candles } = JSON.parse(buffer.toString('utf8', 4, 4 + size))
        buffer = buffer.subarray(4 + size)
        if (type !== 'reply') continue
        const text = JSON.stringify({ type: 'alive', started: [[run, candles, 'x'.repeat(Math.min(size, 5000))]] })
        const head = Buffer.alloc(4)
        head.writeUInt32BE(text.length)
        pipe.write(Buffer.concat([head, Buffer.from(text)]))
      }
    })`
  const got: [number, boolean][] = []
  const done = Promise.withResolvers<void>()
  const asked = candlesHeld + 3
  const events = {
    message(message: ExecutorMessage) {
      if (message.type !== 'alive') return
      for (const [, number, text] of message.started) got.push([number, text.length === 5_000])
      if (got.length === asked + 1) done.resolve()
    },
    death: () => done.resolve(),
  }
  const handle = new ExecutorHandle(command, { ...code, executor: program }, open, events)
  const candle = { time: 0, open: 1, high: 1, low: 1, last: 1, volume: 1, done: true }
  const lists = Array.from({ length: asked - 2 }, () => packCandles(new Array(100).fill(candle)))
  const order = [lists[0]!, lists[0]!, ...lists.slice(1), lists[0]!, lists.at(-1)!]
  for (const [index, value] of order.entries()) handle.reply({ run: index + 1, call: 1, ok: true, value })
  await done.promise
  const sent = got.filter(([, isWhole]) => isWhole).map(([number]) => number)
  assert.equal(got.length, asked + 1)
  // The second reply and the last one have a number only; one more list than it holds made it forget the first.
  assert.deepEqual(
    sent,
    Array.from({ length: asked - 1 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    [got[1], got.at(-2), got.at(-1)],
    [
      [1, false],
      [asked - 1, true],
      [asked - 2, false],
    ],
  )
  handle.kill('closed')
})
