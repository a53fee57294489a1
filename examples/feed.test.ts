import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Feed, type Payload } from './feed.ts'

/** A webhook on a free port that keeps accepted payloads, one for each key, and that a test can make refuse. */
async function openReceiver(refuse: (response: ServerResponse, number: number) => boolean) {
  const accepted = new Map<string, string>()
  let requests = 0
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const number = ++requests
    let body = ''
    for await (const chunk of request) body += chunk
    // A killed server reads nothing more from the same connection.
    if (request.socket.destroyed || refuse(response, number)) return
    const key = String(request.headers['idempotency-key'])
    const status = accepted.has(key) ? 200 : 202
    accepted.set(key, body)
    const answer = JSON.stringify({ id: number })
    response.writeHead(status, { 'content-length': answer.length }).end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/data-webhook/x`,
    accepted,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const payloads: Payload[] = Array.from({ length: 100 }, (_, index) => ({
  key: `key-${index}`,
  body: JSON.stringify({ index }),
}))
const bodies = payloads.map(({ body }) => body)

function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}): true {
  const text = JSON.stringify({ error: `A sentence about ${status}.`, code: 'word' })
  response.writeHead(status, { 'content-length': text.length, ...headers }).end(text)
  return true
}

for (const underWay of [1, 16]) {
  test(`payloads arrive in order, each once, with ${underWay} in flight`, async () => {
    using receiver = await openReceiver(() => false)
    using feed = new Feed({ url: receiver.url, underWay })
    await feed.post(payloads)
    assert.deepEqual([...receiver.accepted.values()], bodies)
  })

  test(`no payload is lost with a connection, with ${underWay} in flight`, async () => {
    using receiver = await openReceiver((response, number) => {
      if (number !== 7 && number !== 40) return false
      response.destroy()
      return true
    })
    using feed = new Feed({ url: receiver.url, underWay })
    await feed.post(payloads)
    assert.deepEqual([...receiver.accepted.values()], bodies)
  })
}

test('a payload refused with 429 or 503 is sent again, after the time that the webhook asked for', async () => {
  const refusals: number[] = []
  using receiver = await openReceiver((response, number) => {
    if (number !== 3 && number !== 4) return false
    refusals.push(performance.now())
    return number === 3 ? answer(response, 429, { 'retry-after': '1' }) : answer(response, 503)
  })
  using feed = new Feed({ url: receiver.url, underWay: 1 })
  await feed.post(payloads.slice(0, 5))
  assert.deepEqual([...receiver.accepted.values()], bodies.slice(0, 5))
  assert.ok(refusals[1]! - refusals[0]! >= 990)
})

test('any other refusal ends the feed, with the message of the service', async () => {
  using receiver = await openReceiver((response, number) => number === 3 && answer(response, 404))
  using feed = new Feed({ url: receiver.url, underWay: 1 })
  await assert.rejects(feed.post(payloads), /The webhook refused a payload: A sentence about 404\./)
  assert.deepEqual([...receiver.accepted.values()], bodies.slice(0, 2))
})
