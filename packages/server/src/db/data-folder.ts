import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY: somebody else has the lock. */
const busy = 5

/**
 * Takes the data folder for this process alone: two processes on one embedded database would destroy it. The
 * lock is the system's own, on a file: the system gives it back with its process, however that ends, so that
 * nothing can be left behind and nothing has to be cleaned up. Node reaches such locks through SQLite.
 * @returns gives the folder back
 * @throws when another process has it
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new Error(
      `Another Tickwright works on the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`,
    )
  }
  return async () => lock.close()
}
