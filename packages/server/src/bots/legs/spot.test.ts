/** Stops on spot, where a resting stop locks the coins that a close has to sell. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { openBench, startBotWorker, type WorkerOptions } from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { until } from '../../../test/until.ts'
import { botSignals, bots, positionProtections, protectionLegs, unprotectedTimes } from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection } from '../../trading/protection/settings.ts'

/** Coins of the owner, beside those of the bot. */
const ownCoins = '1'

type Options = { exchange?: string; change?: (legs: LegVenue) => LegVenue; amount?: string }

/** Where a stop is an order of its own kind, which becomes a sale with another id, and locks no coins. */
const withPlans = ['bitget', 'gate']

async function open(
  place: TestDatabase,
  { exchange = 'binance', change = (legs) => legs, amount = '6000' }: Options = {},
) {
  const database = await place.open()
  const options: WorkerOptions = { service: 'spot', exchange, legs: { change } }
  const prepare: WorkerOptions['prepare'] = (trading) => trading.setBalance('BTC', ownCoins)
  const amountCurrency = exchange === 'kraken' ? 'USD' : 'USDT'
  const settings = { protection: { ...noProtection, stop_loss: '2%' }, amountCurrency, amount }
  const bench = await openBench(database, { ...options, prepare }, settings)
  const { trading, botId, owner, symbol } = bench
  const legs = () =>
    database.db
      .select()
      .from(protectionLegs)
      .where(eq(protectionLegs.botId, botId))
      .orderBy(protectionLegs.id)
  const stops = () => trading.orders().filter(({ stop }) => stop !== undefined)
  const plans = stopsOf(bench.standIn)
  return {
    ...bench,
    ...{ options, legs, stops },
    resting: () =>
      withPlans.includes(exchange)
        ? plans.open().map(({ price }) => ({ stop: { price } }))
        : stops().filter(({ status, stop }) => status === 'open' && stop?.isTriggered === false),
    /** An EXIT, and what the database says about it. */
    exit: async () => {
      const id = await addSignal(database, { ...owner, botId }, symbol, 'EXIT')
      return async () => (await database.db.select().from(botSignals).where(eq(botSignals.id, id)))[0]!
    },
  }
}

type Bench = Awaited<ReturnType<typeof open>>

/** Waits until one stop rests and is confirmed. */
async function armed({ resting, legs }: Bench) {
  const isArmed = async () =>
    resting().length === 1 && (await legs()).filter(({ status }) => status === 'OPEN').length === 1
  await until('the stop to be confirmed', isArmed)
}

/** Nothing rests, the books are flat, and the owner still has all own coins: only dust is left of the bot's. */
async function flat({ size, resting, legs, trading }: Bench) {
  await until('the books to be flat', async () => (await size()) < 0.00001)
  const areOver = async () =>
    (await legs()).every(({ status }) => !['PLANNED', 'UNKNOWN', 'OPEN'].includes(status))
  await until('the legs to be over', areOver)
  assert.deepEqual(resting(), [])
  const left = Number(trading.balance('BTC')) - Number(ownCoins)
  assert.ok(left >= 0 && left < 0.00001, `${left} BTC are left`)
}

withDatabase('an exit on spot cancels the stop, and then sells what it has locked', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await armed(bench)
  const [stop] = bench.stops()
  assert.equal(bench.trading.orders().length, 2)
  await bench.compared('AGREES')
  await until('a reading of open orders', async () => (await bench.read())?.openOrders === 0)
  assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
  await flat(bench)
  const sale = bench.trading.orders().at(-1)!
  assert.deepEqual([stop!.status, sale.side, sale.status], ['canceled', 'sell', 'filled'])
  assert.deepEqual(bench.running.errors, [])
})

withDatabase(
  'a position that is too small for a stop is watched, and its time is not counted',
  async (place) => {
    await using bench = await open(place, { amount: '5.06' })
    // The smallest order is for 5, and this one is worth 4.9 at its stop.
    bench.standIn.setPrice(bench.symbol, 50_000)
    const { status, reason } = await bench.follow(bench.owner, 'LONG')
    assert.deepEqual([status, reason], ['DONE', null])
    await bench.compared('AGREES')
    await bench.compared('AGREES')
    assert.ok((await bench.size()) > 0)
    const times = bench.database.db.$count(unprotectedTimes)
    assert.deepEqual([await bench.legs(), await times, bench.running.errors], [[], 0, []])
  },
)

withDatabase('while a sale is refused, a stop rests again until the next attempt', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await armed(bench)
  bench.trading.refuseCloses('all')
  const signal = await bench.exit()
  await until('the close to wait', async () => (await signal()).status === 'CLOSING')
  await until('another stop', async () => bench.stops().length > 1 && bench.resting().length === 1)
  bench.trading.refuseCloses('none')
  await until('the EXIT to end', async () => (await signal()).status === 'DONE')
  await flat(bench)
  assert.deepEqual(bench.running.errors, [])
})

withDatabase(
  'a stop on spot moves: the old one is cancelled first, and its coins are in the new one',
  async (place) => {
    await using bench = await open(place)
    await bench.follow(bench.owner, 'LONG')
    await armed(bench)
    const price = Number(bench.standIn.price(bench.symbol))
    await bench.database.db
      .update(positionProtections)
      .set({ stopPrice: String(price - 100), stopReason: 'trailing' })
      .where(eq(positionProtections.botId, bench.botId))
    const isMoved = async () => Number(bench.resting()[0]?.stop?.price) === price - 100
    await until('the stop to move', isMoved)
    await armed(bench)
    const [first, second] = bench.stops()
    assert.deepEqual([first!.status, second!.size], ['canceled', first!.size])
    assert.equal(bench.trading.orders().length, 3, 'nothing was refused or sold')
  },
)

