/** Bots whose accounts change at the exchange without them. */
import assert from 'node:assert/strict'
import { and, inArray, lt, sql } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import type { Trading } from '../../../test/exchanges/trading.ts'
import { addBot, openBench, recordsOf } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { notifications, positions, reconciliations } from '../../db/schema.ts'
import { asMoney } from '../shown-figures.ts'
import { Reconciliations } from './reconciliations.ts'

type Bench = Awaited<ReturnType<typeof openBench>>

/**
 * Makes trades up to now too old to explain a later difference, as a quarter of an hour would. A comparison under way
 * may write what it read before, so this goes on until two later ones agree.
 */
async function forgetTrades({ db }: Database, bots: Pick<Bench, 'botId' | 'compared'>[]): Promise<void> {
  const knownUntil = new Date()
  const isOlder = and(
    inArray(
      reconciliations.botId,
      bots.map(({ botId }) => botId),
    ),
    lt(reconciliations.knownUntil, knownUntil),
  )
  await until('old trades to be forgotten', async () => {
    await db.update(reconciliations).set({ knownUntil }).where(isOlder)
    for (const { compared } of bots) await compared('AGREES')
    return (await db.$count(reconciliations, isOlder)) === 0
  })
}

withDatabase(
  'a position that its owner closes by hand is flat in the books, and the next EXIT has nothing to do',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    assert.equal((await bench.follow(bench.owner, 'LONG')).status, 'DONE')
    await bench.compared('AGREES')
    const margin = async () => (await database.db.select().from(positions))[0]?.margin
    await until('the margin of the position', async () => (await margin()) !== null)
    const entry = Number(bench.trading.orders()[0]!.trades[0]!.price)
    const { liquidationPrice, ...others } = (await margin())!
    assert.deepEqual(others, { leverage: '20', mode: 'cross' })
    assert.equal(Math.round(Number(liquidationPrice)), Math.round(entry * 0.8))
    const held = bench.trading.position(bench.symbol)
    bench.standIn.setPrice(bench.symbol, 61_000)
    bench.trading.trade(bench.symbol, 'sell', held)
    await until('the books to be flat', async () => (await bench.size()) === 0)
    assert.equal(await margin(), null)
    assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'IGNORED')
    const [, outside] = await bench.fills()
    const [trade] = bench.trading.orders().at(-1)!.trades
    const { kind, orderId, side, tradeId, size, price, fee } = outside!
    assert.deepEqual([kind, orderId, side, tradeId], ['external', null, 'sell', trade!.id])
    assert.deepEqual([size, price, fee].map(Number), [trade!.size, trade!.price, trade!.fee].map(Number))
    assert.deepEqual(await bench.events(), ['BOOKED'])
    assert.deepEqual(bench.running.errors, [])
  },
)

