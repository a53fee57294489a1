import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { addUsers } from '../../../test/accounts.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { ManualPrices } from '../../../test/manual-prices.ts'
import { readEntries } from '../../catalogue/entries.ts'
import { candleSeries } from '../../db/schema.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { ExchangeRates } from '../exchange-rates.ts'
import { Market } from '../market.ts'
import { CandleStore } from '../stored/candle-store.ts'
import { StrategyPrices } from '../strategy-prices.ts'
import { minuteMs } from './minute-candles.ts'
import { SeenPrices } from './seen-prices.ts'

const venue = { exchange: 'binance', service: 'spot' }
const entry = { ...readEntries().find(({ id }) => id === 2)!, enabled: true }
/** In the future, so that the market takes its prices for new ones. */
const noon = Date.UTC(2100, 5, 1, 12)

/** A database, and nodes whose clock the test sets. */
async function open(t: TestContext, most = 1_000_000) {
  const resources = new AsyncDisposableStack()
  t.after(() => resources.disposeAsync())
  const place = resources.use(await createTestDatabase())
  await addUsers(place, ['one@example.com', 'two@example.com'])
  const database = await place.open(resources)
  const store = new CandleStore(database, new UserLimits())
  const clock = { ms: noon }
  const node = () => {
    const errors: unknown[] = []
    const seen = new SeenPrices({
      ...{ database, store, most, now: () => clock.ms, onError: (error) => errors.push(error) },
      isKept: ({ exchange }) => exchange === 'binance',
    })
    return { seen, errors }
  }
  /** Rows of a series as `minute:open,high,low,close,volume`, with minutes after noon. */
  const rows = async (symbol = 'BTCUSDT') => {
    const [series] = await store.list(1, { source: 'seen', symbol }, { limit: 2, offset: 0 })
    const found: string[] = []
    if (series === undefined) return found
    for await (const { times, figures } of store.readExact(series)) {
      for (const [row, time] of times.entries()) {
        found.push(`${(time - noon) / minuteMs}:${figures.map((column) => column[row]).join()}`)
      }
    }
    return found
  }
  return { database, store, clock, node, rows }
}

/** The prices of minutes after noon: two in each, of which the second is known at its end. */
function see(seen: SeenPrices, minutes: readonly number[], base = 100, symbol = 'BTCUSDT'): void {
  for (const minute of minutes) {
    const at = noon + minute * minuteMs
    seen.see(venue, symbol, { price: base + minute, at: at + 1_000 })
    seen.see(venue, symbol, { price: base + minute + 0.5, at: at + 59_000 })
  }
}

const candle = (minute: number, base = 100) =>
  `${minute}:${base + minute},${base + minute + 0.5},${base + minute},${base + minute + 0.5},0`

test('prices that strategies are given become candles, and those after them, until nobody asks any more', async (t) => {
  const { clock, node, rows } = await open(t)
  const { seen, errors } = node()
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail })
  t.after(() => market.close())
  market.onSeen((where, symbol, quote) => seen.see(where, symbol, quote))
  const catalogue = { find: () => entry, named: () => entry, withRates: () => [entry] }
  const prices = new StrategyPrices(market, catalogue)
  const rates = new ExchangeRates(market, catalogue)
  // Somebody else follows all three symbols, such as a page: their prices are not those of a strategy.
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'ADAUSDT'] as const
  const unfollow = symbols.map((symbol) => market.follow(entry, symbol, () => undefined))
  const send = async (price: number, atMs: number) => {
    for (const symbol of symbols) {
      ;(await source.listener(`spot ${symbol}`)).onUpdate({ price, at: noon + atMs })
    }
  }
  await send(7, 30_000)
  await send(8, 55_000)
  assert.deepEqual(await prices.current({ exchangeId: 2, priceSymbol: 'btc/usdt' }), {
    ...{ symbol: 'btc/usdt', price: 8, exchange: 'binance', service: 'spot' },
  })
  assert.equal(await rates.rate('BINANCE' as never, 'ethusdt'), 8)
  assert.equal(await prices.ofAction({ exchangeId: 2, priceSymbol: null, symbols: ['ADAUSDT'] }), 8)
  await send(9, 61_000)
  ;(await source.listener('spot BTCUSDT')).onConfirmation({ price: 9, at: noon + 119_000 })
  clock.ms = noon + 3 * minuteMs
  await seen.save()
  assert.deepEqual(await rows(), ['0:8,8,8,8,0', '1:9,9,9,9,0'])
  assert.deepEqual(await rows('ETHUSDT'), ['0:8,8,8,8,0'], 'nobody knew the price at the end of the minute')
  assert.deepEqual(await rows('ADAUSDT'), ['0:8,8,8,8,0'])
  assert.deepEqual(await rows('SOLUSDT'), [])
  for (const each of unfollow) each()
  assert.deepEqual(errors, [])
})

