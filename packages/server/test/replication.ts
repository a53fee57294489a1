import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts'
import { until } from './until.ts'

/** A PostgreSQL server that may have a standby, or is one, and that a test can kill. */
export type ReplicatedServer = AsyncDisposable & {
  port: number
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

const isRoot = process.getuid?.() === 0

/** Prepares the programs and a folder for servers. Disposing kills the servers and deletes the folder. */
export async function openReplication(): Promise<Replication> {
  await using acquired = new AsyncDisposableStack()
  // The user that runs the servers could not enter a private TMPDIR of root.
  const folder = await mkdtemp(join(isRoot ? '/tmp' : tmpdir(), 'tickwright-replication-'))
  acquired.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const owner = isRoot ? await unprivilegedUser() : undefined
  const binaries = await findPostgres(folder)
  const password = randomBytes(16).toString('hex')
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const parts = { folder, owner, binaries, password }
  const kept = acquired.move()
  const start = async (name: string, settings: Record<string, string>) =>
    kept.use(await startServer(parts, name, settings))
  const ports = new Map<ReplicatedServer, string>()
  let count = 0
  return {
    password,
    startPrimary: async () => {
      await makeCluster(parts, 'primary')
      const primary = await start('primary', {})
      ports.set(primary, 'primary')
      return primary
    },
    startSynchronousStandby: async (primary) => {
      const name = `standby${++count}`
      await copyCluster(parts, primary, { from: ports.get(primary)!, to: name })
      const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=${name}`
      const standby = await start(name, { primary_conninfo: connection })
      ports.set(standby, name)
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

type Owner = { uid: number; gid: number }
type Parts = { folder: string; owner: Owner | undefined; binaries: PostgresBinaries; password: string }

/** PostgreSQL refuses to run as root. The user needs a name: initdb looks it up. */
async function unprivilegedUser(): Promise<Owner> {
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function makeCluster({ folder, owner, binaries, password }: Parts, name: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (owner !== undefined) await chown(passwordFile, owner.uid, owner.gid)
  const flags = ['--no-sync', '--no-locale', '--encoding=UTF8', '--username=postgres', '--auth=scram-sha-256']
  const place = [`--pgdata=${join(folder, name)}`, `--pwfile=${passwordFile}`]
  await promisify(execFile)(binaries.initdb, [...place, ...flags], { ...owner, cwd: folder })
}

/** The copy starts as a standby. What changes during the copying is in the log that the standby then reads. */
async function copyCluster(
  { folder, owner, password }: Parts,
  { port }: ReplicatedServer,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const source = join(folder, from)
  const target = join(folder, to)
  const client = await connect(port, password)
  try {
    await client.query("select pg_backup_start('standby', fast => true)")
    const belongs = (path: string) =>
      !notCopied.includes(basename(path)) &&
      !emptyInCopies.includes(basename(dirname(path))) &&
      !/^(pg_internal\.init|pgsql_tmp)/.test(basename(path))
    await cp(source, target, { recursive: true, filter: belongs })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(join(target, 'backup_label'), rows[0]!.labelfile)
  } finally {
    await client.end()
  }
  await mkdir(join(target, 'pg_wal'), { recursive: true })
  await writeFile(join(target, 'standby.signal'), '')
  // A copy of the settings of the primary: the standby waits for no other one.
  await writeFile(join(target, 'postgresql.auto.conf'), '')
  if (owner !== undefined) await promisify(execFile)('chown', ['-R', `${owner.uid}:${owner.gid}`, target])
}

async function startServer(
  { folder, owner, binaries, password }: Parts,
  name: string,
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
  const data = join(folder, name)
  // The shell ends the server when this process ends, even if that is killed: then the system closes the pipe.
  const shell = spawn(
    '/bin/sh',
    ['-c', '"$0" "$@" & cat > /dev/null; kill -QUIT $!; wait $!', binaries.postgres, '-D', data, ...flags],
    { ...owner, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] },
  )
  const messages = text(shell.stderr)
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()))
  const stop = async () => {
    shell.stdin.end()
    await ended
  }
  const lines = async () => (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  try {
    await until(`${name} to accept connections`, async () =>
      /^(ready|standby)/.test((await lines())[7] ?? ''),
    )
  } catch (error) {
    await stop()
    throw new Error(await messages, { cause: error })
  }
  const postmaster = Number((await lines())[0])
  return {
    port,
    query: async (sql) => {
      const client = await connect(port, password)
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
    kill: async () => {
      process.kill(postmaster, 'SIGKILL')
      await stop()
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function connect(port: number, password: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
  await client.connect()
  return client
}
