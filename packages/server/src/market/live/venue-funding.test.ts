import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OnlyLatestRates, type RateSpan, readRates } from './venue-funding.ts'

const hour = 3_600_000
const since = Date.parse('2026-01-01T00:00:00Z')
const until = since + 720 * hour

type Habits = {
  /** The hours between two rates. */
  every: number
  /** What an answer has at most, and whether those are its first or its last rates. */
  most?: number
  keeps?: 'first' | 'last'
  /** When the market began, in hours from the start of the span. */
  beganAt?: number
  /** Whether it answers with its latest rates, whatever it was asked for. */
  ignoresSpan?: boolean
}

/** An exchange, which pays some milliseconds late. */
function exchange({ every, most = 100, keeps = 'last', beganAt = -1_000, ignoresSpan = false }: Habits) {
  const all = Array.from({ length: 5_000 }, (_, index) => {
    const at = Math.ceil(beganAt / every) * every + index * every
    return { time: since + at * hour + (index % 3), rate: index / 1e6 }
  })
  let requests = 0
  const ask = async (span: RateSpan) => {
    requests++
    const within = ignoresSpan ? all : all.filter(({ time }) => time >= span.since && time < span.until)
    return keeps === 'last' ? within.slice(-most) : within.slice(0, most)
  }
  const due = all.filter(({ time }) => time >= since && time < until)
  return { ask, due, asked: () => requests }
}

for (const [name, habits, mostRequests] of [
  ['every eight hours', { every: 8 }, 1],
  ['every hour', { every: 1 }, 15],
  ['every hour, of which an answer has the first', { every: 1, keeps: 'first' }, 15],
  ['every eight hours, of which an answer has twenty', { every: 8, most: 20 }, 15],
  ['every hour, of which an answer has its first 25', { every: 1, most: 25, keeps: 'first' }, 130],
  ['every hour, of which an answer has its last 25', { every: 1, most: 25 }, 130],
  ['that began within the span', { every: 8, beganAt: 500 }, 15],
  ['that had not begun', { every: 8, beganAt: 900 }, 1],
] as const satisfies [string, Habits, number][]) {
  test(`no funding rate is missing of those ${name}`, async () => {
    const { ask, due, asked } = exchange(habits)
    assert.deepEqual(await readRates(ask, { since, until }), due)
    assert.ok(asked() <= mostRequests, `${asked()} requests`)
  })
}

test('an exchange that gives only its latest funding rates is found out, and says from when', async () => {
  const { ask } = exchange({ every: 8, ignoresSpan: true })
  await assert.rejects(readRates(ask, { since, until }), (error: OnlyLatestRates) => {
    assert.ok(error instanceof OnlyLatestRates)
    return error.fromMs > until
  })
})