test('prices count as seen for as long as a market stays watched after a request, and no longer', async (t) => {
  const { clock, node, rows } = await open(t)
  const { seen } = node()
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail, lingerMs: 20 })
  t.after(() => market.close())
  market.onSeen((where, symbol, quote) => seen.see(where, symbol, quote))
  const prices = new StrategyPrices(market, { find: () => entry, named: () => entry })
  t.after(market.follow(entry, 'BTCUSDT', () => undefined))
  await source.send(1)
  const listener = await source.listener()
  listener.onUpdate({ price: 5, at: noon + 58_000 })
  await prices.current({ exchangeId: 2, priceSymbol: 'BTCUSDT' })
  await sleep(25)
  listener.onUpdate({ price: 6, at: noon + 119_000 })
  clock.ms = noon + 10 * minuteMs
  await seen.save()
  assert.deepEqual(await rows(), ['0:5,5,5,5,0'])
})

test('what two nodes have seen is stored once, also at the same time, and is no change of history', async (t) => {
  const { store, clock, node, rows } = await open(t)
  const [one, other] = [node(), node()]
  see(one.seen, [0, 1, 2])
  see(other.seen, [1, 2, 3], 200)
  clock.ms = noon + 5 * minuteMs
  await Promise.all([one.seen.save(), other.seen.save()])
  const [series, ...more] = await store.list(1, { source: 'seen' }, { limit: 5, offset: 0 })
  assert.deepEqual([series!.rows, series!.changes, more], [4, 0, []])
  const found = await rows()
  // The node that was first has stored minutes 1 and 2.
  const isFirst = found[1] === candle(1)
  const shared = isFirst ? 100 : 200
  assert.deepEqual(found, [candle(0), candle(1, shared), candle(2, shared), candle(3, 200)])
  await Promise.all([one.seen.save(), other.seen.save()])
  assert.deepEqual(await rows(), found)
  assert.deepEqual([...one.errors, ...other.errors], [])
})

test('a node that stops stores each minute that is over, and the next one goes on; a crash loses what was not stored', async (t) => {
  const { store, clock, node, rows } = await open(t)
  const first = node()
  see(first.seen, [0, 1])
  first.seen.see(venue, 'BTCUSDT', { price: 7, at: noon + 2 * minuteMs + 1_000 })
  clock.ms = noon + 2 * minuteMs + 10_000
  await first.seen.stop()
  assert.deepEqual(await rows(), [candle(0), candle(1)])
  const killed = node()
  see(killed.seen, [3])
  const second = node()
  see(second.seen, [5, 6])
  clock.ms = noon + 8 * minuteMs
  await second.seen.stop()
  assert.deepEqual(await rows(), [candle(0), candle(1), candle(5), candle(6)])
  const [series] = await store.list(1, {}, { limit: 1, offset: 0 })
  const { gapCount, gaps } = await store.coverage(series!)
  const gap = { fromMs: noon + 2 * minuteMs, toMs: noon + 5 * minuteMs }
  assert.deepEqual([gapCount, gaps], [1, [gap]])
})

test('a market that nobody uses any more costs nothing, and its candles stay', async (t) => {
  const { database, clock, node, rows } = await open(t)
  const { seen } = node()
  see(seen, [0])
  clock.ms = noon + 2 * minuteMs
  await seen.save()
  const read = () => database.db.select().from(candleSeries)
  const stored = await read()
  clock.ms = noon + 60 * minuteMs
  await seen.save()
  await seen.stop()
  assert.deepEqual(await read(), stored)
  assert.deepEqual(await rows(), [candle(0)])
})

test('simulated prices of exchanges are not kept', async (t) => {
  const { store, clock, node } = await open(t)
  const { seen } = node()
  seen.see({ exchange: 'kraken', service: 'spot' }, 'BTCUSDT', { price: 1, at: noon + 59_000 })
  clock.ms = noon + 2 * minuteMs
  await seen.save()
  assert.equal(await store.count(1, {}), 0)
})

test('candles wait while the database fails, and a series that was deleted is made again', async (t) => {
  const { database, store, clock, node, rows } = await open(t)
  const { seen } = node()
  see(seen, [0])
  clock.ms = noon + 2 * minuteMs
  await database.db.execute(sql`alter table candle_chunks rename to candle_chunks_away`)
  await assert.rejects(seen.save())
  await database.db.execute(sql`alter table candle_chunks_away rename to candle_chunks`)
  await seen.save()
  assert.deepEqual(await rows(), [candle(0)])
  const [series] = await store.list(2, {}, { limit: 1, offset: 0 })
  await assert.rejects(store.delete(2, false, series!.id), { code: 'access_denied' })
  await store.delete(1, true, series!.id)
  see(seen, [2])
  clock.ms = noon + 4 * minuteMs
  await seen.save()
  await seen.save()
  assert.deepEqual(await rows(), [candle(2)])
})

