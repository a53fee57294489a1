/** Closes through the whole service: refused, waiting, asked for by the owner, and all at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { makeConnection, startExchange, type TestExchange } from '../../test/connection.ts'
import { createTestDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const futures = 3
const symbol = 'BTC/USDT:USDT'
const panicPath = '/api/v2/trading/panic'

async function makeLiveBot(client: Client, exchange: TestExchange) {
  exchange.standIn.trading.setBalance('USDT', '100000')
  await expect(200, client.api('PUT', '/api/v2/trading', { live_trading: true }))
  const connection = await makeConnection(client, exchange, { exchange_id: futures })
  return makeBot(client, { mode: 'live', connection_id: connection.id, amount: '1000' })
}

/** The newest signal of a bot, once it has a status. */
async function newest(client: Client, botId: number, ...statuses: string[]) {
  const own = `/api/v2/bot/signal/cex/${botId}/signals?limit=1&page=1`
  const read = async () => (await expect(200, client.api('GET', own))).items[0]
  await until(`a signal to be ${statuses}`, async () => statuses.includes((await read())?.status))
  return read()
}

/** The events of the audit log, without their other fields. */
async function audited(client: Client, name: string) {
  const events = await expect(200, client.api('GET', '/api/v2/user/audit'))
  return events
    .filter(({ event }: { event: string }) => event === name)
    .map(({ details }: { details: unknown }) => details)
}

test('a close that the exchange refuses is CLOSING until the position is flat, also after a restart with another prefix of order ids', async () => {
  await using exchange = await startExchange()
  await using database = await createTestDatabase()
  const { trading } = exchange.standIn
  const options = { database, env: { MARKET: 'live', ...exchange.env } }
  let id = 0
  let path = ''
  {
    await using service = await startService(options)
    const bot = await makeLiveBot(service, exchange)
    id = bot.id
    const webhook = await expect(200, service.api('GET', `/api/v2/webhook/bot/${bot.webhookId}`))
    path = new URL(webhook.url).pathname
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(1)
    for (let count = 0; count < 2; count++) trading.failNext('reject')
    await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
    const closing = await newest(service, id, 'CLOSING')
    assert.match(closing.reason, /^Only 0 of \S+ BTC was closed\. .* The bot has tried (once|2 times)/)
    assert.equal(closing.finished_at, null)
    const refused = await expect(
      409,
      service.api('DELETE', `/api/v2/bot/signal/cex/${id}?abandon_positions=true`),
    )
    assert.match(refused.error, /still following signal/)
    // The strategy sends its next EXIT: the close is wanted all the same.
    await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
    await newest(service, id, 'CLOSING', 'DONE')
  }
  await using service = await startService(options)
  const done = await newest(service, id, 'DONE')
  assert.equal(done.reason, null)
  assert.equal(Number(trading.position(symbol)), 0)
  await service.send('POST', path, { body: { symbol: 'BTCUSDT', side: 'BUY' } })
  await until('the next order', async () => Number(trading.position(symbol)) > 0)
  const own = await expect(200, service.api('GET', `/api/v2/order?bot_id=${id}`))
  const ids: string[] = own.map((order: { client_order_id: string }) => order.client_order_id)
  for (const one of ids) assert.match(one, /^tw[0-9a-z]{8}-\d+-(o|c\d*)$/)
  const [last, first] = [ids[0], ids.at(-1)].map((one) => one!.split('-')[0])
  assert.notEqual(last, first)
})

