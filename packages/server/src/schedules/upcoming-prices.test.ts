import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies } from '../../test/schedules.ts'
import { until } from '../../test/until.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import { schedules, strategies } from '../db/schema.ts'
import { Candles } from '../market/candles/candles.ts'
import { MarketCandles } from '../market/candles/market-candles.ts'
import { Market } from '../market/market.ts'
import type { MarketVenue } from '../market/price-source.ts'
import { SimulatedPrices } from '../market/simulated/simulated-prices.ts'
import type { PriceSettings } from '../market/strategy-prices.ts'
import { UpcomingPrices } from './upcoming-prices.ts'

/** No strategy has asked for candles. */
const candles = { remembered: [], prepare: () => assert.fail('There is nothing to prepare.') }

withDatabase('the prices of strategies that are due soon are requested, each once', async (place) => {
  const database = await place.open()
  const { db } = database
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
  const add = async (priceSymbol: string, nextRunAt: Date, usePrice = true) => {
    const [id] = await addStrategies(database, [{ exchangeId: 2, priceSymbol }], Date.now())
    await db.update(strategies).set({ usePrice }).where(eq(strategies.id, id!))
    await db.update(schedules).set({ nextRunAt }).where(eq(schedules.strategyId, id!))
  }
  await add('SOON', inSeconds(8))
  await add('SOON', inSeconds(9))
  await add('LATER', inSeconds(60))
  await add('WITHOUT', inSeconds(8), false)
  const asked: PriceSettings[] = []
  const latest = (settings: PriceSettings) => {
    asked.push(settings)
    return null
  }
  const upcoming = new UpcomingPrices({ database, prices: { latest }, candles, onError: assert.fail })
  upcoming.look()
  upcoming.look()
  await upcoming.stop()
  assert.deepEqual(asked, [{ exchangeId: 2, priceSymbol: 'SOON' }])
})

withDatabase('candles that strategies asked for are loaded before their next run', async (place) => {
  const database = await place.open()
  let now = Math.floor(Date.now() / 60_000) * 60_000
  const source = new SimulatedPrices(() => now)
  const resolve = (venue: MarketVenue, name: string) => source.resolve(venue, name)
  const catalogue = await createCatalogue(database, { onError: (error) => assert.fail(String(error)) })
  const kept = new Candles({ source, resolve })
  const market = new Market({ source, onError: (error) => assert.fail(String(error)) })
  const candles = new MarketCandles({ candles: kept, market, catalogue })
  const ids = await addStrategies(database, [{}, {}], Date.now())
  const [soon, later] = ids as [number, number]
  const request = { interval: '1m', count: 10, exchange: 'sim', service: null }
  for (const [strategyId, symbol] of [
    [soon, 'BTC/USDT'],
    [later, 'ETH/USDT'],
  ] as const) {
    await candles.forCode({ strategyId, userId: 1, exchangeId: null }, { ...request, symbol })
  }
  // A test run is not remembered: it has no next run.
  await candles.forCode({ strategyId: null, userId: 1, exchangeId: null }, { ...request, symbol: 'SOL/USDT' })
  const due = (id: number, seconds: number) =>
    database.db
      .update(schedules)
      .set({ nextRunAt: new Date(Date.now() + seconds * 1000) })
      .where(eq(schedules.strategyId, id))
  await due(soon, 8)
  await due(later, 60)
  now += 60_000
  const loaded: string[] = []
  const load = source.candles.bind(source)
  source.candles = (venue, symbol, window) => {
    loaded.push(symbol)
    return load(venue, symbol, window)
  }
  const upcoming = new UpcomingPrices({
    database,
    prices: { latest: () => null },
    candles,
    onError: assert.fail,
  })
  upcoming.look()
  await upcoming.stop()
  await until('the candles', async () => loaded.length > 0)
  assert.deepEqual(loaded, ['BTC/USDT'])
  await market.close()
  await catalogue.close()
})
