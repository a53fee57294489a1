import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a server says about itself in the folder of its cluster. */
export type LockFile = {
  pid: number
  /** The folder of its socket, or the address that it listens on; empty until it listens. */
  host: string
  port: number
  /** Whether it accepts connections. */
  isReady: boolean
}

export function lockFilePath(folder: string): string {
  return join(folder, 'postmaster.pid')
}

/**
 * Reads the lock file of a cluster. The server writes its lines one after another, and a server that was killed leaves
 * the file.
 * @returns `undefined` if there is none
 */
export async function readLockFile(folder: string): Promise<LockFile | undefined> {
  try {
    const lines = (await readFile(lockFilePath(folder), 'utf8')).split('\n').map((line) => line.trim())
    const [pid, , , port, socketFolder, address, , status] = lines
    const host = socketFolder || address || ''
    return { pid: Number(pid), host, port: Number(port), isReady: status === 'ready' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
