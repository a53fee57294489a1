/** Stops that come too late, because the exchange liquidates the position before. */
import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import { patienceMs } from '../../../test/patience.ts'
import { openBench, type WorkerOptions } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { exchangeConnections, notifications } from '../../db/schema.ts'
import { noProtection } from '../../trading/protection/settings.ts'

withDatabase(
  'a stop beyond what the whole account can lose is refused, and one beyond the liquidation is told once',
  async (place) => {
    const database = await place.open()
    const { db } = database
    const subscribers = { hears: () => true, onTold: () => undefined }
    const protection = { ...noProtection, stop_loss: '25%' }
    // Enough for the margin of 300 USDT, and not for the loss of 1500 USDT.
    const prepare: WorkerOptions['prepare'] = (trading) => trading.setBalance('USDT', '400')
    const options: WorkerOptions = { service: 'futures', subscribers, prepare }
    await using bench = await openBench(database, options, { protection })
    const { trading, owner, symbol } = bench
    await db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
      values (${owner.userId}, '\\x00', '{stop.too_late}', '\\x00')`)
    const last = { equity: '400', equityCurrency: 'USDT' }
    await db.update(exchangeConnections).set(last).where(eq(exchangeConnections.id, owner.connectionId))
    const refused = await bench.follow(owner, 'LONG')
    assert.equal(refused.status, 'REFUSED')
    assert.match(
      refused.reason!,
      /^The account is worth 400 USDT, which a long of 0\.\d+ from 6\d+\.\d+ on has used up at 5\d+\.?\d*, and its stop would be at 45\d+\.?\d*, too late\. Open less, or use a closer stop\.$/,
    )
    assert.equal(trading.orders().length, 0)
    // Another position could gain meanwhile, so nobody knows.
    trading.trade('ETH/USDT:USDT', 'sell', '0.01')
    assert.equal((await bench.follow(owner, 'LONG')).status, 'DONE')
    const told = () => db.select().from(notifications)
    await until('the owner to be told', async () => (await told()).length > 0, patienceMs)
    const { at: _, bot_id, ...data } = (await told())[0]!.data
    assert.equal(bot_id, bench.botId)
    assert.deepEqual(Object.keys(data), [
      ...['bot_name', 'mode', 'demo', 'symbol', 'stop_price', 'liquidation_price', 'reason'],
    ])
    assert.match(
      `${data.reason}`,
      /^The position would be liquidated at .* too late\. Use a closer stop, or add/,
    )
    // The exchange says it again, about a larger position.
    await bench.compared('AGREES')
    const held = await bench.size()
    trading.trade(symbol, 'buy', '0.01')
    await until('the trade to be booked', async () => (await bench.size()) > held, patienceMs)
    await until('what it says', async () => (await bench.position())?.margin !== null, patienceMs)
    await bench.compared('AGREES')
    assert.equal((await told()).length, 1)
  },
)
