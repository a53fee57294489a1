/** The client with the names that scripts from the hosted service use, for Node and browsers. */

import { type HostedClient, withHostedNames } from './hosted-client.ts'
import { type ApiClientOptions, createApiClient as createOwnClient, type LiveApiClient } from './index.ts'

export type { HostedClient, Id, OtherRequest } from './hosted-client.ts'
export { type ApiClientOptions, ApiError, ConnectionError, eachOf } from './index.ts'

/**
 * Creates a client that has the names of the hosted service's client, such as `strategies.code.getTotal()` and
 * `bots.cex.list()`, besides all names of our own client.
 * @throws {TypeError} that names the missing or invalid option
 */
export function createApiClient(options: ApiClientOptions): HostedClient & Pick<LiveApiClient, 'live'> {
  const client = createOwnClient(options)
  return withHostedNames(client, { live: client.live })
}