test('all accounts see these series beside those of exchanges', async (t) => {
  const { store, clock, node } = await open(t)
  const { seen } = node()
  see(seen, [0])
  clock.ms = noon + 2 * minuteMs
  await seen.save()
  const market = { kind: 'candles', ...venue, symbol: 'BTCUSDT', interval: '1m' } as const
  const downloaded = await store.shared({ source: 'exchange', ...market })
  for (const account of [1, 2]) {
    const found = await store.list(account, {}, { limit: 5, offset: 0 })
    assert.deepEqual(
      found.map(({ source, exchange, service, symbol, interval, rows }) => [
        ...[source, exchange, service, symbol, interval, rows],
      ]),
      [
        ['seen', 'binance', 'spot', 'BTCUSDT', '1m', 1],
        ['exchange', 'binance', 'spot', 'BTCUSDT', '1m', 0],
      ],
    )
  }
  assert.notEqual((await store.list(1, { source: 'seen' }, { limit: 1, offset: 0 }))[0]!.id, downloaded.id)
})

test('the oldest parts of all markets go when there are too many candles', async (t) => {
  const { store, clock, node, rows } = await open(t, 2_500)
  const { seen } = node()
  const minutes = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
  const add = async (symbol: string, from: number, count: number) => {
    for (let at = 0; at < count; at += 200) {
      const some = minutes(from + at, Math.min(200, count - at))
      see(seen, some, 100, symbol)
      clock.ms = noon + (some.at(-1)! + 2) * minuteMs
      await seen.save()
    }
  }
  await add('OLDUSDT', 0, 10)
  await add('BTCUSDT', 2_000, 2_400)
  assert.deepEqual([(await rows('OLDUSDT')).length, (await rows()).length], [10, 2_400])
  const [before] = await store.list(1, { symbol: 'BTCUSDT' }, { limit: 1, offset: 0 })
  await add('BTCUSDT', 4_400, 200)
  const kept = await store.list(1, {}, { limit: 5, offset: 0 })
  // Room is made down to 95 %, in whole parts: the series that got nothing for long is gone first.
  assert.deepEqual(
    kept.map(({ symbol }) => symbol),
    ['BTCUSDT'],
  )
  const [series] = kept
  const left = await rows()
  assert.ok(left.length <= 2_375 && left.length > 2_375 - 1_024, `${left.length} are left`)
  assert.deepEqual([series!.rows, series!.lastMs], [left.length, noon + 4_599 * minuteMs])
  assert.equal(series!.firstMs, noon + Number(left[0]!.split(':')[0]) * minuteMs)
  assert.notEqual(series!.checksum, before!.checksum)
})

test('a thousand markets are kept: the one with the fewest candles of those that are idle makes room', async (t) => {
  const { database, store, clock, node, rows } = await open(t)
  const { seen, errors } = node()
  await database.db.execute(sql`
    insert into candle_series (source, exchange, service, symbol, interval, rows)
    select 'seen', 'binance', 'spot', 'S' || n, '1m', n from generate_series(1, 1000) n`)
  const count = () => store.count(1, { source: 'seen' })
  see(seen, [0])
  clock.ms = noon + 2 * minuteMs
  await seen.save()
  assert.equal(await count(), 1_000)
  assert.match(
    String(errors),
    /Prices of 1000 markets are kept, and no more\. Those of BTCUSDT on binance spot are not/,
  )
  see(seen, [2])
  clock.ms = noon + 4 * minuteMs
  await seen.save()
  assert.equal(errors.length, 1, 'it is told once')
  const idle = sql`now() - interval '25 hours'`
  const setIdle = (symbol: string, rows: number) =>
    database.db.update(candleSeries).set({ updatedAt: idle, rows }).where(eq(candleSeries.symbol, symbol))
  await setIdle('S10', 1_440)
  see(seen, [3])
  clock.ms = noon + 5 * minuteMs
  await seen.save()
  assert.deepEqual(await rows(), [], 'a series with a day of candles stays')
  await setIdle('S20', 1_439)
  await setIdle('S30', 1_438)
  see(seen, [6])
  clock.ms = noon + 8 * minuteMs
  await seen.save()
  assert.deepEqual(await rows(), [candle(6)])
  assert.equal(await count(), 1_000)
  assert.deepEqual([await store.count(1, { symbol: 'S30' }), await store.count(1, { symbol: 'S20' })], [0, 1])
})
