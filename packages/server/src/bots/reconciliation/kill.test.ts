/** Nodes that die while they compare, that compare at the same time, and that lose the database. */
import assert from 'node:assert/strict'
import { withDatabase } from '../../../test/databases.ts'
import { openBench, startBotWorker } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import type { Db } from '../../db/database.ts'
import { ReconciliationWriting } from './writing.ts'

/** Throws at the given statements of the transactions, counted from the first one, as if the node died there. */
function dyingAt(statements: Set<number>, error: () => Error) {
  let count = 0
  return class extends ReconciliationWriting {
    protected override async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
      return super.transaction((tx) =>
        work(
          watched(tx, () => {
            count += 1
            if (statements.delete(count)) throw error()
          }),
        ),
      )
    }
  }
}

/** Calls `onStatement` before each statement of a transaction. */
function watched(tx: Db, onStatement: () => void): Db {
  return new Proxy(tx, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (typeof value !== 'function') return value
      if (['select', 'insert', 'update', 'execute'].includes(String(name))) onStatement()
      return value.bind(target)
    },
  })
}

withDatabase(
  'a comparison that dies between any two of its statements books each trade once afterwards',
  async (place) => {
    const database = await place.open()
    const deaths = new Set(Array.from({ length: 12 }, (_, i) => 2 * i + 1 + Math.floor(i / 3)))
    const writing = dyingAt(deaths, () => new Error('The node died.'))
    await using bench = await openBench(database, { service: 'futures', writing })
    await bench.follow(bench.owner, 'LONG')
    bench.trading.trade(bench.symbol, 'sell', '0.04')
    bench.trading.trade(bench.symbol, 'sell', '0.02')
    await until('all deaths', async () => deaths.size === 0)
    await bench.compared('AGREES')
    assert.equal(await bench.size(), Number(bench.trading.position(bench.symbol)))
    assert.deepEqual(
      (await bench.fills()).map(({ kind }) => kind),
      ['order', 'external', 'external'],
    )
    assert.deepEqual(await bench.events(), ['BOOKED'])
  },
)

withDatabase('after the database was unreachable, the comparison continues', async (place) => {
  const database = await place.open()
  const deaths = new Set([1, 2, 3, 5, 8])
  const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  await using bench = await openBench(database, { service: 'futures', writing: dyingAt(deaths, away) })
  await bench.follow(bench.owner, 'LONG')
  bench.trading.trade(bench.symbol, 'sell', bench.trading.position(bench.symbol))
  await until('the books to be flat', async () => (await bench.size()) === 0)
  assert.equal((await bench.fills()).length, 2)
})

withDatabase('of two nodes, one compares a bot at a time, and each trade is booked once', async (place) => {
  const database = await place.open()
  await using bench = await openBench(database, { service: 'futures' })
  await using other = await startBotWorker(database, bench.standIn, { service: 'futures' })
  await bench.follow(bench.owner, 'LONG')
  for (const size of ['0.01', '0.02', '0.03']) {
    bench.trading.trade(bench.symbol, 'sell', size)
    await until(
      'the trade',
      async () => (await bench.size()) === Number(bench.trading.position(bench.symbol)),
    )
  }
  await bench.compared('AGREES')
  assert.equal((await bench.fills()).length, 4)
  assert.deepEqual([bench.running.errors, other.errors], [[], []])
})
