import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type FloorProcess = AsyncDisposable & { url: string; pid: number }

/** A file in `floors/`, and its environment variables. */
export type Floor = { file: string; settings?: Record<string, string> }

/**
 * Starts a floor: a server that does the same work without the service. Like the service, it is a separate process with
 * a folder that is deleted when it ends.
 */
export async function startFloor({ file, settings = {} }: Floor): Promise<FloorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tickwright-floor-'))
  const child = fork(join(import.meta.dirname, 'floors', file), {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...settings },
    stdio: 'inherit',
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  }
  const answered = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)])
  if (answered === undefined) {
    await stop()
    throw new Error(`The floor ${file} did not start.`)
  }
  const [{ port }] = answered as [{ port: number }]
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, [Symbol.asyncDispose]: stop }
}
