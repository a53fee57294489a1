import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import {
  type Account,
  addConnection,
  addPosition,
  type BotService,
  makeBot,
  withBotService,
} from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment } from '../../../test/trades.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain } from '../../base/decimals.ts'
import { bots, equity, exchangeConnections } from '../../db/schema.ts'
import { dayMs, dayOf } from '../../trading/risk.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any

const read = (account: Account, path: string): Promise<Item> => expect(200, account.api('GET', path))

const midnight = () => dayOf(Date.now())

async function addPoints({ database }: BotService, botId: number, points: [at: number, value: string][]) {
  const rows = points.map(([at, value]) => ({ botId, at: new Date(at), balance: value, unrealised: '0' }))
  if (rows.length > 0) await database.db.insert(equity).values(rows)
}

withBotService(
  'the equity of all bots never adds up currencies, or paper and money',
  async (account, service) => {
    const bitcoin = { symbol: 'ETH/BTC', amount: '1', start_balance: '2' }
    const [one, other, inBitcoin] = await Promise.all([
      makeBot(service, account, { start_balance: '1000.1', exchange_id: 2 }),
      makeBot(service, account, { start_balance: '0.2' }),
      makeBot(service, account, bitcoin),
    ])
    const connection_id = await addConnection(service, account)
    const demo = await addConnection(service, account)
    await service.database.db
      .update(exchangeConnections)
      .set({ isDemo: true })
      .where(eq(exchangeConnections.id, demo))
    const live = { mode: 'live', exchange_id: 2, start_balance: '5' }
    await makeBot(service, account, { ...live, connection_id })
    await makeBot(service, account, { ...live, connection_id: demo })
    // Nobody knows what this one began with.
    const { start_balance: _, ...unknown } = live
    await makeBot(service, account, { ...unknown, connection_id })
    await addPosition(service, one.owner, { size: '2', entryPrice: '100', realised: '-1' })
    const today = new Date(midnight() + 1000)
    const trip = (symbol: string) => [
      { side: 'buy' as const, size: '1', price: '10', at: new Date(midnight() - 1000), symbol },
      { side: 'sell' as const, size: '1', price: '13', at: today, symbol },
    ]
    await bookFills(service.database, other.owner, trip('SOL/USDT'))
    await bookPayment(service.database, other.owner, { symbol: 'SOL/USDT', value: '-0.5', at: today })
    await bookFills(service.database, inBitcoin.owner, trip('ETH/BTC'))
    // A request makes the service follow the price, and does not wait for it.
    const known = async () => (await read(account, '/equity')).groups[0].unknown_bots === 0
    await until('the symbol to be watched', async () => {
      await known()
      return service.prices.listeners.has('spot BTCUSDT')
    })
    await service.prices.send(130)
    await until('its price', known)
    const { groups } = await read(account, '/equity')
    assert.deepEqual(
      groups.map((group: Item) => Object.values(group)),
      [
        // 1000.1 - 1 + 60, and 0.2 + 3 - 0.5.
        ['paper', false, 'USDT', 2, 0, '1061.8', '2.5'],
        ['paper', false, 'BTC', 1, 0, '5', '3'],
        ['live', false, 'USDT', 2, 1, '5', '0'],
        ['live', true, 'USDT', 1, 0, '5', '0'],
      ],
    )
    // Without the price of a position, the equity of its bot is unknown.
    await addPosition(service, one.owner, { symbol: 'DOGE/USDT' })
    const [first] = (await read(account, '/equity')).groups
    assert.deepEqual([first.equity, first.unknown_bots], ['2.7', 1])
    // Books in two currencies have no sum.
    await addPosition(service, inBitcoin.owner, { symbol: 'BTC/EUR', side: null, size: '0' })
    const mixed = (await read(account, '/equity')).groups.find(({ currency }: Item) => currency === 'BTC')
    assert.deepEqual([mixed.equity, mixed.unknown_bots], [null, 1])
    const stranger = await service.account()
    assert.deepEqual((await read(stranger, '/equity')).groups, [])
    assert.deepEqual((await read(stranger, '/equity/drawdown')).groups, [])
  },
)

