import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { users } from '../src/db/schema.ts'
import { withDatabase } from './databases.ts'

const seen: string[] = []

for (const order of ['first', 'second']) {
  withDatabase(`the ${order} test finds its database up to date and empty`, async (database) => {
    const { db } = await database.open()
    assert.deepEqual(await db.select().from(users), [])
    await db.insert(users).values({ email: 'someone@example.com', passwordHash: '', role: 'user' })
    assert.ok((await stat(database.dataDir)).isDirectory())
    assert.ok(!seen.includes(database.dataDir))
    seen.push(database.dataDir)
  })
}
