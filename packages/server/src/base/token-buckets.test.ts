import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBuckets } from './token-buckets.ts'

const startMs = 1_000_000

test('a burst passes at once, and the next one waits until a token returns', () => {
  const buckets = new TokenBuckets(4, 3)
  for (let n = 1; n <= 3; n++) assert.equal(buckets.take(1, startMs), 0)
  assert.equal(buckets.take(1, startMs), 0.25)
})

test('a refusal costs nothing: anyone who waits as long as it says passes', () => {
  const buckets = new TokenBuckets(4, 1)
  assert.equal(buckets.take(1, startMs), 0)
  for (let n = 1; n <= 10; n++) assert.ok(buckets.take(1, startMs + 100) > 0)
  assert.equal(buckets.take(1, startMs + 250), 0)
  assert.ok(buckets.take(1, startMs + 250) > 0)
})

test('in the long run, a key passes at its rate, however often it asks', () => {
  const buckets = new TokenBuckets(50, 200)
  let passed = 0
  for (let ms = 0; ms < 100_000; ms += 3) if (buckets.take(1, startMs + ms) === 0) passed++
  assert.ok(Math.abs(passed - (200 + 50 * 100)) <= 1, `${passed}`)
})

test('a pause fills a bucket up to the burst, but no further', () => {
  const buckets = new TokenBuckets(1, 2)
  buckets.take(1, startMs)
  const laterMs = startMs + 3_600_000
  assert.deepEqual(
    [0, 0, 1],
    [1, 2, 3].map(() => buckets.take(1, laterMs)),
  )
})

test('a clock that is set back takes nothing away and gives nothing', () => {
  const buckets = new TokenBuckets(1, 1)
  assert.equal(buckets.take(1, startMs), 0)
  assert.equal(buckets.take(1, startMs - 60_000), 1)
  assert.equal(buckets.take(1, startMs - 59_000), 0)
})

test('keys have separate buckets', () => {
  const buckets = new TokenBuckets(1, 1)
  assert.equal(buckets.take(1, startMs), 0)
  assert.equal(buckets.take(2, startMs), 0)
})
