import assert from 'node:assert/strict'
import { addUsers } from '../../../test/accounts.ts'
import { withDatabase } from '../../../test/databases.ts'
import { UserLimits } from '../../db/user-limits.ts'
import { addRows } from './add-rows.ts'
import { CandleStore } from './candle-store.ts'
import type { Rows } from './codec.ts'

const hour = 3_600_000
const start = Date.parse('2026-01-01T00:00:00Z')
const market = { exchange: 'binance', service: 'spot', symbol: 'BTC/USDT', interval: '1h' }

/** Candles whose prices follow from the hour. */
function rowsAt(hours: readonly number[], last = '0'): Rows {
  const column = (text: (hour: number) => string) => hours.map(text)
  return {
    times: hours.map((each) => start + each * hour),
    figures: [
      column((each) => `${100 + each}`),
      column((each) => `${102 + each}.5`),
      column((each) => `${99 + each}`),
      column((each) => `${101 + each}.25`),
      column(() => last),
    ],
  }
}

async function piecesOf<Piece>(read: AsyncIterable<Piece>): Promise<Piece[]> {
  const pieces: Piece[] = []
  for await (const piece of read) pieces.push(piece)
  return pieces
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

withDatabase('what is stored comes back, in any order, with the same checksum', async (place) => {
  const { db, ...database } = await place.open()
  const store = new CandleStore({ db, ...database }, new UserLimits())
  const add = (id: number, rows: Rows) => db.transaction((tx) => addRows(tx, id, rows))
  const series = await store.shared({ source: 'exchange', kind: 'candles', ...market })
  assert.equal((await store.shared({ source: 'exchange', kind: 'candles', ...market })).id, series.id)
  // Two thousand candles are more than a part, and a gap of ten hours is among them.
  assert.deepEqual(await add(series.id, rowsAt(range(1_010, 2_010))), {
    added: 1_000,
    repeated: 0,
    changed: 0,
  })
  assert.deepEqual(await add(series.id, rowsAt(range(0, 1_000))), { added: 1_000, repeated: 0, changed: 0 })
  assert.deepEqual(await add(series.id, rowsAt(range(900, 1_000))), { added: 0, repeated: 100, changed: 0 })
  const stored = await store.get(1, series.id)
  assert.deepEqual(
    [stored.rows, stored.firstMs, stored.lastMs, stored.changes],
    [2_000, start, start + 2_009 * hour, 0],
  )
  const pieces = await piecesOf(store.read(stored))
  const [first, last] = [pieces[0]!, pieces.at(-1)!]
  assert.deepEqual([first.decimals, first.periodMs, first.highs[0]], [2, hour, 102.5])
  assert.deepEqual([last.opens.at(-1), last.closes.at(-1)], [2_109, 2_110.25])
  const span = { fromMs: start + 995 * hour, toMs: start + 1_012 * hour }
  assert.deepEqual(
    (await piecesOf(store.read(stored, span))).flatMap(({ times }) => [...times]),
    [...range(995, 1_000), 1_010, 1_011].map((each) => start + each * hour),
  )
  const coverage = await store.coverage(stored)
  assert.deepEqual(coverage.gaps, [{ fromMs: start + 1_000 * hour, toMs: start + 1_010 * hour }])
  assert.deepEqual([coverage.rows, coverage.gapCount, coverage.missingMs], [2_000, 1, 10 * hour])

  const other = await store.shared({ source: 'exchange', kind: 'candles', ...market, exchange: 'kraken' })
  for (const hours of [range(0, 1_000), range(1_010, 1_500), range(1_500, 2_010)]) {
    await add(other.id, rowsAt(hours))
  }
  assert.equal((await store.get(1, other.id)).checksum, stored.checksum)
  await add(other.id, rowsAt([1_000]))
  assert.notEqual((await store.get(1, other.id)).checksum, stored.checksum)
})

withDatabase('a candle that comes again with other values is noted, and stays', async (place) => {
  const database = await place.open()
  const store = new CandleStore(database, new UserLimits())
  const { id } = await store.shared({ source: 'exchange', kind: 'candles', ...market })
  const add = (rows: Rows) => database.db.transaction((tx) => addRows(tx, id, rows))
  await add(rowsAt(range(0, 3)))
  const { checksum } = await store.get(1, id)
  assert.deepEqual(await add(rowsAt(range(1, 4), '7.5')), { added: 1, repeated: 0, changed: 2 })
  const changed = await store.get(1, id)
  assert.deepEqual([changed.rows, changed.changes], [4, 2])
  assert.notEqual(changed.checksum, checksum)
  const [first] = await store.changes(id)
  assert.deepEqual(
    [first!.timeMs, first!.stored, first!.found],
    [start + hour, '101,103.5,100,102.25,0', '101,103.5,100,102.25,7.5'],
  )
  const [only] = await piecesOf(store.read(changed))
  assert.deepEqual([...only!.volumes], [0, 0, 0, 7.5])
})

withDatabase('many who add at once lose nothing, and deleting ends what is added', async (place) => {
  const database = await place.open()
  const store = new CandleStore(database, new UserLimits())
  await addUsers(place, ['owner@example.com', 'stranger@example.com'])
  const [owner, stranger] = [2, 3]
  const fields = { name: 'Mine', kind: 'candles' as const, ...market }
  const { id } = await store.create(owner, fields)
  const add = (rows: Rows) => database.db.transaction((tx) => addRows(tx, id, rows))
  await Promise.all(range(0, 8).map((each) => add(rowsAt(range(each * 50, each * 50 + 60)))))
  assert.equal((await store.get(owner, id)).rows, 410)
  await assert.rejects(store.get(stranger, id), { code: 'resource_not_found' })
  await assert.rejects(store.delete(stranger, true, id), { code: 'resource_not_found' })
  await store.delete(owner, false, id)
  await assert.rejects(add(rowsAt([1])), { code: 'resource_not_found' })
  assert.equal(await database.db.$count((await import('../../db/schema.ts')).candleChunks), 0)
})

withDatabase('an installation stores 20,000,000 rows and no more', async (place) => {
  const database = await place.open()
  const store = new CandleStore(database, new UserLimits())
  const { id } = await store.shared({ source: 'exchange', kind: 'candles', ...market })
  const { candleSeries } = await import('../../db/schema.ts')
  await database.db.insert(candleSeries).values({
    ...{ kind: 'candles', source: 'exchange', ...market, exchange: 'okx', rows: 19_999_998 },
  })
  const add = (rows: Rows) => database.db.transaction((tx) => addRows(tx, id, rows))
  await add(rowsAt([0, 1]))
  await assert.rejects(add(rowsAt([1, 2])), /stores 20,000,000 of at most 20,000,000 candles/)
  assert.equal((await store.get(1, id)).rows, 2)
})
