import { readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { serviceVersion } from '../base/service-version.ts'
import { DatabaseClient } from '../db/database-client.ts'
import { knownMigrations } from '../db/migrations.ts'
import { backUp } from './backup.ts'

/** How many of these backups stay: one for each of the last updates. */
const kept = 3
const ours = /^before-.+-\d{4}-\d\d-\d\dT\d{6}Z\.backup(\.part)?$/

export type MadeBackup = { file: string; sizeBytes: number }

/**
 * Backs up a database that this version is about to migrate, into the folder `backups` of the data folder, and deletes
 * all but the last of these backups. The caller has the data folder alone.
 * @returns `null` if there is nothing to migrate, or nothing to keep
 * @throws {Error} in one sentence that says what to do; then nothing has changed in the database
 */
export async function backUpBeforeMigration(
  url: string,
  dataDir: string,
  now = new Date(),
): Promise<MadeBackup | null> {
  const sizeBytes = await sizeToMigrate(url)
  if (sizeBytes === null) return null
  const folder = join(dataDir, 'backups')
  await makeFolder(folder)
  try {
    // Those of a start that was killed.
    await Promise.all((await existing(folder, '.part')).map((name) => rm(join(folder, name))))
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    if (free < sizeBytes)
      throw new Error(`it may need ${megabytes(sizeBytes)}, and ${megabytes(free)} are free`)
    const time = now
      .toISOString()
      .replaceAll(':', '')
      .replace(/\.\d+Z$/, 'Z')
    const file = join(folder, `before-${serviceVersion}-${time}.backup`)
    const made = await backUp(url, file, new AbortController().signal)
    const old = (await existing(folder, '.backup')).sort(byTime).slice(0, -kept)
    await Promise.all(old.map((name) => rm(join(folder, name))))
    return { file, sizeBytes: made.sizeBytes }
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, '')
    throw new Error(
      `The database must be brought up to date, and a backup in ${folder} failed before that: ${why}. Make room, or make a backup elsewhere with the version that worked until now (npm run backup) and start once with MIGRATION_BACKUP=0.`,
      { cause: error },
    )
  }
}

/** How large a database is that lacks migrations; `null` if it lacks none, or is new. */
async function sizeToMigrate(url: string): Promise<number | null> {
  await using client = await DatabaseClient.open(url)
  const { length } = await client.appliedMigrations()
  if (length === 0 || length === knownMigrations().length) return null
  const [row] = await client.rows<{ size: string }>('select pg_database_size(current_database()) as size')
  return Number(row!.size)
}

async function existing(folder: string, ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => ours.test(name) && name.endsWith(ending))
}

/** The time is the last part of a name, and sorts as text. */
function byTime(one: string, other: string): number {
  const timeOf = (name: string) => name.slice(-'2026-01-31T120000Z.backup'.length)
  return timeOf(one) < timeOf(other) ? -1 : 1
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`
}
