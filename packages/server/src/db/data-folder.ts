import { access, constants, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../base/make-folder.ts'
import { loadSqlite } from './sqlite.ts'

/** SQLITE_BUSY: another process has the lock. */
const busy = 5

/** Another process holds the data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/**
 * Takes the data folder for this process alone, because two processes would disturb each other. The lock is
 * a file lock of the operating system. The system releases it when the process ends, however it ends, so nothing has
 * to be cleaned up. Node reaches such locks through SQLite.
 * @returns a function that releases the folder
 * @throws if another process has the folder, or if it cannot be used, with the reason
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await makeDataFolder(folder)
  await demandOwnFolder(folder)
  const file = join(folder, 'lock.sqlite')
  await demandWritable(folder, file)
  let lock: DatabaseSync | undefined
  try {
    lock = new (loadSqlite().DatabaseSync)(file, { timeout: 0 })
    lock.exec('begin exclusive')
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === busy) {
      throw new FolderInUse(
        `Another Tickwright works on the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`,
      )
    }
    throw unusableFolder(folder, await reasonNotWritable(file, error))
  }
  const held = lock
  return async () => held.close()
}

/** Anyone who can write to the folder could replace the database's files. PostgreSQL refuses files of other users, too. */
async function demandOwnFolder(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder)
  const own = process.geteuid?.()
  if (own !== undefined && uid !== own) {
    throw new Error(
      `The data folder ${folder} belongs to another user (number ${uid}). Start Tickwright as that user, or give the folder to this one: chown -R ${own} ${folder}`,
    )
  }
  if ((mode & 0o022) !== 0) {
    throw new Error(`Other users may write to the data folder ${folder}. Change that: chmod 700 ${folder}`)
  }
}

/** SQLite also opens a file that it may only read, for example on a read-only file system. Then its lock excludes nobody. */
async function demandWritable(folder: string, file: string): Promise<void> {
  for (const path of [folder, file]) {
    try {
      await access(path, constants.W_OK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusableFolder(folder, error)
    }
  }
}

/**
 * Creates a folder that only its owner can read, unless it exists.
 * @throws {Error} with the folder and the reason, in one sentence
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
  } catch (error) {
    throw unusableFolder(folder, error)
  }
}

/** SQLite says only that it cannot open the file; the system says why. */
async function reasonNotWritable(file: string, error: unknown): Promise<unknown> {
  try {
    await (await open(file, 'a')).close()
    return error
  } catch (reason) {
    return reason
  }
}

/** Why the system refused to read or write a file, to complete a sentence. */
export function systemReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return reasons[code] ?? message
}

const reasons: Record<string, string> = {
  EEXIST: 'there is a file with this name',
  ENOTDIR: 'part of this path is a file, not a folder',
  EISDIR: 'the file lock.sqlite in it is a folder',
  EACCES: 'this process has no permission to write there',
  EPERM: 'this process has no permission to write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the system allows',
  ENOENT: 'nothing can be created there',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
}

function unusableFolder(folder: string, cause: unknown): Error {
  return new Error(
    `The data folder ${folder} cannot be used: ${systemReason(cause)}. Set DATA_DIR to a folder that this process can write to.`,
    { cause },
  )
}
