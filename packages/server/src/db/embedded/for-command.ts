import { FolderInUse, lockDataFolder } from '../data-folder.ts'
import { runningServer } from './connection.ts'
import { startEmbeddedServer } from './server.ts'

/** A command shows its own errors, and ends with the server. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * The URL of the embedded database, for a command that ends soon: on the server of the service that runs on this data
 * folder, or else on a server of its own.
 * @param acquired ends that server, and releases the data folder
 * @throws if the data folder cannot be used, with the reason
 */
export async function serverForCommand(dataDir: string, acquired: AsyncDisposableStack): Promise<string> {
  try {
    acquired.defer(await lockDataFolder(dataDir))
  } catch (error) {
    const url = error instanceof FolderInUse ? await runningServer(dataDir) : undefined
    if (url === undefined) throw error
    return url
  }
  const server = await startEmbeddedServer({ dataDir, logger: quiet })
  acquired.defer(() => server.close())
  return server.url
}
