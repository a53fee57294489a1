import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { type ServedDatabase, withDatabase } from '../../test/databases.ts'
import { until } from '../../test/until.ts'
import { AppError } from '../base/errors.ts'
import { users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import { Vault } from '../secrets/vault.ts'
import type { Entrance } from './addresses.ts'
import { DataWebhooks } from './data-webhooks.ts'
import { RefusalWriter } from './refusal-writer.ts'
import { refusalOf } from './refusals.ts'
import type { CountedRefusal } from './refused-posts.ts'

const userId = 1
const failure = new AppError('webhook_key', 'The key was wrong.')
const describe = () => refusalOf({ headers: {}, body: undefined }, '203.0.113.7', failure)

/** Webhooks of one user, and a writer that notes what it does. */
async function prepare(place: ServedDatabase) {
  const database = await place.open()
  const { db } = database
  await db.insert(users).values({ email: 'a@example.com', passwordHash: '', role: 'user' })
  const vault = new Vault(randomBytes(32))
  const limits = new UserLimits()
  const webhooks = await DataWebhooks.open({ database, vault, limits, publicUrl: 'http://localhost' })
  const { refused } = webhooks
  const noted = { writes: 0, errors: 0, lost: 0 }
  const writer = new RefusalWriter({
    write: async (posts) => {
      noted.writes++
      await refused.write(posts)
    },
    onError: () => noted.errors++,
    onLost: (posts) => {
      noted.lost += posts
    },
  })
  const makeEntrance = async (): Promise<Entrance> => {
    const webhook = await webhooks.create(userId, {})
    return { webhook, urlHash: webhook.urlHash, sender: null }
  }
  const kept = (id: number) => refused.latest(userId, id)
  const counted = async (id: number) => (await kept(id)).reduce((sum, { more }) => sum + 1 + more, 0)
  return { db, refused, writer, noted, makeEntrance, kept, counted }
}

withDatabase(
  'of 100,000 refused posts, a few are described and written, and all are counted',
  async (place) => {
    const { writer, noted, makeEntrance, kept, counted } = await prepare(place)
    const entrance = await makeEntrance()
    const { id } = entrance.webhook
    let described = 0
    const startMs = performance.now()
    for (let n = 1; n <= 100_000; n++) {
      writer.note(entrance, () => {
        described++
        return describe()
      })
      if (n % 1000 === 0) await nextTurn()
    }
    await until('all to be counted', async () => (await counted(id)) === 100_000)
    const seconds = (performance.now() - startMs) / 1000
    assert.ok(described <= seconds + 2, `${described} in ${seconds} s`)
    assert.deepEqual([noted.writes, (await kept(id)).length], [described, described])
    await writer.close()
    assert.deepEqual([await counted(id), noted.errors, noted.lost], [100_000, 0, 0])
  },
)

withDatabase('what many webhooks refuse at the same time is written together', async (place) => {
  const { writer, noted, makeEntrance, kept } = await prepare(place)
  const entrances = [await makeEntrance(), await makeEntrance(), await makeEntrance()]
  for (const entrance of entrances) writer.note(entrance, describe)
  // One that is deleted, or of another installation, does not hold up the others.
  const [first] = entrances
  writer.note({ ...first!, webhook: { ...first!.webhook, id: 987_654_321 } }, describe)
  for (const { webhook } of entrances) {
    await until('a refused post', async () => (await kept(webhook.id)).length === 1)
  }
  assert.equal(noted.writes, 1)
  await writer.close()
})

withDatabase('posts that wait when the writer closes are written', async (place) => {
  const { writer, noted, makeEntrance, kept, counted } = await prepare(place)
  const entrance = await makeEntrance()
  const { id } = entrance.webhook
  writer.note(entrance, describe)
  await until('the first', async () => (await kept(id)).length === 1)
  // These would wait for a second.
  for (let n = 0; n < 5; n++) writer.note(entrance, describe)
  await writer.close()
  assert.deepEqual([await counted(id), noted.lost], [6, 0])
})

withDatabase('what the database does not take now is written later, with its count', async (place) => {
  const { db, writer, noted, makeEntrance, counted } = await prepare(place)
  const entrance = await makeEntrance()
  await db.execute(sql`alter table refused_data_posts rename to away`)
  writer.note(entrance, describe)
  await until('a failure', async () => noted.errors === 1)
  for (let n = 0; n < 5; n++) writer.note(entrance, describe)
  const { writes } = noted
  await until('another failure', async () => noted.writes > writes)
  await db.execute(sql`alter table away rename to refused_data_posts`)
  await until('all to be counted', async () => (await counted(entrance.webhook.id)) === 6)
  // One for all failures in a row.
  assert.equal(noted.errors, 1)

  await db.execute(sql`alter table refused_data_posts rename to away`)
  for (let n = 0; n < 3; n++) writer.note(entrance, describe)
  await writer.close()
  assert.equal(noted.lost, 3)
})

withDatabase('URLs beyond 10,000 at the same time are not kept, but their number is told', async (place) => {
  const { writer, noted, makeEntrance, counted } = await prepare(place)
  const entrance = await makeEntrance()
  writer.note(entrance, describe)
  const shared = (shareId: number): Entrance => ({ ...entrance, sender: { shareId, userId: 2 } })
  for (let shareId = 1; shareId <= 10_500; shareId++) writer.note(shared(shareId), describe)
  writer.note(entrance, describe)
  await writer.close()
  assert.equal(noted.lost, 501)
  // The first one is among the oldest, which are no longer kept.
  assert.equal(await counted(entrance.webhook.id), 100)
})

withDatabase('a webhook keeps the latest 100', async (place) => {
  const { db, refused, makeEntrance, kept } = await prepare(place)
  const [{ webhook }, other] = [await makeEntrance(), await makeEntrance()]
  const posts = (webhookId: number, count: number): CountedRefusal[] =>
    Array.from({ length: count }, (_, size) => ({ ...describe(), webhookId, senderId: null, more: 0, size }))
  await refused.write(posts(other.webhook.id, 3))
  for (const count of [60, 60, 150, 7]) await refused.write(posts(webhook.id, count))
  const sizes = (await kept(webhook.id)).map(({ size }) => size)
  const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index)
  assert.deepEqual(sizes, [...down(6, 7), ...down(149, 93)])
  assert.equal((await kept(other.webhook.id)).length, 3)
  const { rows } = (await db.execute(sql`select count(*) as n from refused_data_posts`)) as unknown as {
    rows: { n: string }[]
  }
  assert.equal(Number(rows[0]!.n), 103)
})

