import assert from 'node:assert/strict'
import { longPatienceMs } from '../patience.ts'
import { until } from '../until.ts'
import type { Walk } from './walk.ts'

const hourMs = 3_600_000
const startMs = Date.UTC(2026, 0, 1)
/** It opens in the first run, and closes in the third. */
const code = `
  const run = ((await $.Storage.get()) ?? 0) + 1
  await $.Storage.set(run)
  if (run === 1) { $.log($.Env.NOTE); await $.Strategy.action('LONG') }
  if (run === 3) await $.Strategy.action('EXIT')`

/** Has code trade on candles of the past. */
export async function backtests(walk: Walk): Promise<void> {
  const prices = [100, 100, 110, 120, 115]
  const candles = prices.map((price, hour) => [startMs + hour * hourMs, price, price, price, price, 1])
  const asked = { code, symbol: 'BTC/USDT', candles, parameters: { NOTE: 'Größer' }, examine: false }
  const sweep = { settings: { fee_rate: ['0'] } }
  const estimate = await walk.expect(200, 'POST', '/backtest', { ...asked, estimate: true })
  assert.deepEqual([estimate.candles, estimate.runs, estimate.gaps], [5, 5, 0])
  const { id } = await walk.expect(202, 'POST', '/backtest', { ...asked, sweep })
  walk.ids.set('/backtest', id)
  const own = `/backtest/${id}`
  const isOver = async () => (await walk.expect(200, 'GET', own)).finished_at !== null
  // Two processes start, each as large as a small service.
  await until('a report', isOver, 3 * longPatienceMs)
  const { status, bots, digest } = await walk.expect(200, 'GET', own)
  assert.deepEqual([status, bots[0].result.trades, digest], ['FINISHED', 1, bots[0].result.digest])
  const report = await walk.expect(200, 'GET', `${own}/report?bot=1`)
  assert.deepEqual([report.digest, report.request.parameters], [digest, { NOTE: 'Größer' }])
  for (const [kind, count] of [
    ['trade', 1],
    ['fill', 2],
    ['equity', 5],
    ['signal', 2],
    ['run', 1],
  ] as const) {
    assert.equal((await walk.list(`${own}/${kind}`)).length, count, kind)
  }
  const { combinations } = await walk.expect(200, 'GET', `${own}/sweep`)
  assert.deepEqual([combinations.length, combinations[0].digest], [1, digest])
  const given = await walk.expect(200, 'GET', `${own}/given`)
  assert.deepEqual(given.sweep.settings, { fee_rate: ['0'] })
  const shown = await walk.expect(200, 'GET', `${own}/candle?count=3`)
  // Of one hour, there are five.
  assert.deepEqual([shown.interval, shown.candles.length, shown.candles[0].last], ['2h', 3, 100])
  assert.equal((await walk.expect(200, 'GET', `${own}/candle?interval=1h`)).candles.length, 5)
  await walk.expect(400, 'GET', `${own}/candle?interval=1m`)
  assert.ok((await walk.list('/backtest')).some((each) => each.id === id))
  const endless = { ...asked, code: 'while (true) {} // NOTE' }
  const other = await walk.expect(202, 'POST', '/backtest', endless)
  const cancelled = await walk.expect(200, 'PUT', `/backtest/${other.id}/status`, { status: 'CANCELLED' })
  assert.equal(cancelled.status, 'CANCELLED')
}
