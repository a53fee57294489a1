import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { LoadGenerator } from './load.ts'
import type { LoadPlan } from './load-plan.ts'

const generator = new LoadGenerator()
const received: { path: string; body: string; connection: unknown }[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ path: request.url!, body, connection: request.socket })
  const text = JSON.stringify({ id: received.length })
  response.writeHead(202, { 'content-length': text.length }).end(text)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(async () => {
  await generator[Symbol.asyncDispose]()
  server.close()
})

const { port } = server.address() as AddressInfo
const plan: LoadPlan = {
  url: `http://127.0.0.1:${port}`,
  requests: [
    { method: 'POST', path: '/a', body: '{"n":1}' },
    { method: 'POST', path: '/b', body: '{"n":2}' },
  ],
  connections: 4,
  perSecond: null,
  until: { answers: 100 },
  status: 202,
}

test('it sends the given number of requests in turn, over the given number of connections', async () => {
  received.length = 0
  const result = await generator.run(plan)
  assert.equal(result.answered, 100)
  assert.equal(received.length, 100)
  assert.equal(received.filter(({ path, body }) => path === '/a' && body === '{"n":1}').length, 50)
  assert.equal(new Set(received.map(({ connection }) => connection)).size, 4)
  assert.ok(result.p50Ms > 0 && result.p50Ms <= result.p99Ms)
})

test('a round at a rate takes the time that follows from the rate', async () => {
  const { answered, seconds } = await generator.run({ ...plan, perSecond: 100, until: { answers: 50 } })
  assert.equal(answered, 50)
  assert.ok(seconds >= 0.48, `${seconds} s`)
})

test('a round ends at its time limit', async () => {
  const { answered, seconds } = await generator.run({ ...plan, until: { ms: 200 } })
  assert.ok(answered > 0)
  assert.ok(seconds >= 0.2)
})

test('kept answers have the time of each request and the id of each answer', async () => {
  received.length = 0
  const before = Date.now()
  const { answers } = await generator.run({ ...plan, keepAnswers: true })
  assert.deepEqual(new Set(answers.map(({ id }) => id)), new Set(received.map((_, index) => index + 1)))
  assert.ok(answers.every(({ sentAtMs, latencyMs }) => sentAtMs >= before && latencyMs > 0))
})

test('an answer with another status ends the round with an error', async () => {
  await assert.rejects(generator.run({ ...plan, status: 200 }), /Expected status 200, got 202: {"id":/)
})
