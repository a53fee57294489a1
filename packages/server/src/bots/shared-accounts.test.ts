/** Two live bots on one account. */
import assert from 'node:assert/strict'
import {
  type Account,
  addBotSignal,
  addConnection,
  addOrder,
  addPosition,
  type BotService,
  makeBot,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { unknownFacts } from '../trading/live/account-reader.ts'

const futures = 3

/** Live bots on futures, each with a name, as a test switches them on and off. */
function liveBots(service: BotService, account: Account) {
  service.isLive = true
  return async (connection_id: number, symbol: string | null, fields: Record<string, unknown> = {}) => {
    const settings = { exchange_id: futures, mode: 'live', connection_id, symbol, name: 'Trend', ...fields }
    const bot = await makeBot(service, account, settings)
    const set = (status: string) => account.api('PUT', `${bot.own}/status`, { status })
    return { ...bot, on: () => set('ACTIVE'), off: () => expect(200, set('INACTIVE')) }
  }
}

withBotService(
  'of two bots with the same futures symbol on one account, only one can be switched on',
  async (account, service) => {
    const make = liveBots(service, account)
    const connection = await addConnection(service, account, { exchangeId: futures })
    const first = await make(connection, 'BTCUSDT,ETHUSDT')
    const second = await make(connection, 'SOLUSDT,eth/usdt')
    const other = await make(connection, 'SOLUSDT')
    await expect(200, first.on())
    const refused = await expect(409, second.on())
    assert.equal(refused.code, 'resource_conflict')
    assert.match(
      refused.error,
      new RegExp(`^Bot ${first.id} \\(Trend\\) already trades ETHUSDT on this account`),
    )
    assert.deepEqual(refused.details, [
      { message: `bot ${first.id}`, id: first.id, name: 'Trend', symbol: 'ETHUSDT' },
    ])
    assert.equal((await expect(200, account.api('GET', second.own))).status, 'INACTIVE')
    await expect(200, other.on())
    await expect(200, first.on())
    await first.off()
    await other.off()
    await expect(200, second.on())
  },
)

withBotService('a bot without a list of symbols claims every symbol', async (account, service) => {
  const make = liveBots(service, account)
  const connection = await addConnection(service, account, { exchangeId: futures })
  const all = await make(connection, null)
  const one = await make(connection, 'BTCUSDT')
  await expect(200, one.on())
  assert.match((await expect(409, all.on())).error, /already trades BTCUSDT/)
  await one.off()
  await expect(200, all.on())
  assert.match((await expect(409, one.on())).error, /already trades BTCUSDT/)
  const every = await make(connection, null)
  assert.match((await expect(409, every.on())).error, /already trades every symbol/)
})

withBotService('a bot that is off claims what it holds, and nothing else', async (account, service) => {
  const make = liveBots(service, account)
  const connection = await addConnection(service, account, { exchangeId: futures })
  const off = await make(connection, 'BTCUSDT')
  const holds = [
    () => addPosition(service, off.owner, { symbol: 'BTCUSDT', side: 'short' }),
    () => addOrder(service, off.owner, { symbol: 'ETHUSDT', status: 'UNKNOWN' }),
    () => addBotSignal(service, off.owner, { symbol: 'SOLUSDT', status: 'WAITING' }),
  ]
  await addPosition(service, off.owner, { symbol: 'XRPUSDT', side: null, size: '0' })
  await addOrder(service, off.owner, { symbol: 'XRPUSDT' })
  for (const [index, symbol] of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].entries()) {
    const bot = await make(connection, `XRPUSDT,${symbol}`)
    await expect(200, bot.on())
    await bot.off()
    await holds[index]!()
    const refused = await expect(409, bot.on())
    assert.match(refused.error, new RegExp(`Bot ${off.id} .* is switched off and still holds ${symbol}`))
  }
})