withService('after a halt, a close waits until its owner lets it proceed or drops it', async (service) => {
  const bot = await makeBot(service, { amount: '100' })
  const own = `/api/v2/bot/signal/cex/${bot.id}`
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await bot.followed(1)
  await expect(200, service.api('PUT', '/api/v2/trading', { halted: true }))
  await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
  const waiting = await newest(service, bot.id, 'WAITING')
  assert.match(waiting.reason, /^Trading is halted\./)
  await expect(200, service.api('PUT', '/api/v2/trading', { halted: false }))
  const proceed = `${own}/signals/${waiting.id}/proceed`
  const drop = `${own}/signals/${waiting.id}/drop`

  assert.match(
    (await expect(409, service.api('DELETE', own))).error,
    /waits until you let it proceed or drop it/,
  )
  const note = await expect(200, service.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  assert.match(note.note, /These closes wait until you let them proceed or drop them: BTCUSDT\./)
  assert.match(
    (await expect(409, service.api('POST', proceed))).error,
    /is switched off, so signal \d+ keeps waiting/,
  )
  await expect(200, service.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  await expect(404, service.api('POST', `${own}/signals/${waiting.id + 100}/proceed`))
  const [proceeded] = await Promise.all([service.api('POST', proceed), service.api('POST', proceed)])
  assert.equal(proceeded.status, 200)
  assert.equal((await newest(service, bot.id, 'DONE')).id, waiting.id)
  assert.deepEqual(await bot.positions(), [])
  assert.match((await expect(409, service.api('POST', proceed))).error, /has ended \(DONE\)/)
  assert.match((await expect(409, service.api('POST', drop))).error, /has ended \(DONE\)/)

  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await newest(service, bot.id, 'DONE')
  await expect(200, service.api('PUT', '/api/v2/trading', { halted: true }))
  await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
  const second = await newest(service, bot.id, 'WAITING')
  for (let times = 0; times < 2; times++) {
    const dropped = await expect(200, service.api('POST', `${own}/signals/${second.id}/drop`))
    assert.deepEqual([dropped.id, dropped.symbol, dropped.status], [second.id, 'BTCUSDT', 'IGNORED'])
  }
  assert.equal((await bot.positions()).length, 1)
  const details = { id: bot.id, symbol: 'BTCUSDT' }
  assert.deepEqual(await audited(service, 'close_proceeded'), [{ ...details, signal_id: waiting.id }])
  assert.deepEqual(await audited(service, 'close_dropped'), [{ ...details, signal_id: second.id }])
  await expect(200, service.api('PUT', '/api/v2/trading', { halted: false }))
})

withAccount('an owner closes one symbol or all, also of a bot that is switched off', async (service) => {
  const bot = await makeBot(service, { amount: '100' })
  const own = `/api/v2/bot/signal/cex/${bot.id}`
  for (const name of ['BTCUSDT', 'ETHUSDT']) await bot.send({ symbol: name, side: 'BUY' })
  await bot.followed(2)
  await expect(400, service.api('POST', `${own}/close`, { symbols: 'BTCUSDT' }))
  await expect(404, service.api('POST', '/api/v2/bot/signal/cex/999999/close', {}))
  assert.match(
    (await expect(409, service.api('POST', `${own}/close`, { symbol: 'XRPUSDT' }))).error,
    /no position in XRPUSDT/,
  )
  await expect(200, service.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  const { message, signals } = await expect(200, service.api('POST', `${own}/close`, { symbol: 'eth-usdt' }))
  assert.equal(message, 'Success')
  assert.deepEqual([signals.length, signals[0].bot_id, signals[0].symbol], [1, bot.id, 'ETH/USDT'])
  await bot.followed(3)
  assert.deepEqual(
    (await bot.positions()).map((position: { symbol: string }) => position.symbol),
    ['BTC/USDT'],
  )
  const closeAll = () => service.api('POST', `${own}/close`, undefined, { 'idempotency-key': 'close all' })
  const closed = await expect(200, closeAll())
  const [, , , last] = await bot.followed(4)
  assert.deepEqual([last!.status, await bot.positions()], ['DONE', []])
  assert.match((await expect(409, service.api('POST', `${own}/close`))).error, /has no position to close/)
  // A repetition under the same key gets the first answer, and does not close what was opened in between.
  await expect(200, service.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await bot.followed(5)
  assert.deepEqual(await expect(200, closeAll()), closed)
  assert.deepEqual([(await bot.positions()).length, (await bot.followed(5)).length], [1, 5])
  assert.deepEqual(await audited(service, 'positions_closed'), [
    { id: bot.id, positions: 1 },
    { id: bot.id, positions: 1 },
  ])
})

withAccount(
  'panic switches off all bots of the caller and closes all their positions, once',
  async (service) => {
    const own = [
      await makeBot(service, { amount: '100' }),
      await makeBot(service, { amount: '50', name: 'Idle' }),
    ]
    const [busy, idle] = own as [(typeof own)[number], (typeof own)[number]]
    await busy.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await busy.followed(1)
    const [first, second] = await Promise.all([
      service.api('POST', panicPath),
      service.api('POST', panicPath, {}),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    const named = [first, second].flatMap(({ body }) => body.bots.map(({ id }: { id: number }) => id))
    assert.deepEqual(new Set(named), new Set([busy.id, idle.id]))
    const ids = [first, second].flatMap(({ body }) => body.signals.map(({ id }: { id: number }) => id))
    assert.equal(new Set(ids).size, 1)
    const [, close] = await busy.followed(2)
    assert.equal(close!.status, 'DONE')
    for (const bot of own) {
      assert.deepEqual([(await bot.read()).status, await bot.positions()], ['INACTIVE', []])
      await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    }
    const again = await expect(200, service.api('POST', panicPath))
    assert.deepEqual(again, { message: 'Success', bots: [], signals: [] })
    // A repetition under the same key gets the first answer, and does not switch off what was switched on in between.
    const panicOnce = () => service.api('POST', panicPath, undefined, { 'idempotency-key': 'panic' })
    await expect(200, panicOnce())
    await expect(200, service.api('PUT', `/api/v2/bot/signal/cex/${idle.id}/status`, { status: 'ACTIVE' }))
    assert.deepEqual(await expect(200, panicOnce()), again)
    assert.equal((await idle.read()).status, 'ACTIVE')
    assert.equal((await busy.orders()).length, 2)
    assert.deepEqual((await audited(service, 'panic')).at(-1), { bots: 2, positions: 1 })
  },
)
