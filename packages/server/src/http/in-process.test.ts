import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { buildApp } from './app.ts'
import { InProcessApi } from './in-process.ts'
import { Id } from './schemas.ts'
import type { Routes } from './types.ts'

const tellWho: Routes = (scope) => {
  const body = Type.Object({ userId: Id })
  scope.post('/who', { schema: { body } }, async ({ principal, ip, body }) => {
    await setImmediate()
    return { userId: principal.userId, ip, body }
  })
}

async function open() {
  const api = new InProcessApi()
  const asked: string[] = []
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    inProcess: api,
    authenticate: ({ path }) => {
      asked.push(path)
      throw new AppError('auth_missing', 'Nobody.')
    },
    market: 'live',
    trustedProxies: ['10.0.0.1'],
    apiRoutes: [tellWho],
    openRoutes: [],
  })
  await app.ready()
  const who = (userId: number, ip = '198.51.100.7') =>
    api.request(
      app,
      { principal: { userId, role: 'user' }, ip },
      { method: 'POST', target: '/api/v2/who', body: JSON.stringify({ userId }) },
    )
  return { app, api, asked, who }
}

test('each of many internal requests keeps its own user and address', async () => {
  const { app, who, asked } = await open()
  const ids = Array.from({ length: 200 }, (_, index) => index + 1)
  const answers = await Promise.all(ids.map((id) => who(id, `192.0.2.${id % 250}`)))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    ids.map((id) => [200, { userId: id, ip: `192.0.2.${id % 250}`, body: { userId: id } }]),
  )
  assert.deepEqual(asked, [])
  await app.close()
})

test('a request from outside at the same time has to authenticate, with any headers', async () => {
  const { app, who, asked } = await open()
  const within = who(1)
  const headers = { 'api-key': '1', signature: '1', authorization: 'Bearer 1', principal: '{"userId":1}' }
  const outside = await app.inject({ method: 'POST', url: '/api/v2/who', headers, payload: {} })
  assert.deepEqual([outside.statusCode, outside.json().code], [401, 'auth_missing'])
  assert.equal((await within).status, 200)
  assert.deepEqual(asked, ['/api/v2/who'])
  await app.close()
})

test('a call in progress can still ask while the application closes', async () => {
  const { app, who } = await open()
  const closed = app.close()
  assert.equal((await who(1)).status, 200)
  await closed
})

test('a refusal resolves like any other response', async () => {
  const { app, api } = await open()
  const caller = { principal: { userId: 1, role: 'user' as const }, ip: '192.0.2.1' }
  const { status, body } = await api.request(app, caller, { method: 'GET', target: '/api/v2/nothing' })
  assert.deepEqual([status, (body as { code: string }).code], [404, 'route_not_found'])
  await app.close()
})
