import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../packages/server/test/free-port.ts'
import { type LaunchedService, launchService, untilReady } from '../packages/server/test/service-launcher.ts'
import type { ApiAccess } from './access.ts'

/** The service promises to drain within 10 s. */
const stopLimitMs = 12_000

/** A service in a process of its own, whose data folder is deleted when it ends. */
export type ServiceProcess = AsyncDisposable & { access: ApiAccess; pid: number }

export type ServiceOptions = {
  /** More environment variables, such as `ROLES`. */
  settings?: Record<string, string>
  /** Work to do in the data folder before the service starts. */
  prepare?: (dataDir: string) => Promise<void>
}

/**
 * Starts a service, and resolves when it is ready: an empty database, no example, no rate limit for webhooks, and
 * an API key of its administrator.
 * @throws {Error} with the output of the service, if it does not become ready
 */
export async function startServiceProcess(options: ServiceOptions = {}): Promise<ServiceProcess> {
  await using acquired = new AsyncDisposableStack()
  const dataDir = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-'))).path
  const port = await freePort()
  const access = {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: `example-${randomBytes(12).toString('hex')}`,
    apiSecret: randomBytes(32).toString('hex'),
  }
  await options.prepare?.(dataDir)
  const service = acquired.use(
    launchService({
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      TICKWRIGHT_EXAMPLE: '0',
      TICKWRIGHT_ADMIN_PASSWORD: randomBytes(16).toString('hex'),
      TICKWRIGHT_ADMIN_API_KEY: access.apiKey,
      TICKWRIGHT_ADMIN_API_SECRET: access.apiSecret,
      WEBHOOK_RATE: '1000000',
      WEBHOOK_BURST: '1000000',
      ...options.settings,
    }),
  )
  await untilReady(service, access.baseUrl)
  acquired.defer(() => drain(service))
  const kept = acquired.move()
  return { access, pid: service.pid, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Asks the service to end. If it has not ended in time, disposing of it kills it. */
async function drain(service: LaunchedService): Promise<void> {
  if (service.hasEnded()) return
  const giveUp = new AbortController()
  await Promise.race([service.stop(), sleep(stopLimitMs, undefined, { signal: giveUp.signal })])
  giveUp.abort()
}
