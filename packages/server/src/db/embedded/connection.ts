import { clusterFolder, databaseName, owner, readPassword } from './cluster.ts'
import { readLockFile } from './lock-file.ts'

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
  const server = await readLockFile(folder)
  return server?.isReady ? urlOf(folder, server) : undefined
}
