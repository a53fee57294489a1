/** A stop with a target in one order: who executes the target, and what the books say then. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { openBench, startBotWorker, type WorkerOptions } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { botSignals, positionProtections, protectionLegs, signals } from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection } from '../../trading/protection/settings.ts'

/** Coins of the owner, beside those of the bot. */
const ownCoins = '1'

type Options = { exchange?: string; parts?: string[]; change?: (legs: LegVenue) => LegVenue }

async function open(place: TestDatabase, options: Options = {}) {
  const { exchange = 'binance', parts = ['1'], change = (legs) => legs } = options
  const database = await place.open()
  const worker: WorkerOptions = { service: 'spot', exchange, legs: { change } }
  const prepare: WorkerOptions['prepare'] = (trading) => trading.setBalance('BTC', ownCoins)
  const take_profit = parts.map((part, index) => ({ at: `${3 + index}%`, part }))
  const protection = { ...noProtection, stop_loss: '2%', take_profit }
  const bench = await openBench(database, { ...worker, prepare }, { protection, amountCurrency: 'USDT' })
  const legs = () =>
    database.db
      .select()
      .from(protectionLegs)
      .where(eq(protectionLegs.botId, bench.botId))
      .orderBy(protectionLegs.id)
  const live = async () => (await legs()).filter(({ status }) => status === 'OPEN')
  const armed = (has: 'a target' | 'no target') =>
    until(`a stop with ${has}`, async () => {
      const [leg, ...others] = await live()
      return others.length === 0 && leg !== undefined && (leg.ocoTarget === null) === (has === 'no target')
    })
  /** Only dust is left of the bot's coins, and all of the owner's. */
  const flat = async () => {
    await until('the books to be flat', async () => (await bench.size()) < 0.00001)
    await until('the legs to be over', async () => (await live()).length === 0)
    const left = Number(bench.trading.balance('BTC')) - Number(ownCoins)
    assert.ok(left >= 0 && left < 0.00001, `${left} BTC are left`)
  }
  /** Why the position was closed, once for each order. */
  const origins = async () => {
    const rows = await database.db
      .select({ origin: signals.origin })
      .from(botSignals)
      .innerJoin(signals, eq(signals.id, botSignals.signalId))
      .where(eq(botSignals.botId, bench.botId))
      .orderBy(botSignals.id)
    return rows.map(({ origin }) => origin)
  }
  return { ...bench, worker, legs, live, armed, flat, origins }
}

for (const exchange of ['binance', 'okx']) {
  for (const level of ['target', 'stop'] as const) {
    withDatabase(
      `${exchange}: the ${level} that is reached while no node runs is booked once after the start`,
      async (place) => {
        await using bench = await open(place, { exchange })
        await bench.follow(bench.owner, 'LONG')
        await bench.armed('a target')
        await bench.compared('AGREES')
        assert.equal((await bench.read())?.openOrders, 0, 'both are orders of the bot')
        const [leg] = await bench.live()
        await bench.running[Symbol.asyncDispose]()
        bench.standIn.setPrice(
          bench.symbol,
          level === 'target' ? Number(leg!.ocoPrice) + 1 : Number(leg!.price) - 1,
        )
        await using _ = await startBotWorker(bench.database, bench.standIn, bench.worker)
        await bench.flat()
        await bench.compared('AGREES')
        const fills = await bench.fills()
        assert.deepEqual(
          fills.map(({ kind, side }) => `${kind} ${side}`),
          ['order buy', 'order sell'],
        )
        assert.deepEqual(await bench.origins(), [null, level === 'target' ? 'take_profit' : 'stop_loss'])
        assert.deepEqual(await bench.events(), [])
      },
    )
  }
}

withDatabase('an exit cancels both, and sells the coins once', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await bench.armed('a target')
  assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
  await bench.flat()
  assert.deepEqual(
    bench.trading.orders().map(({ side, status }) => `${side} ${status}`),
    ['buy filled', 'sell canceled', 'sell canceled', 'sell filled'],
  )
  assert.deepEqual(bench.running.errors, [])
})

withDatabase(
  'a stop that moves takes its target with it, and several targets stay with the service',
  async (place) => {
    await using bench = await open(place)
    await bench.follow(bench.owner, 'LONG')
    await bench.armed('a target')
    const [before] = await bench.live()
    const stopPrice = String(Number(before!.price) + 100)
    await bench.database.db
      .update(positionProtections)
      .set({ stopPrice, stopReason: 'trailing' })
      .where(eq(positionProtections.botId, bench.botId))
    await until('the stop to move', async () => (await bench.live())[0]?.price === stopPrice)
    const [after] = await bench.live()
    assert.deepEqual([after!.ocoPrice, after!.ocoTarget], [before!.ocoPrice, 1])
    const take_profit = ['3%', '4%'].map((at) => ({ at, part: '0.5' }))
    await bench.database.db
      .update(positionProtections)
      .set({ settings: { ...noProtection, stop_loss: '2%', take_profit } })
      .where(eq(positionProtections.botId, bench.botId))
    await bench.armed('no target')
    const resting = bench.trading.orders().filter(({ status }) => status === 'open')
    assert.equal(resting.length, 1, 'only the stop rests')
  },
)

withDatabase('where the exchange refuses both in one order, the stop rests alone at once', async (place) => {
  const change = (legs: LegVenue): LegVenue => ({
    locksFunds: legs.locksFunds,
    clientId: (id) => legs.clientId(id),
    priceStep: (symbol) => legs.priceStep(symbol),
    hasOco: async () => true,
    // A price that the exchange refuses for a target.
    place: (leg) => legs.place(leg.oco === undefined ? leg : { ...leg, oco: { ...leg.oco, price: '1' } }),
    lookUp: (leg) => legs.lookUp(leg),
    cancel: (leg) => legs.cancel(leg),
  })
  await using bench = await open(place, { change })
  await bench.follow(bench.owner, 'LONG')
  await bench.armed('no target')
  const told = (await bench.legs()).map(({ status, ocoTarget }) => [status, ocoTarget])
  assert.deepEqual(told, [
    ['REJECTED', 1],
    ['OPEN', null],
  ])
  assert.deepEqual(await bench.events(), [])
})

withDatabase('binance: one that somebody cancels by hand comes again, with its target', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await bench.armed('a target')
  const [first] = await bench.live()
  const { venue } = bench.running
  const symbol = bench.symbol
  const base = { symbol, side: 'sell' as const, size: first!.size, price: first!.price, sentAt: Date.now() }
  // By the id of the target: that ends both.
  await venue.legs!.cancel({ ...base, clientId: first!.ocoClientId! })
  await until('another one', async () => (await bench.live()).some(({ id }) => id !== first!.id))
  const [second] = await bench.live()
  assert.deepEqual([second!.ocoTarget, second!.ocoPrice], [1, first!.ocoPrice])
  assert.equal(stopsOf(bench.standIn).all().length, 0)
})