withDatabase(
  'a liquidation, ADL and a partial close by hand are booked once each, with their kinds, and the owner hears of each',
  async (place) => {
    const database = await place.open()
    const subscribers = { hears: () => true, onTold: () => undefined }
    await using bench = await openBench(database, { service: 'futures', subscribers })
    await database.db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
    values (${bench.owner.userId}, '\\x00', '{position.opened,position.closed,position.closed_outside,position.liquidated}', '\\x00')`)
    await bench.follow(bench.owner, 'SHORT')
    await bench.compared('AGREES')
    const closes = [['order', '0.04'] as const, ['adl', '0.03'] as const, ['liquidation', null] as const]
    for (const [index, [kind, part]] of closes.entries()) {
      const size = part ?? bench.trading.position(bench.symbol).slice(1)
      bench.trading.trade(bench.symbol, 'buy', size, kind)
      await until(`the close by ${kind}`, async () => (await bench.fills()).length === index + 2)
      assert.equal(await bench.size(), Number(bench.trading.position(bench.symbol)))
      await bench.compared('AGREES')
    }
    await bench.compared('AGREES')
    const booked = (await bench.fills()).map(({ kind }) => kind)
    assert.deepEqual(booked, ['order', 'external', 'adl', 'liquidation'])
    const told = await database.db.select().from(notifications).orderBy(notifications.id)
    assert.deepEqual(
      told.map(({ type }) => type),
      [
        ...['position.opened', 'position.closed_outside', 'position.liquidated'],
        ...['position.liquidated', 'position.closed'],
      ],
    )
    const { realised, kind, ...closed } = told.at(-1)!.data
    const [position] = await database.db.select().from(positions)
    assert.equal(realised, asMoney(position!.realised))
    assert.deepEqual([kind, closed.side, closed.mode], ['liquidation', 'short', 'live'])
    for (const { data } of told) assert.deepEqual([data.mode, data.demo], ['live', false])
  },
)

const owns = ({ owner, botId, database }: Bench) => ({
  decide: (decision: 'ADOPTED' | 'IGNORED', symbol = 'btcusdt') =>
    new Reconciliations(database).decide(owner.userId, botId, symbol, decision, noNote),
})

withDatabase(
  'a difference that no trade explains stops openings until its owner adopts the number of the account',
  async (place) => {
    const database = await place.open()
    let told = 0
    const subscribers = { hears: () => true, onTold: () => told++ }
    await using bench = await openBench(database, { service: 'futures', subscribers })
    await database.db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
    values (${bench.owner.userId}, '\\x00', '{books.differ,position.closed_outside,position.liquidated}', '\\x00')`)
    await bench.follow(bench.owner, 'LONG')
    await bench.compared('AGREES')
    const { decide } = owns(bench)
    await assert.rejects(decide('ADOPTED'), /do not differ now/)
    // The position is gone, and the exchange lists no trade.
    bench.trading.forget()
    await bench.compared('DIFFERS')
    await bench.compared('DIFFERS')
    assert.deepEqual(await bench.events(), ['DIFFERED'])
    const row = (await bench.read())!
    assert.deepEqual([row.booksSize, row.accountSize].map(Number), [0.09998, 0])
    assert.match(row.reason!, /The books hold 0\.09998 BTC, and the account holds 0 BTC: 0\.09998 BTC less/)
    assert.match(
      (await bench.books.openingObstacle(bench.symbol))!,
      /opens nothing there\. The books hold 0\.09998/,
    )
    // Two decisions at once are one. If a comparison comes in between, there is nothing left to decide.
    const decisions = await Promise.allSettled([decide('ADOPTED'), decide('ADOPTED')])
    const refusals = decisions.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    assert.ok(refusals.length < 2 && refusals.every((why) => /do not differ now/.test(why)), refusals.join())
    await bench.compared('AGREES')
    assert.equal(await bench.size(), 0)
    assert.equal(await bench.books.openingObstacle(bench.symbol), null)
    await assert.rejects(decide('ADOPTED'), /do not differ now/)
    const kinds = (await bench.fills()).map(({ kind }) => kind)
    assert.deepEqual(kinds.filter((kind) => kind === 'adopted').length, 1)
    const stored = await database.db.select().from(notifications)
    assert.deepEqual([...new Set(stored.map(({ type }) => type))], ['books.differ'])
    assert.deepEqual([stored[0]!.data.mode, stored[0]!.data.demo], ['live', false])
  },
)

withDatabase(
  "an ignored part stays the owner's: the bot opens and closes beside it, and a close by hand reduces it first",
  async (place) => {
    const database = await place.open()
    const prepare = (trading: Trading) => trading.trade('BTC/USDT:USDT', 'buy', '0.5')
    const settings = { symbols: ['BTCUSDT'] }
    await using bench = await openBench(database, { service: 'futures', prepare }, settings)
    await bench.compared('DIFFERS')
    await owns(bench).decide('IGNORED', 'BTC/USDT:USDT')
    await bench.compared('AGREES')
    assert.equal((await bench.follow(bench.owner, 'LONG')).status, 'DONE')
    await bench.compared('AGREES')
    assert.ok((await bench.size()) < 0.2)
    bench.trading.trade(bench.symbol, 'sell', '0.5')
    await until('the ignored part to be gone', async () => Number((await bench.read())!.ignoredSize) === 0)
    assert.equal((await bench.fills()).length, 1)
    assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
    await bench.compared('AGREES')
    assert.deepEqual([await bench.size(), Number(bench.trading.position(bench.symbol))], [0, 0])
  },
)

