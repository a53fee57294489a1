import assert from 'node:assert/strict'
import {
  type Account,
  addBotSignal,
  addConnection,
  addFill,
  addOrder,
  addPosition,
  type BotService,
  makeBot,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { payments } from '../db/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the fields that they use
type Item = any

const list = (account: Account, path: string): Promise<Item[]> => expect(200, account.api('GET', path))
const ids = async (account: Account, path: string) => (await list(account, path)).map(({ id }) => id)
const minutesAgo = (minutes: number) => new Date(Date.UTC(2026, 0, 1) - minutes * 60_000)

/** A request makes the service look up and watch a symbol, but does not wait for it. So this asks until a price is there. */
async function priced(account: Account, path: string, service: BotService, price: number): Promise<Item> {
  await until('the symbol to be watched', async () => {
    await account.api('GET', path)
    return service.prices.listeners.has('spot BTCUSDT')
  })
  await service.prices.send(price)
  let found: Item
  await until(`a price of ${path}`, async () => {
    found = await expect(200, account.api('GET', path))
    const [position] = found.positions ?? found
    return position.price === String(price)
  })
  return found
}

withBotService('a position has its unrealised profit at the current price', async (account, service) => {
  const bot = await makeBot(service, account, { exchange_id: 2 })
  const position = await addPosition(service, bot.owner, { size: '0.30', entryPrice: '100.10' })
  const [unpriced] = await list(account, '/position?symbol=ethusdt')
  assert.equal(unpriced, undefined)
  const [shown] = await priced(account, '/position', service, 100.4)
  assert.deepEqual(shown, {
    bot_id: bot.id,
    demo: false,
    symbol: 'BTC/USDT',
    side: 'long',
    size: '0.3',
    entry_price: '100.1',
    price: '100.4',
    unrealised: '0.09',
    realised: '-0.05',
    fees: '0.05',
    funding: '0',
    leverage: null,
    margin_mode: null,
    liquidation_price: null,
    opened_at: position.openedAt!.toISOString(),
    updated_at: position.updatedAt.toISOString(),
    protection: null,
  })
  const { text, headers } = await account.text(`/position.csv?bot_id=${bot.id}&symbol=btcusdt`)
  const { protection: _, ...columns } = shown
  const header = `${Object.keys(columns)},protection_state,stop_price,stop_reason,targets,best_price,exit_at\r\n`
  assert.equal(text, `${header}${Object.values(columns)},,,,,,\r\n`)
  assert.equal(headers.get('content-disposition'), 'attachment; filename="positions.csv"')
  assert.equal((await account.text('/position.csv?mode=live')).text, header)
})

withBotService('a bot shows its balance and equity with at most 8 decimals', async (account, service) => {
  const bot = await makeBot(service, account, { exchange_id: 2, start_balance: '1000' })
  await addPosition(service, bot.owner, { side: 'short', size: '0.3', entryPrice: '99', realised: '-0.1' })
  const closed = {
    symbol: 'ETH/USDT',
    side: null,
    size: '0',
    entryPrice: null,
    realised: '0.20000000499999999',
  }
  await addPosition(service, bot.owner, closed)
  const whole = await priced(account, bot.own, service, 98.9)
  assert.equal(whole.balance, '1000.1')
  // 0.3 × (99 − 98.9) = 0.03 in decimals; binary fractions give 0.02999….
  assert.equal(whole.equity, '1000.13')
  assert.deepEqual(
    whole.positions.map(({ symbol, unrealised }: Item) => [symbol, unrealised]),
    [['BTC/USDT', '0.03']],
  )
})

withBotService(
  'without the price of an open position, a bot has a balance but no equity',
  async (account, service) => {
    const bot = await makeBot(service, account, { exchange_id: 2 })
    await addPosition(service, bot.owner, { symbol: 'NOSUCH', realised: '5' })
    const { balance, equity, positions } = await expect(200, account.api('GET', bot.own))
    assert.deepEqual([balance, equity], ['10005', null])
    assert.deepEqual([positions[0].price, positions[0].unrealised], [null, null])
  },
)

withBotService(
  'the list has open positions, or all positions, the last changed first',
  async (account, service) => {
    const [one, other] = [await makeBot(service, account), await makeBot(service, account)]
    const at = (minutes: number) => ({ updatedAt: minutesAgo(minutes) })
    await addPosition(service, one.owner, { symbol: 'A/USDT', ...at(3) })
    await addPosition(service, one.owner, { symbol: 'B/USDT', ...at(1) })
    await addPosition(service, one.owner, {
      symbol: 'C/USDT',
      side: null,
      size: '0',
      entryPrice: null,
      ...at(2),
    })
    await addPosition(service, other.owner, { symbol: 'A/USDT', side: 'short', ...at(0) })
    const symbols = async (query: string) =>
      (await list(account, `/position?${query}`)).map(({ symbol, side }) => `${side} ${symbol}`)
    assert.deepEqual(await symbols(''), ['short A/USDT', 'long B/USDT', 'long A/USDT'])
    assert.deepEqual(await symbols(`bot_id=${one.id}`), ['long B/USDT', 'long A/USDT'])
    assert.deepEqual(await symbols(`bot_id=${one.id}&all=true`), [
      'long B/USDT',
      'null C/USDT',
      'long A/USDT',
    ])
    assert.deepEqual(await symbols('symbol=a-usdt'), ['short A/USDT', 'long A/USDT'])
    assert.deepEqual(await symbols(`since=${minutesAgo(1).toISOString()}`), ['short A/USDT', 'long B/USDT'])
    const page = await expect(200, account.api('GET', '/position?all=true&limit=3&page=2'))
    assert.deepEqual([page.total, page.items.length, page.page, page.limit], [4, 1, 2, 3])
  },
)

withBotService('an order has its signal, and amounts without trailing zeros', async (account, service) => {
  const bot = await makeBot(service, account)
  const signal = await addBotSignal(service, bot.owner)
  const values = { botSignalId: signal.id, size: '1.50', filledSize: '0.500', averagePrice: '100.0' }
  const order = await addOrder(service, bot.owner, { ...values, status: 'OPEN' })
  assert.deepEqual(await list(account, '/order'), [
    {
      id: order.id,
      bot_id: bot.id,
      demo: false,
      signal_id: signal.signalId,
      origin: null,
      client_order_id: order.clientOrderId,
      exchange_order_id: null,
      symbol: 'BTC/USDT',
      side: 'buy',
      purpose: 'open',
      reduce_only: false,
      type: 'market',
      limit_price: null,
      size: '1.5',
      filled_size: '0.5',
      average_price: '100',
      status: 'OPEN',
      reason: null,
      rests: null,
      created_at: order.createdAt.toISOString(),
      updated_at: order.updatedAt.toISOString(),
    },
  ])
})

withBotService(
  'orders can be filtered by bot, symbol, status and time, the newest first',
  async (account, service) => {
    const [one, other] = [await makeBot(service, account), await makeBot(service, account)]
    const at = (minutes: number) => ({ createdAt: minutesAgo(minutes) })
    const a = await addOrder(service, one.owner, { status: 'REJECTED', ...at(3) })
    const b = await addOrder(service, one.owner, { symbol: 'ETH/USDT:USDT', ...at(2) })
    const c = await addOrder(service, other.owner, at(1))
    assert.deepEqual(await ids(account, '/order'), [c.id, b.id, a.id])
    assert.deepEqual(await ids(account, `/order?bot_id=${one.id}`), [b.id, a.id])
    assert.deepEqual(await ids(account, '/order?status=FILLED'), [c.id, b.id])
    for (const symbol of ['ETHUSDT', 'eth-usdt', 'ETH%2FUSDT:USDT', 'Eth_Usdt']) {
      assert.deepEqual(await ids(account, `/order?symbol=${symbol}`), [b.id], symbol)
    }
    assert.deepEqual(await ids(account, `/order?since=${minutesAgo(2).toISOString()}`), [c.id, b.id])
    assert.deepEqual(await ids(account, `/order?since=${minutesAgo(2).toISOString()}&status=REJECTED`), [])
    const page = await expect(200, account.api('GET', '/order?limit=2&page=2&symbol=btcusdt'))
    assert.deepEqual([page.total, page.items.length], [2, 0])
  },
)

withBotService(
  'fills can be filtered by bot, order, symbol and time, the newest first',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const a = await addFill(service, bot.owner, { orderId: 7, filledAt: minutesAgo(2), fee: '-0.0100' })
    const b = await addFill(service, bot.owner, { orderId: 8, symbol: 'ETH/USDT', filledAt: minutesAgo(1) })
    const [, first] = await list(account, '/fill')
    assert.deepEqual(first, {
      id: a.id,
      order_id: 7,
      kind: 'order',
      bot_id: bot.id,
      demo: false,
      trade_id: a.tradeId,
      symbol: 'BTC/USDT',
      side: 'buy',
      size: '0.5',
      price: '100',
      fee: '-0.01',
      fee_asset: 'USDT',
      realised: '-0.05',
      filled_at: a.filledAt.toISOString(),
    })
    assert.deepEqual(await ids(account, '/fill'), [b.id, a.id])
    assert.deepEqual(await ids(account, '/fill?order_id=7'), [a.id])
    assert.deepEqual(await ids(account, '/fill?symbol=ethusdt'), [b.id])
    assert.deepEqual(await ids(account, `/fill?bot_id=${bot.id}&since=${minutesAgo(1).toISOString()}`), [
      b.id,
    ])
    assert.deepEqual(await ids(account, `/fill?bot_id=${bot.id + 1_000_000}`), [])
  },
)

