/** Targets of live positions that rest at the exchange, with parts that are executed and nodes that die. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { openBench, startBotWorker, type WorkerOptions } from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { until } from '../../../test/until.ts'
import type { Database } from '../../db/database.ts'
import { botSignals, bots, orders, protectionLegs, signals } from '../../db/schema.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { noProtection } from '../../trading/protection/settings.ts'

const protection = {
  ...noProtection,
  stop_loss: '2%',
  take_profit: [
    { at: '1%', part: '0.5' },
    { at: '2%', part: '0.5' },
  ],
}
const plainLegs = { change: (legs: LegVenue) => legs }

async function open(place: TestDatabase, options: Partial<WorkerOptions> = {}) {
  const database = await place.open()
  const all: WorkerOptions = { service: 'futures', legs: plainLegs, ...options }
  const bench = await openBench(database, all, { protection })
  const { db } = database
  const { botId, trading } = bench
  return {
    ...bench,
    db,
    stops: stopsOf(bench.standIn),
    legs: () =>
      db.select().from(protectionLegs).where(eq(protectionLegs.botId, botId)).orderBy(protectionLegs.id),
    orders: () => db.select().from(orders).where(eq(orders.botId, botId)).orderBy(orders.id),
    closes: () =>
      db
        .select({ origin: signals.origin, status: botSignals.status, reason: botSignals.reason })
        .from(botSignals)
        .innerJoin(signals, eq(signals.id, botSignals.signalId))
        .where(eq(botSignals.botId, botId))
        .orderBy(botSignals.id),
    /** The limit orders that rest at the exchange. */
    targets: () => trading.orders().filter(({ limit, status }) => limit !== undefined && status === 'open'),
  }
}

type Bench = Awaited<ReturnType<typeof open>>

const sum = (all: readonly { size: string }[]) => all.reduce((total, { size }) => total + Number(size), 0)

/** Waits until the stop and so many targets rest, are confirmed, and are for the whole position. */
async function armed({ stops, targets, trading, symbol, legs, size }: Bench, count: number) {
  await until(
    'the legs to be confirmed',
    async () => {
      const held = Math.abs(Number(trading.position(symbol)))
      const live = (await legs()).filter(({ status }) => status === 'OPEN')
      const isWhole = sum(stops.open()) === held && (count === 0 || Math.abs(sum(targets()) - held) < 1e-9)
      return (
        isWhole &&
        stops.open().length === 1 &&
        targets().length === count &&
        live.length === count + 1 &&
        Math.abs(Math.abs(await size()) - held) < 1e-9
      )
    },
    longPatienceMs,
  )
}

/** The books have the fills of a signal a moment before it ends. */
async function allDone({ closes }: Bench) {
  const areDone = async () => (await closes()).every(({ status }) => status === 'DONE')
  await until('all signals to be done', areDone, longPatienceMs)
}

async function nothingOpen({ stops, targets, legs, size, trading, symbol }: Bench) {
  await until('the books to be flat', async () => (await size()) === 0, longPatienceMs)
  await until('no order to rest', async () => stops.open().length + targets().length === 0, longPatienceMs)
  const isOver = (status: string) => ['TRIGGERED', 'CANCELED', 'REJECTED'].includes(status)
  await until(
    'the legs to be over',
    async () => (await legs()).every(({ status }) => isOver(status)),
    longPatienceMs,
  )
  assert.equal(trading.position(symbol), '0')
}

// OKX counts in contracts.
for (const exchange of ['binance', 'okx']) {
  withDatabase(
    `${exchange}: targets rest at the exchange, and what they execute counts once`,
    async (place) => {
      await using bench = await open(place, { exchange })
      const { standIn, symbol } = bench
      await bench.follow(bench.owner, 'LONG')
      await armed(bench, 2)
      const [near, far] = bench.targets()
      assert.deepEqual([near!.side, near!.reduceOnly], ['sell', true])
      const whole = await bench.size()
      standIn.setPrice(symbol, Number(near!.limit))
      await armed(bench, 1)
      assert.ok(Math.abs((await bench.size()) - whole / 2) < 1e-4)
      await allDone(bench)
      assert.deepEqual((await bench.closes()).at(-1), { origin: 'take_profit', status: 'DONE', reason: null })
      standIn.setPrice(symbol, Number(far!.limit))
      await nothingOpen(bench)
      await bench.compared('AGREES')
      await allDone(bench)
      assert.deepEqual(
        (await bench.closes()).map(({ origin, status }) => `${origin} ${status}`),
        ['null DONE', 'take_profit DONE', 'take_profit DONE'],
      )
      assert.deepEqual(
        (await bench.fills()).map(({ kind }) => kind),
        ['order', 'order', 'order'],
      )
      assert.deepEqual(await bench.events(), [])
    },
  )
}

