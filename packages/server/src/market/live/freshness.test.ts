import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Freshness, type ReportedPrice } from './freshness.ts'

const hourMs = 3_600_000
const setBackMs = 3_000

/** An exchange that sends no time has no `exchangeMs`; then `payload` distinguishes its messages. */
const report = (price: number, exchangeMs?: number, payload?: string): ReportedPrice => ({
  price,
  exchangeMs,
  payload,
})

test('a repeated price is not new, whether the exchange sends its time or not', () => {
  const timed = new Freshness(setBackMs)
  assert.equal(timed.judgePushed(report(1, 100), 0), 'update')
  assert.equal(timed.judgePushed(report(1, 100), 1), 'nothing')
  assert.equal(timed.judgePushed(report(2, 100), 2), 'update', 'two trades within a millisecond')
  assert.equal(timed.judgePushed(report(2, 101), 3), 'update', 'the same price at a later time')
  const timeless = new Freshness(setBackMs)
  assert.equal(timeless.judgePushed(report(1, undefined, 'a'), 0), 'update')
  assert.equal(timeless.judgePushed(report(1, undefined, 'a'), 1), 'nothing')
  assert.equal(timeless.judgePushed(report(1, undefined, 'b'), 2), 'update')
})

test('a price that is older than the last one is not new', () => {
  const freshness = new Freshness(setBackMs)
  freshness.judgePushed(report(1, 100_000), 0)
  for (let i = 0; i < 100; i++) assert.equal(freshness.judgePushed(report(2, 99_000 + i), i * 100), 'nothing')
})

test('a polled price confirms the last one or corrects it', () => {
  const freshness = new Freshness(setBackMs)
  assert.equal(freshness.judgePolled(report(1, 100), 0, 1), 'update')
  assert.equal(freshness.judgePolled(report(1, 100), 2, 3), 'confirmation')
  assert.equal(freshness.judgePolled(report(2, 100), 4, 5), 'update')
})

test('a polled price does not replace a newer one', () => {
  const timeless = new Freshness(setBackMs)
  timeless.judgePushed(report(1, undefined, 'a'), 10)
  assert.equal(timeless.judgePolled(report(2), 5, 15), 'nothing', 'the price was pushed after the request')
  assert.equal(timeless.judgePolled(report(2), 11, 15), 'update', 'the price was pushed before the request')
  const timed = new Freshness(setBackMs)
  timed.judgePushed(report(1, 1_000), 10)
  assert.equal(
    timed.judgePolled(report(2, 999), 11, 15),
    'nothing',
    'the exchange dates the response earlier',
  )
  assert.equal(timed.judgePolled(report(2, 1_001), 5, 15), 'update', 'the exchange dates the response later')
})

test('a clock that was set back is accepted after it has run for a while', () => {
  const freshness = new Freshness(setBackMs)
  freshness.judgePushed(report(1, 2 * hourMs), 0)
  const after = (ms: number) => freshness.judgePushed(report(2, hourMs + ms), ms)
  assert.equal(after(1_000), 'nothing')
  assert.equal(after(2_000), 'nothing')
  assert.equal(after(3_999), 'nothing')
  assert.equal(after(4_000), 'update')
  assert.equal(after(4_100), 'update')
})

test('after a price from the future, an exchange is ignored only for a while', () => {
  const freshness = new Freshness(setBackMs)
  freshness.judgePushed(report(1, 1_000), 0)
  assert.equal(freshness.judgePushed(report(9, 10 * hourMs), 500), 'update')
  assert.equal(freshness.judgePushed(report(2, 2_000), 1_000), 'nothing')
  assert.equal(freshness.judgePushed(report(3, 5_000), 4_000), 'update')
})

test('old prices do not become new because they are many or repeated', () => {
  const many = new Freshness(setBackMs)
  many.judgePushed(report(1, 2 * hourMs), 0)
  for (let i = 1; i < 1_000; i++) assert.equal(many.judgePushed(report(2, hourMs + i), i * 10), 'nothing')
  const same = new Freshness(setBackMs)
  same.judgePushed(report(1, 2 * hourMs), 0)
  for (let i = 1; i < 100; i++) assert.equal(same.judgePushed(report(2, hourMs), i * 1_000), 'nothing')
})

test('a current price in between proves that the clock was not set back', () => {
  const freshness = new Freshness(setBackMs)
  freshness.judgePushed(report(1, 2 * hourMs), 0)
  assert.equal(freshness.judgePushed(report(2, hourMs + 1_000), 1_000), 'nothing')
  assert.equal(freshness.judgePushed(report(3, 2 * hourMs + 2_000), 2_000), 'update')
  assert.equal(freshness.judgePushed(report(2, hourMs + 4_500), 4_500), 'nothing')
})
