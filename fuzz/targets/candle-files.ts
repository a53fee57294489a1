import assert from 'node:assert/strict'
import { CandleFileError, parseCandles } from '../../packages/server/src/market/simulated/candle-file.ts'
import { bytesTarget } from '../target.ts'

/** A candle file has increasing times and prices greater than zero, or it is refused with the line. */
export default bytesTarget({
  seeds: [
    'time,open,high,low,close\n1700000000,1,2,0.5,1.5\n1700000060,1.5,2,1,1',
    'Time, Open, High, Low, Close, Volume\r\n2026-01-01T00:00:00Z,1,1,1,1,0\r\n\r\n2026-01-01T00:01:00Z,1,1,1,1,9',
    'time,open,high,low,close\n1700000000000,1e3,1e3,1e3,1e3\n',
  ],
  words: [
    ',',
    '\n',
    '\r',
    '\ufeff',
    '1700000120',
    '1700000000000',
    '2026-02-30T00:00:00Z',
    'volume',
    '-1',
    'NaN',
    '1e400',
    '""',
  ],
  check: (bytes) => {
    try {
      const { times, opens, highs, lows, closes, periodMs, decimals } = parseCandles(bytes, 'file')
      assert.ok(times.length > 0 && periodMs > 0 && decimals >= 0 && decimals <= 100)
      for (const [index, time] of times.entries()) {
        assert.ok(Number.isFinite(time) && (index === 0 || time > times[index - 1]!), `time ${time}`)
        const [open, high, low, close] = [opens, highs, lows, closes].map((column) => column[index]!)
        assert.ok(
          low! > 0 && low! <= Math.min(open!, close!) && high! >= Math.max(open!, close!),
          `line ${index}`,
        )
        assert.ok(Number.isFinite(high))
      }
    } catch (error) {
      if (!(error instanceof CandleFileError)) throw error
    }
  },
})
