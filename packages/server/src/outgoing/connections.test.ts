import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { until } from '../../test/until.ts'
import { startWatchedServer } from '../../test/watched-server.ts'
import { Connections } from './connections.ts'

test('the 256 most recently used connections stay open', async (t) => {
  const remote = await startWatchedServer((_request, response) => void response.end('here'))
  remote.server.keepAliveTimeout = 60_000
  const connections = new Connections({
    resolve: () => assert.fail('Not trusted.'),
    resolveTrusted: async () => ['127.0.0.1'],
    secureContext: createSecureContext(),
    sessions: new LRUCache({ max: 1 }),
  })
  t.after(async () => {
    connections.close()
    await remote[Symbol.asyncDispose]()
  })
  const ask = async (n: number) => {
    const url = new URL(`http://host-${n}.example:${remote.port}/`)
    const request = { method: 'GET', url, headers: new Map(), body: null } as const
    const { body } = await connections.send(
      { url, trusted: true },
      request,
      100,
      new AbortController().signal,
    )
    assert.equal(body.toString(), 'here')
  }
  for (let n = 1; n <= 300; n++) await ask(n)
  await until('the surplus to end', async () => remote.openSockets.size === 256)
  assert.equal(remote.connectionCount, 300)
  for (let n = 300; n > 44; n--) await ask(n)
  assert.equal(remote.connectionCount, 300)
  await ask(1)
  assert.equal(remote.connectionCount, 301)
  connections.close()
  await until('all to end', async () => remote.openSockets.size === 0)
  // Later requests get their answer, and their connections close.
  await ask(2)
  await until('the last to end', async () => remote.openSockets.size === 0)
})
