import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { users } from '../src/db/schema.ts'
import { createEmbeddedDatabase, createTestDatabase, type TestDatabase } from './databases.ts'

const someone = { email: 'someone@example.com', passwordHash: '', role: 'user' } as const

for (const [name, create] of [
  ['on the shared server', createTestDatabase],
  ['on a server of its own', createEmbeddedDatabase],
] as [string, () => Promise<TestDatabase>][]) {
  test(`each database ${name} is up to date and empty, and nothing of it remains`, async () => {
    const folders: string[] = []
    for (let n = 0; n < 2; n++) {
      await using database = await create()
      const { db } = await database.open()
      assert.deepEqual(await db.select().from(users), [])
      await db.insert(users).values(someone)
      assert.ok((await stat(database.dataDir)).isDirectory())
      folders.push(database.dataDir)
    }
    assert.notEqual(folders[0], folders[1])
    assert.deepEqual(folders.filter(existsSync), [])
  })
}
