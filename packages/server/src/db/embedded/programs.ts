import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Binaries } from './binaries.ts'
import type { WayToRun } from './way-to-run.ts'

/** The programs of PostgreSQL, and how they run here. */
export type Programs = { binaries: Binaries; way: WayToRun }

/** What a program wrote before it ended arrives within this time. */
const lastWordsMs = 250

/** The exit code, the signal that ended it, or why it did not start. */
export type Ending = number | string

/** Starts a program of PostgreSQL in a process group of its own: Ctrl-C reaches only this process. */
export function startProgram(
  { binaries, way }: Programs,
  program: 'initdb' | 'postgres',
  args: readonly string[],
  input?: string,
): { child: ChildProcess; stderr: Readable; ended: Promise<Ending> } {
  const [command, ...rest] = [...way.chain, binaries[program], ...args] as [string, ...string[]]
  const child = spawn(command, rest, {
    cwd: '/',
    env: binaries.env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
    detached: true,
    ...(way.account && { uid: way.account.uid, gid: way.account.gid }),
  })
  // A program that ends before it has read everything breaks the pipe. Its exit code says more.
  child.stdin?.on('error', () => undefined).end(input)
  const ended = new Promise<Ending>((resolve) => {
    let failure: string | undefined
    child.on('error', (error) => {
      failure = error.message
      if (child.pid === undefined) resolve(failure)
    })
    child.on('exit', (code, signal) => {
      const finish = () => resolve(failure ?? signal ?? code ?? 'unknown')
      // A busy child of a killed server holds the output open, and nothing would start the server again meanwhile.
      const timer = setTimeout(finish, lastWordsMs)
      child.on('close', () => {
        clearTimeout(timer)
        finish()
      })
    })
  })
  return { child, stderr: child.stderr!, ended }
}

/**
 * Runs a program to its end.
 * @throws {Error} with the reason that it wrote, if it fails
 */
export async function runProgram(...asked: Parameters<typeof startProgram>): Promise<string> {
  const { stderr, ended } = startProgram(...asked)
  const output = await text(stderr)
  const ending = await ended
  if (ending !== 0) throw new Error(`${asked[1]} ended with ${ending}: ${reasonIn(output) ?? output.trim()}`)
  return output
}

/** The line of PostgreSQL's output that says why it failed. */
export function reasonIn(output: string): string | undefined {
  const line = output.split('\n').findLast((each) => /\b(?:FATAL|PANIC|ERROR|error):|could not/.test(each))
  return line?.trim().replace(/^(?:FATAL|PANIC|ERROR): +/, '')
}
