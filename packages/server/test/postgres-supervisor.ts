/**
 * Runs a temporary PostgreSQL server while standard input is open, and leaves nothing behind. It is a separate process
 * because the process that needs the server may be killed: then the system closes the pipe. It writes one line to
 * standard output when the server accepts connections: its URL.
 */
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { owner } from '../src/db/embedded/cluster.ts'
import { asSuperuserOf, copyCluster, startServer } from './cluster-template.ts'

const stopped = new Promise<void>((resolve) => {
  process.stdin
    .on('end', () => resolve())
    .on('error', () => resolve())
    .resume()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
})

const isDurable = !process.argv.includes('--fsync=off')
const folder = await mkdtemp(join(isDurable ? tmpdir() : await quickFolder(), 'tickwright-postgres-'))
try {
  await copyCluster(folder)
  await asSuperuserOf(folder, [
    `alter role ${owner} createdb`,
    `grant connect on database postgres to ${owner}`,
    // Deleting a database then ends the autovacuum that works in it, too.
    `grant pg_signal_backend to ${owner}`,
  ])
  // Each test process opens its own pools.
  const server = await startServer(folder, {
    max_connections: 200,
    fsync: isDurable ? 'on' : 'off',
  })
  console.log(server.url)
  await stopped
  await server.close()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  process.stdin.destroy()
}

/**
 * In memory, where there is plenty: each test copies a database of some 400 files, which takes the processor half as long
 * there as on a disk.
 */
async function quickFolder(): Promise<string> {
  const inMemory = '/dev/shm'
  const plenty = 8 * 1024 ** 3
  try {
    await access(inMemory, constants.W_OK)
    const { bavail, bsize } = await statfs(inMemory)
    return Math.min(bavail * bsize, freemem()) > plenty ? inMemory : tmpdir()
  } catch {
    return tmpdir()
  }
}
