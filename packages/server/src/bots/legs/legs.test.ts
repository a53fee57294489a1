/** Stops of live positions that rest at the exchange, with nodes that die and an exchange that fails. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { openBench, startBotWorker, symbolOf, type WorkerOptions } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain } from '../../base/decimals.ts'
import type { Database } from '../../db/database.ts'
import {
  type BotSettings,
  botSignals,
  bots,
  notificationEndpoints,
  notifications,
  orders,
  positionProtections,
  protectionLegs,
  signals,
  unprotectedTimes,
} from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import { FillWalks } from '../statistics/fill-walk.ts'
import { Trades } from '../statistics/trades.ts'

const noPrices = { latest: () => null }
const plainLegs = { change: (legs: LegVenue) => legs }

async function open(
  place: TestDatabase,
  options: Partial<WorkerOptions> = {},
  settings: Partial<BotSettings> = {},
) {
  const database = await place.open()
  const protection = { ...noProtection, stop_loss: '2%' }
  const all: WorkerOptions = { service: 'futures', legs: plainLegs, ...options }
  const bench = await openBench(database, all, { protection, ...settings })
  return { ...bench, stops: stopsOf(bench.standIn), ...readerOf(database, bench.botId) }
}

function readerOf({ db }: Database, botId: number) {
  const legs = () =>
    db.select().from(protectionLegs).where(eq(protectionLegs.botId, botId)).orderBy(protectionLegs.id)
  const statuses = async () => (await legs()).map(({ status }) => status)
  return {
    legs,
    statuses,
    orders: () => db.select().from(orders).where(eq(orders.botId, botId)).orderBy(orders.id),
    unprotected: () => db.select().from(unprotectedTimes).where(eq(unprotectedTimes.botId, botId)),
    closes: () =>
      db
        .select({ origin: signals.origin, status: botSignals.status, reason: botSignals.reason })
        .from(botSignals)
        .innerJoin(signals, eq(signals.id, botSignals.signalId))
        .where(eq(botSignals.botId, botId))
        .orderBy(botSignals.id),
    protect: (stopPrice: string) =>
      db
        .update(positionProtections)
        .set({ stopPrice, stopReason: 'trailing' })
        .where(eq(positionProtections.botId, botId)),
  }
}

type Bench = Awaited<ReturnType<typeof open>>

/** Waits until one stop rests at the exchange, is confirmed, and is for the whole position. */
async function armed({ stops, trading, symbol, statuses }: Bench, count = 1) {
  await until('the stop to be confirmed', async () => {
    const size = Math.abs(Number(trading.position(symbol)))
    const [stop, ...others] = stops.open()
    return (
      (await statuses()).filter((status) => status === 'OPEN').length === 1 &&
      others.length === 0 &&
      Number(stop?.size) === size &&
      stops.all().length >= count
    )
  })
}

/** The books are flat a moment before the signal ends. */
async function closedBy({ closes }: Bench, origin: string) {
  await until('the signal to be done', async () => (await closes()).at(-1)?.status === 'DONE')
  assert.deepEqual((await closes()).at(-1), { origin, status: 'DONE', reason: null })
}

