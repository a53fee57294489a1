/** Openings of live positions that are executed part by part, and stops that follow them while they are still open. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { openBench, type Service, startBotWorker, type WorkerOptions } from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { until } from '../../../test/until.ts'
import { botSignals, orders, protectionLegs, signals, unprotectedTimes } from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection, type Protection } from '../../trading/protection/settings.ts'
import type { Action } from '../../trading/types.ts'
import { queueExit } from '../protection/exits.ts'
import { ProtectionStore, readWatched } from '../protection/store.ts'

const wholeTarget = [{ at: '5%', part: '1' }]

async function open(place: TestDatabase, service: Service, targets: Protection['take_profit'] = wholeTarget) {
  const database = await place.open()
  const options: WorkerOptions = { service, partMs: 0, legs: { change: (legs: LegVenue) => legs } }
  const protection = { ...noProtection, stop_loss: '2%', take_profit: targets }
  const bench = await openBench(database, options, { protection })
  const { db } = database
  const { botId, owner, symbol, trading, standIn } = bench
  trading.setFee('0')
  const resting = () =>
    service === 'futures'
      ? stopsOf(standIn).open()
      : trading
          .orders()
          .filter(({ status, stop }) => status === 'open' && stop !== undefined && !stop.isTriggered)
  return {
    ...{ ...bench, options, resting },
    add: (action: Action, signalOptions: object = {}) =>
      addSignal(database, { ...owner, botId }, symbol, action, signalOptions),
    booked: () => db.select().from(orders).where(eq(orders.botId, botId)).orderBy(orders.id),
    legs: () => db.select().from(protectionLegs).where(eq(protectionLegs.botId, botId)),
    /** @param earlier the signals of `compareFirst` */
    ended: async (earlier = 2) => {
      const rows = await db
        .select({ origin: signals.origin, status: botSignals.status, reason: botSignals.reason })
        .from(botSignals)
        .innerJoin(signals, eq(signals.id, botSignals.signalId))
        .where(eq(botSignals.botId, botId))
        .orderBy(botSignals.id)
      return rows.slice(earlier)
    },
  }
}

type Bench = Awaited<ReturnType<typeof open>>

/** The account is compared once before, because the bot places no stop in one that it has never seen. */
async function compareFirst(bench: Bench) {
  await bench.follow(bench.owner, 'LONG')
  await bench.follow(bench.owner, 'EXIT')
  await until('the legs to be over', async () => (await live(bench)).length === 0)
  await bench.compared('AGREES')
}

async function live({ legs }: Bench) {
  return (await legs()).filter(({ status }) => ['PLANNED', 'UNKNOWN', 'OPEN'].includes(status))
}

async function liveStops(bench: Bench) {
  return (await live(bench)).filter(({ target }) => target === null)
}

/** Begins an opening of which the exchange has executed nothing yet. */
async function begin({ trading, add, booked }: Bench) {
  trading.setFills('never')
  await add('LONG')
  await until('the opening', async () => (await booked()).at(-1)?.status === 'OPEN')
  // What comes later is executed at once.
  trading.setFills('whole')
}

/** Waits until the books have so much, and one stop for so much rests and is confirmed. The opening is still open. */
async function followed(bench: Bench, size: number) {
  const { resting, booked } = bench
  await until(`a stop for ${size}`, async () => {
    const [leg, ...others] = await liveStops(bench)
    const isOne = leg?.status === 'OPEN' && others.length === 0 && resting().length === 1
    return isOne && Number(leg.size) === size && Number(resting()[0]!.size) === size
  })
  const [opening] = (await booked()).filter(({ status }) => status === 'OPEN')
  assert.deepEqual([opening?.purpose, Number(opening?.filledSize)], ['open', size])
}

/** What the watch does when a price reaches a level, and the exchange does not execute anything. */
async function reach({ database, running, botId }: Bench, price: string) {
  const [watched] = (await new ProtectionStore(database).watched()).values()
  const queued = await queueExit(database, {
    position: readWatched(watched!),
    at: { price, now: Date.now() },
    rules: null,
  })
  assert.equal(typeof queued, 'object')
  running.worker.announce([botId])
}

async function over(bench: Bench) {
  const { size, ended, resting } = bench
  const isOver = async () => {
    const all = await ended()
    return all.length === 2 && all.every(({ status }) => status === 'DONE')
  }
  await until('both signals to be done', isOver)
  await until('the legs to be over', async () => (await live(bench)).length === 0)
  assert.deepEqual([await size(), resting().length], [0, 0])
  const [opening, close] = await ended()
  const told = /^Only 0\.0\d+ of 0\.\d+ BTC was executed\. A newer signal of the symbol cancelled/
  assert.match(`${opening!.reason}`, told)
  assert.equal(close!.origin, 'stop_loss')
  await bench.compared('AGREES')
  assert.deepEqual(await bench.events(), [])
  assert.deepEqual(bench.running.errors, [])
}

