import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import {
  type Account,
  addBotSignal,
  addConnection,
  addOrder,
  type BotService,
  makeBot,
  withBotService,
} from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment, type Filled } from '../../../test/trades.ts'
import { decimal, plain, zero } from '../../base/decimals.ts'
import { equity, positions, signals } from '../../db/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any

const hourMs = 3_600_000
const at = (hours: number) => new Date(Date.UTC(2026, 0, 31) + hours * hourMs)
const contract = 'BTC/USDT:USDT'

const read = (account: Account, path: string): Promise<Item> => expect(200, account.api('GET', path))

type Trip = [from: number, to: number, entry: string, exit: string, fee?: string]

/** Round trips of one unit. */
const trips = (given: readonly Trip[], symbol = contract): Filled[] =>
  given.flatMap(([from, to, entry, exit, fee = '0']) => [
    { side: 'buy' as const, size: '1', price: entry, fee, at: at(from), symbol },
    { side: 'sell' as const, size: '1', price: exit, fee, at: at(to), symbol },
  ])

async function addPoints(
  { database }: BotService,
  botId: number,
  points: [hours: number, balance: string, unrealised?: string][],
) {
  const rows = points.map(([hours, balance, unrealised = '0']) => ({
    botId,
    at: at(hours),
    balance,
    unrealised,
  }))
  await database.db.insert(equity).values(rows)
}

withBotService(
  'the statistics of a bot have each figure, and nothing that cannot be known',
  async (account, service) => {
    const bot = await makeBot(service, account, { start_balance: '1000' })
    const fills = trips([
      [0, 6, '100', '130', '1'],
      [12, 18, '130', '120'],
      [23, 25, '120', '110'],
      [30, 36, '110', '110'],
    ])
    await bookFills(service.database, bot.owner, fills)
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '-3', at: at(24) })
    await addPoints(service, bot.id, [
      [0, '999'],
      [6, '1028'],
      [18, '1018', '-100'],
      [25, '1005'],
      [36, '1005'],
    ])
    const since = at(0).toISOString()
    const until = at(40).toISOString()
    const stats = await read(account, `${bot.own}/stats?since=${since}&until=${until}`)
    const { days, months, holding, trades, ...rest } = stats
    assert.deepEqual(rest, {
      ...{ bot_id: bot.id, mode: 'paper', demo: false, since, until, currency: 'USDT', other_currencies: [] },
      ...{ start_equity: '1000', end_equity: '1005', return_percent: '0.5' },
      max_drawdown: {
        amount: '110',
        percent: '10.7004',
        peak_at: at(6).toISOString(),
        lowest_at: at(18).toISOString(),
      },
      steepest_drawdown: {
        ...{
          amount: '110',
          percent: '10.7004',
          peak_at: at(6).toISOString(),
          lowest_at: at(18).toISOString(),
        },
      },
      // 20 of 40 hours.
      exposure_percent: '50',
      ...{ realised: '5', fees: '2', funding: '-3', profit_before_costs: '10', uncounted_fees: {} },
    })
    assert.deepEqual(trades, {
      ...{ closed: 4, open: 0, won: 1, lost: 2, even: 1, win_rate_percent: '25' },
      // Won 28; lost 10, and 10 with 3 of funding.
      ...{ profit_factor: '1.2174', expectancy: '1.25', average_win: '28', average_loss: '-11.5' },
      ...{
        largest_win: '28',
        largest_loss: '-13',
        longest_losing_streak: 2,
        average_duration_seconds: 18_000,
      },
    })
    assert.deepEqual(days, [
      { day: '2026-01-31', realised: '18', fees: '2', funding: '0' },
      { day: '2026-02-01', realised: '-13', fees: '0', funding: '-3' },
    ])
    assert.deepEqual(
      months.map(({ month, realised }: Item) => [month, realised]),
      [
        ['2026-01', '18'],
        ['2026-02', '-13'],
      ],
    )
    assert.deepEqual(holding, {
      ...{ change_percent: '10', profit: '100', symbol_count: 1 },
      symbols: [
        {
          ...{ symbol: contract, from_price: '100', from_at: at(0).toISOString() },
          ...{ to_price: '110', to_at: at(36).toISOString(), change_percent: '10' },
        },
      ],
    })
  },
)

withBotService('a period has its own fills, trades and equity at its start', async (account, service) => {
  const bot = await makeBot(service, account, { start_balance: '1000' })
  await bookFills(
    service.database,
    bot.owner,
    trips([
      [0, 6, '100', '130'],
      [12, 18, '130', '120'],
    ]),
  )
  await addPoints(service, bot.id, [
    [0, '1000'],
    [6, '1030'],
    [12, '1030'],
    [18, '1020'],
  ])
  const path = `${bot.own}/stats?since=${at(12).toISOString()}&until=${at(15).toISOString()}`
  const { realised, trades, start_equity, end_equity, exposure_percent, max_drawdown } = await read(
    account,
    path,
  )
  assert.deepEqual([realised, trades.closed, trades.open], ['0', 0, 1])
  assert.deepEqual([start_equity, end_equity, exposure_percent, max_drawdown], ['1030', '1030', '100', null])
})

withBotService(
  'without a start balance or a trade, percentages and averages are null',
  async (account, service) => {
    const exchange_id = 2
    const connection_id = await addConnection(service, account)
    const live = await makeBot(service, account, { mode: 'live', exchange_id, connection_id })
    const unknown = await read(account, `${live.own}/stats`)
    for (const field of [
      'start_equity',
      'end_equity',
      'return_percent',
      'max_drawdown',
      'exposure_percent',
    ]) {
      assert.equal(unknown[field], null, field)
    }
    assert.deepEqual([unknown.realised, unknown.days, unknown.holding.change_percent], ['0', [], null])
    assert.deepEqual([unknown.trades.win_rate_percent, unknown.trades.profit_factor], [null, null])
    const lost = await makeBot(service, account, { start_balance: '10' })
    await bookFills(service.database, lost.owner, trips([[0, 1, '100', '90']]))
    await addPoints(service, lost.id, [
      [1, '0'],
      [2, '-5'],
    ])
    const { return_percent } = await read(account, `${lost.own}/stats?since=${at(2).toISOString()}`)
    assert.equal(return_percent, null)
  },
)