withDatabase('a part of a target counts at once, and the rest of it and the stop go on', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'SHORT')
  await armed(bench, 2)
  bench.trading.fillResting('0.01')
  await armed(bench, 2)
  await bench.compared('AGREES')
  const closes = (await bench.orders()).filter(({ purpose }) => purpose === 'close')
  assert.equal(closes.length, 2)
  assert.ok(
    closes.every(
      ({ status, legId, size, filledSize }) => status !== 'OPEN' && legId !== null && size === filledSize,
    ),
  )
  await allDone(bench)
  assert.ok(
    (await bench.closes())
      .slice(1)
      .every(({ origin, status }) => origin === 'take_profit' && status === 'DONE'),
  )
  await bench.follow(bench.owner, 'EXIT')
  await nothingOpen(bench)
})

withDatabase(
  'an exit cancels the targets first, counts what they have executed, and closes the rest',
  async (place) => {
    const cancelled: string[] = []
    const change = (legs: LegVenue): LegVenue => ({
      ...plainOf(legs),
      cancel: async (leg) => {
        const isFlat = bench.trading.position(bench.symbol) === '0'
        cancelled.push(`${leg.isTarget === true ? 'target' : 'stop'} ${isFlat ? 'after' : 'before'}`)
        await legs.cancel(leg)
      },
    })
    await using bench = await open(place, { legs: { change } })
    await bench.follow(bench.owner, 'LONG')
    await armed(bench, 2)
    await bench.follow(bench.owner, 'EXIT')
    await nothingOpen(bench)
    const first = cancelled.findIndex((what) => what.startsWith('stop'))
    assert.deepEqual([...new Set(cancelled.slice(0, first))], ['target before'])
    assert.deepEqual([...new Set(cancelled.slice(first))], ['stop after'])
    await bench.follow(bench.owner, 'LONG')
    await armed(bench, 2)
    bench.trading.fillResting('0.02')
    assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
    await nothingOpen(bench)
    await bench.compared('AGREES')
    assert.ok((await bench.fills()).every(({ kind: of }) => of === 'order'))
  },
)

withDatabase(
  'an exit that waits while a target is executed closes what the target has left, and is not replaced by it',
  async (place) => {
    let races = false
    let exit: ReturnType<typeof bench.follow> | undefined
    const change = (legs: LegVenue): LegVenue => ({
      ...plainOf(legs),
      lookUp: async (leg) => {
        if (races && leg.isTarget === true) {
          races = false
          bench.trading.fillResting('0.02')
          const before = (await bench.closes()).length
          // Its turn comes after that of the look that finds the execution.
          exit = bench.follow(bench.owner, 'EXIT')
          await until('the exit to be queued', async () => (await bench.closes()).length > before)
        }
        return legs.lookUp(leg)
      },
    })
    await using bench = await open(place, { legs: { change } })
    await bench.follow(bench.owner, 'LONG')
    await armed(bench, 2)
    races = true
    await until('the exit', async () => exit !== undefined, longPatienceMs)
    assert.equal((await exit!).status, 'DONE')
    await nothingOpen(bench)
    await bench.compared('AGREES')
    await allDone(bench)
    assert.ok((await bench.closes()).some(({ origin }) => origin === 'take_profit'))
    // Each execution counts once, and none as one of a stranger.
    const fills = await bench.fills()
    assert.ok(fills.every(({ kind: of }) => of === 'order'))
    const sold = fills.filter(({ side }) => side === 'sell').reduce((sum, { size }) => sum + Number(size), 0)
    assert.ok(Math.abs(sold - Number(fills[0]!.size)) < 1e-9)
  },
)

