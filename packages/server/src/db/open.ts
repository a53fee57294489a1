import { timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { loadMasterKey, Vault } from '../secrets/vault.ts'
import { lockDataFolder } from './data-folder.ts'
import type { Database } from './database.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'
import { installation } from './schema.ts'

const keyCheckPurpose = 'installation.key_check'

/** Opens the configured database, and gives it back when `acquired` is disposed of. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  acquired: AsyncDisposableStack,
  onError: (error: Error) => void,
): Promise<Database> {
  if (config.databaseUrl === null) acquired.defer(await lockDataFolder(config.dataDir))
  const database =
    config.databaseUrl === null
      ? await openPglite(join(config.dataDir, 'pglite'))
      : await openPostgres(config.databaseUrl, onError)
  acquired.defer(() => database.close())
  return database
}

/**
 * Makes the vault of this installation.
 * @throws when the database's secrets were sealed with another master key
 */
export async function openVault(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  database: Database,
): Promise<Vault> {
  const vault = new Vault(config.masterKey ?? (await loadMasterKey(config.dataDir)))
  const keyCheck = vault.hash('tickwright', keyCheckPurpose)
  await database.db.insert(installation).values({ id: 1, keyCheck }).onConflictDoNothing()
  const [stored] = await database.db.select().from(installation)
  if (stored === undefined || !timingSafeEqual(stored.keyCheck, keyCheck)) {
    throw new Error(
      'The master key is not the one that this database was set up with. Set MASTER_KEY to that key, or restore master.key in DATA_DIR.',
    )
  }
  return vault
}
