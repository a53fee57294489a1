import assert from 'node:assert/strict'
import {
  type Account,
  addOrder,
  addPosition,
  type BotService,
  botsPath,
  makeBot,
  simulated,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { exchangeConnections } from '../db/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any

const preview = (account: Account, body: object, status = 200): Promise<Item> =>
  expect(status, account.api('POST', `${botsPath}/size`, body))

/** Sets a price on Binance, whose size step and least size are 0.001 in this test, and whose least value is 5. */
async function withPrice(account: Account, service: BotService, symbol: string, price: number) {
  const body = { exchange_id: 2, symbol, amount: '100' }
  const answer = preview(account, body)
  await service.prices.send(price, `spot ${symbol}`)
  await answer
  await until('the price', async () => (await preview(account, body)).previews[0].price === String(price))
}

withBotService(
  'a preview is the order that a bot would place, or why it would not',
  async (account, service) => {
    await withPrice(account, service, 'BTCUSDT', 64_210)
    const one = async (body: object) => {
      const { previews, ...rest } = await preview(account, { exchange_id: 2, symbol: 'BTCUSDT', ...body })
      assert.equal(previews.length, 1)
      return { ...rest, ...previews[0] }
    }
    assert.deepEqual(await one({ amount: '1000' }), {
      ...{
        amount: '1000',
        amount_in: 'USDT',
        symbol_count: 1,
        symbol: 'BTCUSDT',
        status: 'OPENS',
        reason: null,
      },
      // 0.01557… rounded down to the step, and what that is worth.
      ...{ price: '64210', size: '0.015', value: '963.15', base: 'BTCUSDT', quote: 'USDT' },
      ...{ stop_price: null, loss_at_stop: null, note: null },
    })
    const shared = await one({ amount: '1000', participation: '0.1' })
    assert.equal(shared.size, '0.015')
    assert.match(shared.note, /the bot may trade at most 10 % of what was traded in the last complete minute/)
    await withPrice(account, service, 'XYZ', 10)
    const inBase = await one({ symbol: 'XYZ', amount: '1.2345', amount_unit: 'base' })
    assert.deepEqual(
      [inBase.status, inBase.size, inBase.value, inBase.base],
      ['OPENS', '1.234', '12.34', 'XYZ'],
    )
    const small = await one({ amount: '50' })
    assert.equal(small.status, 'REFUSED')
    assert.match(small.reason, /^At a price of 64210, 50 USDT is 0 BTCUSDT; the minimum order size is 0.001/)
    const limited = await one({ amount: '1000', max_position: '500' })
    assert.match(limited.reason, /max_position/)
    const other = await one({ amount: '1000', amount_currency: 'EUR' })
    assert.match(other.reason, /in EUR, and BTCUSDT is quoted in USDT/)
  },
)

withBotService('a preview of a part of the equity counts the equity of the bot', async (account, service) => {
  await withPrice(account, service, 'BTCUSDT', 50_000)
  const body = { exchange_id: 2, symbol: 'BTCUSDT', amount: '50', amount_unit: 'equity_percent' }
  const one = async (fields: object) => (await preview(account, { ...body, ...fields })).previews[0]
  const { size, value } = await one({ start_balance: '1000' })
  assert.deepEqual([size, value], ['0.01', '500'])
  assert.equal((await one({ start_balance: '1000', max_position: '300' })).size, '0.006')
  assert.equal((await preview(account, body)).amount_in, '%')
  const unread = await one({ mode: 'live', start_balance: null })
  assert.deepEqual([unread.status, unread.size], ['UNKNOWN', null])
  assert.match(unread.reason, /start balance of the bot is not known yet/)
  const bot = await makeBot(service, account, { exchange_id: 2, symbol: 'BTCUSDT', start_balance: '200' })
  assert.equal((await one({ bot_id: bot.id, start_balance: '1000' })).size, '0.002')
  const owner = { userId: account.userId, botId: bot.id }
  const resting = {
    symbol: 'ETH/USDT',
    size: '0.05',
    status: 'OPEN',
    type: 'limit',
    limitPrice: '2500',
  } as const
  await addOrder(service, owner, resting)
  assert.equal((await one({ bot_id: bot.id })).size, '0.001')
  const stranger = await service.account()
  await preview(stranger, { ...body, bot_id: bot.id }, 404)
  for (const amount of ['100.1', '1000']) {
    const { details } = await preview(account, { ...body, amount }, 400)
    assert.match(details[0].message, /must be at most 100, because it is percent of the equity/)
  }
})

withBotService(
  'a preview of a part of the equity at risk says where the stop would stand and what it would cost',
  async (account, service) => {
    await withPrice(account, service, 'BTCUSDT', 50_000)
    const body = { exchange_id: 2, symbol: 'BTCUSDT', start_balance: '100000', slippage_rate: '0' }
    const one = async (fields: object) => (await preview(account, { ...body, ...fields })).previews[0]
    const risk = { amount: '1', amount_unit: 'risk_percent' }
    const { size, stop_price, loss_at_stop } = await one({ ...risk, protection: { stop_loss: '2%' } })
    // 1,000 USDT, where each BTC loses 1,000 by the price and 99 by the fees.
    assert.deepEqual([size, stop_price, loss_at_stop], ['0.909', '49000', '998.991'])
    const [none, far] = await Promise.all([
      one(risk),
      one({ ...risk, protection: { stop_loss: '5%' }, max_stop_distance: '3%' }),
    ])
    assert.match(none.reason, /names a stop that stands from the first fill on/)
    assert.match(far.reason, /at most 3% is allowed \(max_stop_distance\)/)
    const ordinary = await one({ amount: '1000', protection: { stop_loss: 49_500 } })
    assert.deepEqual([ordinary.size, ordinary.stop_price, ordinary.loss_at_stop], ['0.02', '49500', '11.99'])
  },
)

withBotService(
  'a preview refuses a stop that would cost all that the account of a live bot was last worth',
  async (account, service) => {
    const { id: exchange_id } = service.catalogue.named('binance', 'futures')!
    await service.catalogue.setEnabled(exchange_id, true)
    const { db } = service.database
    const [connection] = await db
      .insert(exchangeConnections)
      .values({
        ...{ userId: account.userId, exchangeId: exchange_id, name: '', credentials: Buffer.from('x') },
        ...{ equity: '100', equityCurrency: 'USDT' },
      })
      .returning()
    const { id: connection_id } = connection!
    const body = {
      ...{ exchange_id, symbol: 'BTCUSDT', mode: 'live', connection_id, start_balance: '100' },
      ...{ amount: '1000', protection: { stop_loss: '20%' } },
    }
    const one = async (fields: object = {}) => (await preview(account, { ...body, ...fields })).previews[0]
    const waits = one()
    await service.prices.send(50_000, 'futures BTCUSDT')
    await waits
    await until('the price', async () => (await one()).price === '50000')
    const { status, reason } = await one()
    assert.equal(status, 'REFUSED')
    assert.equal(
      reason,
      'The account is worth 100 USDT, which a long of 0.02 from 50000 on has used up at 45000, and its stop would be at 40000, too late. Open less, or use a closer stop.',
    )
    const opens = [{ protection: { stop_loss: '5%' } }, { mode: 'paper' }, { connection_id: undefined }]
    for (const fields of opens) assert.equal((await one(fields)).status, 'OPENS', JSON.stringify(fields))
    // What a bot holds elsewhere in the account could gain meanwhile.
    const bot = await makeBot(service, account, {
      ...{ exchange_id, symbol: 'ETHUSDT', mode: 'live', connection_id },
    })
    await addPosition(service, { userId: account.userId, botId: bot.id }, { symbol: 'ETHUSDT' })
    assert.equal((await one()).status, 'OPENS')
    const stranger = await service.account()
    const { details } = await preview(stranger, body, 400)
    assert.equal(details[0].field, 'body.connection_id')
  },
)

withBotService(
  'a preview says what nobody knows, and names at most five symbols',
  async (account, service) => {
    const missing = await preview(account, { exchange_id: 2, symbol: 'NOSUCH', amount: '10' })
    assert.deepEqual([missing.previews[0].status, missing.previews[0].price], ['REFUSED', null])
    const symbols = ['A', 'B', 'C', 'D', 'E', 'F'].map((base) => `${base}USDT`)
    const exchange_id = simulated(service)
    // Without symbols, a usual one is the example.
    const [many, any] = await Promise.all([
      preview(account, { exchange_id, symbol: symbols.join(','), amount: 10 }),
      preview(account, { exchange_id, amount: 10, amount_currency: 'BTC' }),
    ])
    assert.deepEqual([many.symbol_count, many.previews.length], [6, 5])
    assert.ok(many.previews.every(({ status }: Item) => status === 'UNKNOWN'))
    assert.match(any.previews[0].symbol, /^ETH\/?BTC$/)
  },
)

withBotService('settings that no bot could have are refused at their fields', async (account) => {
  const fieldOf = async (body: object) => (await preview(account, body, 400)).details[0].field
  assert.equal(await fieldOf({ exchange_id: 999_999 }), 'body.exchange_id')
  assert.equal(await fieldOf({ exchange_id: 2, amount: '0' }), 'body.amount')
  assert.equal(await fieldOf({ exchange_id: 2, amount: '1e999' }), 'body.amount')
  assert.equal(await fieldOf({ exchange_id: 2, amount: '1', amount_unit: 'base' }), 'body.amount_unit')
  assert.equal(await fieldOf({ exchange_id: 2, amount_rate: 'x' }), 'body.amount_rate')
})