withBotService('the account never adds up currencies, or paper and money', async (account, service) => {
  const paper = await makeBot(service, account)
  const other = await makeBot(service, account)
  const bitcoin = await makeBot(service, account, { amount: '1', symbol: 'ETHBTC' })
  const connection_id = await addConnection(service, account)
  const live = await makeBot(service, account, { mode: 'live', exchange_id: 2, connection_id })
  const deleted = await makeBot(service, account)
  for (const { owner } of [paper, other, live, deleted]) {
    await bookFills(service.database, owner, trips([[0, 1, '100', '110', '1']]))
  }
  await bookFills(service.database, bitcoin.owner, trips([[0, 1, '0.5', '0.4']], 'ETH/BTC'))
  await expect(200, account.api('DELETE', deleted.own))
  const { groups, strategy_id } = await read(account, '/stats')
  assert.equal(strategy_id, null)
  assert.deepEqual(
    groups.map(({ mode, demo, currency, bots, realised, trades }: Item) => [
      mode,
      demo,
      currency,
      bots,
      realised,
      trades.won,
    ]),
    [
      ['paper', false, 'USDT', 2, '16', 2],
      ['paper', false, 'BTC', 1, '-0.1', 0],
      ['live', false, 'USDT', 1, '8', 1],
      [null, null, 'USDT', 1, '8', 1],
    ],
  )
  const stranger = await service.account()
  assert.deepEqual((await read(stranger, '/stats')).groups, [])
})

withBotService(
  'the statistics of a strategy have the trades that its signals opened',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const opening = async (strategyId: number) => {
      const signal = await addBotSignal(service, bot.owner)
      await service.database.db.update(signals).set({ strategyId }).where(eq(signals.id, signal.signalId))
      return (await addOrder(service, bot.owner, { botSignalId: signal.id })).id
    }
    const [own, others] = [await opening(7), await opening(8)]
    const [first, second, third] = [
      trips([[0, 1, '100', '110']]),
      trips([[2, 3, '100', '50']]),
      trips([[4, 5, '1', '2']]),
    ]
    first[0]!.orderId = own
    second[0]!.orderId = others
    await bookFills(service.database, bot.owner, [...first, ...second, ...third])
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '1', at: at(0.5) })
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '2', at: at(2.5) })
    const { groups } = await read(account, '/stats?strategy_id=7')
    assert.deepEqual(
      groups.map(({ realised, funding, trades }: Item) => [realised, funding, trades.closed]),
      [['11', '1', 1]],
    )
    const stranger = await service.account()
    const theirs = await makeBot(service, stranger)
    await bookFills(service.database, theirs.owner, trips([[0, 1, '1', '2']]))
    for (const id of [7, 9_007_199_254_740_991]) {
      assert.deepEqual((await read(stranger, `/stats?strategy_id=${id}`)).groups, [])
    }
  },
)

withBotService('days and trades of many fills add up to the books', async (account, service) => {
  const bot = await makeBot(service, account)
  const many = Array.from(
    { length: 1_500 },
    (_, n): Trip => [n, n + 0.5, String(100 + (n % 7)), String(99 + (n % 11)), '0.1'],
  )
  await bookFills(service.database, bot.owner, trips(many))
  for (const hours of [3.25, 700, 1_499.25]) {
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '-0.5', at: at(hours) })
  }
  const [booked] = await service.database.db.select().from(positions).where(eq(positions.botId, bot.id))
  const { days, months, trades, realised, fees, funding } = await read(account, `${bot.own}/stats`)
  const sum = (rows: Item[], name: string) =>
    plain(rows.reduce((all, row) => all.plus(decimal(row[name])), zero))
  for (const [name, value] of Object.entries({ realised, fees, funding })) {
    assert.equal(value, plain(decimal(booked![name as 'realised' | 'fees' | 'funding'])))
    assert.deepEqual([sum(days, name), sum(months, name)], [value, value])
  }
  assert.deepEqual([trades.closed, trades.won + trades.lost + trades.even], [1_500, 1_500])
})

withBotService(
  'ranges that end before they begin are refused, and centuries are not',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await bookFills(service.database, bot.owner, trips([[0, 1, '100', '110']]))
    for (const path of [`${bot.own}/stats`, '/stats']) {
      const reversed = `since=${at(1).toISOString()}&until=${at(0).toISOString()}`
      const { details } = await expect(400, account.api('GET', `${path}?${reversed}`))
      assert.equal(details[0].field, 'querystring.since')
      const wide = await read(account, `${path}?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z`)
      const { realised, days } = wide.groups?.[0] ?? wide
      assert.deepEqual([realised, days.length], ['10', 1])
      const empty = await read(account, `${path}?since=2100-01-01T00:00:00Z&until=2100-01-01T00:00:00Z`)
      assert.deepEqual((empty.groups?.[0] ?? empty).days, [])
      await expect(400, account.api('GET', `${path}?since=2026-02-30T00:00:00Z`))
    }
    const stranger = await service.account()
    await expect(404, stranger.api('GET', `${bot.own}/stats`))
    await expect(200, account.api('DELETE', bot.own))
    await expect(404, account.api('GET', `${bot.own}/stats`))
  },
)
