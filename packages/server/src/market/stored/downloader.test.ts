import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { addUsers } from '../../../test/accounts.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { startBinance } from '../../../test/exchanges/index.ts'
import { livePrices } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import { candleDownloads } from '../../db/schema.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { addRows } from './add-rows.ts'
import { CandleStore } from './candle-store.ts'
import type { HistorySource } from './download-pages.ts'
import { Downloader } from './downloader.ts'
import { type Download, Downloads } from './downloads.ts'

const hour = 3_600_000
const market = { exchange: 'binance', service: 'spot', symbol: 'BTC/USDT', interval: '1h' }
/** 20 minutes after a full hour. */
const start = Date.UTC(2026, 5, 1, 12, 20)

/** A Binance at a fixed moment, and nodes that download from it. */
async function open(t: TestContext, service: 'spot' | 'futures' = 'spot') {
  const resources = new AsyncDisposableStack()
  t.after(() => resources.disposeAsync())
  const binance = resources.use(await startBinance())
  binance.skewClock(start - Date.now())
  const { prices } = livePrices(t, { endpoints: { binance: binance.endpoints }, now: () => start })
  const place = resources.use(await createTestDatabase())
  await addUsers(place, ['owner@example.com'])
  const database = await place.open(resources)
  const store = new CandleStore(database, new UserLimits())
  const symbol = service === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT'
  const named = async () => ({ venue: { exchange: 'binance', service }, symbol })
  const candles = { named } as never
  const parts = { database, candles, market: 'live', simulated: 'sim', onDownload: () => {} } as const
  const downloads = new Downloads({ ...parts, now: () => start })
  /** Nobody has heard of these nodes, so each counts as dead for the others. */
  const node = (source: HistorySource = prices) => {
    const downloader = new Downloader({
      ...{ database, store, source, node: { id: randomUUID(), mayWork: () => true } },
      onError: (error) => assert.fail(`unexpected: ${error}`),
    })
    resources.defer(() => downloader.stop())
    downloader.start()
    return downloader
  }
  const download = (hours: number) =>
    downloads.start(1, { kind: 'candles', ...market, fromMs: start - hours * hour, toMs: undefined })
  const ended = async ({ id }: Download) => {
    await until('the end of the download', async () => (await downloads.get(1, id)).finishedAt !== null)
    return downloads.get(1, id)
  }
  return { binance, prices, database, store, downloads, node, download, ended }
}

test('a download stores every candle that has ended, and says what it found', async (t) => {
  const { database, store, node, download, ended } = await open(t)
  const series = await store.shared({ source: 'exchange', kind: 'candles', ...market })
  const known = start - 20 * 60_000 - 10 * hour
  const figures = ['1', '2', '1', '2', '5'].map((text) => [text])
  await database.db.transaction((tx) => addRows(tx, series.id, { times: [known], figures }))
  const downloader = node()
  const made = await download(2_500)
  downloader.wake()
  const { status, stored, changed, repeated, seriesId } = await ended(made)
  assert.deepEqual([status, stored, changed, repeated], ['FINISHED', 2_498, 1, 0])
  const filled = await store.get(1, seriesId!)
  assert.deepEqual([filled.id, filled.rows, filled.changes], [series.id, 2_499, 1])
  // The candle of 12:00 has not ended.
  assert.equal(filled.lastMs, start - 20 * 60_000 - hour)
  assert.equal((await store.coverage(filled)).gapCount, 0)
  const [change] = await store.changes(filled.id)
  assert.deepEqual([change!.timeMs, change!.stored], [known, '1,2,1,2,5'])
  const again = await ended(await download(2_500).finally(() => downloader.wake()))
  assert.deepEqual([again.stored, again.repeated, again.changed], [0, 2_498, 1])
  assert.equal((await store.get(1, filled.id)).rows, 2_499)
})

test('if a node dies, another goes on, and the dead one stores nothing more', async (t) => {
  const { prices, store, node, download, downloads, ended } = await open(t)
  const gate = Promise.withResolvers<void>()
  let pages = 0
  const slow: HistorySource = {
    clockOf: () => prices.clockOf(),
    intervals: (venue) => prices.intervals(venue),
    funding: (...asked) => prices.funding(...asked),
    candles: async (...asked) => {
      const found = await prices.candles(...asked)
      if (++pages > 1) await gate.promise
      return found
    },
  }
  const made = await download(2_500)
  node(slow)
  await until('the second page', async () => pages === 2)
  assert.equal((await downloads.get(1, made.id)).stored, 1_000)
  node()
  const { status, stored, repeated } = await ended(made)
  assert.deepEqual([status, stored, repeated], ['FINISHED', 2_499, 0])
  gate.resolve()
  assert.equal((await store.get(1, (await downloads.get(1, made.id)).seriesId!)).rows, 2_499)
})

