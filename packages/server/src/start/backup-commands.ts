import { join, resolve, sep } from 'node:path'
import { backUp } from '../backup/backup.ts'
import { checkBackup, restore } from '../backup/restore.ts'
import { counted } from '../base/counted.ts'
import { type Config, ConfigError } from '../config.ts'
import { clusterFolder } from '../db/embedded/cluster.ts'
import { serverForCommand } from '../db/embedded/for-command.ts'
import { startOwnServer } from '../db/embedded/own-server.ts'
import { createLogger } from '../ops/logger.ts'
import { keyCheckOf } from '../secrets/open.ts'
import { isFirstStart } from './first-start.ts'

/**
 * Writes a backup of the configured database to a new file, also while the service runs.
 * @returns a text about the result
 * @throws {Error} in one sentence; then there is no new file
 */
export async function backupCommand(config: Config, name: string, signal: AbortSignal): Promise<string> {
  const file = resolve(name)
  const cluster = clusterFolder(config.dataDir)
  if (`${file}${sep}`.startsWith(`${cluster}${sep}`)) {
    throw new ConfigError(`${cluster} belongs to PostgreSQL. Write the backup to another folder.`)
  }
  if (isFirstStart(config)) {
    throw new ConfigError(
      `There is no database in ${config.dataDir} yet. If the data is in another folder, set DATA_DIR.`,
    )
  }
  await using acquired = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await serverForCommand(config.dataDir, acquired))
  const made = await backUp(url, file, signal)
  const key = config.masterKey === null ? join(config.dataDir, 'master.key') : 'MASTER_KEY'
  return [
    `Backed up ${counted(made.rows, 'row')} of ${counted(made.tables, 'table')} to ${file} (${sizeOf(made.sizeBytes)}).`,
    `The backup does not contain the master key: keep a copy of ${key} too, in another place.`,
    '',
  ].join('\n')
}

/**
 * Writes a backup into the configured database, which must be empty.
 * @returns a text about the result
 * @throws {Error} in one sentence; then the database is still empty
 */
export async function restoreCommand(config: Config, name: string, signal: AbortSignal): Promise<string> {
  const backup = await checkBackup(resolve(name), () => keyCheckOf(config), signal)
  await using acquired = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await ownServer(config.dataDir, acquired))
  const made = await restore(url, backup, signal)
  return [
    `Restored ${counted(made.rows, 'row')} of ${counted(made.tables, 'table')}, as they were at ${backup.header.createdAt}.`,
    'npm start starts the service with them.',
    '',
  ].join('\n')
}

/** A service that runs on the data folder would have users, so the folder must have none. */
async function ownServer(dataDir: string, acquired: AsyncDisposableStack): Promise<string> {
  const logger = createLogger('warn', process.stderr)
  return (await startOwnServer({ dataDir, logger }, acquired)).url
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
