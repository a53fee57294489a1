import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

test('whatever is due happens while long work rests, and not before', async () => {
  const turns = new Turns()
  let others = 0
  for (let round = 1; round <= 3; round++) {
    setImmediate(() => {
      others++
    })
    while (!turns.isOver) assert.equal(others, round - 1)
    await turns.rest()
    assert.equal(others, round)
  }
})
