import { type ChildProcess, spawn } from 'node:child_process'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { findBinaries } from './binaries.ts'
import { clusterFolder, createCluster, hasCluster } from './cluster.ts'
import { urlOf } from './connection.ts'
import { endFormerServer } from './former.ts'
import { readLockFile } from './lock-file.ts'
import { type Ending, type Programs, reasonIn, startProgram } from './programs.ts'
import { findPlace, type Place } from './socket.ts'
import { findWayToRun, letThrough } from './way-to-run.ts'

export type EmbeddedServer = {
  /** The URL of the database, with the role that owns it. */
  url: string
  /** The process of the server; another one after each start. */
  readonly pid: number
  /** Why the server cannot work now; `undefined` if it can. */
  trouble(): Promise<string | undefined>
  /** Ends the server. All connections break. */
  close(): Promise<void>
}

export type EmbeddedOptions = {
  /** The data folder, which the caller has locked. */
  dataDir: string
  logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** Settings of PostgreSQL besides, or instead of, those of every server. */
  settings?: Record<string, string | number>
  /** The folders of the system's programs; default: the usual ones. */
  toolFolders?: readonly string[]
}

const leastFreeBytes = 200 * 1024 * 1024
/** PostgreSQL writes its log in files of this size. */
const fullBytes = 16 * 1024 * 1024
const lookEveryMs = 5
/** A server that ends is started again after this time, and after twice the time with each further failure. */
const firstPauseMs = 250
const longestPauseMs = 10_000
/** A server that has run this long has recovered from its last failure. */
const calmMs = 60_000
/** On a full disk, a server that has to write everything before it ends never ends. Recovery at the next start does the rest. */
const politeMs = 4_000

/**
 * Starts PostgreSQL on `DATA_DIR/postgres`, creates the cluster if there is none, and starts the server again if it ends.
 * @throws {Error} if it cannot start; the message says why and what to do
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, logger } = options
  const folder = clusterFolder(dataDir)
  const isThere = await hasCluster(dataDir)
  await warnOfFolder(dataDir, logger)
  const binaries = await findBinaries(join(dataDir, 'postgres-libraries'), options.toolFolders)
  const programs = { binaries, way: await findWayToRun(binaries) }
  await letThrough(programs.way.account, dataDir)
  if (!isThere) await createCluster(programs, folder)
  const server = new Server(options, programs, folder)
  await server.start()
  return server
}

/** One cluster, and the process that serves it now. */
class Server implements EmbeddedServer {
  url = ''
  #failure: string | undefined
  #options: EmbeddedOptions
  #programs: Programs
  #folder: string
  #place: Place | undefined
  #process: Process | undefined
  #stopping = new AbortController()
  #watch: Promise<void> | undefined
  #endAtExit = () => this.#process?.child.kill('SIGQUIT')

  constructor(options: EmbeddedOptions, programs: Programs, folder: string) {
    this.#options = options
    this.#programs = programs
    this.#folder = folder
  }

  get pid(): number {
    return this.#process?.child.pid ?? 0
  }

  async trouble(): Promise<string | undefined> {
    const { dataDir } = this.#options
    // A disk that does not answer makes the server fail too, with a reason of its own.
    const free = await freeBytes(dataDir).catch(() => Number.POSITIVE_INFINITY)
    if (free < fullBytes) return `the disk of the data folder ${dataDir} is full`
    return this.#failure
  }

