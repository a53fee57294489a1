/**
 * One service for many test files. Starting one takes more processor time than most files of the dashboard take for
 * everything else, and their tests need nothing of it but users of their own.
 */
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HmacKey } from './client.ts'
import { administratorKey, testEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'
import type { PostgresTemplate } from './postgres-template.ts'
import { launchService, untilReady } from './service-launcher.ts'

/** What a test file needs to use the service: its address and the key of its administrator. */
export type SharedService = { url: string; key: HmacKey }

/**
 * Answers requests for the shared service at `url`, and starts it when the first one arrives: most runs of single files
 * need none. Runs in the process of the test runner, which outlives all test files, so it must not load `node:test`.
 */
export async function offerSharedService(
  postgres: PostgresTemplate,
): Promise<AsyncDisposable & { url: string }> {
  const acquired = new AsyncDisposableStack()
  let started: Promise<SharedService> | undefined
  const server = createServer((_request, response) => {
    started ??= start(postgres, acquired)
    started.then(
      (service) => response.setHeader('content-type', 'application/json').end(JSON.stringify(service)),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await started?.catch(() => undefined)
      await acquired.disposeAsync()
    },
  }
}

async function start(
  { server, template }: PostgresTemplate,
  acquired: AsyncDisposableStack,
): Promise<SharedService> {
  const { path: dataDir } = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-test-')))
  const databaseUrl = await server.createDatabase(template)
  acquired.defer(() => server.dropDatabase(databaseUrl))
  const port = await freePort()
  const settings = testEnvironment({ dataDir, databaseUrl }, { PORT: String(port) })
  const service = acquired.use(launchService(settings))
  const url = `http://127.0.0.1:${port}`
  await untilReady(service, url)
  return { url, key: administratorKey }
}