withBotService(
  'an exchange’s own figures stay exact, calculated ones are rounded',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const figures = {
      price: '56565.8788050000001',
      fee: '0.10004999286293325',
      realised: '-0.10004999286293325',
    }
    await addFill(service, bot.owner, { orderId: 1, ...figures, tradeId: '481-1' })
    await addFill(service, bot.owner, { orderId: 2, ...figures, tradeId: 'tw1a2b3c4-481-c2-1' })
    await addFill(service, bot.owner, { orderId: 3, ...figures, tradeId: 'sum-0.5' })
    const shown = (await list(account, '/fill')).map(({ price, fee, realised }) => [price, fee, realised])
    const rounded = ['56565.878805', '0.10004999', '-0.10004999']
    assert.deepEqual(shown, [rounded, rounded, [figures.price, figures.fee, '-0.10004999']])

    await addOrder(service, bot.owner, {
      size: '0.123456789012345678',
      averagePrice: '33.33333333333333333333',
    })
    const [order] = await list(account, '/order')
    assert.deepEqual([order.size, order.average_price], ['0.123456789012345678', '33.33333333'])

    const sums = { entryPrice: '33.33333333333333333333', realised: '-3.6942319999999995', fees: '0.0000012' }
    await addPosition(service, bot.owner, { symbol: 'NOSUCH', ...sums })
    const [position] = await list(account, '/position')
    const { entry_price, realised, fees } = position
    assert.deepEqual([entry_price, realised, fees], ['33.33333333', '-3.694232', '0.0000012'])
  },
)

