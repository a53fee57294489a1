import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

export type PostgresOptions = {
  /** Off: a power cut may lose a committed transaction, but a crash of the process cannot. Default: on. */
  fsync?: boolean
}

/** A PostgreSQL server for tests. */
export type Postgres = AsyncDisposable & {
  /** The URL of its maintenance database, with a user who may create databases. */
  url: string
  /** An up-to-date database without connections; `undefined` on a server that was already running. */
  template: string | undefined
  /** Creates an empty database, or a copy of the one at `template`, which must have no connections. */
  createDatabase(template?: string): Promise<string>
  /** Drops a database and ends its connections. */
  dropDatabase(url: string): Promise<void>
  /** Ends the server and deletes its files, if this process started it. */
  stop(): Promise<void>
}

/** Starts a server with a socket in a temporary folder. It ends when this process ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const program = fileURLToPath(new URL('./postgres-supervisor.ts', import.meta.url))
  const supervisor = spawn(
    process.execPath,
    [program, options.fsync === false ? '--fsync=off' : '--fsync=on'],
    {
      stdio: 'pipe',
      // Signals to this process group must not reach it, so that it can clean up.
      detached: true,
    },
  )
  const ended = once(supervisor, 'close')
  const complaint = text(supervisor.stderr)
  const template = await firstLine(supervisor.stdout)
  if (template === undefined) throw new Error((await complaint).trim())
  const url = onSameServer(template, 'postgres')
  const { end, ...databases } = databasesOf(url)
  const stop = async () => {
    await end()
    supervisor.stdin.end()
    await ended
  }
  return { ...databases, url, template, stop, [Symbol.asyncDispose]: stop }
}

/** A server that is already running. */
export function usePostgres(url: string): Postgres {
  // Databases may be dropped until the process ends, in whatever order a test lets go of what it has.
  const { end: _end, ...databases } = databasesOf(url)
  const stop = async () => undefined
  return { ...databases, url, template: undefined, stop, [Symbol.asyncDispose]: stop }
}

/** Its connections stay open for the next database: each takes as long as half of a copy. */
function databasesOf(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'tickwright-test',
    // They keep no process alive.
    allowExitOnIdle: true,
  })
  // The next statement connects again, and says what is wrong.
  pool.on('error', () => {})
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= pool.end()
    return ended
  }
  return {
    end,
    createDatabase: async (template?: string) => {
      const name = `tickwright_test_${randomBytes(6).toString('hex')}`
      const source = template === undefined ? '' : ` template ${pg.escapeIdentifier(nameOf(template))}`
      // Copying files takes half as much CPU time as writing each page to the log.
      await pool.query(`create database ${name}${source} strategy file_copy`)
      return onSameServer(url, name)
    },
    dropDatabase: async (database: string) => {
      await pool.query(`drop database if exists ${pg.escapeIdentifier(nameOf(database))} with (force)`)
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface(stream)) return line
  return undefined
}

function onSameServer(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}

function nameOf(database: string): string {
  return decodeURIComponent(new URL(database).pathname.slice(1))
}