withDatabase(
  'the stop follows an opening that is still open, and its trigger cancels the rest',
  async (place) => {
    await using bench = await open(place, 'futures')
    const { trading, standIn, symbol } = bench
    await compareFirst(bench)
    await begin(bench)
    // Such as one below the minimum. The next part is protected, whatever pause follows a refusal.
    trading.failNext('reject', 'stop')
    trading.fillResting('0.005')
    const isRefused = async () => (await bench.legs()).at(-1)?.status === 'REJECTED'
    await until('the refusal of a stop for the first part', isRefused)
    trading.fillResting('0.005')
    await followed(bench, 0.01)
    // The node stops in the middle. Another one goes on with the same order and the same stop.
    await bench.running[Symbol.asyncDispose]()
    trading.fillResting('0.02')
    await using _ = await startBotWorker(bench.database, standIn, bench.options)
    await followed(bench, 0.03)
    standIn.setPrice(symbol, Number(stopsOf(standIn).open()[0]!.price) - 1)
    assert.equal(trading.position(symbol), '0')
    await over(bench)
    const ids = stopsOf(standIn)
      .all()
      .map(({ clientId }) => clientId)
    assert.equal(new Set(ids).size, ids.length)
  },
)

withDatabase(
  'a part that is too small for a stop is not counted as unprotected, and the next part that has none is',
  async (place) => {
    await using bench = await open(place, 'futures')
    const { trading, database, botId } = bench
    await compareFirst(bench)
    await begin(bench)
    for (let i = 0; i < 1_000; i++) trading.failNext('reject', 'stop')
    // Less than the 5 USDT of the smallest order.
    trading.fillResting('0.00005')
    const isRefused = async () => (await bench.legs()).at(-1)?.status === 'REJECTED'
    await until('the refusal of a stop for the first part', isRefused)
    const isCounted = async () => {
      const times = await database.db
        .select()
        .from(unprotectedTimes)
        .where(eq(unprotectedTimes.botId, botId))
        .orderBy(unprotectedTimes.openedAt)
      return times.at(-1)?.since !== null
    }
    await until('no time to be counted', async () => !(await isCounted()))
    trading.fillResting('0.01')
    await until('the time to be counted', isCounted)
    trading.calm()
    await followed(bench, 0.01005)
    await until('the count to end', async () => !(await isCounted()))
  },
)

withDatabase('on spot, a close at the stop ends the opening, and sells what it has bought', async (place) => {
  await using bench = await open(place, 'spot')
  const { trading } = bench
  await compareFirst(bench)
  await begin(bench)
  trading.fillResting('0.01')
  await followed(bench, 0.01)
  trading.fillResting('0.01')
  await followed(bench, 0.02)
  await reach(bench, '1')
  await over(bench)
  assert.equal(trading.balance('BTC'), '0')
})

withDatabase('a target that is only watched sells its part of what an opening has bought', async (place) => {
  const targets = [
    { at: '5%', part: '0.5' },
    { at: '9%', part: '0.5' },
  ]
  await using bench = await open(place, 'spot', targets)
  const { trading, standIn, symbol, size, resting, ended } = bench
  await compareFirst(bench)
  await begin(bench)
  trading.fillResting('0.02')
  await followed(bench, 0.02)
  await reach(bench, String(Number(standIn.price(symbol)) * 1.06))
  const isOver = async () => (await ended()).filter(({ status }) => status === 'DONE').length === 2
  await until('both signals to be done', isOver)
  const [opening, close] = await ended()
  assert.match(`${opening!.reason}`, /^Only 0\.02 of 0\.\d+ BTC was executed\. A newer signal/)
  assert.deepEqual([close!.origin, await size(), trading.balance('BTC')], ['take_profit', 0.01, '0.01'])
  await until('a stop for the rest', async () => Number(resting()[0]?.size) === 0.01)
  assert.deepEqual(bench.running.errors, [])
})

withDatabase(
  'in an account that was never compared, the stop waits for the end of the opening',
  async (place) => {
    await using bench = await open(place, 'futures')
    const { trading, resting, booked } = bench
    await begin(bench)
    for (const size of [0.01, 0.02]) {
      trading.fillResting('0.01')
      await until('the fill', async () => Number((await booked())[0]!.filledSize) === size)
    }
    assert.deepEqual([resting(), await bench.legs()], [[], []])
    trading.fillOpen()
    await until('a stop', async () => resting().length === 1)
    assert.equal(Number(resting()[0]!.size), await bench.size())
  },
)

withDatabase(
  'an opening that rests at its limit is protected part by part, also by the next node, and an exit ends it',
  async (place) => {
    await using bench = await open(place, 'futures')
    const { trading, standIn, add, booked, ended } = bench
    // Nobody has compared the account before.
    const price = standIn.price(bench.symbol)
    await add('LONG', { entry: { type: 'post_only', price: String(Number(price) - 100) } })
    await until('the opening', async () => (await booked()).at(-1)?.status === 'OPEN')
    trading.fillResting('0.01')
    await followed(bench, 0.01)
    await bench.running[Symbol.asyncDispose]()
    trading.fillResting('0.02')
    await using _ = await startBotWorker(bench.database, standIn, bench.options)
    await followed(bench, 0.03)
    await add('EXIT')
    const isOver = async () => (await ended(0)).filter(({ status }) => status === 'DONE').length === 2
    await until('both signals to be done', isOver)
    assert.match(
      `${(await ended(0))[0]!.reason}`,
      /^Only 0\.03 of 0\.\d+ BTC was executed\. A newer signal of/,
    )
    await until('the legs to be over', async () => (await live(bench)).length === 0)
    assert.deepEqual(
      [trading.position(bench.symbol), await bench.size(), bench.resting().length],
      ['0', 0, 0],
    )
    assert.deepEqual(
      trading.orders().filter(({ status }) => status === 'open'),
      [],
    )
    await bench.compared('AGREES')
  },
)
