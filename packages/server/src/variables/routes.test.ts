import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { addUsers, lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withAccount } from '../../test/with-service.ts'

const path = '/api/v2/env'
const folderPath = '/api/v2/strategy/reaction/code/folder'

withAccount('a variable is made, shown without its value, changed and deleted', async (account) => {
  const made = await expect(201, account.api('POST', path, { name: 'API_KEY_1', value: 'secret-5512' }))
  const { id, created_at, updated_at } = made
  assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.deepEqual(made, { id, name: 'API_KEY_1', folder_id: null, created_at, updated_at })
  assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}`)), made)
  const other = await expect(201, account.api('POST', path, { name: 'OTHER', value: '' }))
  assert.deepEqual(await expect(200, account.api('GET', path)), [made, other])
  const page = await expect(200, account.api('GET', `${path}?page=2&limit=1`))
  assert.deepEqual(page, { items: [other], total: 2, page: 2, limit: 1 })

  const folder = await expect(201, account.api('POST', folderPath, { name: 'f' }))
  const moved = await expect(200, account.api('PUT', `${path}/${id}`, { folder_id: folder.id }))
  assert.deepEqual({ ...moved, updated_at }, { ...made, folder_id: folder.id })
  assert.deepEqual(await expect(200, account.api('GET', `${path}?folder_id=${folder.id}`)), [moved])
  assert.deepEqual(await expect(200, account.api('DELETE', `${path}/${id}`)), { message: 'Success' })
  for (const method of ['GET', 'DELETE']) await expect(404, account.api(method, `${path}/${id}`))
  await expect(404, account.api('PUT', `${path}/${id}`, { value: 'x' }))
})

withAccount('a name is given once a folder, also if it is asked for twice at once', async (account) => {
  const folder = await expect(201, account.api('POST', folderPath, { name: 'f' }))
  const make = (name: string, folder_id: number | null) =>
    account.api('POST', path, { name, value: 'x', folder_id })
  for (const folderId of [null, folder.id]) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => make('TWICE', folderId)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
    const refused = await expect(409, make('TWICE', folderId))
    assert.equal(refused.code, 'resource_conflict')
    assert.equal(refused.details[0].field, 'body.name')
  }
  const other = await expect(201, make('OTHER', null))
  await expect(409, account.api('PUT', `${path}/${other.id}`, { name: 'TWICE' }))
  await expect(200, account.api('PUT', `${path}/${other.id}`, { name: 'OTHER' }))
  const inFolder = await expect(201, make('OTHER', folder.id))
  await expect(409, account.api('PUT', `${path}/${inFolder.id}`, { folder_id: null }))
})

withAccount('invalid values are refused, field by field, and never quoted', async (account) => {
  const { id } = await expect(201, account.api('POST', path, { name: 'A', value: 'x' }))
  const value = 'value-7734'
  const wrong: [body: unknown, field: string][] = [
    [{ name: '', value }, 'body.name'],
    [{ name: 'a-b', value }, 'body.name'],
    [{ name: 'a\n', value }, 'body.name'],
    [{ name: 'ä', value }, 'body.name'],
    [{ name: 'x'.repeat(256), value }, 'body.name'],
    [{ name: 5, value }, 'body.name'],
    [{ name: 'process', value }, 'body.name'],
    [{ name: 'constructor', value }, 'body.name'],
    [{ name: '__proto__', value }, 'body.name'],
    [{ name: 'B', value: [value] }, 'body.value'],
    [{ name: 'B', value: null }, 'body.value'],
    [{ name: 'B', value: value + 'x'.repeat(16 * 1024) }, 'body.value'],
    [{ name: 'B', value: value + 'é'.repeat(8 * 1024) }, 'body.value'],
    [`{"name":"B","value":"${value}\\ud800"}`, 'body.value'],
    [{ name: 'B', value, folder_id: 999_999 }, 'body.folder_id'],
    [{ name: 'B', value, folder_id: 'x' }, 'body.folder_id'],
  ]
  for (const [body, field] of wrong) {
    for (const [method, at] of [
      ['POST', path],
      ['PUT', `${path}/${id}`],
    ] as const) {
      const refused = await expect(400, account.api(method, at, body))
      assert.equal(refused.code, 'request_invalid')
      assert.ok(refused.details.some((detail: { field: string }) => detail.field === field))
      assert.ok(!JSON.stringify(refused).includes(value))
    }
  }
  await expect(400, account.api('POST', path, { name: 'B' }))
  await expect(400, account.api('POST', path, { value }))
  await expect(200, account.api('PUT', `${path}/${id}`, { value: 'é'.repeat(8 * 1024) }))
  for (const name of ['toString', 'Process', 'parents', '1', '_', 'x'.repeat(255)]) {
    await expect(201, account.api('POST', path, { name, value }))
  }
})

withAccount('an account has at most 256 KB of values, and 500 variables', async (account) => {
  const big = 'x'.repeat(16 * 1024)
  for (let n = 0; n < 16; n++) await expect(201, account.api('POST', path, { name: `BIG_${n}`, value: big }))
  const refused = await expect(409, account.api('POST', path, { name: 'MORE', value: 'x' }))
  assert.equal(refused.code, 'resource_conflict')
  const list = await expect(200, account.api('GET', path))
  for (const { id } of list) await expect(200, account.api('PUT', `${path}/${id}`, { value: '' }))
  for (let n = 16; n < 499; n += 7) {
    const names = Array.from({ length: Math.min(7, 499 - n) }, (_, index) => `N_${n + index}`)
    await Promise.all(names.map((name) => expect(201, account.api('POST', path, { name, value: '' }))))
  }
  const last = await Promise.all(
    ['X', 'Y', 'Z'].map((name) => account.api('POST', path, { name, value: '' })),
  )
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409, 409])
  await expect(200, account.api('PUT', `${path}/${list[0].id}`, { value: 'still changed' }))
})

withDatabase('variables of someone else do not exist, and values are stored sealed', async (place) => {
  const [ownKey, otherKey] = await addUsers(place, ['own@example.com', 'other@example.com'])
  const value = 'plain-secret-9921'
  {
    await using service = await startService({ database: place })
    const [own, other] = [service.as(ownKey!), service.as(otherKey!)]
    const { id } = await expect(201, own.api('POST', path, { name: 'KEY', value }))
    for (const [method, body] of [['GET'], ['PUT', { value: 'x' }], ['DELETE']] as const) {
      assert.equal((await other.api(method, `${path}/${id}`, body)).status, 404)
    }
    assert.deepEqual(await expect(200, other.api('GET', path)), [])
    await expect(201, other.api('POST', path, { name: 'KEY', value: 'theirs' }))
  }
  await lookInto(place, async ({ db }) => {
    const found = await db.execute(sql`select encode(value, 'escape') as value from variables order by id`)
    const stored = (found as unknown as { rows: { value: string }[] }).rows
    assert.equal(stored.length, 2)
    assert.ok(stored.every((row) => !row.value.includes('plain-secret') && row.value.length > value.length))
  })
})
