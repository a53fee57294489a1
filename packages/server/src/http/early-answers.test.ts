import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import type { TestService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withService } from '../../test/with-service.ts'

const megabyte = 1024 * 1024
const piece = Buffer.alloc(64 * 1024, ' ')

/** Sends the head of a payload, and resolves with its connection and all of the answer, which comes first. */
async function sendHead(url: string, path: string, bytes: number) {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  const ended = once(socket, 'end')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  )
  await ended
  return { socket, answer }
}

async function write(socket: Socket, bytes: number) {
  for (let sent = 0; sent < bytes; sent += piece.length) {
    await new Promise<void>((resolve, reject) => {
      socket.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  }
}

withService('a sender whose payload is refused early can send all of it, and reads why', async (service) => {
  const { path } = await makeWebhook(service)
  const { socket, answer } = await sendHead(service.url, path, megabyte)
  assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"body_too_large"/)
  const closed = once(socket, 'close')
  await write(socket, megabyte)
  socket.end()
  assert.deepEqual(await closed, [false])
})

withService('the service reads only so much after its answer, and only for so long', async (service) => {
  const { path } = await makeWebhook(service)
  const { socket } = await sendHead(service.url, path, 2 ** 40)
  socket.on('error', () => undefined)
  await assert.rejects(write(socket, 2 ** 40), /EPIPE|ECONNRESET/)
  assert.ok(socket.bytesWritten < 200 * megabyte, `${socket.bytesWritten}`)

  // A sender that never writes again does not see the end, but its connection is gone.
  const before = await connectionsOf(service)
  const { socket: silent } = await sendHead(service.url, path, 2 ** 40)
  assert.equal(await connectionsOf(service), before + 1)
  await until('the end of a connection', async () => (await connectionsOf(service)) <= before)
  silent.destroy()
})

async function connectionsOf({ service }: TestService): Promise<number> {
  const { server } = service.app
  return promisify(server.getConnections.bind(server))()
}

withService('a request that follows on the same connection does nothing', async (service) => {
  const { path, deliveries } = await makeWebhook(service)
  const bytes = 300 * 1024
  const { socket } = await sendHead(service.url, path, bytes)
  const closed = once(socket, 'close')
  const next = '{"late":true}'
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`
  socket.on('error', () => undefined)
  socket.end(`${' '.repeat(bytes)}${head}\r\nContent-Length: ${next.length}\r\n\r\n${next}`)
  await closed
  assert.deepEqual(await deliveries(), [])
})
