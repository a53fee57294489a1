/** Charts of real markets: the simulated one, and a file of candles that is replayed. */
import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { createTestDatabase, fileResources } from '../../../test/databases.ts'
import { createCatalogue } from '../../catalogue/catalogue.ts'
import type { Config } from '../../config.ts'
import { MarketCandles } from '../candles/market-candles.ts'
import { openMarket } from '../open-market.ts'
import { readChart } from './chart-settings.ts'
import { type Chart, Charts } from './charts.ts'

const database = await fileResources.use(await createTestDatabase()).open()
const catalogue = await createCatalogue(database, { onError: (error) => assert.fail(String(error)) })
fileResources.defer(() => catalogue.close())

async function chartsOf(market: Config['market']): Promise<Charts> {
  const opened = await openMarket({ market, exchangeEndpoints: {} }, pino({ level: 'silent' }))
  fileResources.defer(() => opened.market.close())
  return new Charts(new MarketCandles({ ...opened, catalogue }), opened.market)
}

const simulated = await chartsOf({ kind: 'sim' })
const settings = { symbol: 'binance:btc/usdt', interval: '1h', studies: ['ema:50', 'rsi'], range: null }
const draw = (charts: Charts, change: object = {}) =>
  charts.draw(1, readChart({ ...settings, ...change }).plan!)
const drawn = async (...given: Parameters<typeof draw>): Promise<Chart> => {
  const chart = await draw(...given)
  assert.ok('picture' in chart, JSON.stringify(chart))
  return chart
}

test('a chart has a picture, a caption and rows, with studies from the first candle on', async () => {
  const { caption, rows, picture } = await drawn(simulated)
  assert.match(
    caption,
    /^Chart of btc\/usdt on sim spot: 200 candles of 1h from [\d-]+T\d\d:00 to [\d-]+T\d\d:00 \(UTC\), with ema:50 and rsi:14\. The last candle is not done yet\./,
  )
  assert.ok(Buffer.isBuffer(picture) && picture.length > 5_000 && picture.length < 150_000)
  assert.equal(rows.length, 200)
  const names = ['time', 'open', 'high', 'low', 'last', 'volume', 'ema:50', 'rsi:14']
  for (const row of rows) {
    assert.deepEqual(Object.keys(row), names)
    assert.ok(typeof row['ema:50'] === 'number' && typeof row['rsi:14'] === 'number')
  }
})

test('what cannot be had is said in a sentence', async () => {
  const reasons = [
    [{ symbol: 'nowhere:btc/usdt' }, /There is no exchange "nowhere"/],
    [{ symbol: `binance:futures:${'x'.repeat(90)}` }, /\w/],
    [{ interval: '7m', range: '12h' }, /has no candles of "7m"\. Its intervals are/],
  ] as const
  for (const [change, reason] of reasons) {
    const chart = await draw(simulated, change)
    assert.ok('reason' in chart, JSON.stringify(change))
    assert.match(chart.reason, reason)
  }
})

test('no candle of a chart is later than the clock of its market', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-charts-'))
  const file = join(folder.path, 'candles.csv')
  const start = Date.UTC(2025, 0, 1)
  const lines = Array.from({ length: 600 }, (_, index) => `${start + index * 3_600_000},1,3,1,2,10`)
  await writeFile(file, `time,open,high,low,close,volume\n${lines.join('\n')}\n`)
  const replay = await chartsOf({ kind: 'replay', file, speed: 0.001 })
  const { caption, rows } = await drawn(replay, { studies: [] })
  assert.match(caption, /on replay spot: 1 candle of 1h from 2025-01-01T00:00 to 2025-01-01T00:00/)
  assert.equal(rows.length, 1)
  assert.equal(rows[0]!.time, '2025-01-01T00:00')
})
