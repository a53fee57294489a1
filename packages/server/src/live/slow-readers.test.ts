/** Readers on real connections that never read. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { withDatabase } from '../../test/databases.ts'
import { openNode } from '../../test/live-streams.ts'
import { until } from '../../test/until.ts'
import type { LiveStream } from './stream.ts'

const bound = 1024 * 1024
const readers = 8

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Of buffers, after the collection of those that nobody has. */
function bufferBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

withDatabase(
  'readers that never read cost 1 MB each, delay nobody, and free their memory when they are cut off',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired)
    const streams: LiveStream[] = []
    const server = createServer(async (_request, response) => {
      const userId = streams.length + 10
      const principal = { userId, role: 'user', sessionId: userId } as const
      const stream = await node.streams.open(principal, {})
      streams.push(stream)
      pipeline(stream, response, () => undefined)
    })
    acquired.defer(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const beforeBytes = bufferBytes()
    for (let n = 1; n <= readers; n++) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      acquired.defer(() => void socket.destroy())
      // It never asks for data, so the system stops taking it from the service.
      socket.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      await until('the stream to be open', async () => streams.length === n)
    }
    const reader = await node.open(1)
    // Each reader gets different events, since streams share the bytes of one event.
    const part = 'x'.repeat(200_000)
    let id = 0
    const isFull = (stream: LiveStream) => stream.readableLength + part.length > bound
    while (!streams.every(isFull)) {
      for (const { principal } of streams) {
        node.announcer.announce({ kind: 'run', id: ++id, userId: principal.userId, part })
      }
      node.announcer.announce({ kind: 'run', id: ++id, userId: 1 })
      // It gets its event although all others are behind.
      assert.equal((await reader.next()).data.id, id)
    }
    for (const stream of streams) assert.ok(stream.readableLength <= bound)
    const heldBytes = bufferBytes() - beforeBytes
    assert.ok(heldBytes > 0.5 * readers * bound, `${heldBytes} bytes`)

    // As the heartbeat does after a minute (stream.test.ts).
    while (streams.length > 0) streams.pop()!.destroy()
    await until('the streams to be cut off', async () => node.streams.count === 1)
    const connections = promisify(server.getConnections.bind(server))
    await until('the connections to be closed', async () => (await connections()) === 0)
    await until('the memory to be free', async () => bufferBytes() - beforeBytes < 0.3 * heldBytes)
    node.announcer.announce({ kind: 'run', id: ++id, userId: 1 })
    assert.equal((await reader.next()).data.id, id)
  },
)