withBotService('a drawdown is that of the sum, and a new bot is no profit', async (account, service) => {
  const day = (days: number) => midnight() - days * dayMs
  const one = await makeBot(service, account, { start_balance: '1000' })
  const other = await makeBot(service, account, { start_balance: '500' })
  await addPoints(service, one.id, [
    [day(40), '1200'],
    [day(20), '1100'],
    [day(10), '1000'],
  ])
  // It begins after the fall of the other, and wins half of that back.
  await addPoints(service, other.id, [[day(5), '600']])
  for (const { owner, realised } of [
    { owner: one.owner, realised: '0' },
    { owner: other.owner, realised: '100' },
  ]) {
    await addPosition(service, owner, { side: null, size: '0', entryPrice: null, realised })
  }
  const [group] = (await read(account, '/equity/drawdown')).groups
  assert.deepEqual([group.bots, group.points], [2, undefined])
  const fall = (days: number) => new Date(day(days)).toISOString()
  const largest = { amount: '200', percent: '11.7647', peak_at: fall(30), lowest_at: fall(10) }
  assert.deepEqual([group.max_drawdown, group.steepest_drawdown], [largest, largest])
  assert.deepEqual([group.drawdown.amount, group.drawdown.percent], ['100', '5.8824'])
  const [{ points }] = (await read(account, `/equity/drawdown?since=${fall(30)}&points=4`)).groups
  // The 30 days in thirds: two steps down, and half of the second one back. The last third begins at the lowest place.
  assert.deepEqual(
    points.map((point: Item) => [point.equity, point.drawdown, point.drawdown_percent]),
    [
      ['1700', '0', '0'],
      ['1600', '100', '5.8824'],
      ['1500', '200', '11.7647'],
      ['1600', '200', '11.7647'],
    ],
  )
  assert.equal(points[0].at, fall(30))
  const recent = await read(account, `/equity/drawdown?since=${fall(6)}`)
  assert.deepEqual([recent.since, recent.groups[0].max_drawdown], [fall(6), null])
  for (const since of [day(400), Date.now() + 60_000]) {
    const path = `/equity/drawdown?since=${new Date(since).toISOString()}`
    const { details } = await expect(400, account.api('GET', path))
    assert.equal(details[0].field, 'querystring.since')
  }
  await read(account, `/equity/drawdown?since=${fall(365)}`)
  await expect(400, account.api('GET', '/equity/drawdown?points=501'))
})

withBotService('the falls are those of the sum after each point', async (account, service) => {
  const since = midnight() - 3 * dayMs
  const ids: number[] = []
  for (let count = 0; count < 3; count++) {
    const bot = await makeBot(service, account, { start_balance: '100' })
    ids.push(bot.id)
  }
  const point = fc.record({
    bot: fc.nat({ max: 2 }),
    // Also before the period, and many at the same time.
    hour: fc.integer({ min: -20, max: 70 }),
    cents: fc.integer({ min: -5_000, max: 30_000 }),
  })
  const { db } = service.database
  await fc.assert(
    fc.asyncProperty(fc.array(point, { maxLength: 25 }), async (points) => {
      await db.delete(equity)
      const sorted = points.toSorted((a, b) => a.hour - b.hour)
      for (const { bot, hour, cents } of sorted) {
        await addPoints(service, ids[bot]!, [[since + hour * 3_600_000, String(cents / 100)]])
      }
      const values = [10_000, 10_000, 10_000]
      for (const { bot, cents } of sorted.filter(({ hour }) => hour < 0)) values[bot] = cents
      const sum = () => values.reduce((all, value) => all + value)
      const curve = [sum()]
      for (const { bot, cents } of sorted.filter(({ hour }) => hour >= 0)) {
        values[bot] = cents
        curve.push(sum())
      }
      // Without positions, the equity of each is its start balance.
      curve.push(30_000)
      const deepest = Math.max(...curve.map((value, place) => Math.max(...curve.slice(0, place + 1)) - value))
      const path = `/equity/drawdown?since=${new Date(since).toISOString()}`
      const [{ max_drawdown, drawdown }] = (await read(account, path)).groups
      assert.equal(max_drawdown?.amount ?? '0', plain(decimal(String(deepest)).div('100')))
      const below = Math.max(...curve) - 30_000
      assert.equal(drawdown?.amount ?? '0', plain(decimal(String(below)).div('100')))
    }),
    { numRuns: 25 },
  )
  await db.delete(bots).where(eq(bots.userId, account.userId))
})