for (const exchange of ['binance', 'kraken', ...withPlans]) {
  withDatabase(
    `a stop on ${exchange} spot that triggers while no node is running is booked once after the start`,
    async (place) => {
      await using bench = await open(place, { exchange })
      await bench.follow(bench.owner, 'LONG')
      await armed(bench)
      await bench.running[Symbol.asyncDispose]()
      bench.standIn.setPrice(bench.symbol, Number(bench.resting()[0]!.stop!.price) - 1)
      assert.equal(bench.trading.orders().at(-1)!.status, 'filled')
      await using _ = await startBotWorker(bench.database, bench.standIn, bench.options)
      await flat(bench)
      await bench.compared('AGREES')
      const fills = await bench.fills()
      assert.deepEqual(
        fills.map(({ kind, side }) => `${kind} ${side}`),
        ['order buy', 'order sell'],
      )
      assert.deepEqual(await bench.events(), [])
    },
  )
}

withDatabase('a stop that Gate would end soon is renewed, and nobody is told', async (place) => {
  await using bench = await open(place, { exchange: 'gate' })
  await bench.follow(bench.owner, 'LONG')
  await armed(bench)
  const stops = stopsOf(bench.standIn)
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const sent = (sentAt: Date) =>
    bench.database.db.update(protectionLegs).set({ sentAt }).where(eq(protectionLegs.botId, bench.botId))
  await sent(hoursAgo(11))
  const looks = stops.all().length
  await bench.compared('AGREES')
  assert.equal(stops.all().length, looks, 'it is young enough')
  await sent(hoursAgo(12.1))
  await until('a new stop', async () => stops.all().length === looks + 1)
  await armed(bench)
  const [old, young] = stops.all()
  assert.deepEqual([old!.status, young!.status, young!.price], ['canceled', 'open', old!.price])
  const legs = await bench.legs()
  assert.deepEqual(
    legs.map(({ status, reason }) => [status, reason]),
    [
      ['CANCELED', 'The service cancelled it.'],
      ['OPEN', null],
    ],
  )
})

withDatabase('a stop that triggers right when an exit cancels it is the sale of that exit', async (place) => {
  let onCancel = () => {}
  const change = (legs: LegVenue): LegVenue => ({
    ...plainOf(legs),
    cancel: (leg) => {
      onCancel()
      return legs.cancel(leg)
    },
  })
  await using bench = await open(place, { change })
  await bench.follow(bench.owner, 'LONG')
  await armed(bench)
  onCancel = () => bench.standIn.setPrice(bench.symbol, Number(bench.stops()[0]!.stop!.price) - 1)
  assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
  await flat(bench)
  assert.deepEqual(
    bench.trading.orders().map(({ side, status }) => `${side} ${status}`),
    ['buy filled', 'sell filled'],
  )
})

withDatabase(
  'a node that dies at any step of an exit on spot leaves no stop, and the coins are sold once',
  async (place) => {
    type Moment = 'before the cancellation' | 'after the cancellation' | 'after the answer to the question'
    let next: Moment | null = null
    let deaths = 0
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => undefined)
    /** The node does nothing more if this is its moment. */
    const dieAt = async (...moments: Moment[]) => {
      if (!moments.some((moment) => moment === next)) return
      next = null
      deaths += 1
      await over.promise
    }
    const mortal = (legs: LegVenue): LegVenue => {
      let hasCancelled = false
      return {
        ...plainOf(legs),
        cancel: async (leg) => {
          await dieAt('before the cancellation')
          await legs.cancel(leg)
          hasCancelled = true
          await dieAt('after the cancellation')
        },
        lookUp: async (leg) => {
          const found = await legs.lookUp(leg)
          if (hasCancelled) await dieAt('after the answer to the question')
          return found
        },
      }
    }
    await using bench = await open(place, { change: mortal })
    await using nodes = new AsyncDisposableStack()
    // Before the nodes are stopped, what hangs must end.
    using ends = new DisposableStack()
    ends.defer(() => over.reject(new Error('The node died.')))
    const moments = ['before the cancellation', 'after the cancellation', 'after the answer to the question']
    for (const moment of moments as Moment[]) {
      await bench.follow(bench.owner, 'LONG')
      await armed(bench)
      const before = deaths
      next = moment
      await bench.exit()
      await until('the death', async () => deaths > before)
      await bench.database.db.update(bots).set({ holder: null }).where(eq(bots.id, bench.botId))
      nodes.use(await startBotWorker(bench.database, bench.standIn, bench.options))
      await flat(bench)
    }
  },
)

withDatabase('whatever happens to requests, open sales never exceed what the bot holds', async (place) => {
  await using bench = await open(place)
  for (const failure of ['before-cut', 'after-5xx', 'late'] as const) {
    bench.trading.failNext(failure, 'stop')
    bench.trading.failNext('before-cut', 'question')
    await bench.follow(bench.owner, 'LONG')
    await armed(bench)
    bench.trading.failNext('after-cut', 'question')
    await bench.follow(bench.owner, 'EXIT')
    await flat(bench)
    bench.trading.calm()
  }
  const ids = bench.stops().map(({ clientOrderId }) => clientOrderId)
  assert.equal(new Set(ids).size, ids.length)
})

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
