import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies } from '../../test/schedules.ts'
import { schedules, strategies } from '../db/schema.ts'
import type { PriceSettings } from '../market/strategy-prices.ts'
import { UpcomingPrices } from './upcoming-prices.ts'

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
  const upcoming = new UpcomingPrices({ database, prices: { latest }, onError: assert.fail })
  upcoming.look()
  upcoming.look()
  await upcoming.stop()
  assert.deepEqual(asked, [{ exchangeId: 2, priceSymbol: 'SOON' }])
})
