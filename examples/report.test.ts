import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPosition, signalTable, summary } from './report.ts'

const candle = (time: number, close: number) => ({
  time,
  open: close,
  high: close,
  low: close,
  close,
  volume: 1,
})
const noon = Date.UTC(2024, 0, 1, 12)

test('the table aligns prices, even very small ones', () => {
  const signals = [
    { action: 'LONG' as const, candle: candle(noon, 0.0016) },
    { action: 'EXIT' as const, candle: candle(noon + 60_000, 0.00000012) },
  ]
  assert.deepEqual(signalTable(signals).split('\n'), [
    'candle (UTC)      action       price',
    '----------------  ------  ----------',
    '2024-01-01 12:00  LONG    0.00160000',
    '2024-01-01 12:01  EXIT    0.00000012',
  ])
})

test('a last signal that is no EXIT leaves a position, and the text says how to close it', () => {
  const signals = (['LONG', 'EXIT', 'SHORT'] as const).map((action) => ({ action, candle: candle(noon, 1) }))
  assert.match(
    openPosition(signals, 'BTCUSDT'),
    /reaction short.* post \{"symbol":"BTCUSDT","side":"EXIT"\} to/,
  )
  assert.equal(openPosition(signals.slice(0, 2), 'BTCUSDT'), 'The reaction has no open position.')
  assert.equal(openPosition([], 'BTCUSDT'), 'The reaction has no open position.')
})

test('the summary uses singular and plural', () => {
  const done = { signals: [], succeeded: 1, failed: 2, firstFailure: 'Error: no' }
  assert.equal(summary(3, done, 1.26), '3 candles posted, 1 run succeeded, 2 failed, 0 signals, in 1.3 s.')
})
