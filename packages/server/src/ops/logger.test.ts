import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDatabase } from '../../test/databases.ts'
import { users } from '../db/schema.ts'
import { createLogger, withoutSecrets } from './logger.ts'

function collect(level: 'info' | 'trace' = 'info') {
  const lines: string[] = []
  const logger = createLogger(level, { write: (line) => void lines.push(line) })
  return { logger, read: () => lines.map((line) => JSON.parse(line)), text: () => lines.join('') }
}

test('a line is one JSON object, with the level by name, the time in ISO 8601, and the fields', () => {
  const { logger, read } = collect()
  logger.info({ runId: 5, cpuMs: 1.5 }, 'run ended')
  const [{ time, ...line }] = read()
  assert.deepEqual(line, { level: 'info', runId: 5, cpuMs: 1.5, msg: 'run ended' })
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('entries below the level are not written', () => {
  const { logger, read } = collect()
  logger.debug('no')
  logger.warn('yes')
  assert.deepEqual(
    read().map(({ msg }) => msg),
    ['yes'],
  )
})

test('of a request, only method, path and id are logged, without the id of a webhook', () => {
  const { logger, read } = collect()
  const headers = { 'x-key': 'secret', authorization: 'secret', 'api-key': 'public', signature: 'secret' }
  logger.info({
    req: { id: 'r1', method: 'POST', url: '/data-webhook/secret?key=secret', headers, body: 'secret' },
  })
  assert.deepEqual(read()[0].req, { id: 'r1', method: 'POST', url: '/data-webhook/[redacted]' })
})

test('a URL is logged without its query and without the id of a webhook', () => {
  const cases: [url: string, written: string][] = [
    ['/api/v2/signal?since=x', '/api/v2/signal'],
    ['/data-webhook/secret', '/data-webhook/[redacted]'],
    ['/data-webhook/secret/more', '/data-webhook/[redacted]'],
    ['/data-webhook/', '/data-webhook/[redacted]'],
    ['', ''],
  ]
  for (const [url, written] of cases) assert.equal(withoutSecrets(url), written)
})

test('of an error, type, message, stack and cause are logged, and no other fields', () => {
  const { logger, read, text } = collect()
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', config: { auth: 'secret' } })
  const error = Object.assign(new Error('no answer', { cause }), { client: { password: 'secret' } })
  logger.error({ err: error }, 'failed')
  const { err } = read()[0]
  assert.equal(err.type, 'Error')
  assert.equal(err.message, 'no answer')
  assert.match(err.stack, /logger\.test\.ts/)
  assert.equal(err.cause.code, 'ECONNREFUSED')
  assert.ok(!text().includes('secret'))
})

withDatabase('a failed query is logged without its values', async (place) => {
  const { db } = await place.open()
  const user = { email: 'a@example.com', passwordHash: 's3cret', role: 'user' } as const
  await db.insert(users).values(user)
  const failure = await db
    .insert(users)
    .values(user)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  assert.match(String(failure), /s3cret/, 'the library does name them')
  const { logger, read, text } = collect()
  logger.error({ err: failure }, 'failed')
  assert.doesNotMatch(text(), /s3cret|a@example\.com/)
  const [{ err }] = read()
  assert.match(err.message, /^Failed query: insert into "users"/)
  assert.match(err.stack, /^\s+at /)
  assert.equal(err.cause.code, '23505')
})
