/** Closes on spot, when the account has fewer coins than the books. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../../test/databases.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { botSignals } from '../../db/schema.ts'
import { Reconciliations } from './reconciliations.ts'

type Bench = Awaited<ReturnType<typeof openBench>>

/** An EXIT, and what the database says about it. */
async function exit({ database, owner, botId, symbol }: Bench) {
  const id = await addSignal(database, { ...owner, botId }, symbol, 'EXIT')
  return async () => {
    const [row] = await database.db.select().from(botSignals).where(eq(botSignals.id, id))
    return row!
  }
}

const sold = ({ trading }: Bench) =>
  trading.orders().flatMap(({ side, size }) => (side === 'sell' ? [Number(size)] : []))

withDatabase(
  'a close sells what the account has, stays wanted for the rest, and ends when the coins are back',
  async (place) => {
    await using bench = await openBench(await place.open(), { service: 'spot' })
    await bench.follow(bench.owner, 'LONG')
    await bench.compared('AGREES')
    const held = await bench.size()
    bench.trading.setBalance('BTC', '0.04')
    await bench.compared('DIFFERS')
    const signal = await exit(bench)
    await until('the close to wait for the rest', async () => {
      const { status, reason } = await signal()
      return status === 'CLOSING' && /The account has only 0 BTC free/.test(reason ?? '')
    })
    assert.deepEqual(sold(bench), [0.04])
    assert.equal((await signal()).refusals, 0, 'the exchange had nothing to refuse')
    bench.trading.setBalance('BTC', '1')
    await until('the EXIT to end', async () => (await signal()).status === 'DONE')
    const total = sold(bench).reduce((sum, size) => sum + size, 0)
    // The fee was paid in BTC, so that a remainder below the size step stays.
    assert.ok(held - total < 0.00001 && total <= held, `${total} of ${held}`)
    assert.ok((await bench.size()) < 0.00001)
    assert.deepEqual(bench.running.errors, [])
  },
)

withDatabase(
  'a close that the exchange refuses for lack of coins sells what is there, and the owner can adopt the rest',
  async (place) => {
    const database = await place.open()
    // So rarely that only the close compares.
    const timing = { everyMs: 3_600_000, pauseMs: 15, lookMs: 3_600_000 }
    await using bench = await openBench(database, { service: 'spot', timing })
    await bench.follow(bench.owner, 'LONG')
    bench.trading.setBalance('BTC', '0.04')
    const signal = await exit(bench)
    await until('the sale', async () => (await bench.size()) < 0.07)
    await until('the close to wait', async () => /only 0 BTC free/.test((await signal()).reason ?? ''))
    const { userId } = bench.owner
    await new Reconciliations(database).decide(userId, bench.botId, bench.symbol, 'ADOPTED', noNote)
    await until('the EXIT to end', async () => (await signal()).status === 'DONE')
    assert.deepEqual(
      (await bench.fills()).map(({ kind, side }) => `${kind} ${side}`),
      ['order buy', 'order sell', 'adopted sell'],
    )
    assert.equal(await bench.size(), 0)
  },
)
