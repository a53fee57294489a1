/** What streams do while the database is away, and when it is back. */
import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { openLive, requestLive, type TestStream } from '../../test/live.ts'
import { openNode } from '../../test/live-streams.ts'
import { outage } from '../../test/outage.ts'
import { makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { openDatabase } from '../db/open.ts'

const isResync = ({ kind }: { kind: string }) => kind === 'resync'

withDatabase(
  'streams outlive an outage of the database, say that they may lack events, and go on, on every node',
  async (database) => {
    const env = { LOG_LEVEL: 'silent' }
    await using acquired = new AsyncDisposableStack()
    const start = async () => acquired.use(await startService({ database, env }))
    const nodes = [await start(), await start()]
    const [here, there] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    await using away = await outage(database.databaseUrl)
    const reaction = await makeReaction(here, '$.log(1)')
    const query = `?kind=run&strategy_id=${reaction.id}`
    const open = async (url: string, lastEventId?: string) =>
      acquired.use(await openLive(url, query, lastEventId === undefined ? {} : { lastEventId }))
    const streams = [await open(here.url), await open(there.url)]
    const post = async (node: typeof here) => {
      const { status, body } = await node.send('POST', reaction.path, { body: {} })
      assert.equal(status, 202, JSON.stringify(body))
      return (event: { data: { delivery_id: number; status: string } }) =>
        event.data.delivery_id === body.id && event.data.status === 'SUCCEEDED'
    }
    const before = await post(there)
    for (const stream of streams) await stream.find(before)
    const ids = streams.map((stream) => stream.id())

    await away.begin()
    for (const { url } of nodes) {
      // A connection whose end is requested may still answer one query.
      await until('a new stream to be refused', async () => {
        const { response, abort } = await requestLive(url, query)
        abort.abort()
        return response.status === 503
      })
    }
    await away.end()
    for (const stream of streams) {
      assert.deepEqual((await stream.find(isResync)).data, { reason: 'interrupted' })
    }
    for (const node of nodes) {
      await until('the node to be ready again', async () => {
        return (await node.send('GET', '/health/ready')).status === 200
      })
    }
    for (const node of nodes) {
      const after = await post(node)
      for (const stream of streams) await stream.find(after)
    }
    const missed: TestStream[] = []
    for (const [index, { url }] of nodes.entries()) {
      // From before the outage, nobody knows what is missing. From after it, everything is known.
      const unknown = await open(url, ids[index]!)
      assert.deepEqual((await unknown.next()).data, { reason: 'unknown_id' })
      const id = streams[index]!.id()
      await streams[index]!.find(await post(there))
      const known = await open(url, id)
      assert.equal((await known.next()).kind, 'run')
      missed.push(known)
    }
    const last = await post(here)
    for (const stream of [...streams, ...missed]) await stream.find(last)
  },
)

withDatabase(
  'an event whose record cannot be read while the database is away comes when it is back',
  async (place) => {
    await using acquired = new AsyncDisposableStack()
    await using away = await outage(place.databaseUrl)
    const tolerant: TestDatabase = {
      ...place,
      open: async (until = acquired) => {
        const database = await openDatabase(place.databaseUrl, () => undefined)
        until.defer(() => database.close())
        return database
      },
    }
    const { db } = await tolerant.open()
    const node = await openNode(tolerant, acquired, {
      sources: {
        run: async (changes) => {
          await db.execute(sql`select 1`)
          return changes.map(({ id, userId = null }) => [{ userId, record: { id } }])
        },
      },
    })
    const other = await openNode(tolerant, acquired)
    const stream = await node.open(1)
    const gone = await node.open(2)
    await away.begin()
    for (const id of [1, 2, 3]) node.announcer.announce({ kind: 'run', id, userId: 1 })
    await until('the read to fail', async () => node.errors.length > 0)
    // A reader who leaves meanwhile is not waited for.
    gone.stream.destroy()
    await until('the stream to be gone', async () => node.streams.count === 1)
    await away.end()
    const seen: number[] = []
    let resyncs = 0
    while (seen.length < 3 || resyncs === 0) {
      const event = await stream.next()
      if (isResync(event)) resyncs++
      else seen.push(event.data.id)
    }
    assert.deepEqual(seen, [1, 2, 3])
    // Now this node hears the others again.
    other.announcer.announce({ kind: 'run', id: 4, userId: 1 })
    assert.equal((await stream.next()).data.id, 4)
  },
)
