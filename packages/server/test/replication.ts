import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinaries } from '../src/db/embedded/binaries.ts'
import { type Programs, runProgram, startProgram } from '../src/db/embedded/programs.ts'
import { findWayToRun, giveTo, letThrough } from '../src/db/embedded/way-to-run.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A PostgreSQL server that may have a standby, or is one, and that a test can kill. */
export type ReplicatedServer = AsyncDisposable & {
  port: number
  /** The folder with its files. */
  data: string
  /** Runs one statement as the superuser. Resolves with its rows. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Kills it without a chance to write anything more, as a failing machine would. */
  kill(): Promise<void>
}

/** Makes servers that replicate to each other. They accept the user `postgres` with `password`, over loopback. */
export type Replication = AsyncDisposable & {
  password: string
  startPrimary(): Promise<ReplicatedServer>
  /** Copies a running server, and resolves when the copy follows it. Every commit there then waits for the copy. */
  startSynchronousStandby(primary: ReplicatedServer): Promise<ReplicatedServer>
}

/** Contents that belong to the running server, and not to a copy of it: see "low level base backup" of PostgreSQL. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'backup_label', 'standby.signal']
const emptyInCopies = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots']

/** Prepares the programs and a folder for servers. Disposing ends the servers and deletes the folder. */
export async function openReplication(): Promise<Replication> {
  await using acquired = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tickwright-replication-'))
  acquired.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const binaries = await findBinaries(join(folder, 'libraries'))
  const programs = { binaries, way: await findWayToRun(binaries) }
  await letThrough(programs.way.account, folder)
  const parts = { folder, programs, password: randomBytes(16).toString('hex') }
  const kept = acquired.move()
  let standbys = 0
  return {
    password: parts.password,
    startPrimary: async () => {
      const data = join(folder, 'primary')
      await makeCluster(parts, data)
      return kept.use(await startServer(parts, data, {}))
    },
    startSynchronousStandby: async (primary) => {
      const name = `standby${++standbys}`
      const data = join(folder, name)
      await copyCluster(parts, primary, data)
      const account = `user=postgres password=${parts.password}`
      const standby = await startServer(parts, data, {
        primary_conninfo: `host=127.0.0.1 port=${primary.port} ${account} application_name=${name}`,
      })
      kept.use(standby)
      await primary.query(`alter system set synchronous_standby_names = '${name}'`)
      await primary.query('select pg_reload_conf()')
      await until(`${name} to be synchronous`, async () => {
        const [row] = await primary.query('select sync_state from pg_stat_replication')
        return row?.sync_state === 'sync'
      })
      return standby
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

type Parts = { folder: string; programs: Programs; password: string }

async function makeCluster({ folder, programs, password }: Parts, data: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await giveTo(programs.way.account, passwordFile)
  await mkdir(data, { mode: 0o700 })
  await giveTo(programs.way.account, data)
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const flags = [`--pgdata=${data}`, '--no-sync', '--no-locale', '--encoding=UTF8', ...access]
  await runProgram(programs, 'initdb', flags)
}

/** The copy starts as a standby. What changes during the copying is in the log that the standby then reads. */
async function copyCluster(
  { programs, password }: Parts,
  primary: ReplicatedServer,
  data: string,
): Promise<void> {
  const client = await connect(primary.port, password)
  try {
    await client.query("select pg_backup_start('standby', fast => true)")
    const isCopied = (path: string) =>
      !notCopied.includes(basename(path)) &&
      !emptyInCopies.includes(basename(dirname(path))) &&
      !/^(pg_internal\.init|pgsql_tmp)/.test(basename(path))
    await cp(primary.data, data, { recursive: true, filter: isCopied })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(join(data, 'backup_label'), rows[0]!.labelfile)
  } finally {
    await client.end()
  }
  await writeFile(join(data, 'standby.signal'), '')
  // The settings of the primary that it must not share: it waits for no standby of its own.
  await writeFile(join(data, 'postgresql.auto.conf'), '')
  const { account } = programs.way
  if (account !== undefined) {
    await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, data])
  }
}

async function startServer(
  { programs, password }: Parts,
  data: string,
  own: Record<string, string>,
): Promise<ReplicatedServer> {
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    wal_level: 'replica',
    // A new standby reads from the beginning of its copy.
    wal_keep_size: '512MB',
    // The test kills processes, not machines.
    fsync: 'off',
    ...own,
  }
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const { child, stderr, ended } = startProgram(programs, 'postgres', ['-D', data, ...flags])
  const messages = text(stderr)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  try {
    await until(`the server in ${data}`, async () => {
      const lines = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
      return /^(ready|standby)/.test(lines.split('\n')[7] ?? '')
    })
  } catch (error) {
    await end('SIGQUIT')
    throw new Error(await messages, { cause: error })
  }
  return {
    port,
    data,
    query: async (sql) => {
      const client = await connect(port, password)
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGQUIT'),
  }
}

async function connect(port: number, password: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
  await client.connect()
  return client
}
