/** A real service that is killed while it places a stop, and an exchange that executes the stop meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBot } from '../../../test/bot.ts'
import { makeConnection, startExchange } from '../../../test/connection.ts'
import { createEmbeddedDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { startProcess } from '../../../test/process.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { until } from '../../../test/until.ts'

const futures = 3
const symbol = 'BTC/USDT:USDT'
const longPatienceMs = 120_000

test('after a kill right after a stop was sent, the next service finds what it has executed, and books it once', async () => {
  await using exchange = await startExchange()
  await using database = await createEmbeddedDatabase()
  const { standIn } = exchange
  const { trading } = standIn
  const stops = stopsOf(standIn)
  trading.setBalance('USDT', '100000')
  const options = { database, env: { MARKET: 'live', LOG_LEVEL: 'error', ...exchange.env } }
  let id = 0
  {
    await using service = await startProcess(options)
    await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
    const connection = await makeConnection(service, exchange, { exchange_id: futures })
    const protection = { stop_loss: '2%' }
    const bot = await makeBot(service, {
      mode: 'live',
      connection_id: connection.id,
      amount: '1000',
      protection,
    })
    id = bot.id
    // The exchange accepts the stop and never answers.
    trading.failNext('after-hang', 'stop')
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await until('the stop to be taken', async () => stops.all().length === 1, longPatienceMs)
    const [position] = await bot.positions()
    assert.equal(position.protection.state, 'ARMING')
    assert.equal(position.protection.kept_at, 'service')
    await service.killGroup()
  }
  standIn.setPrice(symbol, Number(stops.all()[0]!.price) - 1)
  assert.equal(trading.position(symbol), '0')
  await using service = await startService(options)
  const read = (what: string) => expect(200, service.api('GET', `/api/v2/${what}?bot_id=${id}&all=true`))
  const isFlat = async () => (await read('position'))[0].side === null
  await until('the books to be flat', isFlat, longPatienceMs)
  const orders = await expect(200, service.api('GET', `/api/v2/order?bot_id=${id}`))
  assert.deepEqual(
    orders.map(({ purpose, status, origin }: Record<string, string>) => [purpose, status, origin]),
    [
      ['close', 'FILLED', 'stop_loss'],
      ['open', 'FILLED', null],
    ],
  )
  const fills = await expect(200, service.api('GET', `/api/v2/fill?bot_id=${id}`))
  assert.deepEqual(
    fills.map(({ kind }: Record<string, string>) => kind),
    ['order', 'order'],
  )
  assert.equal(stops.all().length, 1)
})
