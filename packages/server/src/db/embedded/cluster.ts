import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists, syncFolder } from '../../base/disk.ts'
import { makeFolder } from '../../base/make-folder.ts'
import { type Programs, runProgram } from './programs.ts'
import { giveTo } from './way-to-run.ts'

/** The major version of PostgreSQL that this service starts. */
export const majorVersion = 18

/** The service works as this role. It owns its database and is no superuser, so no SQL can read files or start programs. */
export const owner = 'tickwright'
export const databaseName = 'tickwright'

const passwordFile = 'tickwright.password'

/** The folder of the cluster's files. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/**
 * Whether the data folder has a cluster. Changes nothing.
 * @throws {Error} if its files cannot be used; the message names the folder
 */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const folder = clusterFolder(dataDir)
  let version: string
  try {
    version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (!(await exists(folder))) {
      await demandNoPglite(dataDir)
      return false
    }
    throw new Error(
      `The database in ${folder} is not complete: it has no file PG_VERSION. Restore the folder from a backup, or move it away to begin with an empty database.`,
    )
  }
  if (!/^\d+$/.test(version)) {
    throw new Error(
      `The database in ${folder} is damaged: its file PG_VERSION contains no version. Restore the folder from a backup.`,
    )
  }
  if (version !== String(majorVersion)) {
    throw new Error(
      `The database in ${folder} belongs to PostgreSQL ${version}, and this Tickwright works with PostgreSQL ${majorVersion}. Make a backup with the Tickwright that wrote it (npm run backup -- FILE), move the folder away, and restore the backup here (npm run restore -- FILE).`,
    )
  }
  for (const file of ['global/pg_control', passwordFile]) {
    if (await exists(join(folder, file))) continue
    throw new Error(
      `The database in ${folder} is damaged: its file ${file} is missing. Restore the folder from a backup.`,
    )
  }
  return true
}

/** The database engine of development versions. */
async function demandNoPglite(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'pglite')
  if (!(await exists(folder))) return
  throw new Error(
    `The database in ${folder} is a PGlite database, which this Tickwright cannot open. The last version that can is commit 76a6cbe. To begin with an empty database, set DATA_DIR to another folder.`,
  )
}

/**
 * Creates a cluster with an empty database and its owner. An attempt that was interrupted leaves no cluster: the files
 * come to `folder` only when they are complete and on the disk.
 * @throws {Error} if it fails, with PostgreSQL's reason
 */
export async function createCluster(programs: Programs, folder: string): Promise<void> {
  const unfinished = `${folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  await makeFolder(unfinished)
  await giveTo(programs.way.account, unfinished)
  const superuserFile = `${folder}.password`
  await writeFile(superuserFile, secret(), { mode: 0o600 })
  try {
    await giveTo(programs.way.account, superuserFile)
    const text = ['--no-locale', '--encoding=UTF8', '--data-checksums']
    // Nobody keeps the superuser's password. Who may read the files can replace it in PostgreSQL's single-user mode.
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${superuserFile}`]
    const where = [`--pgdata=${unfinished}`, '--no-sync', '--no-instructions']
    await runProgram(programs, 'initdb', [...where, ...text, ...access])
  } finally {
    await rm(superuserFile, { force: true })
  }
  const password = secret()
  await asSuperuser(programs, unfinished, [
    `create role ${owner} login password '${password}'`,
    `create database ${databaseName} owner ${owner}`,
    `revoke all on database postgres from public`,
  ])
  const file = join(unfinished, passwordFile)
  await writeFile(file, password, { mode: 0o600 })
  await giveTo(programs.way.account, file)
  await runProgram(programs, 'initdb', [`--pgdata=${unfinished}`, '--sync-only'])
  await rename(unfinished, folder)
  await syncFolder(dirname(folder))
}

/** The password of the database's owner. */
export async function readPassword(folder: string): Promise<string> {
  return (await readFile(join(folder, passwordFile), 'utf8')).trim()
}

/**
 * Executes statements as the superuser in PostgreSQL's single-user mode. It works on the files alone, so nobody can
 * connect meanwhile. Nothing is synced to the disk.
 * @param folder that of a cluster on which no server works
 * @throws {Error} with PostgreSQL's output, if a statement fails
 */
export async function asSuperuser(
  programs: Programs,
  folder: string,
  statements: readonly string[],
): Promise<void> {
  const args = ['--single', '-D', folder, '-c', 'fsync=off', 'postgres']
  const output = await runProgram(programs, 'postgres', args, `${statements.join('\n')}\n`)
  // It goes on after a statement that fails.
  if (/\b(?:ERROR|FATAL|PANIC):/.test(output))
    throw new Error(`The database cannot be changed: ${output.trim()}`)
}

function secret(): string {
  return randomBytes(24).toString('hex')
}