for (const exchange of ['bitget', 'binance', 'bybit', 'okx']) {
  withDatabase(
    `${exchange}: a stop that triggers at the exchange closes the position, and each fill counts once`,
    async (place) => {
      await using bench = await open(place, { exchange })
      const { standIn, stops, symbol, trading } = bench
      await bench.follow(bench.owner, 'LONG')
      await armed(bench)
      const [stop] = stops.open()
      assert.deepEqual([stop!.side, stop!.reduceOnly], ['sell', true])
      standIn.setPrice(symbol, Number(stop!.price) - 1)
      await until('the books to be flat', async () => (await bench.size()) === 0)
      assert.equal(trading.position(symbol), '0')
      await bench.compared('AGREES')
      assert.deepEqual(
        (await bench.fills()).map(({ kind }) => kind),
        ['order', 'order'],
      )
      await closedBy(bench, 'stop_loss')
      assert.deepEqual(await bench.statuses(), ['TRIGGERED'])
      const close = (await bench.orders()).at(-1)!
      assert.deepEqual(
        [close.legId, close.purpose, close.status],
        [(await bench.legs())[0]!.id, 'close', 'FILLED'],
      )
      assert.deepEqual(await bench.events(), [])
    },
  )

  withDatabase(
    `${exchange}: a stop that triggers while no node is running is booked once after the start`,
    async (place) => {
      await using bench = await open(place, { exchange })
      await bench.follow(bench.owner, 'LONG')
      await armed(bench)
      await bench.running[Symbol.asyncDispose]()
      bench.standIn.setPrice(bench.symbol, Number(bench.stops.open()[0]!.price) - 1)
      assert.equal(bench.trading.position(bench.symbol), '0')
      await using _ = await startBotWorker(bench.database, bench.standIn, {
        ...{ exchange, service: 'futures', legs: plainLegs },
      })
      await until('the books to be flat', async () => (await bench.size()) === 0)
      await bench.compared('AGREES')
      assert.deepEqual(
        (await bench.fills()).map(({ kind }) => kind),
        ['order', 'order'],
      )
      assert.equal((await bench.closes()).at(-1)!.origin, 'stop_loss')
    },
  )

  withDatabase(`${exchange}: whatever happens to requests, one stop rests in the end`, async (place) => {
    await using bench = await open(place, { exchange })
    for (const failure of ['before-cut', 'after-5xx', 'late'] as const) {
      bench.trading.failNext(failure, 'stop')
      bench.trading.failNext('before-cut', 'question')
      await bench.follow(bench.owner, 'LONG')
      await armed(bench)
      await bench.follow(bench.owner, 'EXIT')
      await until('no stop to rest', async () => bench.stops.open().length === 0)
      bench.trading.calm()
    }
    assert.equal(bench.trading.position(bench.symbol), '0')
    const ids = bench.stops.all().map(({ clientId }) => clientId)
    assert.equal(new Set(ids).size, ids.length)
  })
}

withDatabase(
  'an exit closes first, and then its stop is cancelled; a flip opens with a stop of its own',
  async (place) => {
    await using bench = await open(place)
    await bench.follow(bench.owner, 'LONG')
    await armed(bench)
    assert.equal((await bench.follow(bench.owner, 'SHORT')).status, 'DONE')
    await armed(bench, 2)
    assert.deepEqual(
      bench.stops.all().map(({ side, status }) => `${side} ${status}`),
      ['sell canceled', 'buy open'],
    )
    await bench.follow(bench.owner, 'EXIT')
    await until('no stop to rest', async () => bench.stops.open().length === 0)
    await until('the legs to be over', async () => !(await bench.statuses()).includes('OPEN'))
    assert.deepEqual([await bench.size(), bench.trading.position(bench.symbol)], [0, '0'])
    assert.equal(bench.trading.orders().length, 4)
  },
)

withDatabase('a stop follows its level', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await armed(bench)
  const price = Number(bench.standIn.price(bench.symbol))
  await bench.protect(String(price - 100))
  const isMoved = async () => {
    const [stop, ...others] = bench.stops.open()
    return others.length === 0 && Number(stop?.price) === price - 100
  }
  await until('the stop to move', isMoved)
  await armed(bench, 2)
  const reasons = (await bench.legs()).map(({ reason }) => reason)
  assert.deepEqual(reasons, ['The service cancelled it.', null])
})

withDatabase(
  'a stop that somebody cancels again and again is set again, and its owner is told once',
  async (place) => {
    await using bench = await open(place, { subscribers: { hears: () => true, onTold: () => undefined } })
    const { db } = bench.database
    const { userId } = bench.owner
    const secret = Buffer.from('x')
    await db.insert(notificationEndpoints).values({ userId, url: secret, secret, events: ['stop.refused'] })
    await bench.follow(bench.owner, 'LONG')
    await armed(bench)
    for (const count of [2, 3]) {
      bench.stops.cancel(bench.stops.open()[0]!.clientId)
      await armed(bench, count)
    }
    const reason = 'The stop was cancelled at the exchange.'
    assert.deepEqual(
      (await bench.legs()).map((leg) => leg.reason),
      [reason, reason, null],
    )
    const told = await db.select().from(notifications).where(eq(notifications.userId, userId))
    assert.equal(told.length, 1)
    const { at: _, ...data } = told[0]!.data
    const { stop } = (await bench.legs())[0]!
    assert.deepEqual(data, {
      ...{ bot_id: bench.botId, bot_name: 'Scalper', mode: 'live', demo: false, symbol: bench.symbol },
      ...{ stop_price: plain(decimal(stop)), reason },
    })
  },
)

