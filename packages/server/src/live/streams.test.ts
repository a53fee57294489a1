/** Streams of nodes that share a database, without HTTP. */
import assert from 'node:assert/strict'
import { withDatabase } from '../../test/databases.ts'
import { openNode } from '../../test/live-streams.ts'
import { until } from '../../test/until.ts'
import type { Sources } from './source.ts'

const change = (id: number, userId = 1) => ({ kind: 'run', id, userId }) as const

withDatabase('a client resumes after the last event that it has seen', async (database) => {
  await using acquired = new AsyncDisposableStack()
  const node = await openNode(database, acquired)
  const first = await node.open(1)
  for (const id of [1, 2]) node.announcer.announce(change(id))
  await first.next()
  await first.next()
  const lastId = first.id()
  first.stream.destroy()
  await until('the stream to be gone', async () => node.streams.count === 0)
  for (const id of [3, 4]) node.announcer.announce(change(id))
  node.announcer.announce(change(5, 2))
  const again = await node.open(1, { lastId })
  node.announcer.announce(change(6))
  const ids = []
  for (let n = 0; n < 3; n++) ids.push((await again.next()).data.id)
  assert.deepEqual(ids, [3, 4, 6])
})

withDatabase('an id that is unknown, too old or nonsense is answered with resync', async (database) => {
  await using acquired = new AsyncDisposableStack()
  const node = await openNode(database, acquired)
  const first = await node.open(1)
  node.announcer.announce(change(1))
  await first.next()
  const old = first.id()
  for (const lastId of [
    'x',
    '',
    '0.1',
    `${old}9`,
    '\u0000',
    `${old.split('.')[0]}.999999`,
    `${old.split('.')[0]}.-1`,
  ]) {
    const stream = await node.open(1, { lastId })
    const { kind, data } = await stream.next()
    assert.deepEqual([kind, data], ['resync', { reason: 'unknown_id' }], JSON.stringify(lastId))
    stream.stream.destroy()
  }
  for (let id = 2; id < 30_000; id++) node.announcer.announce(change(id, 2))
  const late = await node.open(1, { lastId: old })
  assert.deepEqual((await late.next()).data, { reason: 'unknown_id' })
})

withDatabase(
  'a reader that does not read loses events, is told so, and costs little memory',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired)
    const slow = await node.open(1)
    const other = await node.open(2)
    const part = 'x'.repeat(20_000)
    const unread = () => (slow.stream as { readableLength: number }).readableLength
    for (let id = 1; id <= 200; id++) node.announcer.announce({ ...change(id), part })
    node.announcer.announce(change(201, 2))
    assert.equal((await other.next()).data.id, 201)
    assert.ok(unread() <= 1024 * 1024, `${unread()} bytes wait`)
    const seen = []
    for (let event = await slow.next(); event.kind !== 'resync'; event = await slow.next())
      seen.push(event.data.id)
    assert.ok(seen.length < 100)
    assert.deepEqual(
      seen,
      Array.from(seen, (_, index) => index + 1),
    )
    node.announcer.announce(change(202))
    assert.equal((await slow.next()).data.id, 202)
  },
)

withDatabase(
  'a burst of more than may wait reaches a reader that reads, in pieces and in order',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired)
    const stream = await node.open(1)
    const count = 1_500
    const part = 'x'.repeat(1_000)
    for (let id = 1; id <= count; id++) node.announcer.announce({ ...change(id), part })
    for (let id = 1; id <= count; id++) {
      const { kind, data } = await stream.next()
      assert.deepEqual([kind, data.id], ['run', id])
    }
  },
)

withDatabase('each stream gets the events that its own filter selects, in one order', async (database) => {
  await using acquired = new AsyncDisposableStack()
  const node = await openNode(database, acquired)
  const streams = [
    await node.open(1),
    await node.open(1),
    await node.open(1, { filter: { strategyId: 1 } }),
    await node.open(1, { filter: { kinds: new Set(['run', 'signal']), strategyId: 2 } }),
    await node.open(1, { filter: { kinds: new Set(['signal', 'run']), strategyId: 2 } }),
    await node.open(2),
  ]
  for (let id = 1; id <= 6; id++) {
    const strategyId = (id % 2) + 1
    node.announcer.announce({ kind: id > 4 ? 'signal' : 'run', id, strategyId, userId: 1 })
  }
  // Everyone sees it.
  node.announcer.announce({ kind: 'order', id: 7 })
  const wanted = [[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7], [2, 4, 6], [1, 3, 5], [1, 3, 5], [7]]
  for (const [index, ids] of wanted.entries()) {
    for (const id of ids) assert.equal((await streams[index]!.next()).data.id, id)
  }
  const [all, same, ofOne] = streams.map((stream) => stream.id())
  assert.equal(all, same)
  // Its last event is an earlier one, but it has seen all that came with it.
  assert.equal(ofOne, all)
})

