import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupCommit } from './group-commit.ts'

/** Commits that end when the test says so. */
function controlled({ batchLimit = 100, isolateFailures = false, patienceMs = 0 } = {}) {
  const batches: string[][] = []
  const open: PromiseWithResolvers<void>[] = []
  const group = new GroupCommit<string, string>({
    batchLimit,
    isolateFailures,
    patienceMs,
    commit: async (batch) => {
      batches.push(batch)
      const commit = Promise.withResolvers<void>()
      open.push(commit)
      await commit.promise
      return batch.map((item) => `${item} stored`)
    },
  })
  const begun = async (count: number) => {
    while (open.length < count) await new Promise((resolve) => setImmediate(resolve))
    return open[count - 1]!
  }
  return { group, batches, begun }
}

test('an item that arrives alone is committed at once', async () => {
  const { group, batches, begun } = controlled()
  const stored = group.submit('a')
  ;(await begun(1)).resolve()
  assert.equal(await stored, 'a stored')
  assert.deepEqual(batches, [['a']])
})

test('items that arrive during a commit go together in the next one, in order, each with its own result', async () => {
  const { group, batches, begun } = controlled()
  const first = group.submit('a')
  const commit = await begun(1)
  const others = ['b', 'c', 'd'].map((item) => group.submit(item))
  assert.equal(group.waiting, 3)
  commit.resolve()
  assert.equal(await first, 'a stored')
  ;(await begun(2)).resolve()
  assert.deepEqual(await Promise.all(others), ['b stored', 'c stored', 'd stored'])
  assert.deepEqual(batches, [['a'], ['b', 'c', 'd']])
})

test('the next commit begins before the callers of the last one go on', async () => {
  const { group, batches, begun } = controlled()
  let batchesBefore = 0
  const first = group.submit('a').then(() => {
    batchesBefore = batches.length
  })
  const commit = await begun(1)
  const second = group.submit('b')
  commit.resolve()
  await first
  assert.equal(batchesBefore, 2)
  ;(await begun(2)).resolve()
  assert.equal(await second, 'b stored')
})

test('an item is not answered before its commit has ended', async () => {
  const { group, begun } = controlled()
  let answered = false
  const stored = group.submit('a').then(() => {
    answered = true
  })
  const commit = await begun(1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(answered, false)
  commit.resolve()
  await stored
})

test('a batch holds no more than its limit', async () => {
  const { group, batches, begun } = controlled({ batchLimit: 2 })
  const stored = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => group.submit(item)))
  for (const count of [1, 2, 3]) (await begun(count)).resolve()
  await stored
  assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']])
})

test('a failed batch fails all of it, and nothing after it', async () => {
  const { group, begun } = controlled()
  const failing = Promise.allSettled(['a', 'b'].map((item) => group.submit(item)))
  ;(await begun(1)).reject(new Error('no'))
  assert.deepEqual(
    (await failing).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  const next = group.submit('c')
  ;(await begun(2)).resolve()
  assert.equal(await next, 'c stored')
})

test('with failures isolated, an item that is refused takes no neighbour with it, and order stays', async () => {
  const committed: string[] = []
  const group = new GroupCommit<string, string>({
    batchLimit: 100,
    isolateFailures: true,
    commit: async (batch) => {
      if (batch.includes('bad')) throw new Error('refused')
      committed.push(...batch)
      return batch
    },
  })
  const results = await Promise.allSettled(['a', 'bad', 'b', 'c'].map((item) => group.submit(item)))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(committed, ['a', 'b', 'c'])
})

test('drain waits for waiting items and for the commit in progress', async () => {
  const { group, begun } = controlled({ batchLimit: 1 })
  await group.drain()
  const stored = Promise.all(['a', 'b'].map((item) => group.submit(item)))
  let drained = false
  const draining = group.drain().then(() => {
    drained = true
  })
  ;(await begun(1)).resolve()
  const last = await begun(2)
  assert.equal(drained, false)
  last.resolve()
  await draining
  assert.equal(group.waiting, 0)
  await stored
})

/** Longer than any test. */
const patienceMs = 600_000

test('with patience, items share a commit until someone hurries, and nothing after it is hurried', async () => {
  const { group, batches, begun } = controlled({ patienceMs })
  const first = group.submit('a')
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  const second = group.submit('b')
  assert.deepEqual(batches, [])
  group.hurry()
  const commit = await begun(1)
  const third = group.submit('c')
  commit.resolve()
  assert.deepEqual(await Promise.all([first, second]), ['a stored', 'b stored'])
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(batches, [['a', 'b']])
  group.hurry()
  ;(await begun(2)).resolve()
  assert.equal(await third, 'c stored')
})

test('what is hurried during a commit follows it at once', async () => {
  const { group, begun } = controlled({ patienceMs })
  const first = group.submit('a')
  group.hurry()
  const commit = await begun(1)
  const second = group.submit('b')
  group.hurry()
  commit.resolve()
  await first
  ;(await begun(2)).resolve()
  assert.equal(await second, 'b stored')
})

test('patience ends by itself, with a full batch, and when the group is drained', async () => {
  const short = controlled({ patienceMs: 1 })
  const stored = short.group.submit('a')
  ;(await short.begun(1)).resolve()
  assert.equal(await stored, 'a stored')

  const { group, batches, begun } = controlled({ patienceMs, batchLimit: 2 })
  const full = Promise.all([group.submit('a'), group.submit('b')])
  ;(await begun(1)).resolve()
  await full
  const last = group.submit('c')
  const drained = group.drain()
  ;(await begun(2)).resolve()
  await drained
  assert.equal(await last, 'c stored')
  assert.deepEqual(batches, [['a', 'b'], ['c']])
})
