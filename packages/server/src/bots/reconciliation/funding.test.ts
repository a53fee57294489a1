import assert from 'node:assert/strict'
import { desc, eq } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import type { Trading } from '../../../test/exchanges/trading.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { decimal } from '../../base/decimals.ts'
import { equity } from '../../db/schema.ts'
import { Reconciliations } from './reconciliations.ts'

withDatabase(
  'funding is booked once, only while the bot holds a position, and it counts as profit',
  async (place) => {
    const database = await place.open()
    await using bench = await openBench(database, { service: 'futures' })
    await bench.follow(bench.owner, 'LONG')
    await bench.compared('AGREES')
    const { realised } = (await bench.position())!
    const filled = (await bench.fills()).map(({ filledAt }) => filledAt.getTime())
    const paidAt = Math.max(...filled) + 1
    await until('a time after that of the payment', async () => Date.now() > paidAt)
    const before = Date.now()
    bench.trading.payFunding(bench.symbol, '-1.25', paidAt)
    await until('the payment', async () => (await bench.payments()).length === 1)
    bench.trading.payFunding(bench.symbol, '0.5')
    await until('the second payment', async () => (await bench.payments()).length === 2)
    await bench.compared('AGREES')
    const held = (await bench.position())!
    assert.deepEqual([Number(held.funding), Number(held.realised)], [-0.75, Number(realised) - 0.75])
    assert.equal(Number(await bench.books.realisedSince(1)), Number(held.realised))
    const [first] = await bench.payments()
    assert.equal(first!.paidAt.getTime(), paidAt)
    const sincePayment = await bench.books.realisedSince(first!.paidAt.getTime())
    assert.equal(Number(sincePayment), -0.75, 'the loss of a time includes its funding')
    const points = await database.db
      .select()
      .from(equity)
      .where(eq(equity.botId, bench.botId))
      .orderBy(equity.id)
    assert.equal(Number(points.at(-1)!.balance), 10_000 + Number(held.realised))
    assert.ok(points.at(-2)!.at.getTime() >= before, 'a point has the time of its prices')
    await bench.follow(bench.owner, 'EXIT')
    bench.trading.payFunding(bench.symbol, '-9')
    await bench.compared('AGREES')
    await bench.compared('AGREES')
    assert.equal((await bench.payments()).length, 2)
    assert.deepEqual(bench.running.errors, [])
  },
)

withDatabase('of a position with an ignored part, the bot pays its share of the funding', async (place) => {
  const database = await place.open()
  const prepare = (trading: Trading) => trading.trade('BTC/USDT:USDT', 'buy', '0.3')
  await using bench = await openBench(
    database,
    { service: 'futures', prepare },
    { symbols: ['BTCUSDT'], amount: '6001.01' },
  )
  await bench.compared('DIFFERS')
  const reconciliations = new Reconciliations(database)
  await reconciliations.decide(bench.owner.userId, bench.botId, bench.symbol, 'IGNORED', noNote)
  await bench.compared('AGREES')
  await bench.follow(bench.owner, 'LONG')
  await bench.compared('AGREES')
  assert.equal(await bench.size(), 0.1)
  bench.trading.payFunding(bench.symbol, '-4')
  await until('the payment', async () => (await bench.payments()).length === 1)
  const [payment] = await bench.payments()
  assert.deepEqual([payment!.amount, payment!.value].map(Number), [-1, -1])
})

withDatabase(
  'funding before the first comparison is booked, though the position is closed by then',
  async (place) => {
    await using bench = await openBench(await place.open(), {
      service: 'futures',
      timing: { everyMs: 1_000, lookMs: 1_000 },
    })
    await bench.follow(bench.owner, 'LONG')
    bench.trading.payFunding(bench.symbol, '-1.5')
    await bench.follow(bench.owner, 'EXIT')
    await until('the payment', async () => (await bench.payments()).length > 0)
    assert.equal((await bench.payments())[0]!.amount, '-1.5')
    const gained = Number(bench.trading.balance('USDT')) - 1_000_000
    const { realised } = (await bench.position())!
    assert.ok(Math.abs(Number(realised) - gained) < 1e-6)
    const [last] = await bench.database.db
      .select()
      .from(equity)
      .where(eq(equity.botId, bench.botId))
      .orderBy(desc(equity.at), desc(equity.id))
      .limit(1)
    assert.ok(decimal(last!.balance).eq(decimal(realised).plus('10000')), 'the latest point has all payments')
  },
)
