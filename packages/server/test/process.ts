import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from './client.ts'
import { createTestDatabase, type TestDatabase } from './databases.ts'
import { administratorKey, testEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'
import type { ServiceOptions } from './service.ts'
import { until } from './until.ts'

/** A service as a process of its own, at the head of a process group, and a client of it. */
export type ServiceProcess = AsyncDisposable &
  Client & {
    url: string
    pid: number
    /** What it has written to standard output and standard error so far. */
    output(): string
    /** Asks it to end with `signal` and waits until it has; resolves with its exit code, or the signal's name. */
    stop(signal?: NodeJS.Signals): Promise<number | string>
    /** Kills it with all its children, as a machine that fails would. */
    killGroup(): Promise<void>
  }

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const preload = new URL('./end-with-parent.ts', import.meta.url).href
const readyTimeoutMs = 30_000

/**
 * Starts `main.ts` and waits until `/health/ready` says so.
 * @throws with all that it wrote when it ends, or is not ready in 30 s
 */
export async function startProcess({ database, env = {} }: ServiceOptions = {}): Promise<ServiceProcess> {
  await using acquired = new AsyncDisposableStack()
  const place = database ?? acquired.use(await createTestDatabase('pglite'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = launch({ PORT: String(port), LOG_LEVEL: 'info', ...env }, place)
  acquired.defer(child.killGroup)

  const client = createClient(url, administratorKey)
  const isReady = async () => {
    if (child.hasEnded()) throw new Error('The service ended while it was starting.')
    const answer = await client.send('GET', '/health/ready').catch(() => undefined)
    return answer?.status === 200
  }
  try {
    await until('the service to be ready', isReady, readyTimeoutMs)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${child.output()}`, { cause: error })
  }
  const kept = acquired.move()
  return { ...client, ...child, url, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Starts `main.ts`, of which a test expects that it does not come up, and waits until it has ended by itself. */
export function startInVain(
  options: ServiceOptions = {},
): Promise<{ exit: number | string; output: string }> {
  return runCommand([], options)
}

/** Runs `main.ts` with arguments, and waits until it has ended by itself. */
export async function runCommand(
  args: string[],
  { database, env = {} }: ServiceOptions = {},
): Promise<{ exit: number | string; output: string }> {
  await using acquired = new AsyncDisposableStack()
  const place = database ?? acquired.use(await createTestDatabase('pglite'))
  const child = launch(env, place, args)
  acquired.defer(child.killGroup)
  try {
    await until('the process to end', async () => child.hasEnded(), readyTimeoutMs)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${child.output()}`, { cause: error })
  }
  return { exit: await child.ended, output: child.output() }
}

function passedOn(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function launch(env: Record<string, string>, database: TestDatabase, args: string[] = []) {
  const child = spawn(process.execPath, ['--import', preload, main, ...args], {
    env: { ...passedOn('PATH', 'NODE_COMPILE_CACHE'), ...testEnvironment(database, env) },
    stdio: 'pipe',
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code ?? 'unknown'))
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    pid: child.pid!,
    output: () => output,
    hasEnded,
    ended,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    killGroup: async () => {
      killGroup(child.pid!)
      await ended
    },
  }
}

/** Also when its leader has ended: what it left running goes too. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
