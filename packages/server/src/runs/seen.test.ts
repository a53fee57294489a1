import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Claim } from './held-strategy.ts'
import { type Seen, seenToKeep } from './seen.ts'

const none = { action: null, price: null, at: null }
const long = { action: 'LONG' as const, price: 3, at: 1 }
const price = { symbol: 'BTC/USDT', price: 5, exchange: 'sim', service: 'spot' }
const large = (of: string) => JSON.stringify(of.repeat(1_000))

function strategy() {
  const claim = new Claim(1)
  return (runId: number, nowMs: number, seen: Partial<Seen>, hasFailed = true) =>
    seenToKeep({ runId, claim }, { price: null, storage: null, lastTrigger: none, ...seen }, hasFailed, nowMs)
}

test('a record keeps the price and a small storage of each run', () => {
  const keep = strategy()
  assert.deepEqual(keep(1, 0, {}, false), { storage: 'null' })
  assert.deepEqual(keep(2, 0, { price, storage: '[1]', lastTrigger: long }, false), {
    price,
    storage: '[1]',
    lastTrigger: long,
  })
})

test('a large storage is kept only of runs that failed', () => {
  const keep = strategy()
  assert.equal(keep(1, 0, { storage: large('a'), lastTrigger: long }, false), null)
  assert.deepEqual(keep(2, 0, { storage: large('a'), price }, false), { price })
  assert.deepEqual(keep(3, 0, { storage: large('a'), lastTrigger: long }), {
    storage: large('a'),
    lastTrigger: long,
  })
})

test('runs that fail one after another with the same storage keep it once an hour', () => {
  const keep = strategy()
  keep(1, 0, { storage: large('a') })
  for (let second = 1; second < 3_600; second++) {
    assert.deepEqual(keep(second + 1, second * 1000, { storage: large('a') }), { storageOf: 1 })
  }
  assert.deepEqual(keep(9_000, 3_600_000, { storage: large('a') }), { storage: large('a') })
  assert.deepEqual(keep(9_001, 3_601_000, { storage: large('a') }), { storageOf: 9_000 })
})

test('runs that fail one after another, each with another storage, keep one in ten seconds', () => {
  const keep = strategy()
  const kept = Array.from({ length: 1_000 }, (_, n) => keep(n, n * 100, { storage: large(`${n} `) }))
  assert.equal(kept.filter((seen) => seen !== null).length, 10)
  // Another strategy has a pause of its own.
  assert.notEqual(strategy()(1, 500, { storage: large('b') }), null)
})
