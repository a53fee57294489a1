import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { longPatienceMs } from './patience.ts'
import { until } from './until.ts'

/** A service in a process of its own, at the head of a process group. Disposing kills the whole group. */
export type LaunchedService = AsyncDisposable & {
  pid: number
  /** What it has written to standard output and standard error so far. */
  output(): string
  hasEnded(): boolean
  /** Resolves with its exit code, or with the name of the signal that ended it. */
  ended: Promise<number | string>
  /** Asks it to end with `signal` and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
  /** Kills it with all its children, as a failing machine would. */
  killGroup(): Promise<void>
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Ends the service when this process is killed and can no longer do so. */
const preload = new URL('./end-with-parent.ts', import.meta.url).href

/**
 * Starts `main.ts` with these settings alone, and with these arguments. It inherits no other environment variables: a `DATABASE_URL` of this
 * process would point at someone's data.
 * @param through a program with arguments that prepares its surroundings and then becomes the service
 */
export function launchService(
  settings: Record<string, string>,
  commandLine: readonly string[] = [],
  through: readonly string[] = [],
): LaunchedService {
  const command = [...through, process.execPath, '--import', preload, main, ...commandLine]
  const child = spawn(command[0]!, command.slice(1), {
    env: { ...inherited('PATH', 'NODE_COMPILE_CACHE'), ...settings },
    stdio: 'pipe',
    // In a group of its own: Ctrl-C in a terminal reaches only this process, which then ends the service.
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
  const killGroup = async () => {
    endGroup(child.pid!)
    await ended
  }
  return {
    pid: child.pid!,
    output: () => output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    killGroup,
    [Symbol.asyncDispose]: killGroup,
  }
}

/**
 * Resolves when `/health/ready` of the service at `url` says so.
 * @throws {Error} with all output of the service, if it ends before or is not ready in 60 s
 */
export async function untilReady(service: LaunchedService, url: string): Promise<void> {
  const isReady = async () => {
    if (service.hasEnded()) throw new Error('The service ended while it was starting.')
    return fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await withOutput(service, until('the service to be ready', isReady, longPatienceMs))
}

/** Waits, and adds the service's output to the error if the wait fails. */
export async function withOutput<T>(service: LaunchedService, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${service.output()}`.trimEnd(), { cause: error })
  }
}

function inherited(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** Kills a group even if its leader has ended: processes that the leader left behind end too. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