test('a cancelled download stops, and keeps what is stored', async (t) => {
  const { prices, store, node, download, downloads } = await open(t)
  const gate = Promise.withResolvers<void>()
  let pages = 0
  const downloader = node({
    clockOf: () => prices.clockOf(),
    intervals: (venue) => prices.intervals(venue),
    funding: (...asked) => prices.funding(...asked),
    candles: async (...asked) => {
      const found = await prices.candles(...asked)
      if (++pages > 1) await gate.promise
      return found
    },
  })
  const made = await download(2_500)
  downloader.wake()
  await until('the second page', async () => pages === 2)
  const { status } = await downloads.cancel(1, made.id)
  gate.resolve()
  await downloader.stop()
  const ended = await downloads.get(1, made.id)
  assert.deepEqual([status, ended.status, ended.stored], ['CANCELLED', 'CANCELLED', 1_000])
  assert.equal((await store.get(1, ended.seriesId!)).rows, 1_000)
  assert.equal((await downloads.cancel(1, made.id)).status, 'CANCELLED')
})

test('funding rates are downloaded as the exchange paid them', async (t) => {
  const { store, downloads, node, ended } = await open(t, 'futures')
  // Pages of 30 days, of which the last one is full.
  const days = 90
  const fromMs = Date.UTC(2026, 1, 1)
  const toMs = fromMs + days * 24 * hour
  const asked = { kind: 'funding' as const, exchange: 'binance', service: 'futures', symbol: 'btcusdt' }
  const made = await downloads.start(1, { ...asked, interval: '', fromMs, toMs })
  node()
  const { status, stored, repeated, seriesId } = await ended(made)
  assert.deepEqual([status, stored, repeated], ['FINISHED', 3 * days, 0])
  const series = await store.get(1, seriesId!)
  const { times, rates } = await store.readFunding(series)
  assert.deepEqual([series.symbol, times.length], ['BTC/USDT:USDT', 3 * days])
  for (const [index, time] of times.entries()) {
    const number = time / (8 * hour)
    assert.equal(rates[index], Number(((number % 7) / 10_000 - 0.0002).toFixed(8)))
    if (index > 0) assert.equal(time - times[index - 1]!, 8 * hour)
  }
})

test('an exchange that fails is asked again, and the download says why it waits', async (t) => {
  const { binance, database, node, download, downloads, ended } = await open(t)
  binance.failRest({ status: 500, body: 'broken' }, /klines/)
  const downloader = node()
  const made = await download(20)
  downloader.wake()
  await until('a reason', async () => (await downloads.get(1, made.id)).reason !== null)
  const waiting = await downloads.get(1, made.id)
  assert.deepEqual([waiting.status, waiting.attempts], ['QUEUED', 1])
  assert.match(waiting.reason!, /^Binance spot gives no candles of BTC\/USDT: /)
  binance.failRest(undefined)
  await until('another attempt', async () => {
    await database.db.update(candleDownloads).set({ nextAttemptAt: new Date() })
    downloader.wake()
    return (await downloads.get(1, made.id)).finishedAt !== null
  })
  const { status, stored, reason } = await ended(made)
  assert.deepEqual([status, stored, reason], ['FINISHED', 19, null])
})

test('a span is refused that is empty, reversed, too long or in the future, and a sixth download', async (t) => {
  const { downloads } = await open(t)
  const ask = (fromMs: number, toMs?: number, interval = '1h') =>
    downloads.start(1, { kind: 'candles', ...market, interval, fromMs, toMs })
  await assert.rejects(ask(start + 1), /body.from must not be in the future/)
  await assert.rejects(ask(start - hour, start + 1), /body.to must not be in the future/)
  await assert.rejects(ask(start - hour, start - 2 * hour), /body.to must be later than from/)
  await assert.rejects(ask(start - 20 * 60_000, start - 20 * 60_000), /body.to must be later than from/)
  await assert.rejects(ask(0, start, '1m'), /body.from must be at most 20,000,000 candles before to/)
  for (let made = 0; made < 5; made++) await ask(start - hour)
  await assert.rejects(ask(start - hour), { code: 'rate_limited' })
})