withBotService(
  'connections with the same key, or to an account that the exchange calls the same, are one account',
  async (account, service) => {
    const make = liveBots(service, account)
    const stranger = await service.account()
    const connect = (values: Parameters<typeof addConnection>[2], of = account) =>
      addConnection(service, of, { exchangeId: futures, apiKey: 'a key', ...values })
    const first = await make(await connect({}), 'BTCUSDT')
    await expect(200, first.on())
    // Binance USD-M futures have an entry of their own.
    const usdM = { exchange_id: 110, exchangeId: 110 }
    for (const [values, status] of [
      [{}, 409],
      [usdM, 409],
      [{ apiKey: 'another key' }, 200],
      [{ isDemo: true }, 200],
    ] as const) {
      const { exchange_id = futures, ...row } = { exchange_id: futures, ...values }
      const bot = await make(await connect(row), 'BTCUSDT', { exchange_id })
      await expect(status, bot.on())
      if (status === 200) await bot.off()
    }
    const theirs = await liveBots(service, stranger)(await connect({}, stranger), 'BTCUSDT')
    await expect(200, theirs.on())

    // The exchange tells which account a key belongs to when a bot is switched on.
    service.answer = () => ({ ok: true, facts: { ...unknownFacts, accountId: '4711' }, equity: null })
    await first.off()
    await expect(200, first.on())
    const samePerson = await make(await connect({ apiKey: 'a third key' }), 'BTCUSDT')
    await expect(409, samePerson.on())
    service.answer = () => ({ ok: true, facts: unknownFacts, equity: null })
  },
)

withBotService('bots on spot, and on paper, can share a symbol', async (account, service) => {
  const make = liveBots(service, account)
  const spot = await addConnection(service, account)
  for (const _ of [1, 2]) {
    await expect(200, (await make(spot, 'BTCUSDT', { exchange_id: 2 })).on())
  }
  const connection = await addConnection(service, account, { exchangeId: futures })
  const live = await make(connection, 'BTCUSDT')
  await expect(200, live.on())
  await expect(200, (await make(connection, 'BTCUSDT', { mode: 'paper' })).on())
})

withBotService('of symbols that the market does not know, the letters count', async (account, service) => {
  const make = liveBots(service, account)
  const connection = await addConnection(service, account, { exchangeId: futures })
  await expect(200, (await make(connection, 'NOSUCH')).on())
  await expect(409, (await make(connection, 'no-such:USDT', { amount_currency: 'USDT' })).on())
  await expect(200, (await make(connection, 'NOSUCHUSDT')).on())
})

withBotService('an active bot cannot take a symbol of another one', async (account, service) => {
  const make = liveBots(service, account)
  const connection = await addConnection(service, account, { exchangeId: futures })
  const first = await make(connection, 'BTCUSDT')
  const second = await make(connection, 'ETHUSDT')
  const elsewhere = await make(await addConnection(service, account, { exchangeId: futures }), 'BTCUSDT')
  for (const bot of [first, second, elsewhere]) await expect(200, bot.on())
  for (const symbol of ['ETHUSDT,btc/usdt', null]) {
    assert.match(
      (await expect(409, account.api('PUT', second.own, { symbol }))).error,
      new RegExp(`Bot ${first.id} `),
    )
  }
  await expect(409, account.api('PUT', elsewhere.own, { connection_id: connection }))
  const unchanged = await expect(200, account.api('GET', second.own))
  assert.equal(unchanged.symbol, 'ETHUSDT')
  await expect(200, account.api('PUT', second.own, { symbol: 'ETHUSDT,SOLUSDT' }))
  await second.off()
  await expect(200, account.api('PUT', second.own, { symbol: 'BTCUSDT' }))
  await expect(409, second.on())
})

withBotService('of many bots that are switched on at once, one succeeds', async (account, service) => {
  const make = liveBots(service, account)
  const key = { exchangeId: futures, apiKey: 'a shared key' }
  const connections = await Promise.all([1, 2, 3].map(() => addConnection(service, account, key)))
  const created = await Promise.all(
    Array.from({ length: 9 }, (_, index) => make(connections[index % 3]!, 'BTCUSDT')),
  )
  const answers = await Promise.all(created.map((bot) => bot.on()))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(8).fill(409)])

  // Taking the symbol by a change of settings competes in the same way.
  for (const bot of created) await bot.off()
  const [one, two] = created
  await expect(200, account.api('PUT', two!.own, { symbol: 'ETHUSDT' }))
  await expect(200, two!.on())
  const both = await Promise.all([one!.on(), account.api('PUT', two!.own, { symbol: 'BTCUSDT' })])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
})
