/** Open orders in the account of a bot that are not its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDatabase } from '../../../test/databases.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { plannedIdOf } from './open-orders.ts'
import { Reconciliations } from './reconciliations.ts'

withDatabase(
  'the record counts open orders of others, and an unknown order with an id of the service is a difference until it is cancelled',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    await bench.follow(bench.owner, 'LONG')
    await until('a reading of open orders', async () => (await bench.read())?.openOrders === 0)
    bench.trading.setFills('never')
    const { symbol } = bench
    const orderOf = (clientOrderId: string) => ({
      ...({ clientOrderId, symbol, side: 'buy', purpose: 'open', reduceOnly: false, size: '0.01' } as const),
    })
    assert.equal((await bench.running.venue.place(orderOf('by-hand'))).status, 'placed')
    await until('the order by hand', async () => (await bench.read())?.openOrders === 1)
    await bench.compared('AGREES')

    const lost = orderOf('tw0abc12z9-7-o')
    await bench.running.venue.place(lost)
    await bench.compared('DIFFERS')
    const row = (await bench.read())!
    assert.match(row.reason!, /tw0abc12z9-7-o\. Cancel them at the exchange/)
    assert.equal(row.openOrders, 2)
    assert.match((await bench.books.openingObstacle(symbol))!, /tw0abc12z9-7-o/)
    await bench.compared('DIFFERS')
    assert.deepEqual(await bench.events(), ['DIFFERED'])
    const reconciliations = new Reconciliations(database)
    for (const decision of ['ADOPTED', 'IGNORED'] as const) {
      await assert.rejects(
        reconciliations.decide(bench.owner.userId, bench.botId, symbol, decision, noNote),
        /tw0abc12z9-7-o/,
      )
    }

    await bench.running.venue.cancel(lost)
    await bench.compared('AGREES')
    assert.deepEqual(await bench.events(), ['DIFFERED', 'AGREED'])
    assert.equal(await bench.books.openingObstacle(symbol), null)
    assert.equal((await bench.read())!.openOrders, 1)
    assert.deepEqual(bench.running.errors, [])
  },
)

test('ids of the service are recognised as exchanges report them', () => {
  assert.equal(plannedIdOf('tw0abc12z9-7-c2'), 'tw0abc12z9-7-c2')
  assert.equal(plannedIdOf('t-tw0abc12z9-7-o'), 'tw0abc12z9-7-o')
  for (const id of [null, '', 'tw-7-o', 'two-legs-1', 'x-tw0abc12z9-7-o', '0x00ff'])
    assert.equal(plannedIdOf(id), null)
})
