import { join } from 'node:path'
import type { Config } from '../config.ts'
import { lockDataFolder } from './data-folder.ts'
import type { Database } from './database.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** Opens the configured database. Disposing of `acquired` closes it. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  acquired: AsyncDisposableStack,
  onError: (error: Error) => void,
): Promise<Database> {
  if (config.databaseUrl === null) acquired.defer(await lockDataFolder(config.dataDir))
  const database =
    config.databaseUrl === null
      ? await openPglite(join(config.dataDir, 'pglite'), onError)
      : await openPostgres(config.databaseUrl, onError)
  acquired.defer(() => database.close())
  return database
}
