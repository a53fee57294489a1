/** The iterator of live events, against a real service and against servers that break connections. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { administratorKey } from '../../server/test/environment.ts'
import { makeReaction } from '../../server/test/reaction.ts'
import { withService } from '../../server/test/with-service.ts'
import { createApiClient, type LiveEvent } from '../src/index.ts'
import { startLoopback } from './loopback.ts'

const { key: apiKey, secret: apiSecret } = administratorKey

withService('the iterator yields typed events, and ends with its loop or its signal', async (service) => {
  const client = createApiClient({ baseUrl: service.url, apiKey, apiSecret })
  const reaction = await makeReaction(service, '$.log("seen")')
  const ending = new AbortController()
  const opened = Promise.withResolvers<void>()
  const seen: LiveEvent[] = []
  const options = { kinds: ['run'] as const, strategyId: reaction.id, onOpen: () => opened.resolve() }
  const reading = (async () => {
    for await (const event of client.live({ ...options, signal: ending.signal })) seen.push(event)
  })()
  await opened.promise
  await reaction.post({})
  for await (const event of client.live({ ...options, onOpen: () => void reaction.post({}) })) {
    if (event.kind !== 'run' || event.data.status !== 'SUCCEEDED') continue
    assert.equal(event.data.log, 'seen\n')
    break
  }
  ending.abort()
  await reading
  assert.ok(seen.length > 0)
  assert.ok(seen.every((event) => event.kind === 'run' && event.data.strategy_id === reaction.id))
})

withService('a refusal ends the loop with the error of the service', async ({ url }) => {
  const stranger = createApiClient({ baseUrl: url, apiKey, apiSecret: 'wrong' })
  await assert.rejects(stranger.live().next(), { name: 'ApiError', status: 401, code: 'auth_invalid' })
  const client = createApiClient({ baseUrl: url, apiKey, apiSecret })
  await assert.rejects(client.live({ kinds: ['rum' as 'run'] }).next(), { status: 400 })
  await assert.rejects(client.live({ kinds: [] }).next(), { name: 'TypeError', message: /^kinds must be/ })
  await assert.rejects(client.live({ runId: 1.5 }).next(), { name: 'TypeError', message: /^run_id must be/ })
  await assert.rejects(client.live({ botWebhookId: Number.NaN }).next(), /^TypeError: bot_webhook_id must be/)
})

type Turn = (response: ServerResponse) => void

async function startServer(...turns: Turn[]) {
  const server = await startLoopback(...turns)
  return { ...server, client: createApiClient({ baseUrl: server.url, apiKey, apiSecret }) }
}

const stream =
  (...chunks: (string | Uint8Array)[]): Turn =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
  }

test('after each kind of loss, the iterator goes on after the last event', async () => {
  const event = (id: number) => `id: e.${id}\nevent: run\ndata: {"id":${id}}\n\n`
  const broken = Buffer.from('id: e.4\nevent: run\ndata: {"id":4,"log":"ä"}\n\n')
  await using server = await startServer(
    (response) => {
      stream('retry: 1000\nid: e.0\n\n', event(1))(response)
      response.end()
    },
    (response) => {
      stream(event(2), 'id: e.3\nevent: run\nda')(response)
      setImmediate(() => response.destroy())
    },
    (response) => response.destroy(),
    (response) => response.writeHead(503).end(),
    (response) => response.writeHead(429).end('{"error":"Too many.","code":"rate_limited"}'),
    stream(
      'id: e.3\nevent: resync\ndata: {"reason":"unknown_id"}\n\n',
      broken.subarray(0, 40),
      broken.subarray(40),
    ),
  )
  const seen: unknown[] = []
  for await (const { kind, id, data } of server.client.live({ lastEventId: 'e.9' })) {
    seen.push([kind, id, data])
    if (id === 'e.4') break
  }
  assert.deepEqual(seen, [
    ['run', 'e.1', { id: 1 }],
    ['run', 'e.2', { id: 2 }],
    ['resync', 'e.3', { reason: 'unknown_id' }],
    ['run', 'e.4', { id: 4, log: 'ä' }],
  ])
  const ids = server.received.map(({ headers }) => headers['last-event-id'])
  assert.deepEqual(ids, ['e.9', 'e.1', 'e.2', 'e.2', 'e.2', 'e.2'])
})

test('an aborted signal ends the iterator at once, even while it waits to connect', async () => {
  await using server = await startServer(() => undefined)
  const ended = await server.client.live({ signal: AbortSignal.abort() }).next()
  assert.deepEqual(ended, { done: true, value: undefined })
  const ending = new AbortController()
  const waiting = server.client.live({ signal: ending.signal }).next()
  ending.abort()
  assert.deepEqual(await waiting, { done: true, value: undefined })
})
