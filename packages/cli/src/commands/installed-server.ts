import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Context } from '../context.ts'
import { Failure } from '../failures.ts'
import { serverProgram } from '../server-program.ts'

/** Starts the service on this machine, and runs until it ends. */
export function start(context: Context): Promise<void> {
  return runServer(context, [])
}

/** Writes a backup to a new file. */
export function backup(context: Context, file: string): Promise<void> {
  return runServer(context, ['backup', file])
}

/** Writes a backup into an empty database. */
export async function restore(context: Context, file: string): Promise<void> {
  return runServer(context, ['restore', file])
}

/** Looks at everything that the service needs on this machine, and says what to do. */
export async function doctor(context: Context): Promise<void> {
  return runServer(context, ['doctor', ...(context.out.json ? ['--json'] : [])])
}

/** Sets a new password for an administrator. */
export function adminPassword(context: Context, email: string | undefined): Promise<void> {
  return admin(context, 'admin-password', email)
}

/** Shows a link with which an administrator chooses a new password. */
export function adminLink(context: Context, email: string | undefined): Promise<void> {
  return admin(context, 'admin-link', email)
}

/** Makes an API key of an administrator. */
export function adminKey(context: Context, email: string | undefined): Promise<void> {
  return admin(context, 'admin-key', email)
}

/** Changes the address of an administrator. `former` names one of several. */
export function adminEmail(context: Context, wanted: string, former: string | undefined): Promise<void> {
  return runServer(context, ['admin-email', wanted, ...(former === undefined ? [] : [former])])
}

function admin(context: Context, command: string, email: string | undefined): Promise<void> {
  return runServer(context, [command, ...(email === undefined ? [] : [email])])
}

/**
 * Runs a command of the server that is installed beside this program, with its settings and its output.
 * @throws {Failure} if there is none, or if the command fails, after it has said why
 */
async function runServer({ world }: Context, args: readonly string[]): Promise<void> {
  const program = [process.execPath, serverProgram(), ...args]
  const { env } = world
  // Where the system can, the server takes the place of this process, so that signals and kills reach it. Before
  // Node 24.10, it gets no environment, and so none of its settings, unless it is given one.
  if (process.platform !== 'win32') process.execve?.(program[0]!, program, env)
  const child = spawn(program[0]!, program.slice(1), { stdio: 'inherit', env })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Failure('The server ended with a failure.')
}
