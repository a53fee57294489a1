import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { installation } from '../db/schema.ts'
import { loadMasterKey, Vault } from './vault.ts'

const keyCheckPurpose = 'installation.key_check'

/**
 * What the database of an installation stores to recognise its master key.
 * @throws if there is no master key
 */
export async function keyCheckOf({
  masterKey,
  dataDir,
}: Pick<Config, 'masterKey' | 'dataDir'>): Promise<Buffer> {
  return keyCheckIn(new Vault(masterKey ?? (await loadMasterKey(dataDir, false))))
}

const keyCheckIn = (vault: Vault) => vault.hash('tickwright', keyCheckPurpose)

/**
 * Opens the vault of this installation.
 * @throws if the secrets in the database were encrypted with another master key
 */
export async function openVault(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  database: Database,
): Promise<Vault> {
  const readInstallation = () => database.db.select().from(installation)
  const isNew = (await readInstallation()).length === 0
  const vault = new Vault(config.masterKey ?? (await loadMasterKey(config.dataDir, isNew)))
  const keyCheck = keyCheckIn(vault)
  if (isNew) await database.db.insert(installation).values({ id: 1, keyCheck }).onConflictDoNothing()
  const [stored] = await readInstallation()
  if (stored === undefined || !timingSafeEqual(stored.keyCheck, keyCheck)) {
    throw new Error(
      'The master key is not the one that this database was set up with. Set MASTER_KEY to that key, or restore master.key in DATA_DIR.',
    )
  }
  return vault
}