withDatabase('hostile texts of a refused post are harmless and can be stored', async (place) => {
  const { writer, makeEntrance, kept } = await prepare(place)
  const entrance = await makeEntrance()
  const hidden = [
    '\0',
    '\u001b[2J',
    '\r\n',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\ud800',
    '\udc00',
    '\u2028',
  ]
  const hostile = `<b>${hidden.join('x')}'; drop table users; --=cmd()${'\u{1f600}'.repeat(1000)}`
  const headers = { 'x-key': 'the key', 'content-length': '99999999999999999999', [hostile]: 'odd' }
  const body = Buffer.from(JSON.stringify({ [hostile]: 1, __proto__: 1, key: 'the key' }))
  const malformed = new AppError('request_malformed', hostile)
  writer.note(entrance, () => refusalOf({ headers, body: undefined }, hostile, malformed))
  await writer.close()
  const [post] = await kept(entrance.webhook.id)
  assert.deepEqual([post!.size, post!.keyName], [null, 'x-key'])
  assert.ok(post!.reason.startsWith('<b>\ufffdx\ufffd[2Jx\ufffd\ufffdx'))
  for (const text of [post!.reason, post!.ip!]) {
    assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    assert.ok(text.length <= 1000)
  }
  const inBody = refusalOf({ headers: {}, body }, undefined, malformed)
  assert.deepEqual([inBody.keyName, inBody.size, inBody.ip], ['body.key', body.length, null])
  for (const odd of ['', '{', '[]', '{"KEY":1', '\u212aey'].map((text) => Buffer.from(text))) {
    assert.equal(refusalOf({ headers: {}, body: odd }, undefined, malformed).keyName, null)
  }
  const kelvin = Buffer.from('{"\u212aey": 1}')
  assert.equal(refusalOf({ headers: {}, body: kelvin }, undefined, malformed).keyName, null)
})
