import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SharedWork } from './shared-work.ts'

const never = new AbortController().signal
const mostOfOwner = 2

/** Work that ends when the test says so, and how often it was started and stopped. */
function works() {
  const shared = new SharedWork<string>(mostOfOwner, () => new RangeError('too much'))
  const started: { key: string; end: PromiseWithResolvers<string>; signal: AbortSignal }[] = []
  const join = (ownerId: number, key: string, signal = never) =>
    shared.join({ ownerId, key }, signal, (stopped) => {
      const end = Promise.withResolvers<string>()
      started.push({ key, end, signal: stopped })
      return end.promise
    })
  return { join, started }
}

test('callers who ask for the same share one piece of work, and later ones start the next', async () => {
  const { join, started } = works()
  const all = Promise.all(Array.from({ length: 50 }, () => join(1, 'a')))
  started[0]!.end.resolve('first')
  assert.deepEqual(new Set(await all), new Set(['first']))
  assert.equal(started.length, 1)
  const next = join(1, 'a')
  started[1]!.end.resolve('second')
  assert.equal(await next, 'second')
})

test('an owner has only so much under way, and failed work counts no more', async () => {
  const { join, started } = works()
  const [one, two] = [join(1, 'a'), join(1, 'b')]
  await assert.rejects(join(1, 'c'), RangeError)
  const same = join(1, 'b')
  const other = join(2, 'd')
  assert.deepEqual(
    started.map(({ key }) => key),
    ['a', 'b', 'd'],
  )
  started[1]!.end.reject(new Error('failed'))
  for (const each of [two, same]) await assert.rejects(each, { message: 'failed' })
  const three = join(1, 'c')
  for (const index of [0, 2, 3]) started[index]!.end.resolve('done')
  assert.deepEqual(await Promise.all([one, other, three]), ['done', 'done', 'done'])
})

test('work stops when its last caller has gone, and nobody joins it then', async () => {
  const { join, started } = works()
  const [one, two] = [new AbortController(), new AbortController()]
  const [first, second] = [join(1, 'a', one.signal), join(1, 'a', two.signal)]
  one.abort(new Error('gone'))
  await assert.rejects(first, { message: 'gone' })
  assert.equal(started[0]!.signal.aborted, false)
  two.abort(new Error('gone too'))
  await assert.rejects(second, { message: 'gone too' })
  assert.equal(started[0]!.signal.aborted, true)
  const again = join(1, 'a')
  assert.equal(started.length, 2)
  // It counts until it has really ended.
  await assert.rejects(join(1, 'b'), RangeError)
  started[0]!.end.reject(new Error('stopped'))
  await nextTurn()
  const third = join(1, 'b')
  for (const { end } of started.slice(1)) end.resolve('done')
  assert.deepEqual(await Promise.all([again, third]), ['done', 'done'])
  await assert.rejects(join(1, 'z', AbortSignal.abort(new Error('before'))), { message: 'before' })
  assert.equal(started.length, 3)
})
