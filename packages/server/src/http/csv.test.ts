import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { until } from '../../test/until.ts'
import type { Cell } from '../base/csv.ts'
import { buildApp } from './app.ts'
import { CsvExports } from './csv.ts'

type Rows = AsyncGenerator<Cell[][]>

/** A service that answers with a table, on a real port. */
async function serve(rows: () => Rows) {
  const running = new CsvExports()
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    authenticate: () => ({ userId: 1, role: 'user' }),
    market: 'live',
    apiRoutes: [
      (scope) => {
        scope.get('/file', { schema: { hide: true } }, async (_request, reply) =>
          running.open(1, reply, { name: 'file', columns: ['a', 'b'], rows: rows() }),
        )
      },
    ],
    openRoutes: [],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/api/v2/file`, [Symbol.asyncDispose]: () => app.close() }
}

test('an error before the first row is an ordinary error', async () => {
  await using service = await serve(async function* () {
    yield await Promise.reject(new Error('lost'))
  })
  const response = await fetch(service.url)
  assert.equal(response.status, 500)
  assert.match(await response.text(), /"code":"internal_error"/)
})

test('an error between two batches cuts the answer, so that no part looks like the whole file', async () => {
  await using service = await serve(async function* () {
    yield [[1, 2]]
    throw new Error('lost')
  })
  const response = await fetch(service.url)
  assert.equal(response.status, 200)
  await assert.rejects(response.text())
})

test('an export ends with its connection, and reads no further than its client', async () => {
  let batches = 0
  let isOver = false
  await using service = await serve(async function* () {
    try {
      for (;;) {
        batches++
        yield Array.from({ length: 1_000 }, () => ['x'.repeat(100), 'y'])
      }
    } finally {
      isOver = true
    }
  })
  const request = get(service.url)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.pause()
  // Without a reader, only the buffers of the connection fill up.
  let before = -1
  await until('the service to wait for its client', async () => {
    const isWaiting = before === batches
    before = batches
    return isWaiting
  })
  assert.ok(batches < 1_000)
  request.destroy()
  await until('the export to end', async () => isOver)
})

test('a user has at most four exports in progress', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await using service = await serve(async function* () {
    yield [[1, 2]]
    await released
  })
  const four = await Promise.all(Array.from({ length: 4 }, () => fetch(service.url)))
  const fifth = await fetch(service.url)
  assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [429, '5'])
  release()
  for (const response of four) assert.equal(await response.text(), 'a,b\r\n1,2\r\n')
  await until('a place', async () => (await fetch(service.url)).status === 200)
})