withBotService('the signals of a bot have their results and reasons', async (account, service) => {
  const bot = await makeBot(service, account)
  const a = await addBotSignal(service, bot.owner, { status: 'DONE', queuedAt: minutesAgo(2) })
  const why = { status: 'REFUSED', reason: 'Too old.', finishedAt: minutesAgo(0) } as const
  const b = await addBotSignal(service, bot.owner, { ...why, queuedAt: minutesAgo(1) })
  await addBotSignal(service, (await makeBot(service, account)).owner)
  const path = `${bot.own}/signals`
  const [newest] = await list(account, path)
  assert.deepEqual(newest, {
    id: b.id,
    bot_id: bot.id,
    signal_id: b.signalId,
    action: 'LONG',
    symbol: 'BTC/USDT',
    status: 'REFUSED',
    reason: 'Too old.',
    queued_at: minutesAgo(1).toISOString(),
    due_at: null,
    finished_at: minutesAgo(0).toISOString(),
  })
  assert.deepEqual(await ids(account, path), [b.id, a.id])
  assert.deepEqual(await ids(account, `${path}?status=DONE`), [a.id])
  assert.deepEqual(await ids(account, `${path}?since=${minutesAgo(1).toISOString()}`), [b.id])
  const page = await expect(200, account.api('GET', `${path}?limit=1`))
  assert.deepEqual([page.total, page.items[0].id], [2, b.id])
})

withBotService('no user can see the records of another user', async (account, service) => {
  const stranger = await service.account()
  const { owner, id } = await makeBot(service, account)
  await addPosition(service, owner)
  await addOrder(service, owner)
  await addFill(service, owner)
  for (const path of ['/position', '/order', '/fill']) {
    assert.equal((await list(account, `${path}?bot_id=${id}`)).length, 1)
    for (const query of ['', `?bot_id=${id}`]) assert.deepEqual(await list(stranger, path + query), [])
    assert.equal((await expect(200, stranger.api('GET', `${path}?limit=1`))).total, 0)
  }
})

