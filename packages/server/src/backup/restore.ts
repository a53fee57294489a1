import { timingSafeEqual } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { serviceVersion } from '../base/service-version.ts'
import { systemReason } from '../db/data-folder.ts'
import { DatabaseClient, quoted } from '../db/database-client.ts'
import { knownMigrations, type TableShape, tablesAfter } from '../db/migrations.ts'
import { BackupReader, type Counts, checkFile, type Header, UnusableBackup } from './format.ts'

export type Backup = { file: string; header: Header; tables: TableShape[] }

/**
 * Reads a whole backup and checks that this version can restore it.
 * @param keyCheck returns what the master key at hand makes of the installation's check, see `secrets/open.ts`
 * @throws {Error} with the reason in a sentence: the file is no backup, is incomplete or damaged, comes from a newer
 * version, or needs another master key
 */
export async function checkBackup(
  file: string,
  keyCheck: () => Promise<Buffer>,
  signal: AbortSignal,
): Promise<Backup> {
  return namingFile(file, async () => {
    const header = await checkFile(file, tablesOf, signal)
    if (header.keyCheck !== null) checkKey(Buffer.from(header.keyCheck, 'base64'), await keyCheck())
    return { file, header, tables: tablesOf(header) }
  })
}

/** Makes whole sentences of errors about the file. */
async function namingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnusableBackup) throw new Error(`The file ${file} ${error.message}.`)
    const { syscall } = error as NodeJS.ErrnoException
    if (syscall !== 'open' && syscall !== 'read') throw error
    throw new Error(`The file ${file} cannot be read: ${systemReason(error)}.`, { cause: error })
  }
}

function tablesOf(header: Header): TableShape[] {
  const known = knownMigrations()
  if (header.migrations.some(({ hash }, index) => hash !== known[index]?.hash)) {
    throw new UnusableBackup(
      `was made by Tickwright ${header.version}, and this is ${serviceVersion}. Restore it with version ${header.version} or a later one`,
    )
  }
  const tables = tablesAfter(header.migrations.length)
  const shapeOf = ({ name, columns }: { name: string; columns: string[] }) => ({ name, columns })
  if (!isDeepStrictEqual(header.tables.map(shapeOf), tables.map(shapeOf))) {
    throw new UnusableBackup('is damaged: its tables are not those of its version')
  }
  return tables
}

function checkKey(ofBackup: Buffer, atHand: Buffer): void {
  if (ofBackup.length === atHand.length && timingSafeEqual(ofBackup, atHand)) return
  throw new Error(
    'The master key is not the one that sealed the secrets of this backup. Set MASTER_KEY to that key, or put its master.key into DATA_DIR.',
  )
}

/**
 * Writes the rows of a backup into an empty database, and brings it up to date. All rows appear at once, at the end: if
 * this is interrupted, the database is still empty, and a restore can begin again.
 * @throws {Error} if the database has rows already; then nothing has changed
 */
export async function restore(url: string, backup: Backup, signal: AbortSignal): Promise<Counts> {
  const counts = await restoreRows(url, backup, signal)
  try {
    await bringUpToDate(url)
  } catch (error) {
    throw new Error(
      `All rows are restored, but not yet brought up to date, which the next start of the service does: ${(error as Error).message}`,
      { cause: error },
    )
  }
  return counts
}

async function restoreRows(url: string, backup: Backup, signal: AbortSignal): Promise<Counts> {
  await using client = await DatabaseClient.open(url, signal)
  // A service that starts on this database meanwhile waits here for the end.
  return await client.whileNobodyMigrates(async () => {
    await checkTarget(client, backup)
    await client.migrate(backup.header.migrations.length)
    return client.transaction(() => namingFile(backup.file, () => load(client, backup, signal)))
  })
}

async function bringUpToDate(url: string): Promise<void> {
  await using client = await DatabaseClient.open(url)
  await client.whileNobodyMigrates(() => client.migrate())
  // Without statistics, PostgreSQL would plan for empty tables until its own upkeep has looked at them.
  const tables = tablesAfter(knownMigrations().length)
  await client.rows(`analyze ${tables.map(({ name }) => quoted(name)).join(', ')}`)
}

async function checkTarget(client: DatabaseClient, { header, tables }: Backup): Promise<void> {
  const applied = await client.appliedMigrations()
  if (applied.length > header.migrations.length) {
    throw new Error(
      'The database has tables of a newer version than the backup. Restore it into a database without tables.',
    )
  }
  if (applied.length > 0) return checkEmpty(client, tablesAfter(applied.length))
  const [taken] = await client.rows<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null limit 1',
    [tables.map(({ name }) => name)],
  )
  if (taken !== undefined) {
    throw new Error(
      `The database has a table ${taken.name} that is not Tickwright's. Restore into a database without tables.`,
    )
  }
}

async function checkEmpty(client: DatabaseClient, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) {
    if ((await client.rows(`select from ${quoted(name)} limit 1`)).length === 0) continue
    throw new Error(
      `The database is not empty: its table ${name} has rows. Restore into a new database, or into a new DATA_DIR.`,
    )
  }
}

async function load(
  client: DatabaseClient,
  { file, header, tables }: Backup,
  signal: AbortSignal,
): Promise<Counts> {
  const names = tables.map(({ name }) => quoted(name)).join(', ')
  await client.rows(`lock table ${names} in access exclusive mode`)
  await checkEmpty(client, tables)
  // PostgreSQL writes rows faster into a table that the same transaction has truncated. Numbers start again as well,
  // so that a rollback takes back the numbers below.
  await client.rows(`truncate ${names} restart identity`)
  await using reader = new BackupReader(file)
  await reader.header()
  const counts: Record<string, number> = {}
  for (const [index, table] of tables.entries()) {
    const rows = client.copyIn(table)
    await pipeline(reader.rows(), rows, { signal })
    counts[table.name] = rows.rowCount
    await continueIds(client, table, header.tables[index]!.nextId)
  }
  await reader.end(counts)
  // Their processes do not work here. Without them, what they held is free at once.
  await client.rows('delete from nodes')
  return { tables: tables.length, rows: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

async function continueIds(
  client: DatabaseClient,
  { name, identity }: TableShape,
  next: string | null,
): Promise<void> {
  if (identity === undefined) return
  const table = quoted(name)
  await client.rows(
    `select setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, max(${quoted(identity)}) + 1), false) from ${table}`,
    [table, identity, next ?? '1'],
  )
}