withDatabase(
  'a stop that the exchange keeps refusing closes the position, if its owner has chosen that',
  async (place) => {
    const heard: number[] = []
    const options = { onUnprotectedSeconds: (seconds: number) => void heard.push(seconds) }
    await using bench = await open(place, options, { onUnprotected: 'close', unprotectedSeconds: 1 })
    for (let i = 0; i < 500; i++) bench.trading.failNext('reject', 'stop')
    await bench.follow(bench.owner, 'LONG')
    await until('the books to be flat', async () => (await bench.size()) === 0)
    await closedBy(bench, 'unprotected')
    assert.equal(bench.trading.position(bench.symbol), '0')
    const [time, ...others] = await bench.unprotected()
    assert.equal(others.length, 0)
    assert.ok(time!.milliseconds >= 900, `${time!.milliseconds} ms`)
    const sum = () => heard.reduce((all, seconds) => all + seconds, 0) * 1_000
    await until('all of it to be heard', async () => Math.abs(sum() - time!.milliseconds) < 1)
    const ms = (await bench.fills()).map(({ filledAt }) => filledAt.getTime())
    assert.equal(time!.openedAt.getTime(), ms[0])
    const key = { id: bench.botId, userId: bench.owner.userId }
    const trades = new Trades(bench.database, new FillWalks(bench.database), noPrices)
    const [trade] = await trades.window(key, { limit: 1 })
    assert.ok(trade!.unprotectedMs! <= ms.at(-1)! - ms[0]! + 1_000)
    assert.ok(trade!.unprotectedMs! >= 900)
  },
)

withDatabase('otherwise the service goes on watching, and counts the time without a stop', async (place) => {
  await using bench = await open(place, {}, { unprotectedSeconds: 1 })
  for (let i = 0; i < 500; i++) bench.trading.failNext('reject', 'stop')
  await bench.follow(bench.owner, 'LONG')
  const counted = async () => (await bench.unprotected())[0]?.milliseconds ?? 0
  await until('two seconds without a stop', async () => (await counted()) > 2_000)
  assert.equal((await bench.closes()).length, 1)
  assert.notEqual((await bench.unprotected())[0]!.since, null)
  bench.trading.calm()
  await armed(bench)
  await until('the count to end', async () => (await bench.unprotected())[0]!.since === null)
  const [time] = await bench.unprotected()
  const rests = (await bench.legs()).at(-1)!.restsSince!
  assert.ok(Math.abs(rests.getTime() - time!.openedAt.getTime() - time!.milliseconds) <= 1)
  bench.standIn.setPrice(bench.symbol, Number(bench.stops.open()[0]!.price) - 1)
  await until('the books to be flat', async () => (await bench.size()) === 0)
  assert.deepEqual(await bench.unprotected(), [time])
})

for (const [when, die] of [
  ['between storing a stop and sending it', (_: LegVenue) => undefined],
  ['between sending a stop and hearing of it', (legs: LegVenue) => legs.place],
] as const) {
  withDatabase(`a node that dies ${when} leaves one stop, and sends none twice`, async (place) => {
    let deaths = 0
    const over = Promise.withResolvers<void>()
    const change = (legs: LegVenue): LegVenue => ({
      ...plainOf(legs),
      place: async (leg) => {
        if (deaths > 0) return legs.place(leg)
        deaths += 1
        await die(legs)?.call(legs, leg)
        // The process is gone: it does nothing more.
        await over.promise
        throw new Error('The node died.')
      },
    })
    await using bench = await open(place, { legs: { change } })
    await bench.follow(bench.owner, 'LONG')
    await until('the death', async () => deaths === 1)
    const [leg] = await bench.legs()
    assert.equal(leg!.status, 'PLANNED')
    // As after the kill of a node: it holds nothing any more.
    await bench.database.db.update(bots).set({ holder: null }).where(eq(bots.id, bench.botId))
    await using _ = await startBotWorker(bench.database, bench.standIn, {
      service: 'futures',
      legs: plainLegs,
    })
    await armed(bench)
    const ids = bench.stops.all().map(({ clientId }) => clientId)
    assert.deepEqual([ids.length, new Set(ids).size, bench.stops.open().length], [1, 1, 1])
    const last = (await bench.legs()).at(-1)!
    assert.equal(last.clientId, ids[0])
    over.resolve()
  })
}

