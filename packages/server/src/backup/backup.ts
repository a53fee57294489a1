import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exists, syncFolder } from '../base/disk.ts'
import { serviceVersion } from '../base/service-version.ts'
import { systemReason } from '../db/data-folder.ts'
import { DatabaseClient, quoted } from '../db/database-client.ts'
import { type TableShape, tablesAfter } from '../db/migrations.ts'
import { type Counts, compressor, contents, type Header, newHeader, type TableContents } from './format.ts'

export type BackupResult = Counts & { sizeBytes: number }

/**
 * Writes all rows of a database, as they are at one moment, to a new file that only its owner can read. The service may
 * run meanwhile. Until the file is complete and on the disk, its name ends in `.part`.
 * @throws {Error} if the file exists, if the service never used the database, or if reading or writing fails. Then there
 * is no new file.
 */
export async function backUp(url: string, file: string, signal: AbortSignal): Promise<BackupResult> {
  if (await exists(file)) throw new Error(`${file} exists. Name another file, or delete this one first.`)
  const part = `${file}.part`
  const output = await create(part).catch((error) => {
    throw explained(error, file)
  })
  try {
    const counts = await writeRows(url, output, signal)
    const { size } = await stat(part)
    await rename(part, file)
    await syncFolder(dirname(file))
    return { ...counts, sizeBytes: size }
  } catch (error) {
    output.destroy()
    await rm(part, { force: true })
    throw explained(error, file)
  }
}

async function writeRows(url: string, output: Writable, signal: AbortSignal): Promise<Counts> {
  // Ending the client ends its transaction.
  await using client = await DatabaseClient.open(url, signal)
  const { header, tables } = await beginReading(client)
  const counts = { tables: 0, rows: 0 }
  await pipeline(
    contents(header, tables, (table) => client.copyOut(table), counts),
    compressor(),
    output,
    { signal },
  )
  return counts
}

/** From here on, the client sees every table as it is now. */
async function beginReading(client: DatabaseClient): Promise<{ header: Header; tables: TableShape[] }> {
  const { migrations, tables } = await client.whileNobodyMigrates(async () => {
    const migrations = await client.appliedMigrations()
    if (migrations.length === 0) throw new Error('The database is empty: Tickwright has never used it.')
    const tables = tablesAfter(migrations.length)
    await client.rows('begin isolation level repeatable read, read only')
    // Before the first row is read, which fixes the moment. A migration has to wait for the end of the backup.
    await client.rows(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`)
    return { migrations, tables }
  })
  const [installation] = await client.rows<{ key_check: Buffer }>('select key_check from installation')
  const contained: TableContents[] = []
  for (const table of tables) {
    const { name, columns } = table
    contained.push({ name, columns, nextId: await nextId(client, table) })
  }
  const header = newHeader({
    version: serviceVersion,
    createdAt: new Date().toISOString(),
    keyCheck: installation?.key_check.toString('base64') ?? null,
    migrations,
    tables: contained,
  })
  return { header, tables }
}

/** Ids of deleted rows must not return after a restore, so the greatest id of a table would not do. */
async function nextId(client: DatabaseClient, { name, identity }: TableShape): Promise<string | null> {
  if (identity === undefined) return null
  const [sequence] = await client.rows<{ name: string }>(
    'select pg_get_serial_sequence($1, $2)::regclass::text as name',
    [quoted(name), identity],
  )
  const [next] = await client.rows<{ id: string }>(
    `select (last_value + is_called::int)::text as id from ${sequence!.name}`,
  )
  return next!.id
}

/** The stream writes everything to the disk before it closes. */
async function create(part: string): Promise<Writable> {
  try {
    return (await open(part, 'wx', 0o600)).createWriteStream({ flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(
      `${part} exists: another backup is writing it, or one was interrupted. Delete it if none is running.`,
    )
  }
}

/** An error of the system about a file names its `syscall`, and so does one about a connection, with an address. */
function explained(error: unknown, file: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException
  const isOfFile =
    syscall !== undefined && ['open', 'write', 'fsync', 'rename', 'stat', 'close'].includes(syscall)
  return isOfFile && code !== undefined
    ? new Error(`${file} cannot be written: ${systemReason(error)}.`, { cause: error })
    : error
}
