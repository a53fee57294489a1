/**
 * Runs a temporary PostgreSQL server while standard input is open, and leaves nothing behind. It is a separate process
 * because the process that needs the server may be killed: then the system closes the pipe. It writes one line to
 * standard output when the server accepts connections: its URL.
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts'

type Owner = { uid: number; gid: number }
/** The exit code, the signal, or why it could not start. */
type ExitStatus = number | string | null

const isRoot = process.getuid?.() === 0
const bindAttempts = 3

const stopping = new AbortController()
const stop = () => stopping.abort()
process.stdin.on('end', stop).on('error', stop).resume()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

// The user that runs the server could not enter a private TMPDIR of root.
const folder = await mkdtemp(join(isRoot ? '/tmp' : tmpdir(), 'tickwright-postgres-'))
try {
  await superviseIn(folder, process.argv.includes('--fsync=off'))
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  process.stdin.destroy()
}

async function superviseIn(folder: string, withoutFsync: boolean): Promise<void> {
  const owner = isRoot ? await unprivilegedUser() : undefined
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (owner !== undefined) {
    for (const path of [folder, passwordFile]) await chown(path, owner.uid, owner.gid)
  }
  const binaries = await findPostgres(folder)
  await makeCluster(binaries, passwordFile, owner)

  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const server = startServer(binaries, port, withoutFsync, owner)
    const failure = await server.ready
    if (failure === undefined) {
      console.log(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
      throw new Error(`PostgreSQL ended by itself (${await server.ended}).`)
    }
    const portWasTaken = failure.includes('could not bind')
    if (!portWasTaken || attempt === bindAttempts) throw new Error(`PostgreSQL did not start:\n${failure}`)
  }
}

/** PostgreSQL refuses to run as root. The user needs a name: initdb looks it up. */
async function unprivilegedUser(): Promise<Owner> {
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function makeCluster(
  { initdb }: PostgresBinaries,
  passwordFile: string,
  owner: Owner | undefined,
): Promise<void> {
  // English messages and comparison byte by byte, in any locale of the machine.
  const dialect = ['--no-locale', '--encoding=UTF8']
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const where = [`--pgdata=${join(folder, 'data')}`, '--no-sync']
  const { stderr, ended } = start(initdb, [...where, ...dialect, ...access], owner, 'SIGTERM')
  const messages = await text(stderr)
  const result = await ended
  if (result !== 0) throw new Error(`initdb ended with ${result}:\n${messages}`)
}

/** `ready` resolves with nothing when the server accepts connections, or with its last output if it ended. */
function startServer(
  { postgres }: PostgresBinaries,
  port: number,
  withoutFsync: boolean,
  owner: Owner | undefined,
): { ready: Promise<string | undefined>; ended: Promise<ExitStatus> } {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    // Each test process opens its own pools.
    max_connections: 200,
    timezone: 'UTC',
    // Tests check failing statements themselves.
    log_min_messages: 'log',
    fsync: withoutFsync ? 'off' : 'on',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // SIGQUIT is an immediate shutdown: the data is temporary anyway.
  const { stderr, ended } = start(postgres, ['-D', join(folder, 'data'), ...flags], owner, 'SIGQUIT')
  const lastLines: string[] = []
  const ready = new Promise<string | undefined>((resolve) => {
    createInterface(stderr)
      .on('line', (line) => {
        lastLines.push(line)
        if (lastLines.length > 20) lastLines.shift()
        if (line.includes('database system is ready to accept connections')) resolve(undefined)
      })
      .on('close', () => resolve(lastLines.join('\n')))
  })
  return { ready, ended }
}

/** Starts a program that gets `killSignal` when the supervisor must stop. `ended` resolves when it has ended. */
function start(
  program: string,
  args: string[],
  owner: Owner | undefined,
  killSignal: NodeJS.Signals,
): { stderr: Readable; ended: Promise<ExitStatus> } {
  const child = spawn(program, args, {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: stopping.signal,
    killSignal,
  })
  const ended = new Promise<ExitStatus>((resolve) => {
    let failure: string | undefined
    child.on('error', (error) => {
      failure = error.message
    })
    child.on('close', (code, signal) => resolve(failure ?? signal ?? code))
  })
  return { stderr: child.stderr, ended }
}
