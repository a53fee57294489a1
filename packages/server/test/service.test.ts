import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmbeddedDatabase, withDatabase } from './databases.ts'
import { startProcess } from './process.ts'
import { startService } from './service.ts'

withDatabase('a service answers its administrator, and nobody who does not sign', async (database) => {
  await using service = await startService({ database })
  const signed = await service.api('GET', '/api/v2/api/key')
  assert.equal(signed.status, 200)
  assert.equal(signed.body.length, 1)
  const unsigned = await service.send('GET', '/api/v2/api/key')
  assert.equal(unsigned.status, 401)
  assert.equal(unsigned.body.code, 'auth_missing')
})

test('what a killed process had answered is there for the next', async () => {
  await using database = await createEmbeddedDatabase()
  const name = 'made before the kill'
  {
    await using service = await startProcess({ database })
    const created = await service.api('POST', '/api/v2/api/key', { name, algorithm: 'HMAC' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    await service.killGroup()
    await assert.rejects(service.send('GET', '/health/live'))
  }
  await using service = await startProcess({ database })
  const keys = await service.api('GET', '/api/v2/api/key')
  assert.ok(keys.body.some((key: { name: string }) => key.name === name))
  assert.equal(await service.stop(), 0, service.output())
})

test('the error of a process that cannot start says why', async () => {
  await assert.rejects(startProcess({ env: { LOG_LEVEL: 'loud' } }), /LOG_LEVEL must be one of/)
})
