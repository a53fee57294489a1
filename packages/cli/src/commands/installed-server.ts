import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Context } from '../context.ts'
import { Failure } from '../failures.ts'
import { serverProgram } from '../server-program.ts'

/** Starts the service on this machine, and runs until it ends. */
export function start(_: Context): Promise<void> {
  return runServer([])
}

/** Writes a backup to a new file. */
export function backup(_: Context, file: string): Promise<void> {
  return runServer(['backup', file])
}

/** Writes a backup into an empty database. */
export async function restore(_: Context, file: string): Promise<void> {
  return runServer(['restore', file])
}

/** Looks at everything that the service needs on this machine, and says what to do. */
export async function doctor({ out }: Context): Promise<void> {
  return runServer(['doctor', ...(out.json ? ['--json'] : [])])
}

/** Sets a new password for an administrator. */
export function adminPassword(_: Context, email: string | undefined): Promise<void> {
  return admin('admin-password', email)
}

/** Shows a link with which an administrator chooses a new password. */
export function adminLink(_: Context, email: string | undefined): Promise<void> {
  return admin('admin-link', email)
}

/** Makes an API key of an administrator. */
export function adminKey(_: Context, email: string | undefined): Promise<void> {
  return admin('admin-key', email)
}

/** Changes the address of an administrator. `former` names one of several. */
export function adminEmail(_: Context, wanted: string, former: string | undefined): Promise<void> {
  return runServer(['admin-email', wanted, ...(former === undefined ? [] : [former])])
}

function admin(command: string, email: string | undefined): Promise<void> {
  return runServer([command, ...(email === undefined ? [] : [email])])
}

/**
 * Runs a command of the server that is installed beside this program, with its settings and its output.
 * @throws {Failure} if there is none, or if the command fails, after it has said why
 */
async function runServer(args: readonly string[]): Promise<void> {
  const program = [process.execPath, serverProgram(), ...args]
  // Where the system can, the server takes the place of this process, so that signals and kills reach it.
  if (process.platform !== 'win32') process.execve?.(program[0]!, program)
  const child = spawn(program[0]!, program.slice(1), { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Failure('The server ended with a failure.')
}
