import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

/** Joins turns that add their names to `began` when they begin. */
function joined(turns: Turns, began: string[], names: string) {
  return [...names].map((name) => {
    const turn = turns.join()
    void turn.begun.then(() => began.push(name))
    return turn
  })
}

/** Resolves after all work that needs no waiting. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('turns begin one after another, in order, even if one of them ends before it begins', async () => {
  const began: string[] = []
  const turns = new Turns({ timeoutMs: 60_000 })
  const [a, b, c, d] = joined(turns, began, 'abcd')
  await settled()
  assert.deepEqual(began, ['a'])
  b!.end()
  a!.end()
  a!.end()
  await settled()
  assert.deepEqual(began, ['a', 'c'])
  c!.end()
  d!.end()
  const [e] = joined(turns, began, 'e')
  await settled()
  assert.deepEqual(began, ['a', 'c', 'd', 'e'])
  assert.deepEqual(
    [a, c, d, e].map((turn) => turn!.isReleased),
    [false, false, false, false],
  )
})

test('a turn that gives up its place lets the next begin, and only what comes after it is free', async () => {
  const began: string[] = []
  const turns = new Turns({ timeoutMs: 60_000 })
  const [a, b] = joined(turns, began, 'ab')
  a!.release()
  await settled()
  assert.deepEqual([began, a!.isReleased, b!.isReleased], [['a', 'b'], true, false])
  a!.end()
  b!.end()
})

test('a slow turn releases all turns behind it, and later turns form a new queue', async () => {
  const began: string[] = []
  const turns = new Turns({ timeoutMs: 5 })
  const [a, b, c] = joined(turns, began, 'abc')
  await c!.begun
  assert.deepEqual(began, ['a', 'b', 'c'])
  assert.deepEqual(
    [a, b, c].map((turn) => turn!.isReleased),
    [true, true, true],
  )
  const patient = new Turns({ timeoutMs: 60_000 })
  const [d, e] = joined(patient, began, 'de')
  a!.end()
  await settled()
  assert.deepEqual(began, ['a', 'b', 'c', 'd'])
  d!.end()
  await e!.begun
})
