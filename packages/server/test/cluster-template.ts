import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtempDisposable, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { findBinaries } from '../src/db/embedded/binaries.ts'
import { asSuperuser, clusterFolder } from '../src/db/embedded/cluster.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../src/db/embedded/server.ts'
import { findWayToRun } from '../src/db/embedded/way-to-run.ts'
import { migrationsFolder } from '../src/db/migrations-folder.ts'
import { openDatabase } from '../src/db/open.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const cache = join(repository, 'node_modules/.cache/tickwright')

/**
 * Copies a cluster with an up-to-date database into a data folder. Creating one takes 2 s; a copy and its start take
 * 0.1 s. The original stays for later test runs, until a migration or a dependency changes.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  await copy(await template(), clusterFolder(dataDir))
}

/** Starts the server of a data folder. A power cut may lose what it stores, but a crash of the process cannot. */
export function startServer(
  dataDir: string,
  settings: Record<string, string | number> = {},
): Promise<EmbeddedServer> {
  return startEmbeddedServer({
    dataDir,
    logger: pino({ level: 'silent' }),
    settings: { fsync: 'off', ...settings },
  })
}

/** Executes statements as the superuser, while no server works on the data folder. */
export async function asSuperuserOf(dataDir: string, statements: readonly string[]): Promise<void> {
  const binaries = await findBinaries(join(dataDir, 'postgres-libraries'))
  const programs = { binaries, way: await findWayToRun(binaries) }
  await asSuperuser(programs, clusterFolder(dataDir), statements)
}

/** The folder of a cluster that nothing has open. */
async function template(): Promise<string> {
  const name = `cluster-${await fingerprint()}`
  const folder = join(cache, name)
  await mkdir(cache, { recursive: true })
  const present = await readdir(cache)
  if (present.includes(name)) return folder

  for (const outdated of present.filter((entry) => /^(cluster|pglite)-\w+$/.test(entry))) {
    await rm(join(cache, outdated), { recursive: true, force: true })
  }
  const unfinished = join(cache, `unfinished-${randomBytes(6).toString('hex')}`)
  try {
    await using created = await mkdtempDisposable(join(tmpdir(), 'tickwright-cluster-'))
    await create(created.path)
    await copy(clusterFolder(created.path), unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    // Another test process was faster, and its folder is the same.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}

async function create(dataDir: string): Promise<void> {
  const server = await startServer(dataDir)
  const database = await openDatabase(server.url, throwError)
  await database.close()
  await server.close()
}

/** The files belong to the user that runs PostgreSQL, which Node's own copy would change. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', from, to])
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const migrations = (await readdir(migrationsFolder)).filter((file) => file.endsWith('.sql')).sort()
  for (const file of migrations) hash.update(file).update(await readFile(join(migrationsFolder, file)))
  // With their times: the database depends on them.
  hash.update(await readFile(join(migrationsFolder, 'meta/_journal.json')))
  hash.update(await readFile(join(repository, 'package-lock.json')))
  return hash.digest('hex').slice(0, 16)
}

/** For errors of connections that should not fail. */
export function throwError(error: Error): never {
  throw error
}
