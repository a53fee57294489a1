import assert from 'node:assert/strict'
import { thing } from './things.ts'
import type { Walk } from './walk.ts'

/** Imports candles, and has the service download some. */
export async function candles(walk: Walk) {
  const { id } = await thing(walk, '/candle', { symbol: 'EUR/USD', interval: '1h' })
  const csv = 'time,open,high,low,close\n2026-01-01,1,2,1,2\n2026-01-01T03:00:00Z,2,2,2,2'
  const imported = await walk.expect(200, 'POST', `/candle/${id}/import`, { csv })
  assert.deepEqual(imported, { added: 2, repeated: 0, dropped: 0 })
  assert.equal((await walk.expect(200, 'GET', `/candle/${id}/coverage`)).gap_count, 1)
  assert.match(await walk.expect(200, 'GET', `/candle/${id}/candles.csv`), /^time,open/)
  const span = { exchange: 'sim', symbol: 'btcusdt', interval: '1m', from: '2020-01-01T00:00:00Z' }
  const download = await walk.expect(202, 'POST', '/candle/download', span)
  walk.ids.set('/candle/download', download.id)
  const own = `/candle/download/${download.id}`
  await walk.expect(200, 'PUT', `${own}/status`, { status: 'CANCELLED' })
  assert.equal((await walk.expect(200, 'GET', own)).status, 'CANCELLED')
  assert.equal((await walk.list('/candle/download')).length, 1)
}
