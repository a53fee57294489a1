import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { administratorKey } from '../../test/environment.ts'
import { openLive } from '../../test/live.ts'
import { startService } from '../../test/service.ts'
import { signedHeaders } from '../../test/signed-headers.ts'

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
  const stopped = service[Symbol.asyncDispose]()
  await stream.rest()
  await stopped
  // After the 3 s that an open request may hold up a stop, its connection would be cut before this last chunk.
  assert.match(await text(socket), /\r\n0\r\n\r\n$/)
})
