/** A real service that is killed while it places and cancels orders of positions, and an exchange that executes them meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBot } from '../../../test/bot.ts'
import type { Client } from '../../../test/client.ts'
import { makeConnection, startExchange } from '../../../test/connection.ts'
import { createEmbeddedDatabase } from '../../../test/databases.ts'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { startProcess } from '../../../test/process.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { until } from '../../../test/until.ts'

const [spot, futures] = [2, 3]

test('after a kill while a stop and a target are sent, and stops on spot are moved and cancelled, the next service books each of them once', async () => {
  await using exchange = await startExchange()
  await using database = await createEmbeddedDatabase()
  const { standIn } = exchange
  const { trading } = standIn
  trading.setBalance('USDT', '100000')
  const options = { database, env: { MARKET: 'live', LOG_LEVEL: 'error', ...exchange.env } }
  const resting = (of: string) => trading.orders().filter((one) => one.symbol === of && one.status === 'open')
  const stops = stopsOf(standIn)
  const [symbol, other] = ['BTC/USDT:USDT', 'SOL/USDT:USDT']
  const [bitcoin, ether, solana] = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT']
  const ids: Record<string, number> = {}
  let client: Client
  const read = (what: string, of: string) =>
    expect(200, client.api('GET', `/api/v2/${what}?bot_id=${ids[of]}`))
  const position = async (of: string) => (await read('position', of))[0]
  /** Only dust is left: the fee of the opening was paid in coins. */
  const isSold = async (of: string) => Number((await position(of))?.size ?? 0) < 0.0001
  const protect = (of: string, protection: unknown) =>
    client.api('PUT', `/api/v2/position/${ids[of]}/protection`, { symbol: of, protection })
  const protectedAt = (of: string, price: number) =>
    until(
      `the stop of ${of} to be at ${price}`,
      async () => {
        const { protection } = await position(of)
        return protection?.state === 'PROTECTED' && Number(protection.exchange_stop?.price) === price
      },
      longPatienceMs,
    )
  {
    await using service = await startProcess(options)
    client = service
    await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
    const connections: Record<number, number> = {}
    for (const exchange_id of [spot, futures]) {
      connections[exchange_id] = (await makeConnection(service, exchange, { exchange_id })).id
    }
    const open = async (of: string) => {
      const exchange_id = of.includes(':') ? futures : spot
      const settings = { exchange_id, connection_id: connections[exchange_id], symbol: of, amount: '1000' }
      const bot = await makeBot(service, { mode: 'live', ...settings, protection: { stop_loss: '5%' } })
      ids[of] = bot.id
      await bot.send({ symbol: of, side: 'BUY' })
      return bot
    }
    let last: Awaited<ReturnType<typeof open>> | undefined
    for (const name of [symbol, ether, bitcoin, solana]) {
      last = await open(name)
      const state = async () => (await position(name))?.protection?.state
      await until(`${name} to be protected`, async () => (await state()) === 'PROTECTED', longPatienceMs)
    }
    // The exchange does as it is asked, and never answers: it takes the first stop of a position, a target, and the stop that
    // follows one that it has cancelled, and it cancels stops that are to move, or that lock what is to be sold.
    trading.failNext('after-hang', 'stop')
    await open(other)
    await until('the stop to be taken', async () => stops.all().length === 2, longPatienceMs)
    const { state, kept_at } = (await position(other)).protection
    assert.deepEqual([state, kept_at], ['ARMING', 'service'])
    trading.failNext('after-hang')
    await expect(200, protect(symbol, { stop_loss: '5%', take_profit: [{ at: '1%', part: 0.5 }] }))
    await until('the target to be taken', async () => resting(symbol).length === 1, longPatienceMs)
    trading.failNext('after-hang', 'stop')
    await expect(200, protect(ether, { stop_loss: 2_900 }))
    const isMoved = async () => Number(resting(ether)[0]?.stop?.price) === 2_900
    await until('the stop to be taken', isMoved, longPatienceMs)
    trading.failNext('after-hang', 'cancel')
    await expect(200, protect(bitcoin, { stop_loss: 58_000 }))
    await until('the stop to be cancelled', async () => resting(bitcoin).length === 0, longPatienceMs)
    trading.failNext('after-hang', 'cancel')
    assert.equal((await last!.send({ symbol: solana, side: 'EXIT' })).status, 202)
    await until('the stop to be cancelled', async () => resting(solana).length === 0, longPatienceMs)
    await service.killGroup()
  }
  standIn.setPrice(symbol, Number(resting(symbol)[0]!.limit))
  standIn.setPrice(ether, 2_899)
  standIn.setPrice(other, Number(stops.all()[1]!.price) - 0.01)
  const held = trading.position(symbol)
  assert.deepEqual([resting(symbol).length, resting(ether).length], [0, 0])
  await using service = await startService(options)
  client = service
  await protectedAt(bitcoin, 58_000)
  for (const name of [ether, other, solana]) {
    await until(`the sale of ${name} to be booked`, () => isSold(name), longPatienceMs)
  }
  await until('the target to be booked', async () => (await position(symbol)).size === held, longPatienceMs)
  const isWhole = async () => (await position(symbol)).protection.exchange_stop?.size === held
  await until('a stop for the rest', isWhole, longPatienceMs)
  const origins = async (of: string) => {
    const orders = await read('order', of)
    assert.ok(orders.every(({ status }: Record<string, string>) => status === 'FILLED'))
    return orders.map(({ purpose, origin }: Record<string, string>) => `${purpose} ${origin}`)
  }
  assert.deepEqual(await origins(symbol), ['close take_profit', 'open null'])
  for (const name of [ether, other]) {
    assert.deepEqual(await origins(name), ['close stop_loss', 'open null'])
  }
  assert.deepEqual(await origins(solana), ['close null', 'open null'])
  assert.deepEqual(await origins(bitcoin), ['open null'])
  // Each fill in the account is in the books, and none is there twice.
  const own = trading.orders().flatMap(({ trades }) => trades.map(({ id }) => id))
  const booked: string[] = []
  for (const name of Object.keys(ids)) {
    for (const { trade_id } of await read('fill', name)) booked.push(trade_id)
  }
  assert.deepEqual(booked.sort(), own.sort())
  const sent = trading.orders().map(({ clientOrderId }) => clientOrderId)
  assert.equal(new Set(sent).size, sent.length)
  assert.deepEqual([resting(ether), resting(solana), resting(symbol)], [[], [], []])
  assert.equal(resting(bitcoin).length, 1, 'one stop for the coins that are held')
  assert.equal(stops.open().length, 1, 'the stop of the position that is open')
})
