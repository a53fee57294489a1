import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/until.ts'
import { Backoff } from './backoff.ts'

test('pauses double up to their limit, and two that failed together wait for different times', async () => {
  const longest: number[] = []
  for (let i = 0; i < 50; i++) {
    const backoff = new Backoff({ firstPauseMs: 100_000, maxPauseMs: 500_000, healthyMs: 60_000 })
    assert.equal(backoff.waitMs, 0)
    backoff.failed()
    assert.ok(backoff.waitMs > 40_000 && backoff.waitMs <= 100_000)
    longest.push(backoff.waitMs)
  }
  assert.ok(new Set(longest.map((ms) => Math.round(ms))).size > 10)
  const backoff = new Backoff({ firstPauseMs: 1, maxPauseMs: 40, healthyMs: 60_000 })
  for (let i = 0; i < 12; i++) {
    backoff.failed()
    assert.ok(backoff.waitMs <= Math.min(40, 2 ** i))
    await sleep(backoff.waitMs + 1)
  }
})

test('a failure during a pause counts as the same one', () => {
  const backoff = new Backoff({ firstPauseMs: 1_000, maxPauseMs: 60_000, healthyMs: 60_000 })
  for (let i = 0; i < 100; i++) backoff.failed()
  assert.ok(backoff.waitMs <= 1_000)
  backoff.failed(5_000)
  assert.ok(backoff.waitMs > 4_000)
})

test('after a healthy while, the next failure counts as the first one', async () => {
  const backoff = new Backoff({ firstPauseMs: 8, maxPauseMs: 60_000, healthyMs: 50 })
  assert.ok(backoff.isHealthy)
  for (let i = 0; i < 4; i++) {
    backoff.failed()
    assert.ok(!backoff.isHealthy)
    await sleep(backoff.waitMs + 1)
  }
  await until('health', async () => backoff.isHealthy)
  backoff.worked()
  backoff.failed()
  assert.ok(backoff.waitMs <= 8)
})