withDatabase(
  'an account that cannot be read decides nothing, and what happened meanwhile is booked afterwards',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    await bench.follow(bench.owner, 'LONG')
    await bench.compared('AGREES')
    bench.trading.setMaintenance(true)
    bench.trading.trade(bench.symbol, 'sell', bench.trading.position(bench.symbol))
    for (let times = 0; times < 60; times++) bench.trading.failNext('before-5xx', 'question')
    await bench.compared('UNREACHABLE')
    assert.ok((await bench.size()) > 0)
    bench.trading.setMaintenance(false)
    bench.trading.calm()
    await until('the books to be flat', async () => (await bench.size()) === 0)
    await bench.compared('AGREES')
  },
)

withDatabase(
  "on spot, a sale by hand reduces the largest holding first, and other coins are the owner's",
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'spot' })
    const other = await addBot(database, bench.owner, { amount: '3000' })
    const others = recordsOf(database, other, bench.symbol)
    bench.trading.setBalance('BTC', '1')
    await bench.follow(bench.owner, 'LONG')
    bench.running.worker.wake([other])
    await others.follow(bench.owner, 'LONG')
    const sizes = async () => [await bench.size(), await others.size()]
    const before = await sizes()
    // First the owner's own coin, and then 0.06 of the bots' coins.
    bench.trading.trade(bench.symbol, 'sell', '1')
    await bench.compared('AGREES')
    assert.deepEqual(await sizes(), before)
    bench.trading.trade(bench.symbol, 'sell', '0.06')
    const total = async () => Number(((await sizes())[0]! + (await sizes())[1]!).toFixed(8))
    await until('the sale', async () => (await total()) <= Number(bench.trading.balance('BTC')))
    assert.equal((await sizes())[1], before[1])
    assert.deepEqual(
      (await bench.fills()).map(({ kind }) => kind),
      ['order', 'external'],
    )
    await forgetTrades(database, [bench, { ...others, botId: other }])
    // A withdrawal.
    bench.trading.setBalance('BTC', '0.01')
    for (const [bot, records] of [[bench, bench] as const, [{ ...bench, botId: other }, others] as const]) {
      await records.compared('DIFFERS')
      const { decide } = owns(bot)
      await assert.rejects(decide('IGNORED', 'BTC/USDT'), /cannot sell what is not there/)
      await decide('ADOPTED', 'BTC/USDT')
      await records.compared('AGREES')
    }
    assert.deepEqual(await sizes(), [0, 0.01])
  },
)

withDatabase(
  'a position from before the bot is adopted at its entry price, and the bot can close it',
  async (place) => {
    const database = await place.open()
    const prepare = (trading: Trading) => trading.trade('BTC/USDT:USDT', 'sell', '0.2')
    await using bench = await openBench(database, { service: 'futures', prepare }, { symbols: ['BTCUSDT'] })
    await bench.compared('DIFFERS')
    bench.standIn.setPrice(bench.symbol, 55_000)
    await owns(bench).decide('ADOPTED')
    await bench.compared('AGREES')
    const [adopted] = await bench.fills()
    assert.deepEqual([adopted!.side, Number(adopted!.size), Number(adopted!.price)], ['sell', 0.2, 60_010.1])
    assert.equal((await bench.follow(bench.owner, 'EXIT')).status, 'DONE')
    assert.deepEqual([await bench.size(), Number(bench.trading.position(bench.symbol))], [0, 0])
  },
)

withDatabase(
  'an EXIT that the exchange refuses compares at once, and finds the close by hand',
  async (place) => {
    const database = await place.open()
    // So rarely that no other comparison happens.
    const timing = { everyMs: 3_600_000, pauseMs: 15, lookMs: 3_600_000 }
    await using bench = await openBench(database, { service: 'futures', timing })
    await bench.follow(bench.owner, 'LONG')
    bench.trading.trade(bench.symbol, 'sell', bench.trading.position(bench.symbol))
    await bench.follow(bench.owner, 'EXIT')
    assert.equal(await bench.size(), 0)
    assert.deepEqual(
      (await bench.fills()).map(({ kind }) => kind),
      ['order', 'external'],
    )
  },
)