withBotService('an invalid filter is answered with a 400 that names it', async (account, service) => {
  const { own } = await makeBot(service, account)
  const common = ['since=yesterday', 'since=2026-12-31T23:59:60Z', 'limit=201', 'symbol=', 'symbol=a%00']
  const wrong = [
    ...common.flatMap((query) => [`/position?${query}`, `/order?${query}`, `/fill?${query}`]),
    ...common.map((query) => `${own}/signals?${query}`),
    ...[
      '/position?bot_id=0',
      '/position?all=yes',
      '/order?status=filled',
      '/order?bot_id=x',
      '/fill?order_id=0',
    ],
    ...[`${own}/signals?status=`, `${own}/equity?since=1`, `${own}/equity?until=2026-02-30T00:00:00Z`],
  ]
  for (const path of wrong) {
    const { code, details } = await expect(400, account.api('GET', path))
    assert.equal(code, 'request_invalid')
    assert.equal(details[0].field, `querystring.${path.split('?')[1]!.split('=')[0]}`)
  }
  for (const query of ['since=0000-01-01T00:00:00Z', 'since=9999-12-31T23:59:59-14:00', 'symbol=%27;--']) {
    for (const path of ['/position', '/order', '/fill', `${own}/signals`]) {
      assert.deepEqual(await list(account, `${path}?${query}`), [])
    }
  }
})

withBotService(
  'each list has only the records of bots of a kind, page by page, however rare they are',
  async (account, service) => {
    const paper = await makeBot(service, account)
    const ofExchange = async (isDemo: boolean) =>
      makeBot(service, account, {
        ...{ mode: 'live', exchange_id: 2 },
        connection_id: await addConnection(service, account, { isDemo }),
      })
    const [demo, live] = [await ofExchange(true), await ofExchange(false)]
    const another = await makeBot(service, account)
    for (const { owner } of [live, paper, demo, paper, another, live]) {
      await addOrder(service, owner)
      await addFill(service, owner)
    }
    await addPosition(service, live.owner)
    await addPosition(service, paper.owner)
    const botsIn = async (path: string) => (await list(account, path)).map(({ bot_id }) => bot_id)
    for (const path of ['/order', '/fill']) {
      assert.deepEqual(await botsIn(`${path}?mode=paper`), [another.id, paper.id, paper.id])
      assert.deepEqual(await botsIn(`${path}?mode=live`), [live.id, demo.id, live.id])
      assert.deepEqual(await botsIn(`${path}?mode=live&demo=false`), [live.id, live.id])
      assert.deepEqual(await botsIn(`${path}?demo=true`), [demo.id])
      assert.deepEqual(await botsIn(`${path}?bot_id=${demo.id}&mode=paper`), [])
      const ofMode = await ids(account, `${path}?mode=live`)
      const page = await expect(200, account.api('GET', `${path}?mode=live&limit=2&page=2`))
      assert.deepEqual([page.items.map(({ id }: Item) => id), page.total], [ofMode.slice(2), 3])
      const older = await expect(200, account.api('GET', `${path}?mode=live&limit=1&before=${ofMode[0]}`))
      assert.deepEqual([older.items.map(({ id }: Item) => id), older.next], [[ofMode[1]], ofMode[1]])
      const newer = await expect(200, account.api('GET', `${path}?mode=live&limit=1&after=${ofMode[2]}`))
      assert.deepEqual([newer.items.map(({ id }: Item) => id), newer.next], [[ofMode[1]], ofMode[1]])
      const other = await service.account()
      assert.deepEqual(await list(other, `${path}?mode=paper`), [])
      assert.deepEqual(await list(other, `${path}?mode=live&bot_id=${live.id}`), [])
    }
    assert.deepEqual(await botsIn('/position?mode=live'), [live.id])
    assert.deepEqual(await botsIn('/position?demo=true'), [])
  },
)

withBotService('payments are listed newest first, for their owner only', async (account, service) => {
  const { owner } = await makeBot(service, account)
  const values = { ...owner, symbol: 'BTC/USDT:USDT', kind: 'funding', asset: 'USDT' } as const
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  await service.database.db.insert(payments).values([
    { ...values, paymentId: 'a', amount: '-0.5', value: '-0.5', paidAt: at(1) },
    { ...values, paymentId: 'b', amount: '0.25', value: '0.25', paidAt: at(2) },
  ])
  const ids = async (query: string, of = account) => {
    const { status, body } = await of.api('GET', `/payment${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.map((payment: { payment_id: string }) => payment.payment_id)
  }
  assert.deepEqual(await ids(`?bot_id=${owner.botId}&symbol=btcusdt`), ['b', 'a'])
  assert.deepEqual(await ids('?since=2026-01-02T00:00:00.000Z'), ['b'])
  assert.deepEqual(await ids('', await service.account()), [])
})
