import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Freshness, type Word } from './freshness.ts'

const hourMs = 3_600_000
const setBackMs = 3_000

/** `exchangeMs` of an exchange that tells no time is left out; then `payload` tells two messages apart. */
const word = (price: number, exchangeMs?: number, payload?: string): Word => ({ price, exchangeMs, payload })

test('the same word again is nothing, whether the exchange tells the time or not', () => {
  const timed = new Freshness(setBackMs)
  assert.equal(timed.told(word(1, 100), 0), 'update')
  assert.equal(timed.told(word(1, 100), 1), 'nothing')
  assert.equal(timed.told(word(2, 100), 2), 'update', 'two trades within a millisecond')
  assert.equal(timed.told(word(2, 101), 3), 'update', 'the same price, told anew')
  const timeless = new Freshness(setBackMs)
  assert.equal(timeless.told(word(1, undefined, 'a'), 0), 'update')
  assert.equal(timeless.told(word(1, undefined, 'a'), 1), 'nothing')
  assert.equal(timeless.told(word(1, undefined, 'b'), 2), 'update')
})

test('what is older than the last word is nothing', () => {
  const freshness = new Freshness(setBackMs)
  freshness.told(word(1, 100_000), 0)
  for (let i = 0; i < 100; i++) assert.equal(freshness.told(word(2, 99_000 + i), i * 100), 'nothing')
})

test('an answer confirms the price, or corrects it', () => {
  const freshness = new Freshness(setBackMs)
  assert.equal(freshness.answered(word(1, 100), 0, 1), 'update')
  assert.equal(freshness.answered(word(1, 100), 2, 3), 'confirmation')
  assert.equal(freshness.answered(word(2, 100), 4, 5), 'update')
})

test('an answer does not overrule a newer word', () => {
  const timeless = new Freshness(setBackMs)
  timeless.told(word(1, undefined, 'a'), 10)
  assert.equal(timeless.answered(word(2), 5, 15), 'nothing', 'the word came after the question')
  assert.equal(timeless.answered(word(2), 11, 15), 'update', 'the question came after the word')
  const timed = new Freshness(setBackMs)
  timed.told(word(1, 1_000), 10)
  assert.equal(timed.answered(word(2, 999), 11, 15), 'nothing', 'the exchange says that the answer is older')
  assert.equal(timed.answered(word(2, 1_001), 5, 15), 'update', 'the exchange says that the answer is newer')
})

test('a clock that was set back is believed once it has run on for a while', () => {
  const freshness = new Freshness(setBackMs)
  freshness.told(word(1, 2 * hourMs), 0)
  const after = (ms: number) => freshness.told(word(2, hourMs + ms), ms)
  assert.equal(after(1_000), 'nothing')
  assert.equal(after(2_000), 'nothing')
  assert.equal(after(3_999), 'nothing')
  assert.equal(after(4_000), 'update')
  assert.equal(after(4_100), 'update')
})

test('a word from the future does not silence an exchange for longer than that', () => {
  const freshness = new Freshness(setBackMs)
  freshness.told(word(1, 1_000), 0)
  assert.equal(freshness.told(word(9, 10 * hourMs), 500), 'update')
  assert.equal(freshness.told(word(2, 2_000), 1_000), 'nothing')
  assert.equal(freshness.told(word(3, 5_000), 4_000), 'update')
})

test('old words do not become new by being many, or by being repeated for long', () => {
  const many = new Freshness(setBackMs)
  many.told(word(1, 2 * hourMs), 0)
  for (let i = 1; i < 1_000; i++) assert.equal(many.told(word(2, hourMs + i), i * 10), 'nothing')
  const same = new Freshness(setBackMs)
  same.told(word(1, 2 * hourMs), 0)
  for (let i = 1; i < 100; i++) assert.equal(same.told(word(2, hourMs), i * 1_000), 'nothing')
})

test('a word of now in between ends the belief that a clock was set back', () => {
  const freshness = new Freshness(setBackMs)
  freshness.told(word(1, 2 * hourMs), 0)
  assert.equal(freshness.told(word(2, hourMs + 1_000), 1_000), 'nothing')
  assert.equal(freshness.told(word(3, 2 * hourMs + 2_000), 2_000), 'update')
  assert.equal(freshness.told(word(2, hourMs + 4_500), 4_500), 'nothing')
})
