import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { and, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import {
  addUser,
  backtests,
  database,
  endOf,
  minuteMs,
  slowRequest,
  startNode,
} from '../../../test/backtest-jobs.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import { backtestParts, candleChunks, candleSeries, backtests as table } from '../../db/schema.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { SeenPrices } from '../../market/seen/seen-prices.ts'
import type { Candles } from '../../market/simulated/candle-file.ts'
import { addRows } from '../../market/stored/add-rows.ts'
import { CandleStore } from '../../market/stored/candle-store.ts'
import { packTimes } from '../../market/stored/codec.ts'
import { readOutline } from '../../market/stored/outline.ts'
import { candlesPerPart } from '../../market/stored/parts.ts'
import { MarketData } from '../market-data.ts'
import { SeriesColumns } from './process/series-columns.ts'
import { copySeries } from './series-parts.ts'
import { SeriesChanged, StoredMarket } from './stored-market.ts'

const store = new CandleStore(database, new UserLimits())
const symbol = 'BTC/USDT'

/** Minutes of candles whose prices follow from their minute, as rows of a series. */
function rowsOf(minutes: readonly number[]) {
  const column = (of: (minute: number) => number) => minutes.map((minute) => of(minute).toFixed(2))
  const price = (minute: number) => 100 + 10 * Math.sin(minute / 10)
  return {
    times: minutes.map((minute) => minute * minuteMs),
    figures: [
      column(price),
      column((minute) => price(minute) + 1),
      column((minute) => price(minute) - 1),
      column((minute) => price(minute) + 0.5),
      column((minute) => minute % 3),
    ],
  }
}

async function addSeries(userId: number, minutes: readonly number[]): Promise<number> {
  const market = { symbol, interval: '1m', exchange: null, service: null }
  const { id } = await store.create(userId, { name: '', kind: 'candles', ...market })
  await add(id, minutes)
  return id
}

function add(id: number, minutes: readonly number[]) {
  return database.db.transaction((tx) => addRows(tx, id, rowsOf(minutes)))
}

/** Each minute but those that are missing. */
function minutesOf(count: number, isMissing: (minute: number) => boolean): number[] {
  return Array.from({ length: count }, (_, minute) => minute).filter((minute) => !isMissing(minute))
}

type Span = { fromMs?: number; toMs?: number }

async function marketOf(userId: number, id: number, span: Span): Promise<StoredMarket> {
  const series = await store.get(userId, id)
  const outline = await readOutline(database.db, id, span, 100)
  return new StoredMarket(symbol, store, { series, periodMs: minuteMs, outline, span })
}

/** What a backtest would find of the series. */
async function copyOf(market: StoredMarket, userId: number): Promise<Candles> {
  const { id } = await backtests.start(userId, slowRequest(5))
  await database.db.transaction((tx) => copySeries(tx, id, market.copied))
  const parts = await database.db
    .select()
    .from(backtestParts)
    .where(and(eq(backtestParts.backtestId, id), eq(backtestParts.kind, 'series')))
    .orderBy(backtestParts.number)
  await backtests.delete(userId, id)
  const columns = new SeriesColumns(market.copied, minuteMs)
  for (const { content } of parts) columns.add(content)
  return columns.candles
}

test('what the service knows of a series, and what a backtest has of it, are its candles', async () => {
  const userId = await addUser()
  // Some twenty parts, with gaps within them, at their borders, and over whole parts.
  const minutes = minutesOf(24_000, (minute) => {
    const isHole = minute > 3_000 && minute < 6_000
    return isHole || minute % 1_024 === 1_023 || minute % 997 < 2
  })
  const id = await addSeries(userId, minutes)
  const all = rowsOf(minutes)
  const near = fc.integer({ min: -2 * minuteMs, max: 24_001 * minuteMs })
  const moment = fc.oneof(near, fc.constantFrom(...all.times))
  const spans = fc.record({ fromMs: moment, toMs: moment }, { requiredKeys: [] }) as fc.Arbitrary<Span>
  await fc.assert(
    fc.asyncProperty(spans, fc.array(moment, { maxLength: 20 }), async (span, moments) => {
      const market = await marketOf(userId, id, span)
      const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = span
      const isIn = all.times.map((time) => time >= fromMs && time < toMs)
      const column = (values: readonly (string | number)[]) =>
        Float64Array.from(values.filter((_, index) => isIn[index]).map(Number))
      const [opens, highs, lows, closes, volumes] = all.figures.map(column)
      const data = new MarketData(symbol, {
        ...{ times: column(all.times), opens: opens!, highs: highs!, lows: lows!, closes: closes! },
        ...{ volumes: volumes!, periodMs: minuteMs, decimals: 2 },
      })
      assert.equal(market.length, data.length)
      if (data.length === 0) return
      const gaps = data.gaps(0, data.length).map((gap) => gap.toMs - gap.fromMs)
      const counted = { count: gaps.length, longestMs: Math.max(0, ...gaps) }
      assert.deepEqual(await market.countGaps(0, market.length), counted)
      assert.deepEqual(await data.countGaps(0, data.length), counted)
      assert.equal(await market.hasVolume(), await data.hasVolume())
      await market.hold(moments.map((ms) => ({ fromMs: ms, toMs: ms + 3 * minuteMs })))
      for (const ms of moments) {
        const seen = (of: StoredMarket | MarketData) => {
          const [first, end, ended] = [of.firstFrom(ms), of.endAt(ms), of.lastOpenedBy(ms)]
          const reached = ended < 0 ? null : of.reaches(ended, 105)
          return [
            first,
            end,
            ended,
            of.timeOf(first),
            of.endOf(first),
            of.priceAt(ms),
            of.isPricedAt(ms),
            reached,
          ]
        }
        assert.deepEqual(seen(market), seen(data))
      }
    }),
    { numRuns: 60 },
  )
  for (const span of [
    {},
    { fromMs: 7_000.5 * minuteMs, toMs: 20_000 * minuteMs },
    { fromMs: 3_500 * minuteMs },
  ]) {
    const copied = await copyOf(await marketOf(userId, id, span), userId)
    const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = span as Span
    const expected = rowsOf(
      minutes.filter((minute) => minute * minuteMs >= fromMs && minute * minuteMs < toMs),
    )
    assert.deepEqual([...copied.times], expected.times)
    assert.deepEqual([...copied.closes], expected.figures[3]!.map(Number))
    assert.deepEqual([...copied.volumes], expected.figures[4]!.map(Number))
    assert.deepEqual([copied.decimals, copied.periodMs], [2, minuteMs])
  }
})

test('the first run on stored candles knows the thousand candles before it', async () => {
  const userId = await addUser()
  const candle_id = await addSeries(
    userId,
    minutesOf(1_500, () => false),
  )
  const [from, to] = [1_200, 1_400].map((minute) => new Date(minute * minuteMs).toISOString())
  const request = { code: '$.log(1)', candle_id, from: from!, to: to! }
  assert.equal((await backtests.estimate(userId, request)).runs, 200)
  const { id, runs } = await backtests.start(userId, request)
  const [stored] = await database.db.select().from(table).where(eq(table.id, id))
  assert.deepEqual([runs, stored!.plan.series, stored!.candles.length], [200, { skip: 200, count: 1_200 }, 0])
})

test('a backtest on a series has the digest of one on the same candles, even if the series is gone and its node dies', async () => {
  const userId = await addUser()
  const { candles: _candles, ...rest } = slowRequest(1)
  const request = { ...rest, bots: [{}] }
  // Two parts of the series, with a gap in each.
  const missing = (minute: number) => minute < 970 || minute % 50 === 7
  // In 2022: candles that come with a request have times in seconds if these are so early.
  const minutes = minutesOf(1_090, missing).map((minute) => 27_000 * candlesPerPart + minute)
  const { times, figures } = rowsOf(minutes)
  const given = times.map((time, row) => [time, ...figures.map((column) => Number(column[row]))])
  const candle_id = await addSeries(userId, minutes)
  const first = await startNode()
  const sent = await endOf(userId, (await backtests.start(userId, { ...request, candles: given })).id)
  const { id } = await backtests.start(userId, { ...request, candle_id })
  await store.delete(userId, false, candle_id)
  await until('a checkpoint', async () => (await backtests.get(userId, id)).runsDone > 0, longPatienceMs)
  await first.stop()
  await database.db.update(table).set({ holder: randomUUID() }).where(eq(table.id, id))
  const second = await startNode()
  const stored = await endOf(userId, id)
  await second.stop()
  assert.deepEqual([stored.status, first.errors, second.errors], ['FINISHED', [], []])
  assert.equal(stored.digest, sent.digest)
  // Nothing of its candles is kept but those of its chart.
  const left = and(eq(backtestParts.backtestId, id), eq(backtestParts.kind, 'series'))
  assert.equal(await database.db.$count(backtestParts, left), 0)
})

test('a series that grows while it is read is read again, and one that is no longer whole is never used', async () => {
  const userId = await addUser()
  const candle_id = await addSeries(
    userId,
    minutesOf(2_000, (minute) => minute === 500),
  )
  const before = await marketOf(userId, candle_id, {})
  await add(candle_id, [500, 2_000])
  const { id } = await backtests.start(userId, slowRequest(5))
  const copied = database.db.transaction((tx) => copySeries(tx, id, before.copied))
  await assert.rejects(copied, SeriesChanged)
  await assert.rejects(before.hold([{ fromMs: 400 * minuteMs, toMs: 400 * minuteMs }]), SeriesChanged)
  const request = { code: '$.log(1)', candle_id, examine: false }
  const [started] = await Promise.all([backtests.start(userId, request), add(candle_id, [2_001])])
  const { plan, runs } = await backtests.get(userId, started.id)
  assert.equal(plan.series!.count, runs)
})

test('a backtest runs on prices that strategies have seen, and its gaps are the minutes that none has seen', async () => {
  const userId = await addUser()
  const clock = { ms: 0 }
  const seen = new SeenPrices({
    ...{ database, store, most: 1_000_000, now: () => clock.ms, isKept: () => true },
    onError: (error) => assert.fail(`${error}`),
  })
  const minutes = minutesOf(40, (minute) => minute > 19 && minute < 30).map((minute) => 27_000_000 + minute)
  for (const minute of minutes) {
    for (const [second, price] of [
      [1, 100],
      [30, 103],
      [59, 101],
    ] as const) {
      const at = minute * minuteMs + second * 1_000
      seen.see({ exchange: 'binance', service: 'spot' }, symbol, { price: price + (minute % 7), at })
    }
  }
  clock.ms = (minutes.at(-1)! + 2) * minuteMs
  await seen.stop()
  const [series] = await store.list(userId, { source: 'seen' }, { limit: 1, offset: 0 })
  const code = `$.log($.Request.json.last, $.Price.price); if ($.Strategy.lastTrigger.action === null) $.Strategy.action($.Action.LONG)`
  const request = { code, candle_id: series!.id, bots: [{}], examine: false }
  const { runs, gaps } = await backtests.estimate(userId, request)
  assert.deepEqual([series!.rows, runs, gaps], [30, 30, 1])
  const node = await startNode()
  const { status, runsDone } = await endOf(userId, (await backtests.start(userId, request)).id)
  await node.stop()
  assert.deepEqual([status, runsDone, node.errors], ['FINISHED', 30, []])
  const rules = { participation: 0.1 }
  await assert.rejects(backtests.start(userId, { ...request, market: rules }), { code: 'request_invalid' })
})

test('5,000,000 candles are allowed, and one more is not; nor are 20,000 stretches with hardly a candle', async () => {
  const userId = await addUser()
  const candle_id = await addSeries(userId, [0])
  const count = 5_000_000
  const full = await addSeries(
    userId,
    Array.from({ length: candlesPerPart }, (_, minute) => minute),
  )
  const [part] = await database.db.select().from(candleChunks).where(eq(candleChunks.seriesId, full))
  const parts = Math.ceil(count / candlesPerPart) + 1
  // Nothing reads their figures here, so these are those of the first part.
  for (let from = 1; from < parts; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, parts - from) }, (_, index) => {
      const firstMs = (from + index) * candlesPerPart * minuteMs
      const times = packTimes(
        Array.from({ length: candlesPerPart }, (_, minute) => firstMs + minute * minuteMs),
      )
      return {
        ...part!,
        part: from + index,
        firstMs,
        lastMs: firstMs + (candlesPerPart - 1) * minuteMs,
        times,
      }
    })
    await database.db.insert(candleChunks).values(some)
  }
  const lastMs = (parts * candlesPerPart - 1) * minuteMs
  await database.db
    .update(candleSeries)
    .set({ rows: parts * candlesPerPart, lastMs })
    .where(eq(candleSeries.id, full))
  const request = { code: '$.log(1)', candle_id: full, examine: false }
  const until = (minute: number) => new Date(minute * minuteMs).toISOString()
  await assert.rejects(backtests.estimate(userId, { ...request, to: until(count + 1) }), {
    code: 'request_invalid',
    message: /candle_id has 5000001 candles in this time; at most 5000000 are allowed: choose a shorter time/,
  })
  const { candles, runs, gaps } = await backtests.estimate(userId, { ...request, to: until(count) })
  assert.deepEqual([candles, runs, gaps], [count, count, 0])
  await database.db.execute(sql`
    insert into candle_chunks (series_id, part, rows, first_ms, last_ms, times, figures, checksum)
    select series_id, n, rows, first_ms + n * 61440000::bigint, last_ms + n * 61440000::bigint, times, figures, checksum
    from candle_chunks, generate_series(1, 20001) n where series_id = ${candle_id}`)
  await assert.rejects(backtests.estimate(userId, { ...request, candle_id }), {
    message: /has candles in more than 20,000 stretches of 1,024 intervals: choose a shorter time/,
  })
})
