import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { administratorKey } from '../../test/environment.ts'
import { openLive } from '../../test/live.ts'
import { startService } from '../../test/service.ts'
import { signedHeaders } from '../../test/signed-headers.ts'

/** Longer than a stop takes, but shorter than the 3 s that an open request may hold it up. */
const soonMs = 2_500

test('a stream ends first when the service stops, even if nobody reads it', async () => {
  const service = await startService({ env: { ROLES: 'api' } })
  await using stream = await openLive(service.url)
  const { port, hostname } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const head = { host: 'x', ...signedHeaders(administratorKey, 'GET', '/api/v2/live') }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /api/v2/live HTTP/1.1\r\n${lines.join('')}\r\n`)
  await once(socket, 'readable')
  const startedMs = performance.now()
  const stopped = service[Symbol.asyncDispose]()
  await stream.rest()
  await stopped
  assert.ok(performance.now() - startedMs < soonMs)
  socket.destroy()
})
