/** Live bots through the whole service, on an exchange whose failures the test chooses. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { makeConnection, startExchange, type TestExchange } from '../../test/connection.ts'
import { createEmbeddedDatabase, createTestDatabase } from '../../test/databases.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService, type TestService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

const futures = 3
const symbol = 'BTC/USDT:USDT'

/** A live bot on futures, with live trading switched on. */
async function makeLiveBot(client: Client, exchange: TestExchange) {
  exchange.standIn.trading.setBalance('USDT', '100000')
  await expect(200, client.api('PUT', '/api/v2/trading', { live_trading: true }))
  const connection = await makeConnection(client, exchange, { exchange_id: futures })
  return makeBot(client, { mode: 'live', connection_id: connection.id, amount: '1000' })
}

/** The position according to the exchange, and according to the books of the bot. */
async function holdings(exchange: TestExchange, bot: Awaited<ReturnType<typeof makeBot>>) {
  const [position] = await bot.positions()
  const booked = position === undefined ? '0' : position.side === 'long' ? position.size : `-${position.size}`
  return [Number(exchange.standIn.trading.position(symbol)), Number(booked)]
}

describe('on one service', () => {
  const opened = new AsyncDisposableStack()
  let exchange: TestExchange
  let service: TestService
  let bot: Awaited<ReturnType<typeof makeBot>>
  /** How many signals the bot has received. */
  let count = 0

  before(async () => {
    exchange = opened.use(await startExchange())
    service = opened.use(await startService({ env: { MARKET: 'live', ...exchange.env } }))
    bot = await makeLiveBot(service, exchange)
  })
  after(() => opened.disposeAsync())

  const send = async (...sides: string[]) => {
    for (const side of sides) await bot.send({ symbol: 'BTCUSDT', side })
    count += sides.length
  }
  /** The last signals, after they have ended or wait for their owner. */
  const last = async (number: number) => (await bot.followed(count, longPatienceMs)).slice(-number)

  test('a live bot flips and closes, and its position matches the exchange', async () => {
    await send('BUY', 'SELL', 'EXIT', 'BUY')
    assert.deepEqual(
      (await last(4)).map(({ status, reason }) => [status, reason]),
      Array.from({ length: 4 }, () => ['DONE', null]),
    )
    const orders = await bot.orders()
    assert.deepEqual(
      orders.map(({ purpose, side, status }: Record<string, string>) => `${purpose} ${side} ${status}`),
      ['open buy FILLED', 'close sell FILLED', 'open sell FILLED', 'close buy FILLED', 'open buy FILLED'],
    )
    assert.deepEqual(
      exchange.standIn.trading.orders().map(({ clientOrderId }) => clientOrderId),
      orders.map(({ client_order_id }: Record<string, string>) => client_order_id),
    )
    const [actual, booked] = await holdings(exchange, bot)
    assert.equal(actual, booked)
    assert.ok(actual! > 0)
    await send('EXIT')
    await last(1)
  })

  test('an order whose answer is lost is looked up and not placed again', async () => {
    const { trading } = exchange.standIn
    let expected = trading.orders().length
    for (const failure of ['after-cut', 'after-5xx', 'after-garbage'] as const) {
      for (const side of ['BUY', 'EXIT']) {
        trading.failNext(failure)
        await send(side)
        expected += 1
        const [followed] = await last(1)
        assert.equal(followed!.status, 'DONE', JSON.stringify(followed))
        assert.equal(trading.orders().length, expected)
      }
    }
    assert.deepEqual(await holdings(exchange, bot), [0, 0])
  })

  test('the kill switch halts all trading at once, and placed orders are settled', async () => {
    const { trading } = exchange.standIn
    const expected = trading.orders().length + 1
    trading.setFills('never')
    await send('BUY')
    await until('the order to be there', async () => trading.orders().length === expected)
    await expect(200, service.api('PUT', '/api/v2/trading', { halted: true }))
    await send('EXIT')
    trading.fillOpen()
    const [opened, exit] = await last(2)
    assert.equal(opened!.status, 'DONE')
    assert.equal(exit!.status, 'WAITING')
    assert.match(exit!.reason!, /^Trading is halted\. The close waits until you let it proceed or drop it\.$/)
    assert.equal(trading.orders().length, expected)
    const [actual, booked] = await holdings(exchange, bot)
    assert.equal(actual, booked)

    await expect(200, service.api('PUT', '/api/v2/trading', { halted: false, live_trading: false }))
    await send('EXIT')
    const [replaced, waiting] = await last(2)
    assert.equal(waiting!.status, 'WAITING')
    assert.equal(replaced!.status, 'IGNORED')
    assert.match(replaced!.reason!, /newer signal of the symbol replaced it/)
    assert.equal(trading.orders().length, expected)
  })
})

