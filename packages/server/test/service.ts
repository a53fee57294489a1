import type { AddressInfo } from 'node:net'
import { readConfig } from '../src/config.ts'
import { createService, type Service } from '../src/service.ts'
import { type Client, createClient } from './client.ts'
import { createTestDatabase, type TestDatabase } from './databases.ts'
import { administratorKey, testEnvironment } from './environment.ts'

/** A service in this process, and a client of it that signs as the administrator. */
export type TestService = AsyncDisposable & Client & { service: Service; url: string }

export type ServiceOptions = {
  /** Default: a new one. */
  database?: TestDatabase
  /** Settings in addition to, or instead of, those of `environment.ts`. */
  env?: Record<string, string>
}

/** Starts the service on a port of the loopback address: a free one, unless `env` has a `PORT`. Disposing ends it. */
export async function startService({ database, env = {} }: ServiceOptions = {}): Promise<TestService> {
  await using acquired = new AsyncDisposableStack()
  const place = database ?? acquired.use(await createTestDatabase())
  const config = readConfig(testEnvironment(place, env))
  const service = acquired.use(await createService(config))
  await service.app.listen({ host: '127.0.0.1', port: config.port })
  const { port } = service.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const kept = acquired.move()
  return {
    ...createClient(url, administratorKey),
    service,
    url,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
