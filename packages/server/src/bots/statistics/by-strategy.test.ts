import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import {
  type Account,
  addBotSignal,
  addOrder,
  type BotService,
  makeBot,
  withBotService,
} from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment, type Filled } from '../../../test/trades.ts'
import { decimal, plain, zero } from '../../base/decimals.ts'
import { positions, signals } from '../../db/schema.ts'
import { FillWalks } from './fill-walk.ts'
import { Statistics } from './statistics.ts'
import { presentStats, presentStrategyStats } from './stats-record.ts'
import { Trades } from './trades.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any

const hourMs = 3_600_000
const start = Date.UTC(2026, 0, 31)
const at = (hours: number) => new Date(start + hours * hourMs)
const symbols = ['BTC/USDT:USDT', 'ETH/BTC:BTC']
const never = new AbortController().signal
const span = { since: null, until: null }

/** An order that a signal of a strategy led to. */
async function orderOf(
  service: BotService,
  owner: { userId: number; botId: number },
  strategyId: number | null,
) {
  const signal = await addBotSignal(service, owner)
  await service.database.db.update(signals).set({ strategyId }).where(eq(signals.id, signal.signalId))
  return (await addOrder(service, owner, { botSignalId: signal.id })).id
}

/** Fills that open, add, close in part and reverse, each of an order of a strategy, some reported late. */
function randomFills(orderIds: readonly number[], seed: number, count: number): Filled[] {
  const numbers = fc.sample(fc.nat({ max: 1_000_000 }), { seed, numRuns: count * 5 })
  const next = (most: number) => numbers.pop()! % most
  return Array.from({ length: count }, (_, index) => {
    const symbol = symbols[next(symbols.length)]!
    return {
      ...{ symbol, side: next(2) === 0 ? 'buy' : 'sell', size: `${1 + next(3)}`, price: `${90 + next(20)}` },
      ...{ fee: '0.013', feeAsset: symbol.split(':')[1]!, orderId: orderIds[index % orderIds.length]! },
      at: at(index - (index % 11 === 0 ? 5 : 0)),
    } as Filled
  })
}

const statisticsOf = ({ database }: BotService) => {
  const walks = new FillWalks(database)
  return new Statistics(database, walks, new Trades(database, walks, { latest: () => null }))
}

withBotService(
  'a walk that begins at a mark counts the same as one through all fills, and strategies add up to all',
  async (account, service) => {
    const [one, other] = [await makeBot(service, account), await makeBot(service, account)]
    for (const [index, { owner }] of [one, other].entries()) {
      const orderIds = [
        await orderOf(service, owner, 7),
        await orderOf(service, owner, 8),
        await orderOf(service, owner, null),
      ]
      await bookFills(service.database, owner, randomFills(orderIds, index + 1, 420))
      for (const hours of [3.5, 130.5, 231, 410.5]) {
        await bookPayment(service.database, owner, { symbol: symbols[index]!, value: '-0.25', at: at(hours) })
      }
    }
    // Both as they are read, so that the difference between them is only where the walks begin.
    const warm = statisticsOf(service)
    await warm.ofUser(account.userId, { since: 0, until: Date.UTC(9999, 0) }, undefined, never)
    const hours = fc.integer({ min: -10, max: 450 })
    await fc.assert(
      fc.asyncProperty(hours, fc.nat({ max: 400 }), async (since, length) => {
        const period = { since: at(since).getTime(), until: at(since + length).getTime() }
        const cold = statisticsOf(service)
        const [all, each] = [
          await cold.ofUser(account.userId, period, undefined, never),
          await cold.byStrategy(account.userId, period, never),
        ]
        const bounded = await warm.ofUser(account.userId, period, undefined, never)
        assert.deepEqual(presentStats(bounded, span, undefined), presentStats(all, span, undefined))
        const boundedEach = await warm.byStrategy(account.userId, period, never)
        assert.deepEqual(presentStrategyStats(boundedEach, span), presentStrategyStats(each, span))
        const ofSeven = await warm.ofUser(account.userId, period, 7, never)
        const [seven] = presentStrategyStats(
          each.filter(({ strategyId }) => strategyId === 7),
          span,
        ).strategies
        assert.deepEqual(
          presentStats(ofSeven, span, 7).groups.map(({ days: _, months: __, ...sums }) => sums),
          seven?.groups ?? [],
        )
        for (const { currency, tallied } of all) {
          const own = each.filter((group) => group.currency === currency)
          const sum = own.reduce((sum, group) => sum.plus(group.tallied.realised.profit), zero)
          assert.equal(plain(sum), plain(tallied.realised.profit))
          assert.equal(
            own.reduce((count, group) => count + group.tallied.closed.count, 0),
            tallied.closed.count,
          )
        }
      }),
      { numRuns: 12 },
    )
    const held = await service.database.db
      .select()
      .from(positions)
      .where(eq(positions.userId, account.userId))
    const ever = await warm.byStrategy(account.userId, { since: 0, until: Date.UTC(9999, 0) }, never)
    for (const [currency, symbol] of [
      ['USDT', symbols[0]],
      ['BTC', symbols[1]],
    ]) {
      const booked = held.filter((row) => row.symbol === symbol)
      const [books, sum] = [
        booked.reduce((all, row) => all.plus(decimal(row.realised)), zero),
        ever
          .filter((group) => group.currency === currency)
          .reduce((all, group) => all.plus(group.tallied.realised.profit), zero),
      ]
      assert.equal(plain(sum), plain(books), `${currency} of the ledger`)
    }
  },
)

withBotService(
  'each strategy has the trades that its signals opened, by kind of money, and only those of its user',
  async (account, service) => {
    const read = (of: Account, query = ''): Promise<Item> =>
      expect(200, of.api('GET', `/stats/strategy?${query}`))
    const bot = await makeBot(service, account)
    const deleted = await makeBot(service, account)
    const trip = (from: number, exit: string, orderId: number | null): Filled[] => [
      { side: 'buy', size: '1', price: '100', at: at(from), orderId },
      { side: 'sell', size: '1', price: exit, at: at(from + 1) },
    ]
    await bookFills(service.database, bot.owner, [
      ...trip(0, '110', await orderOf(service, bot.owner, 7)),
      ...trip(2, '95', await orderOf(service, bot.owner, 8)),
      ...trip(4, '103', null),
    ])
    await bookFills(service.database, deleted.owner, trip(6, '101', await orderOf(service, deleted.owner, 7)))
    await expect(200, account.api('DELETE', deleted.own))
    const figures = ({ strategies }: Item) =>
      strategies.flatMap(({ strategy_id, groups }: Item) =>
        groups.map(({ mode, realised, trades }: Item) => [strategy_id, mode, realised, trades.closed]),
      )
    assert.deepEqual(figures(await read(account)), [
      [null, 'paper', '3', 1],
      [7, 'paper', '10', 1],
      [7, null, '1', 1],
      [8, 'paper', '-5', 1],
    ])
    const later = await read(account, `since=${at(3).toISOString()}`)
    assert.deepEqual(figures(later), [
      [null, 'paper', '3', 1],
      [7, 'paper', '0', 0],
      [7, null, '1', 1],
      [8, 'paper', '-5', 1],
    ])
    const stranger = await service.account()
    assert.deepEqual((await read(stranger)).strategies, [])
    const reversed = `since=${at(1).toISOString()}&until=${at(0).toISOString()}`
    await expect(400, account.api('GET', `/stats/strategy?${reversed}`))
  },
)
