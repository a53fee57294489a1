import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Account, addBotSignal, addOrder, makeBot, withBotService } from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment, disagreements, type Filled } from '../../../test/trades.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain } from '../../base/decimals.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any

const start = Date.UTC(2026, 0, 1)
const at = (seconds: number) => new Date(start + seconds * 1000)
const contract = 'BTC/USDT:USDT'

const read = (
  account: Account,
  own: string,
  query = '',
): Promise<{ items: Item[]; limit: number; next: number | null }> =>
  expect(200, account.api('GET', `${own}/trades?${query}`))

/** Round trips of one unit, one each two seconds, in turn in these symbols. */
function roundTrips(count: number, symbols: readonly string[] = [contract]): Filled[] {
  return Array.from({ length: count * 2 }, (_, n) => ({
    side: n % 2 === 0 ? ('buy' as const) : ('sell' as const),
    size: '1',
    price: String(100 + n),
    fee: '0.5',
    at: at(n),
    symbol: symbols[Math.floor(n / 2) % symbols.length]!,
  }))
}

withBotService(
  'a trade has its prices, costs and times, and names its orders and signals',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const signal = await addBotSignal(service, bot.owner)
    const entry = await addOrder(service, bot.owner, { botSignalId: signal.id })
    await bookFills(service.database, bot.owner, [
      {
        side: 'buy',
        size: '1',
        price: '100',
        fee: '0.1',
        at: at(0),
        symbol: contract,
        orderId: entry.id,
        kind: 'order',
      },
      {
        side: 'buy',
        size: '1',
        price: '110',
        fee: '0.1',
        at: at(1),
        symbol: contract,
        orderId: entry.id,
        kind: 'order',
      },
      { side: 'sell', size: '2', price: '90', fee: '0.2', at: at(60), symbol: contract, kind: 'liquidation' },
    ])
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '-0.25', at: at(30) })
    const { items, limit, next } = await read(account, bot.own)
    assert.deepEqual([items.length, limit, next], [1, 50, null])
    const [{ id, ...trade }] = items
    assert.deepEqual(trade, {
      ...{ bot_id: bot.id, demo: false, symbol: contract, currency: 'USDT', side: 'long', status: 'closed' },
      ...{ quantity: '2', open_quantity: '0', entry_price: '105', exit_price: '90' },
      ...{ opened_at: at(0).toISOString(), closed_at: at(60).toISOString(), duration_seconds: 60 },
      ...{
        profit_before_costs: '-30',
        fees: '0.4',
        uncounted_fees: {},
        funding: '-0.25',
        realised: '-30.65',
      },
      ...{ price: null, unrealised: null },
      entries: [
        {
          kind: 'order',
          order_id: entry.id,
          signal_id: signal.signalId,
          origin: null,
          at: at(0).toISOString(),
        },
      ],
      entry_count: 1,
      exits: [
        { kind: 'liquidation', order_id: null, signal_id: null, origin: null, at: at(60).toISOString() },
      ],
      exit_count: 1,
      origin: null,
      unprotected_seconds: null,
    })
    assert.equal(id, (await expect(200, account.api('GET', `/fill?bot_id=${bot.id}`))).at(-1).id)
  },
)

withBotService('an open trade is marked, and valued at the current price', async (account, service) => {
  const bot = await makeBot(service, account)
  await bookFills(service.database, bot.owner, [
    { side: 'sell', size: '2', price: '100', at: at(0) },
    { side: 'buy', size: '0.5', price: '90', at: at(1) },
  ])
  const shown = async () => (await read(account, bot.own)).items[0]
  await until('the symbol to be watched', async () => {
    await shown()
    return service.prices.listeners.has('spot BTCUSDT')
  })
  await service.prices.send(80)
  await until('the price', async () => (await shown()).price !== null)
  const trade = await shown()
  const { status, closed_at, duration_seconds, open_quantity, realised, price, unrealised } = trade
  assert.deepEqual(
    { status, closed_at, duration_seconds, open_quantity, realised, price, unrealised },
    {
      ...{ status: 'open', closed_at: null, duration_seconds: null, open_quantity: '1.5', realised: '5' },
      ...{ price: '80', unrealised: '30' },
    },
  )
})

withBotService(
  'cursors lead through all trades, up and down, while the bot trades on',
  async (account, service) => {
    const bot = await makeBot(service, account)
    // More fills than lie between two places that the service remembers.
    await bookFills(
      service.database,
      bot.owner,
      roundTrips(2_600, [contract, 'ETH/USDT:USDT', 'SOL/USDT:USDT']),
    )
    const walk = async (more: (next: number) => string, first: string) => {
      const pages: number[][] = []
      for (let query = first; ; ) {
        const { items, next } = await read(account, bot.own, `limit=200&${query}`)
        pages.push(items.map(({ id }) => id))
        if (next === null) return pages
        query = more(next)
      }
    }
    const down = (await walk((next) => `before=${next}`, '')).flat()
    assert.equal(down.length, 2_600)
    assert.deepEqual(
      down,
      [...new Set(down)].sort((a, b) => b - a),
    )
    const up = (await walk((next) => `after=${next}`, 'after=1')).toReversed().flat()
    assert.deepEqual(up, down)
    const between = await read(account, bot.own, `before=${down[3]}&after=${down[6]}`)
    assert.deepEqual(
      between.items.map(({ id }) => id),
      down.slice(4, 6),
    )
    const ofSymbol = await read(account, bot.own, 'symbol=eth-usdt&limit=3')
    assert.ok(ofSymbol.items.every(({ symbol }) => symbol === 'ETH/USDT:USDT'))
    assert.equal(ofSymbol.items.length, 3)
  },
)

