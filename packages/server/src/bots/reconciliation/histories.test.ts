/** Books and account, after histories in which anything may happen at any moment. */
import assert from 'node:assert/strict'
import { isNull } from 'drizzle-orm'
import fc from 'fast-check'
import { createTestDatabase, oneDatabase } from '../../../test/databases.ts'
import { differences, type HistoryBench, histories, play } from '../../../test/exchange-histories.ts'
import { startBinance } from '../../../test/exchanges/index.ts'
import { throwError } from '../../../test/postgres-template.ts'
import { addBot, addOwner, startBotWorker, symbolOf } from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { until } from '../../../test/until.ts'
import { openDatabase } from '../../db/open.ts'
import { botSignals, orders, positions, reconciliations } from '../../db/schema.ts'

const paidIn = '1000000'
const symbol = symbolOf('futures')
const kinds = [
  'failure',
  'funding',
  'outside',
  'refusedCloses',
  'maintenance',
  'price',
  'compare',
  'restart',
] as const
const runs = 2

type Exchange = Awaited<ReturnType<typeof startBinance>>

/** A database with one bot, and a service on it that can be restarted. */
async function openBench(standIn: Exchange) {
  await using acquired = new AsyncDisposableStack()
  const place = acquired.use(await createTestDatabase('pglite'))
  const start = async () => {
    await using starting = new AsyncDisposableStack()
    const database = await openDatabase(place, starting, throwError)
    const worker = starting.use(await startBotWorker(database, standIn, { service: 'futures' }))
    return { database, worker, stack: starting.move() }
  }
  let service = await start()
  acquired.defer(() => service.stack.disposeAsync())
  const owner = await addOwner(service.database)
  const botId = await addBot(service.database, owner)
  const db = () => service.database.db
  const checkedAt = async () => (await db().select().from(reconciliations))[0]?.checkedAt.getTime() ?? 0
  const bench: HistoryBench = {
    ...{ trading: standIn.trading, symbol, sizeStep: '0.001' },
    price: () => standIn.price(symbol),
    setPrice: (price) => standIn.setPrice(symbol, price),
    signal: async (action) => {
      await addSignal(service.database, { ...owner, botId }, symbol, action)
    },
    isIdle: async () => {
      const waiting = await db().select().from(botSignals).where(isNull(botSignals.finishedAt))
      return waiting.length === 0
    },
    compared: async () => {
      const from = Date.now()
      // A bot that never held anything has nothing to compare.
      const isNew = async () => (await db().select().from(positions)).length === 0
      await until('a comparison', async () => (await checkedAt()) > from || (await isNew()), 30_000)
    },
    restart: async () => {
      // Requests that are on their way end without an answer.
      await service.worker.venue.close()
      await service.stack.disposeAsync()
      service = await start()
    },
  }
  const kept = acquired.move()
  return {
    bench,
    booked: async () => (await db().select().from(positions))[0],
    plans: async () => (await db().select().from(orders)).map(({ clientOrderId }) => clientOrderId),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

oneDatabase(
  'after any history, the books of a bot are its account, and each order was planned and sent once',
  async () => {
    const property = fc.asyncProperty(histories(kinds, 8), async (history) => {
      await using standIn = await startBinance()
      standIn.trading.setBalance('USDT', paidIn)
      await using opened = await openBench(standIn)
      await play(opened.bench, history)
      const differing = async () => differences(opened.bench, await opened.booked(), paidIn)
      // The service books what happened without it once a second look has shown the same.
      await until('agreement', async () => (await differing()).length === 0).catch(() => undefined)
      assert.deepEqual(await differing(), [])
      const sent = standIn.trading.orders().flatMap(({ clientOrderId }) => clientOrderId || [])
      assert.equal(new Set(sent).size, sent.length, 'no order is sent twice')
      const planned = new Set(await opened.plans())
      assert.deepEqual(
        sent.filter((id) => !planned.has(id)),
        [],
        'each order has a plan',
      )
    })
    await fc.assert(property, { numRuns: runs, endOnFailure: true })
  },
)

oneDatabase(
  'a close that meets a position which was closed by hand ends, and the books are flat',
  async () => {
    await using standIn = await startBinance()
    const { trading } = standIn
    trading.setBalance('USDT', paidIn)
    await using opened = await openBench(standIn)
    const { bench } = opened
    await play(bench, [{ what: 'signal', action: 'LONG', isAwaited: true }])
    trading.trade(symbol, 'sell', trading.position(symbol))
    await bench.signal('EXIT')
    await until('the EXIT to end', bench.isIdle)
    await bench.compared()
    assert.deepEqual(differences(bench, await opened.booked(), paidIn), [])
  },
)
