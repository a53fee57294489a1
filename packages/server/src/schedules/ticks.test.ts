import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { ManualPrices } from '../../test/manual-prices.ts'
import { addStrategies, endRunsAtOnce } from '../../test/schedules.ts'
import { until } from '../../test/until.ts'
import { readEntries } from '../catalogue/entries.ts'
import type { Database } from '../db/database.ts'
import { schedules, strategies } from '../db/schema.ts'
import { Market } from '../market/market.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { Firing } from './firing.ts'
import { notifySchedulers } from './schedules.ts'
import { Ticks } from './ticks.ts'

const btc = { cronInterval: 'TICK', exchangeId: 2, priceSymbol: 'BTCUSDT' }
const eth = { cronInterval: 'TICK', exchangeId: 3, priceSymbol: 'ETH/USDT' }
const entries = readEntries()

/** A node with its own market, whose prices trigger strategies. */
async function startTicks(database: Database, isEnabled: (id: number) => boolean = () => true) {
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail, lingerMs: 1 })
  const runs: QueuedRun[] = []
  const ticks = new Ticks({
    database,
    firing: new Firing(database),
    market,
    findExchange: (id) => ({ ...entries.find((entry) => entry.id === id)!, enabled: isEnabled(id) }),
    handOver: (stored) => runs.push(...stored),
    onError: assert.fail,
  })
  await ticks.start()
  const ranOf = (id: number) => runs.filter((run) => run.strategyId === id).length
  const stop = async () => {
    await ticks.stop()
    await market.close()
  }
  return { source, ticks, runs, ranOf, [Symbol.asyncDispose]: stop }
}

async function opened(place: TestDatabase): Promise<Database> {
  const database = await place.open()
  await endRunsAtOnce(database)
  return database
}

withDatabase('a price triggers the strategies with its symbol, and no others', async (place) => {
  const database = await opened(place)
  const [one, other, third, clock] = await addStrategies(
    database,
    [btc, { ...btc, priceSymbol: 'btcusdt' }, eth, { cronInterval: '10S' }],
    Date.now(),
  )
  await using node = await startTicks(database)
  const { source, ranOf } = node
  await source.send(1, 'spot BTCUSDT')
  await until('both to have run', async () => ranOf(one!) === 1 && ranOf(other!) === 1)
  await source.send(1, 'futures ETHUSDT')
  await until('the third to have run', async () => ranOf(third!) === 1)
  assert.equal(ranOf(clock!), 0)
})

withDatabase(
  'frequent prices trigger a strategy once a second, and the last one always does',
  async (place) => {
    const database = await opened(place)
    const [id] = await addStrategies(database, [btc], Date.now())
    await using node = await startTicks(database)
    const { source, ranOf } = node
    const startedMs = performance.now()
    let sent = 0
    while (ranOf(id!) < 3 || sent < 20) {
      sent += 1
      await source.send(sent)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const ran = ranOf(id!)
    const tookMs = performance.now() - startedMs
    assert.ok(tookMs > (ran - 1) * 1_000 - 100, `${ran} runs in ${tookMs} ms`)
    await source.send(0.5)
    await until('the last price to trigger it', async () => ranOf(id!) > ran)
  },
)

withDatabase('symbols are followed while strategies need them', async (place) => {
  const database = await opened(place)
  await using node = await startTicks(database)
  const { source, ranOf, ticks } = node
  assert.equal(ticks.followed, 0)
  const [id] = await addStrategies(database, [btc], Date.now())
  await notifySchedulers(database)
  await source.send(1)
  await until('it to have run', async () => ranOf(id!) === 1)
  await database.db.update(strategies).set({ priceSymbol: 'SOLUSDT' }).where(eq(strategies.id, id!))
  await notifySchedulers(database)
  await source.send(1, 'spot SOLUSDT')
  await until('the new symbol to trigger it', async () => ranOf(id!) === 2)
  await until('the old one to be dropped', async () => !source.listeners.has('spot BTCUSDT'))
  await database.db.delete(schedules).where(eq(schedules.strategyId, id!))
  await notifySchedulers(database)
  await until('nothing to be followed', async () => ticks.followed === 0 && source.listeners.size === 0)
})

withDatabase('prices of a disabled exchange trigger nothing', async (place) => {
  const database = await opened(place)
  const [one, other] = await addStrategies(database, [btc, eth], Date.now())
  await using node = await startTicks(database, (id) => id === 3)
  const { source, ranOf, ticks } = node
  await source.send(1, 'futures ETHUSDT')
  await until('the other to have run', async () => ranOf(other!) === 1)
  assert.equal(ticks.followed, 1)
  assert.equal(ranOf(one!), 0)
})

withDatabase(
  'two nodes that see the same prices together trigger each strategy once a second',
  async (place) => {
    const databases = [await opened(place), await place.open()]
    const ids = await addStrategies(
      databases[0]!,
      Array.from({ length: 20 }, () => btc),
      Date.now(),
    )
    await using one = await startTicks(databases[0]!)
    await using other = await startTicks(databases[1]!)
    const nodes = [one, other]
    const startedMs = performance.now()
    const ran = () => nodes.flatMap(({ runs }) => runs)
    while (ran().length < 60) {
      await Promise.all(nodes.map(({ source }) => source.send(Math.random() + 1)))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const seconds = Math.floor((performance.now() - startedMs) / 1000)
    for (const id of ids) {
      const count = ran().filter(({ strategyId }) => strategyId === id).length
      assert.ok(count <= seconds + 1, `${count} runs in ${seconds} s`)
    }
    assert.equal(new Set(ran().map(({ id }) => id)).size, ran().length)
  },
)

withDatabase('100,000 prices for deleted strategies cause no failing statement', async (place) => {
  const database = await opened(place)
  const [id] = await addStrategies(database, [btc], Date.now())
  await using node = await startTicks(database)
  const { source, ranOf } = node
  await database.db.delete(strategies).where(eq(strategies.id, id!))
  for (let index = 0; index < 100_000; index += 1) await source.send(index + 1)
  assert.equal(ranOf(id!), 0)
})