withDatabase('an exit that waits for its owner still waits after a target was executed', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await armed(bench, 2)
  // As one that came while trading was halted.
  const waiting = await bench.db.transaction(async (db) => {
    const id = await addSignal(
      { db } as unknown as Database,
      { ...bench.owner, botId: bench.botId },
      bench.symbol,
      'EXIT',
    )
    await db.update(botSignals).set({ status: 'WAITING' }).where(eq(botSignals.id, id))
    return id
  })
  bench.trading.fillResting('0.02')
  const isBooked = ({ origin, status }: { origin: string | null; status: string }) =>
    origin === 'take_profit' && status === 'DONE'
  await until(
    'both fills to be booked',
    async () => (await bench.closes()).filter(isBooked).length === 2,
    longPatienceMs,
  )
  const [row] = await bench.db.select().from(botSignals).where(eq(botSignals.id, waiting))
  assert.equal(row!.status, 'WAITING')
})

withDatabase('a target that the account cannot have is not stored, and the stop rests', async (place) => {
  let asked = 0
  const change = (legs: LegVenue): LegVenue => ({
    ...plainOf(legs),
    canHave: async () => {
      asked += 1
      return false
    },
  })
  await using bench = await open(place, { legs: { change } })
  await bench.follow(bench.owner, 'LONG')
  // Both targets, and after the pause both again.
  await until('it to be asked again', async () => asked >= 4, longPatienceMs)
  await armed(bench, 0)
  assert.deepEqual(
    (await bench.legs()).map(({ target, status }) => [target, status]),
    [[null, 'OPEN']],
  )
})

withDatabase('a node that dies right after it sent a target leaves one order for each', async (place) => {
  let deaths = 0
  const over = Promise.withResolvers<void>()
  const change = (legs: LegVenue): LegVenue => ({
    ...plainOf(legs),
    place: async (leg) => {
      if (deaths > 0 || leg.isTarget !== true) return legs.place(leg)
      deaths += 1
      await legs.place(leg)
      // The process is gone: it does nothing more.
      await over.promise
      throw new Error('The node died.')
    },
  })
  await using bench = await open(place, { legs: { change } })
  await bench.follow(bench.owner, 'LONG')
  await until('the death', async () => deaths === 1, longPatienceMs)
  // As after the kill of a node: it holds nothing any more.
  await bench.database.db.update(bots).set({ holder: null }).where(eq(bots.id, bench.botId))
  await using _ = await startBotWorker(bench.database, bench.standIn, { service: 'futures', legs: plainLegs })
  await armed(bench, 2)
  const ids = bench.trading
    .orders()
    .flatMap(({ limit, clientOrderId }) => (limit === undefined ? [] : [clientOrderId]))
  assert.deepEqual([ids.length, new Set(ids).size], [2, 2])
  over.resolve()
})

withDatabase('the stop closes the position, and then no target rests', async (place) => {
  await using bench = await open(place)
  await bench.follow(bench.owner, 'LONG')
  await armed(bench, 2)
  bench.standIn.setPrice(bench.symbol, Number(bench.stops.open()[0]!.price) - 1)
  await nothingOpen(bench)
  await bench.compared('AGREES')
  assert.equal((await bench.closes()).at(-1)!.origin, 'stop_loss')
})

withDatabase('whatever happens to requests, the targets rest once in the end', async (place) => {
  await using bench = await open(place)
  for (const failure of ['before-cut', 'after-5xx', 'late', 'reject'] as const) {
    await bench.follow(bench.owner, 'LONG')
    bench.trading.failNext(failure, 'order')
    bench.trading.failNext('before-cut', 'question')
    await armed(bench, 2)
    await bench.follow(bench.owner, 'EXIT')
    await nothingOpen(bench)
    bench.trading.calm()
  }
  const ids = bench.trading.orders().map(({ clientOrderId }) => clientOrderId)
  assert.equal(new Set(ids).size, ids.length)
})

function plainOf(legs: LegVenue): LegVenue {
  return {
    locksFunds: legs.locksFunds,
    keepsTargets: legs.keepsTargets === true,
    clientId: (id) => legs.clientId(id),
    priceStep: (symbol) => legs.priceStep(symbol),
    place: (leg) => legs.place(leg),
    lookUp: (leg) => legs.lookUp(leg),
    cancel: (leg) => legs.cancel(leg),
  }
}
