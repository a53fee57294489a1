/** Bots whose accounts change at the exchange without them. */
import assert from 'node:assert/strict'
import { eachDatabase, oneDatabase } from '../../../test/databases.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'

eachDatabase(
  'a position that its owner closes by hand is flat in the books, and the next EXIT has nothing to do',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    assert.equal((await bench.follow(bench.owner, 'LONG')).status, 'DONE')
    await bench.compared('AGREES')
    const held = bench.trading.position(bench.symbol)
    bench.standIn.setPrice(bench.symbol, 61_000)
    bench.trading.trade(bench.symbol, 'sell', held)
    await until('the books to be flat', async () => (await bench.size()) === 0)
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

oneDatabase(
  'a liquidation and a partial close by hand are booked once each, with the kind that the exchange gives',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    await bench.follow(bench.owner, 'SHORT')
    await bench.compared('AGREES')
    bench.trading.trade(bench.symbol, 'buy', '0.04')
    await until('the partial close', async () => (await bench.fills()).length === 2)
    assert.equal(await bench.size(), Number(bench.trading.position(bench.symbol)))
    await bench.compared('AGREES')
    bench.trading.trade(bench.symbol, 'buy', bench.trading.position(bench.symbol).slice(1), 'liquidation')
    await until('the books to be flat', async () => (await bench.size()) === 0)
    await bench.compared('AGREES')
    await bench.compared('AGREES')
    assert.equal((await bench.fills()).length, 3)
  },
)
