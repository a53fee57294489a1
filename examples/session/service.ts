import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../packages/server/src/config.ts'
import { createService } from '../../packages/server/src/service.ts'
import type { ApiAccess } from '../access.ts'
import { MovedClock } from './moved-clock.ts'

/** A service whose market is a candle file. Its clock stands still until the caller moves it. */
export type ReplayingService = AsyncDisposable & { access: ApiAccess; clock: MovedClock }

/**
 * Starts a service inside this process, with an empty database that is deleted when it ends.
 * @param allowedHosts private addresses that it may ask, as in `HTTP_ALLOW`
 * @throws {ConfigError} if the file is no candle file
 */
export async function startReplayingService(
  file: string,
  allowedHosts: readonly string[],
): Promise<ReplayingService> {
  await using acquired = new AsyncDisposableStack()
  const dataDir = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-'))).path
  const [apiKey, apiSecret] = [`example-${randomBytes(12).toString('hex')}`, randomBytes(32).toString('hex')]
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    ROLES: 'api',
    LOG_LEVEL: 'fatal',
    TICKWRIGHT_EXAMPLE: '0',
    TICKWRIGHT_ADMIN_PASSWORD: randomBytes(16).toString('hex'),
    TICKWRIGHT_ADMIN_API_KEY: apiKey,
    TICKWRIGHT_ADMIN_API_SECRET: apiSecret,
    HTTP_ALLOW: allowedHosts.join(','),
  })
  const clock = new MovedClock()
  const market = { kind: 'replay', file, speed: 1, clock } as const
  const service = acquired.use(await createService({ ...config, market }))
  await service.app.listen({ host: config.host, port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const kept = acquired.move()
  return {
    access: { baseUrl: `http://127.0.0.1:${port}`, apiKey, apiSecret },
    clock,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
