import { lockDataFolder } from '../data-folder.ts'
import { type EmbeddedOptions, type EmbeddedServer, startEmbeddedServer } from './server.ts'

/**
 * Takes a data folder, and starts its server.
 * @param acquired stops the server, and then releases the folder
 * @throws {Error} if another process has the folder, or if the server cannot be started, with the reason
 */
export async function startOwnServer(
  options: EmbeddedOptions,
  acquired: AsyncDisposableStack,
): Promise<EmbeddedServer> {
  acquired.defer(await lockDataFolder(options.dataDir))
  const server = await startEmbeddedServer(options)
  acquired.defer(() => server.close())
  return server
}