withBotService(
  'a trade of a page that ends after the page is shown with its end',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const long: Filled = { side: 'buy', size: '1', price: '100', at: at(0), symbol: 'ETH/USDT' }
    const end: Filled = { side: 'sell', size: '1', price: '150', at: at(100), symbol: 'ETH/USDT' }
    await bookFills(service.database, bot.owner, [long, ...roundTrips(20), end])
    const { items } = await read(account, bot.own)
    const oldest = items.at(-1)
    const { items: page } = await read(account, bot.own, `before=${oldest.id + 1}`)
    assert.deepEqual(page, [oldest])
    assert.deepEqual([oldest.status, oldest.realised], ['closed', '50'])
  },
)

withBotService(
  'each payment belongs to one trade, also one outside of all of them',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await bookFills(service.database, bot.owner, [...roundTrips(2), { ...roundTrips(1)[0]!, at: at(9) }])
    // The first three are of the first trade, the next two of the second one.
    for (const [place, seconds] of [-5, 0.5, 1.5, 2, 8, 9, 10_000].entries()) {
      const payment = { symbol: contract, value: String(2 ** place), at: at(seconds) }
      await bookPayment(service.database, bot.owner, payment)
    }
    const { items } = await read(account, bot.own)
    assert.deepEqual(
      items.map(({ funding }) => funding),
      ['96', '24', '7'],
    )
    assert.deepEqual(await disagreements(service.database, { id: bot.id, userId: account.userId }), [])
  },
)

withBotService(
  'the trades of any books add up to their profit, fees and funding',
  async (account, service) => {
    const symbols = ['BTC/USDT', contract]
    const sizes = fc.integer({ min: 1, max: 2_000 }).map((n) => plain(decimal(`${n}e-3`)))
    const fillOf = fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      size: sizes,
      price: fc.integer({ min: 1, max: 99_999 }).map((n) => plain(decimal(`${n}e-2`))),
      fee: fc.integer({ min: -50, max: 500 }).map((n) => plain(decimal(`${n}e-6`))),
      feeAsset: fc.constantFrom('USDT', 'BTC', 'BNB', 'XYZ'),
      symbol: fc.constantFrom(...symbols),
      kind: fc.constantFrom('external' as const, 'liquidation' as const, 'adl' as const, 'adopted' as const),
      // Exchanges report some fills late.
      at: fc.integer({ min: 0, max: 100 }).map(at),
    })
    const paymentOf = fc.record({
      symbol: fc.constantFrom(...symbols),
      value: fc.integer({ min: -999, max: 999 }).map((n) => plain(decimal(`${n}e-9`))),
      at: fc.integer({ min: -10, max: 110 }).map(at),
    })
    const books = fc.record({
      filled: fc.array(fillOf, { minLength: 1, maxLength: 25 }),
      paid: fc.uniqueArray(paymentOf, {
        maxLength: 6,
        selector: ({ symbol, at }) => `${symbol} ${at.getTime()}`,
      }),
    })
    await fc.assert(
      fc.asyncProperty(books, async ({ filled, paid }) => {
        const bot = await makeBot(service, account)
        await bookFills(service.database, bot.owner, filled)
        // A bot gets no payments for a symbol that it never held.
        const held = new Set(filled.map(({ symbol }) => symbol))
        for (const payment of paid.filter(({ symbol }) => held.has(symbol))) {
          await bookPayment(service.database, bot.owner, payment)
        }
        assert.deepEqual(await disagreements(service.database, { id: bot.id, userId: account.userId }), [])
        await expect(200, account.api('DELETE', `${bot.own}?abandon_positions=true`))
      }),
      { numRuns: 25 },
    )
  },
)

withBotService(
  'trades of a deleted bot, and those of other users, do not exist',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await bookFills(service.database, bot.owner, roundTrips(1))
    const other = await service.account()
    await expect(404, other.api('GET', `${bot.own}/trades`))
    // A cursor is only a number: one from another user's bot shows nothing of it.
    const theirs = await makeBot(service, other)
    assert.deepEqual((await read(other, theirs.own, 'before=9007199254740991&after=1')).items, [])
    await expect(200, account.api('DELETE', bot.own))
    await expect(404, account.api('GET', `${bot.own}/trades`))
  },
)

withBotService(
  'cursors that contradict each other, and limits that no page has, are refused by name',
  async (account, service) => {
    const { own } = await makeBot(service, account)
    for (const [query, field] of [
      ['before=5&after=5', 'before'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['before=x', 'before'],
      ['after=1e99', 'after'],
      ['symbol=%00', 'symbol'],
      ['symbols=BTC', 'symbols'],
    ] as const) {
      const { details } = await expect(400, account.api('GET', `${own}/trades?${query}`))
      assert.equal(details[0].field, `querystring.${field}`, query)
    }
  },
)
