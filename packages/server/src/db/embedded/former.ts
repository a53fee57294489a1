import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { lockFilePath, readLockFile } from './lock-file.ts'

/** After SIGINT, a server ends its transactions and writes everything to its files. */
const politeMs = 5_000
/** After SIGQUIT, it only ends. */
const quitMs = 5_000
const lookEveryMs = 20

/**
 * Ends the PostgreSQL processes that a killed service left in this folder, and removes what would keep a new server from
 * starting. The caller holds the lock of the data folder.
 * @throws {Error} if a service that is still running has started the server, or if the processes do not end
 */
export async function endFormerServer(folder: string): Promise<void> {
  const server = await readLockFile(folder)
  if (server === undefined) return
  if (await worksIn(server.pid, folder)) {
    await demandOrphan(server.pid, folder)
    await end([server.pid], folder, 'SIGINT', politeMs)
  }
  // A server that was killed may have left children, and they still have its memory open.
  const left = await processesIn(folder)
  if (left.length > 0) await end(left, folder, 'SIGQUIT', quitMs)
  const stubborn = await processesIn(folder)
  if (stubborn.length > 0) {
    throw new Error(
      `PostgreSQL still works on ${folder} and does not end (process ${stubborn.join(', ')}). End it, then start Tickwright again.`,
    )
  }
  // Its number may belong to another process by now, as happens in containers, and PostgreSQL would wait for that.
  await rm(lockFilePath(folder), { force: true })
}

/** A server whose service is still running is not a leftover, even if the lock of the data folder is missing. */
async function demandOrphan(pid: number, folder: string): Promise<void> {
  const parent = await parentOf(pid)
  const isOrphan = parent === undefined || parent.pid === 1 || parent.pid === process.pid
  if (isOrphan || parent.program !== basename(process.execPath)) return
  throw new Error(
    `Another Tickwright (process ${parent.pid}) works on the database in ${folder}. Stop it, or set DATA_DIR to another folder.`,
  )
}

/** @param pids processes that work in the folder */
async function end(
  pids: readonly number[],
  folder: string,
  signal: NodeJS.Signals,
  withinMs: number,
): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  const untilMs = performance.now() + withinMs
  for (;;) {
    const remain = await Promise.all(pids.map((pid) => worksIn(pid, folder)))
    if (!remain.includes(true) || performance.now() > untilMs) return
    await sleep(lookEveryMs)
  }
}

/** PostgreSQL's processes work in the folder of their cluster. */
async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') {
    const server = await readLockFile(folder)
    return server !== undefined && (await worksIn(server.pid, folder)) ? [server.pid] : []
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const inside = await Promise.all(pids.map((pid) => worksIn(pid, folder)))
  return pids.filter((_, index) => inside[index])
}

/** A process that has ended, but that nobody has waited for, works nowhere. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  // A damaged lock file names no process.
  if (!(pid > 1) || pid === process.pid) return false
  const [own, its] = await Promise.all([realpath(folder), workingFolder(pid)])
  return own === its
}

async function workingFolder(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  return execute('lsof', ['-a', '-p', `${pid}`, '-d', 'cwd', '-Fn']).then((output) =>
    output
      ?.split('\n')
      .find((line) => line.startsWith('n'))
      ?.slice(1),
  )
}

async function parentOf(pid: number): Promise<{ pid: number; program: string } | undefined> {
  const parent =
    process.platform === 'linux'
      ? Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1])
      : Number(await execute('ps', ['-o', 'ppid=', '-p', `${pid}`]))
  if (!(parent > 0)) return undefined
  // On Linux, ps shows the name that a program gives itself.
  const program =
    process.platform === 'linux'
      ? await readlink(`/proc/${parent}/exe`).catch(() => undefined)
      : await execute('ps', ['-o', 'comm=', '-p', `${parent}`])
  return program === undefined ? undefined : { pid: parent, program: basename(program.trim()) }
}

/** `undefined` if the program is missing or fails. */
async function execute(program: string, args: string[]): Promise<string | undefined> {
  return promisify(execFile)(program, args).then(
    ({ stdout }) => stdout,
    () => undefined,
  )
}