test('after a kill during an order or a refused close, the next service settles it, places nothing twice and books all of it once', async () => {
  await using exchange = await startExchange()
  await using database = await createEmbeddedDatabase()
  const { trading } = exchange.standIn
  const options = { database, env: { MARKET: 'live', LOG_LEVEL: 'error', ...exchange.env } }
  let path = ''
  let id = 0
  {
    await using service = await startProcess(options)
    const bot = await makeLiveBot(service, exchange)
    id = bot.id
    path = new URL((await expect(200, service.api('GET', `/api/v2/webhook/bot/${bot.webhookId}`))).url)
      .pathname
    // The exchange accepts the order and never answers.
    trading.failNext('after-hang')
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await until('the order to be taken', async () => trading.orders().length === 1)
    await service.killGroup()
  }
  {
    await using service = await startProcess(options)
    const open = async () => (await expect(200, service.api('GET', `/api/v2/position?bot_id=${id}`)))[0]
    await until('the position to be in the books', async () => (await open()) !== undefined, longPatienceMs)
    assert.equal(Number((await open()).size), Number(trading.position(symbol)))
    assert.equal(trading.orders().length, 1)
    trading.refuseCloses('all')
    assert.equal(
      (await service.send('POST', path, { body: { symbol: 'BTCUSDT', side: 'EXIT' } })).status,
      202,
    )
    const exit = async () => (await service.api('GET', `/api/v2/bot/signal/cex/${id}/signals`)).body[0]
    await until('the close to be refused', async () => (await exit()).status === 'CLOSING')
    trading.trade(symbol, 'sell', '0.001')
    await service.killGroup()
  }
  trading.refuseCloses('none')
  await using service = await startService(options)
  const position = async () =>
    (await expect(200, service.api('GET', `/api/v2/position?bot_id=${id}&all=true`)))[0]
  const isClosed = async () => Number(trading.position(symbol)) === 0 && (await position()).side === null
  await until('the position to be closed', isClosed, longPatienceMs)
  const sent = trading.orders().flatMap(({ clientOrderId }) => clientOrderId || [])
  assert.equal(sent.length, 2)
  const orders = await expect(200, service.api('GET', `/api/v2/order?bot_id=${id}`))
  const planned = new Set(orders.map((order: Record<string, string>) => order.client_order_id))
  assert.ok(sent.every((one) => planned.has(one)))
  const gained = Number(trading.balance('USDT')) - 100_000
  const isBooked = async () => Math.abs(Number((await position()).realised) - gained) < 1e-6
  await until('the trade by hand to be in the books', isBooked, longPatienceMs)
})

test('orders are settled even after exchange and connection are switched off, and no new ones are placed', async () => {
  await using exchange = await startExchange()
  await using database = await createTestDatabase()
  const { trading } = exchange.standIn
  const options = { database, env: { MARKET: 'live', ...exchange.env } }
  let bot: Awaited<ReturnType<typeof makeBot>>
  const connectionOf = async (client: Client) =>
    (await expect(200, client.api('GET', `/api/v2/bot/signal/cex/${bot.id}`))).connection_id
  {
    await using service = await startService(options)
    bot = await makeLiveBot(service, exchange)
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(1)
    trading.setFills('never')
    // A flip: the close is in progress, and the opening would follow.
    await bot.send({ symbol: 'BTCUSDT', side: 'SELL' })
    await until('the close to be there', async () => trading.orders().length === 2)
    const connection = await connectionOf(service)
    const other = await makeConnection(service, exchange, { exchange_id: futures })
    const own = `/api/v2/bot/signal/cex/${bot.id}`
    for (const [method, path, body] of [
      ['PUT', own, { connection_id: other.id }],
      ['DELETE', own, undefined],
      ['DELETE', `${own}?abandon_positions=true`, undefined],
    ] as const) {
      const refused = await expect(409, service.api(method, path, body))
      assert.match(refused.error, /is not settled/)
    }
    await expect(200, service.api('PUT', `/api/v2/api/exchange/${connection}/status`, { status: 'INACTIVE' }))
    await expect(200, service.api('PUT', `/api/v2/exchange/${futures}`, { enabled: false }))
  }
  // A new process has no order in memory.
  await using service = await startService(options)
  trading.fillOpen()
  const signals = `/api/v2/bot/signal/cex/${bot.id}/signals?limit=1&page=1`
  const last = async () => (await expect(200, service.api('GET', signals))).items[0]
  await until('the flip to end', async () => !['QUEUED', 'WORKING'].includes((await last()).status))
  assert.equal((await last()).status, 'REFUSED')
  assert.match(
    (await last()).reason,
    /The position was closed, but no new one was opened\. The bot places no new orders/,
  )
  assert.deepEqual([trading.orders().length, Number(trading.position(symbol))], [2, 0])
  assert.deepEqual(await expect(200, service.api('GET', `/api/v2/position?bot_id=${bot.id}`)), [])
})
