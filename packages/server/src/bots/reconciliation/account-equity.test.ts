import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { bots, equity } from '../../db/schema.ts'
import type { Change } from '../../live/changes.ts'

withDatabase(
  'a live bot without a start balance starts with the money of its account, once',
  async (place) => {
    const database = await place.open()
    const prepare = ({ setBalance }: { setBalance(asset: string, amount: string): void }) =>
      setBalance('USDT', '4321.5')
    const settings = { symbols: ['BTCUSDT'], amount: '100', startBalance: null }
    const told: Change[] = []
    const onChange = (change: Change) => told.push(change)
    await using bench = await openBench(database, { service: 'spot', prepare, onChange }, settings)
    const start = async () => {
      const [bot] = await database.db.select().from(bots).where(eq(bots.id, bench.botId))
      return bot!.settings.startBalance
    }
    await until('the start balance', async () => told.length > 0)
    assert.equal(await start(), '4321.5')
    assert.deepEqual(told, [{ kind: 'status', id: bench.botId, part: 'bot' }])
    bench.trading.setBalance('USDT', '9000')
    await bench.compared('AGREES')
    assert.equal((await bench.follow(bench.owner, 'LONG')).status, 'DONE')
    assert.equal(await start(), '4321.5')
    const [point] = await database.db.select().from(equity).where(eq(equity.botId, bench.botId))
    assert.ok(Number(point!.balance) < 4321.5 && Number(point!.balance) > 4321)
  },
)
