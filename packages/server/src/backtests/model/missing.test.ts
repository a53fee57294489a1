import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCandles } from '../../market/simulated/candle-file.ts'
import { MarketData } from '../market-data.ts'
import { type DecisionContext, type RecordedRun, whyMissing } from './missing.ts'

const startMs = Date.parse('2025-01-01T00:00:00Z')
const minuteMs = 60_000
/** A gap follows the third candle. */
const rows = [
  [0, 100, 105, 95, 100],
  [1, 100, 110, 100, 110],
  [2, 110, 120, 110, 120],
  [9, 200, 210, 190, 200],
].map(([minute, ...prices]) => [startMs + minute! * minuteMs, ...prices].join())
const data = new MarketData(
  'BTC/USDT',
  parseCandles(Buffer.from(['time,open,high,low,close', ...rows].join('\n')), ''),
)

const basis = { question: 'q', storage: 's', kept: 's', prices: [], asksBots: false }
const run = (changes: object = {}, minute = 2.5, seconds = 0): RecordedRun => {
  const startedMs = startMs + minute * minuteMs
  const times = { startedMs, endedMs: startedMs + 1_000 * seconds }
  return { status: 'SUCCEEDED', ...times, basis: { ...basis, ...changes } }
}
const standing: DecisionContext = { question: 'q', storage: 's', lastAction: 'LONG', lastActionAt: 7 }

test('a recorded decision is that of a backtest only if all that it depended on is the same', () => {
  assert.equal(whyMissing(run(), standing, data), null)
  const shown = { lastAction: 'LONG', lastActionAt: 7 }
  assert.equal(whyMissing(run(shown), standing, data), null)
  for (const [changes, reason] of [
    [{ question: 'other' }, 'other_question'],
    [{ asksBots: true }, 'asked_bots'],
    [{ storage: 'other' }, 'other_storage'],
    [{ ...shown, lastAction: null }, 'other_last_trigger'],
    [{ ...shown, lastActionAt: 8 }, 'other_last_trigger'],
  ] as const) {
    assert.equal(whyMissing(run(changes), standing, data), reason)
  }
  assert.equal(whyMissing({ ...run(), status: 'FAILED' }, standing, data), 'no_answer')
  assert.equal(whyMissing({ ...run(), status: 'VIOLATION' }, standing, data), null)
  assert.equal(whyMissing({ ...run(), basis: null }, standing, data), 'other_question')
  // What is not known is not compared.
  const unknown = { question: 'q', storage: undefined, lastAction: undefined, lastActionAt: undefined }
  assert.equal(whyMissing(run(shown), unknown, data), null)
})

test('a price that the model got must be one of the candles of its run, or of the one just before it', () => {
  const why = (price: number, minute: number, symbol = 'BTCUSDT', seconds = 0) =>
    whyMissing(run({ prices: [[symbol, price]] }, minute, seconds), standing, data)
  for (const price of [100, 110, 120]) assert.equal(why(price, 2.5), null)
  for (const price of [99.9, 120.1]) assert.equal(why(price, 2.5), 'other_price')
  assert.equal(why(95, 0), null)
  assert.equal(why(94, 0), 'other_price')
  // Within a gap, and before the first candle, the candles know no price.
  for (const minute of [-1, 3, 5]) assert.equal(why(110, minute), 'other_price')
  // The candle before a gap says nothing about the one after it.
  assert.equal(why(120, 9), 'other_price')
  assert.equal(why(1, 2.5, 'ETHUSDT'), null)
  // The model thought until a later candle, but none that it had not seen.
  assert.equal(why(115, 1.5), 'other_price')
  assert.equal(why(115, 1.5, 'BTCUSDT', 29), 'other_price')
  assert.equal(why(115, 1.5, 'BTCUSDT', 31), null)
})
