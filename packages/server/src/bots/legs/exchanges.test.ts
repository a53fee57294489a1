/** Stops of live positions at exchanges whose protocols differ most from that of Binance. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { openBench, startBotWorker, type WorkerOptions } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { orders, positionProtections, protectionLegs, reconciliations } from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection } from '../../trading/protection/settings.ts'

for (const [exchange, amountCurrency] of Object.entries({
  krakenfutures: 'USD',
  hyperliquid: 'USDC',
  gate: 'USDT',
})) {
  withDatabase(
    `${exchange}: a stop follows its level, and one that triggers while no node is running is booked once`,
    async (place) => {
      const database = await place.open()
      const { db } = database
      const options: WorkerOptions = {
        ...{ service: 'futures', exchange, legs: { change: (legs: LegVenue) => legs } },
      }
      await using bench = await openBench(database, options, {
        amountCurrency,
        protection: { ...noProtection, stop_loss: '2%' },
      })
      const { standIn, symbol, trading, botId } = bench
      const stops = stopsOf(standIn)
      const ofBot = eq(protectionLegs.botId, botId)
      const armedAt = (price?: number) =>
        until('one stop to be confirmed for the whole position', async () => {
          const [stop, ...others] = stops.open()
          const legs = await db.select().from(protectionLegs).where(ofBot)
          return (
            others.length === 0 &&
            Number(stop?.size) === Number(trading.position(symbol)) &&
            (price === undefined || Number(stop?.price) === price) &&
            legs.filter(({ status }) => status === 'OPEN').length === 1
          )
        })
      await bench.follow(bench.owner, 'LONG')
      await armedAt()
      const [last] = await db.select().from(reconciliations).where(eq(reconciliations.botId, botId))
      assert.equal(last!.openOrders ?? 0, 0, 'its stop is no order of somebody else')
      const level = 59_500
      await db
        .update(positionProtections)
        .set({ stopPrice: String(level), stopReason: 'trailing' })
        .where(eq(positionProtections.botId, botId))
      await armedAt(level)
      await bench.running[Symbol.asyncDispose]()
      standIn.setPrice(symbol, level - 1)
      assert.equal(Number(trading.position(symbol)), 0)
      await using _ = await startBotWorker(database, standIn, options)
      await until('the books to be flat', async () => (await bench.size()) === 0)
      await bench.compared('AGREES')
      assert.deepEqual(
        (await bench.fills()).map(({ kind }) => kind),
        ['order', 'order'],
      )
      const closes = await db.select().from(orders).where(eq(orders.botId, botId)).orderBy(orders.id)
      assert.deepEqual(
        closes.map(({ purpose, status }) => `${purpose} ${status}`),
        ['open FILLED', 'close FILLED'],
      )
      const ended = await db.select().from(protectionLegs).where(ofBot).orderBy(protectionLegs.id)
      assert.deepEqual(
        ended.map(({ status }) => status),
        ['CANCELED', 'TRIGGERED'],
      )
      assert.deepEqual(await bench.events(), [])
    },
  )
}
