import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const longestStartMs = 300_000

/** @throws {Error} with the message, unless the condition holds */
export function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(message)
}

/** Resolves when the address answers with success. @throws {Error} if the process ends before, or after five minutes */
export async function ready(url: string, child: ChildProcess): Promise<void> {
  for (const start = Date.now(); Date.now() - start < longestStartMs; await wait(200)) {
    expect(child.exitCode === null, `${child.spawnargs.join(' ')} has ended.`)
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
  throw new Error(`${url} does not answer.`)
}

/** Ends the process when the block is left, and waits for its end. */
export function ending(child: ChildProcess): AsyncDisposable {
  const ended = once(child, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