withDatabase(
  'a stream that opens while changes are gathered gets those after its opening',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired)
    const early = await node.open(1)
    node.announcer.announce(change(1))
    const opening = node.open(1)
    node.announcer.announce(change(2))
    const late = await opening
    assert.equal((await late.next()).data.id, 2)
    assert.deepEqual([(await early.next()).data.id, (await early.next()).data.id], [1, 2])
  },
)

withDatabase(
  'several changes of a record at once are one event, in the order of the last',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired)
    const stream = await node.open(1)
    for (const id of [1, 2, 1, 3, 1]) node.announcer.announce(change(id))
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await stream.next()).data.id)
    assert.deepEqual(ids, [2, 3, 1])
  },
)

withDatabase(
  'a user and a node have a limited number of streams, and an ended one makes room',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const node = await openNode(database, acquired, { limits: { ofUser: 2, ofNode: 3 } })
    const refused = { code: 'rate_limited', status: 429 }
    const first = await node.open(1)
    await node.open(1)
    await assert.rejects(node.open(1), refused)
    await node.open(2)
    await assert.rejects(node.open(3), refused)
    first.stream.destroy()
    await until('the stream to be gone', async () => node.streams.count === 2)
    await node.open(3)
    // All at once: the place is taken before anything waits.
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => node.open(4)))
    assert.equal(many.filter(({ status }) => status === 'fulfilled').length, 0)
  },
)

withDatabase('events reach the streams of other nodes, and only while one listens', async (database) => {
  await using acquired = new AsyncDisposableStack()
  const [here, there] = [await openNode(database, acquired), await openNode(database, acquired)]
  // From before anyone listened, but not long before.
  there.announcer.announce(change(1))
  const stream = await here.open(1)
  assert.equal((await stream.next()).data.id, 1)
  const part = 'ß'.repeat(3_000)
  const sent = Array.from({ length: 500 }, (_, n) => ({
    ...change(n + 2),
    ...(n % 50 === 0 ? { part } : {}),
  }))
  for (const one of sent) there.announcer.announce(one)
  const seen = []
  while (seen.length < sent.length) seen.push((await stream.next()).data.id)
  assert.deepEqual(
    seen,
    sent.map(({ id }) => id),
  )
  const own = await there.open(1)
  there.announcer.announce(change(1_000))
  assert.deepEqual([(await own.next()).data.id, (await stream.next()).data.id], [1_000, 1_000])
  assert.deepEqual([here.errors, there.errors], [[], []])
})

withDatabase(
  'what a node has stored is shown without reading it, as long as it is little',
  async (database) => {
    await using acquired = new AsyncDisposableStack()
    const megabytes = (count: number) => ({ sizeBytes: count * 1024 * 1024 })
    const known = new Map<number, unknown>()
    const sources: Sources = {
      run: async (changes, _listeners, stored) => {
        for (const [index, { id }] of changes.entries()) known.set(id, stored[index])
        return changes.map(({ id }) => [{ userId: 1, record: { id } }])
      },
    }
    const node = await openNode(database, acquired, { sources })
    const other = await openNode(database, acquired, { sources })
    const stream = await node.open(1)
    const small = megabytes(3)
    for (const [id, stored] of [small, undefined, megabytes(4), megabytes(2), small].entries()) {
      node.announcer.announce(change(id), stored)
    }
    for (let id = 0; id < 5; id++) assert.equal((await stream.next()).data.id, id)
    assert.deepEqual([...known.values()], [small, undefined, megabytes(4), undefined, undefined])
    node.announcer.announce(change(5), small)
    assert.equal((await stream.next()).data.id, 5)
    assert.equal(known.get(5), small)
    // To other nodes, it is read, and so it is to those who come back.
    other.announcer.announce(change(6), small)
    assert.equal((await stream.next()).data.id, 6)
    assert.equal(known.get(6), undefined)
    stream.stream.destroy()
    await until('the stream to be gone', async () => node.streams.count === 0)
    node.announcer.announce(change(7), small)
    const again = await node.open(1, { lastId: stream.id() })
    assert.equal((await again.next()).data.id, 7)
    assert.equal(known.get(7), undefined)
  },
)

withDatabase('a failed read costs a resync, and the next events come', async (database) => {
  await using acquired = new AsyncDisposableStack()
  let fails = true
  const node = await openNode(database, acquired, {
    sources: {
      run: async (changes) => {
        if (fails) throw new Error('a defect')
        return changes.map(({ id }) => [{ userId: 1, record: { id } }])
      },
    },
  })
  const stream = await node.open(1)
  node.announcer.announce(change(1))
  assert.deepEqual((await stream.next()).data, { reason: 'interrupted' })
  fails = false
  node.announcer.announce(change(2))
  assert.equal((await stream.next()).data.id, 2)
  assert.equal(node.errors.length, 1)
})
