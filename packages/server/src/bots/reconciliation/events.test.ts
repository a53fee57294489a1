/** The events of comparisons, by pages and by cursors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { addUsers } from '../../../test/accounts.ts'
import { makeBot } from '../../../test/bot.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'

test('events are read by pages and by cursors, counted up to 10,000, and only by their owner', async () => {
  await using database = await createTestDatabase()
  const [owner, stranger] = await addUsers(database, ['owner@example.com', 'stranger@example.com'])
  await using service = await startService({ database })
  const client = service.as(owner!)
  const { id } = await makeBot(client)
  const path = `/api/v2/bot/signal/cex/${id}/reconciliation`
  const read = (query: string) => expect(200, client.api('GET', `${path}?${query}`))
  assert.deepEqual(await read(''), { symbols: [], events: [], events_total: 0 })
  const { db } = await database.open()
  await db.execute(sql`
    insert into reconciliation_events (bot_id, user_id, symbol, type, text, at)
    select ${id}::bigint, 1, 'BTC/USDT:USDT', 'AGREED', n::text, now() from generate_series(1, 10001) n`)
  const texts = ({ events }: { events: { text: string }[] }) => events.map(({ text }) => text).join()
  const page = await read('page=2&limit=3')
  assert.equal(texts(page), '9998,9997,9996')
  assert.deepEqual(
    [page.events_total, page.events_total_is_exact, page.events_next],
    [10_000, false, undefined],
  )
  const last = page.events.at(-1).id
  const next = await read(`before=${last}&limit=3`)
  assert.deepEqual([texts(next), next.events_next], ['9995,9994,9993', next.events.at(-1).id])
  const newer = await read(`after=${last}&limit=3`)
  assert.deepEqual([texts(newer), newer.events_next], ['9999,9998,9997', newer.events[0].id])
  const newest = await read(`after=${newer.events_next}&limit=3`)
  assert.deepEqual([texts(newest), newest.events_next], ['10001,10000', null])
  for (const [query, field] of [
    [`page=1&before=${last}`, 'page'],
    ['before=3&after=3', 'before'],
    ['before=0', 'before'],
    ['after=-1', 'after'],
    ['before=9007199254740993', 'before'],
  ] as const) {
    const { details } = await expect(400, client.api('GET', `${path}?${query}`))
    assert.equal(details[0].field, `querystring.${field}`, query)
  }
  await expect(404, service.as(stranger!).api('GET', `${path}?before=${last}`))
})
