import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterFolder, databaseName, owner, readPassword } from './cluster.ts'

/**
 * The URL of the database, for the role that owns it.
 * @param place the folder of the server's socket, or its address; and its port
 */
export async function urlOf(folder: string, place: { host: string; port: number }): Promise<string> {
  const password = await readPassword(folder)
  return `postgres://${owner}:${password}@${encodeURIComponent(place.host)}:${place.port}/${databaseName}`
}

/**
 * The URL of the server that a running service has started for this data folder. It comes from the server's lock file:
 * the server is gone if connecting fails.
 * @returns `undefined` if the folder has no running server
 */
export async function runningServer(dataDir: string): Promise<string | undefined> {
  const folder = clusterFolder(dataDir)
  let lines: string[]
  try {
    lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [port, socketFolder, address] = lines.slice(3, 6).map((line) => line.trim())
  const host = socketFolder || address
  if (!host || lines[7]?.trim() !== 'ready') return undefined
  return urlOf(folder, { host, port: Number(port) })
}
