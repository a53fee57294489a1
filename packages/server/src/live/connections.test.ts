/** Far more connections than a node takes. The benchmark `live` opens ten thousand. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { addUsers } from '../../test/accounts.ts'
import type { HmacKey } from '../../test/client.ts'
import { createTestDatabase } from '../../test/databases.ts'
import { openLive } from '../../test/live.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { signedHeaders } from '../../test/signed-headers.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'

const limits = { LIVE_STREAMS: '250', LIVE_STREAMS_PER_USER: '100' }
const perUser = 200

/** Opens a stream that nobody reads. */
function attempt(url: string, key: HmacKey): Promise<{ status: number; head: string; socket: Socket }> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head = { host: 'x', ...signedHeaders(key, 'GET', '/api/v2/live') }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /api/v2/live HTTP/1.1\r\n${lines.join('')}\r\n`)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (bytes) => {
      const head = bytes.toString('latin1')
      resolve({ status: Number(head.split(' ')[1]), head, socket: socket.pause() })
    })
  })
}

test('hundreds of connections at once: users and the node have limits, and the service goes on', async () => {
  await using database = await createTestDatabase()
  const keys = await addUsers(
    database,
    Array.from({ length: 4 }, (_, n) => `user-${n}@example.com`),
  )
  await using service = await startProcess({ database, env: { ...limits, ROLES: 'api' } })
  const openFiles = async () => (await readdir(`/proc/${service.pid}/fd`)).length
  const webhook = await makeWebhook(service)
  const before = await openFiles()
  const attempts = await Promise.all(
    keys.flatMap((key) => Array.from({ length: perUser }, () => attempt(service.url, key))),
  )
  const opened = attempts.filter(({ status }) => status === 200)
  const refused = attempts.filter(({ status }) => status === 429)
  assert.deepEqual([opened.length, refused.length], [250, 4 * perUser - 250])
  for (const { head } of refused) assert.match(head, /retry-after: 10\r\n/i)
  for (let n = 0; n < keys.length; n++) {
    const mine = attempts.slice(n * perUser, (n + 1) * perUser)
    assert.ok(mine.filter(({ status }) => status === 200).length <= 100)
  }
  // The node is full, but serves everything else.
  await expect(200, service.api('GET', '/api/v2/user/me'))
  await expect(202, webhook.post({}))
  for (const { socket } of attempts) socket.destroy()
  await until('the connections to be closed', async () => (await openFiles()) <= before + 10)
  await using stream = await openLive(service.url, '?kind=delivery')
  const accepted = await expect(202, webhook.post({}))
  assert.equal((await stream.next()).data.id, accepted.id)
})
