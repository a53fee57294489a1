/**
 * Runs a temporary PostgreSQL server while standard input is open, and leaves nothing behind. It is a separate process
 * because the process that needs the server may be killed: then the system closes the pipe. It writes one line to
 * standard output when the server accepts connections: its URL.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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

const folder = await mkdtemp(join(tmpdir(), 'tickwright-postgres-'))
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
    fsync: process.argv.includes('--fsync=off') ? 'off' : 'on',
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