function plainOf(legs: LegVenue): LegVenue {
  return {
    locksFunds: legs.locksFunds,
    clientId: (id) => legs.clientId(id),
    priceStep: (symbol) => legs.priceStep(symbol),
    place: (leg) => legs.place(leg),
    lookUp: (leg) => legs.lookUp(leg),
    cancel: (leg) => legs.cancel(leg),
  }
}

withDatabase('a stop that is beyond the price at the exchange closes the position at once', async (place) => {
  await using bench = await open(place)
  bench.trading.failNext('before-cut', 'stop')
  const { standIn, symbol } = bench
  await bench.follow(bench.owner, 'LONG')
  standIn.setPrice(symbol, Number(standIn.price(symbol)) * 0.95)
  await until('the books to be flat', async () => (await bench.size()) === 0)
  assert.equal((await bench.closes()).at(-1)!.origin, 'stop_loss')
  assert.deepEqual([bench.trading.position(symbol), bench.stops.all().length], ['0', 0])
})

withDatabase('while trading is halted, no stop is placed', async (place) => {
  let isHalted = true
  const legs = { change: (legs: LegVenue) => legs, halted: () => isHalted }
  await using bench = await open(place, { legs })
  await bench.follow(bench.owner, 'LONG')
  await bench.compared('AGREES')
  assert.deepEqual(await bench.legs(), [])
  isHalted = false
  await armed(bench)
})

withDatabase('beside what is not the bot’s, no stop is placed', async (place) => {
  const prepare: WorkerOptions['prepare'] = (trading) => void trading.trade(symbolOf('futures'), 'buy', '0.5')
  await using bench = await open(place, { prepare })
  await bench.follow(bench.owner, 'LONG')
  await until('a comparison', async () => (await bench.read()) !== undefined)
  const { status } = (await bench.read())!
  await bench.compared(status as 'AGREES' | 'DIFFERS')
  await bench.compared(status as 'AGREES' | 'DIFFERS')
  assert.deepEqual([await bench.legs(), bench.stops.all()], [[], []])
})

for (const [exchange, requests] of [
  ['bybit', ['create', 'create', 'cancel', 'create']],
  ['okx', ['order', 'order-algo', 'cancel-algos', 'order']],
] as const) {
  withDatabase(
    `${exchange} spot: an exit cancels the stop before it sells, and a stop that triggers closes the position`,
    async (place) => {
      await using bench = await open(place, { exchange, service: 'spot' })
      const { standIn, stops, symbol, owner, trading } = bench
      /** Some stand-ins keep stops on spot among the orders. */
      const resting = () => [
        ...stops.open().map(({ price }) => price),
        ...trading.orders().flatMap(({ status, stop }) => (status === 'open' && stop ? stop.price : [])),
      ]
      const isArmed = async () =>
        resting().length === 1 && (await bench.statuses()).filter((status) => status === 'OPEN').length === 1
      const isFlat = async () => (await bench.size()) < 0.00001
      await bench.follow(owner, 'LONG')
      await until('the stop to be confirmed', isArmed)
      assert.equal((await bench.follow(owner, 'EXIT')).status, 'DONE')
      await until('the books to be flat', isFlat)
      assert.deepEqual(
        standIn.changes().map((change) => change.split(' ')[1]!.replace(/.*\//, '')),
        requests,
      )
      await bench.follow(owner, 'LONG')
      await until('the next stop to be confirmed', isArmed)
      standIn.setPrice(symbol, Number(resting()[0]!) - 1)
      await until('the books to be flat again', isFlat)
      await bench.compared('AGREES')
      assert.deepEqual(
        (await bench.fills()).map(({ kind }) => kind),
        ['order', 'order', 'order', 'order'],
      )
      assert.equal((await bench.closes()).at(-1)!.origin, 'stop_loss')
      assert.deepEqual(bench.running.errors, [])
    },
  )
}
