import { FolderInUse } from '../data-folder.ts'
import { runningServer } from './connection.ts'
import { startOwnServer } from './own-server.ts'

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
    return (await startOwnServer({ dataDir, logger: quiet }, acquired)).url
  } catch (error) {
    const url = error instanceof FolderInUse ? await runningServer(dataDir) : undefined
    if (url === undefined) throw error
    return url
  }
}