  async start(): Promise<void> {
    await endFormerServer(this.#folder)
    const { account } = this.#programs.way
    // An account without privileges cannot create the socket in a folder of root.
    this.#place = await findPlace(account === undefined ? this.#options.dataDir : this.#folder, account)
    this.url = await urlOf(this.#folder, this.#place)
    process.on('exit', this.#endAtExit)
    try {
      await this.#launch()
    } catch (error) {
      await this.close()
      throw new Error(
        `The database in ${this.#folder} cannot be opened: ${(error as Error).message}. Nothing was deleted.`,
        { cause: error },
      )
    }
    this.#watch = this.#keepRunning()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    const { child, ended } = this.#process ?? {}
    if (child !== undefined && ended !== undefined) {
      child.kill('SIGINT')
      const timer = setTimeout(() => {
        this.#options.logger.warn('the database did not end in time; it recovers at the next start')
        child.kill('SIGQUIT')
      }, politeMs)
      await ended
      clearTimeout(timer)
    }
    await this.#watch
    process.off('exit', this.#endAtExit)
    await this.#place?.release()
  }

  async #launch(): Promise<void> {
    const settings = { ...standardSettings, ...this.#place!.settings, ...this.#options.settings }
    this.#process = launch(this.#programs, this.#folder, settings, this.#options.logger)
    await this.#process.ready
  }

  async #keepRunning(): Promise<void> {
    const { logger } = this.#options
    const { signal } = this.#stopping
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      const startedMs = performance.now()
      const ending = await this.#process!.ended
      if (signal.aborted) return
      this.#failure = this.#process!.reason() ?? `the server ended with ${ending}`
      logger.error({ reason: this.#failure }, 'the database ended; it is started again')
      if (performance.now() - startedMs > calmMs) pauseMs = firstPauseMs
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      if (signal.aborted) return
      try {
        await endFormerServer(this.#folder)
        // A close during that found no process to end.
        if (signal.aborted) return
        await this.#launch()
        this.#failure = undefined
        logger.info('the database runs again')
      } catch {
        // The next turn says why it ended.
      }
    }
  }
}

/**
 * fsync, full page writes and synchronous commits stay on, as PostgreSQL has them by default: what is committed survives
 * a power cut.
 */
const standardSettings: Record<string, string | number> = {
  cluster_name: 'tickwright',
  max_connections: 30,
  shared_buffers: '64MB',
  // Worker processes for reading would cost memory, and the data is mostly in the cache of the system.
  io_method: 'sync',
  jit: 'off',
  // No other server follows this one.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  // The service logs the errors of its statements. Statements contain what users have stored.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  // fsync alone leaves the data in the disk's cache there.
  ...(process.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
}

type Process = {
  child: ChildProcess
  /** Resolves when it accepts connections. Rejects with its reason if it ends before. */
  ready: Promise<void>
  ended: Promise<Ending>
  /** Why it failed, in its own words. */
  reason(): string | undefined
}

function launch(
  programs: Programs,
  folder: string,
  settings: Record<string, string | number>,
  logger: EmbeddedOptions['logger'],
): Process {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { child, stderr, ended } = startProgram(programs, 'postgres', ['-D', folder, ...flags])
  const lines: string[] = []
  createInterface(stderr).on('line', (line) => {
    lines.push(line)
    if (lines.length > 20) lines.shift()
    if (/\b(?:FATAL|PANIC):/.test(line)) logger.warn({ line }, 'database')
    else logger.debug({ line }, 'database')
  })
  if (!programs.way.endsWithParent && child.pid !== undefined) interruptAtEndOfParent(child.pid, ended)
  const reason = () => reasonIn(lines.join('\n'))
  return { child, ready: untilReady(folder, child, ended, reason), ended, reason }
}

async function untilReady(
  folder: string,
  { pid }: ChildProcess,
  ended: Promise<Ending>,
  reason: Process['reason'],
): Promise<void> {
  let ending: Ending | undefined
  ended.then((how) => {
    ending = how
  })
  for (;;) {
    if (ending !== undefined) throw new Error(reason() ?? `PostgreSQL ended with ${ending}`)
    const server = await readLockFile(folder)
    if (server?.pid === pid && server?.isReady) return
    await sleep(lookEveryMs)
  }
}

/** Where the kernel cannot do it, a shell waits until its standard input ends together with this process. */
function interruptAtEndOfParent(pid: number, ended: Promise<Ending>): void {
  const shell = spawn('/bin/sh', ['-c', 'read -r line; kill -INT "$1"', 'sh', String(pid)], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.on('error', () => undefined).unref()
  ;(shell.stdin as unknown as { unref(): void }).unref()
  // Later, another process may have the number.
  ended.then(() => shell.kill('SIGKILL'))
}

async function warnOfFolder(dataDir: string, logger: EmbeddedOptions['logger']): Promise<void> {
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) !== 0) {
    logger.warn({ dataDir, remedy: `chmod 700 ${dataDir}` }, 'other users can look into the data folder')
  }
  const bytes = await freeBytes(dataDir)
  if (bytes >= leastFreeBytes) return
  logger.warn(
    { dataDir, freeMb: Math.floor(bytes / 1024 / 1024) },
    'the disk of the data folder is almost full',
  )
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
