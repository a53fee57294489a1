import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../packages/server/test/free-port.ts'
import type { ApiAccess } from './api.ts'

const mainFile = resolve(import.meta.dirname, '../packages/server/src/main.ts')
/** Ends the service when this process is killed and can no longer see to it. */
const endWithParent = new URL('../packages/server/test/end-with-parent.ts', import.meta.url).href
const startLimitMs = 60_000
/** The service says that it drains within 10 s. */
const stopLimitMs = 12_000
const keptOutputLength = 4_000

/** A service in a process of its own, with a data folder that is gone when it ends. */
export type ServiceProcess = AsyncDisposable & { access: ApiAccess; pid: number }

export type ServiceOptions = {
  /** Further environment variables, such as `ROLES`. */
  settings?: Record<string, string>
  /** What is to be done in the data folder before the service starts. */
  prepare?: (dataDir: string) => Promise<void>
}

/**
 * Starts a service that is ready when this resolves: an empty database, no example, no limit on what a webhook
 * takes, and a key pair of its administrator.
 * @throws {Error} with the end of the service's output when it does not become ready
 */
export async function startServiceProcess(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickwright-'))
  const port = await freePort()
  const access = {
    url: `http://127.0.0.1:${port}`,
    apiKey: `example-${randomBytes(12).toString('hex')}`,
    apiSecret: randomBytes(32).toString('hex'),
  }
  await options.prepare?.(dataDir)
  const child = spawn(process.execPath, ['--import', endWithParent, mainFile], {
    // Nothing of this process's own environment: a DATABASE_URL in it would point at somebody's data.
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      TICKWRIGHT_EXAMPLE: '0',
      TICKWRIGHT_ADMIN_PASSWORD: randomBytes(16).toString('hex'),
      TICKWRIGHT_ADMIN_API_KEY: access.apiKey,
      TICKWRIGHT_ADMIN_API_SECRET: access.apiSecret,
      WEBHOOK_RATE: '1000000',
      WEBHOOK_BURST: '1000000',
      ...options.settings,
    },
    stdio: 'pipe',
    // At the head of a group of its own: Ctrl-C is for us, and we then ask the service to end.
    detached: true,
  })
  const output = keepOutput(child)
  const stop = async () => {
    await stopProcess(child)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await becomesReady(child, access.url)
  } catch (error) {
    await stop()
    throw new Error(`The service did not start: ${(error as Error).message}\n${output()}`.trimEnd())
  }
  return { access, pid: child.pid!, [Symbol.asyncDispose]: stop }
}

async function becomesReady(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + startLimitMs
  while (performance.now() < until) {
    if (child.pid === undefined || hasEnded(child)) throw new Error('its process ended.')
    const ready = await fetch(`${url}/health/ready`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(50)
  }
  throw new Error(`it was not ready within ${startLimitMs / 1000} s.`)
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
  await ended
  clearTimeout(timer)
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Reads what the process writes, so that it never waits for us, and keeps the end of it for a message. */
function keepOutput(child: ChildProcess): () => string {
  let kept = ''
  const keep = (chunk: Buffer) => {
    kept = (kept + chunk.toString('utf8')).slice(-keptOutputLength)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('error', (error) => keep(Buffer.from(error.message)))
  return () => kept
}
