/** Decisions of owners about differences, through the whole service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUsers } from '../../../test/accounts.ts'
import { makeBot } from '../../../test/bot.ts'
import { makeConnection, startExchange } from '../../../test/connection.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { until } from '../../../test/until.ts'

test('an owner adopts one difference and ignores another, and nobody else can', async () => {
  await using exchange = await startExchange()
  await using database = await createTestDatabase()
  const [owner, stranger] = await addUsers(database, ['owner@example.com', 'stranger@example.com'])
  await using service = await startService({ database, env: { MARKET: 'live', ...exchange.env } })
  const { trading } = exchange.standIn
  trading.setBalance('USDT', '1000000')
  trading.trade('BTC/USDT:USDT', 'buy', '0.5')
  trading.trade('ETH/USDT:USDT', 'sell', '2')
  await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
  const client = service.as(owner!)
  const connection = await makeConnection(client, exchange, { exchange_id: 3 })
  const live = { mode: 'live', connection_id: connection.id, amount: '1000' }
  const bot = await makeBot(client, { ...live, symbol: 'BTCUSDT,ETHUSDT' })
  const path = `/api/v2/bot/signal/cex/${bot.id}/reconciliation`
  const statuses = async () => {
    const { symbols } = await expect(200, client.api('GET', path))
    return symbols.map(({ status, ignored_size }: Record<string, string>) => `${status} ${ignored_size}`)
  }
  const become = (wanted: string[]) =>
    until(`${wanted}`, async () => (await statuses()).join() === wanted.join(), longPatienceMs)
  await become(['DIFFERS 0', 'DIFFERS 0'])

  for (const decision of ['adopt', 'ignore']) {
    const decide = (body: unknown, by = client, of = path) => by.api('POST', `${of}/${decision}`, body)
    const other = service.as(stranger!)
    await expect(404, decide({ symbol: 'BTCUSDT' }, other))
    await expect(404, decide({ symbol: 'BTCUSDT' }, client, '/api/v2/bot/signal/cex/999999/reconciliation'))
    await expect(409, decide({ symbol: 'SOLUSDT' }))
    for (const body of [{}, { symbol: '' }, { symbol: 'a\u0000' }, { symbol: 1 }])
      await expect(400, decide(body))
  }
  await expect(404, service.as(stranger!).api('GET', path))
  await expect(202, client.api('POST', `${path}/adopt`, { symbol: 'btcusdt' }))
  await expect(202, client.api('POST', `${path}/ignore`, { symbol: 'ETH/USDT:USDT' }))
  await become(['AGREES 0', 'AGREES -2'])
  for (const decision of ['adopt', 'ignore']) {
    await expect(409, client.api('POST', `${path}/${decision}`, { symbol: 'BTCUSDT' }))
  }
  const audited = (await expect(200, client.api('GET', '/api/v2/user/audit'))).flatMap(
    ({ event, details }: { event: string; details: object }) =>
      ['books_adopted', 'difference_ignored'].includes(event) ? [[event, details]] : [],
  )
  assert.deepEqual(
    new Map(audited),
    new Map<string, object>([
      ['books_adopted', { bot_id: bot.id, symbol: 'BTC/USDT:USDT', books: '0', account: '0.5' }],
      ['difference_ignored', { bot_id: bot.id, symbol: 'ETH/USDT:USDT', books: '0', account: '-2' }],
    ]),
  )
  assert.equal(audited.length, 2)

  // The exchange says where it would liquidate it, so a stop beyond that is refused.
  const liquidation = async () => (await bot.positions())[0].liquidation_price
  await until('the price of a liquidation', async () => (await liquidation()) !== null, longPatienceMs)
  const protect = (stop_loss: string) =>
    client.api('PUT', `/api/v2/position/${bot.id}/protection`, {
      symbol: 'BTCUSDT',
      protection: { stop_loss },
    })
  assert.match(
    (await expect(409, protect('50%'))).error,
    /^The position would be liquidated at .*, and its stop would be at .*, too late\. Use a closer stop\.$/,
  )
  await expect(200, protect('5%'))
  await expect(
    200,
    client.api('PUT', `/api/v2/position/${bot.id}/protection`, { symbol: 'BTCUSDT', protection: null }),
  )

  // The exchange liquidates what the bot took over. The next close finds nothing to close, so the bot compares at once.
  trading.trade('BTC/USDT:USDT', 'sell', '0.5', 'liquidation')
  await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
  await bot.followed(1, longPatienceMs)
  const kinds = (await bot.fills()).map(({ kind, order_id }: Record<string, string | null>) => [
    kind,
    order_id,
  ])
  assert.deepEqual(kinds, [
    ['adopted', null],
    ['liquidation', null],
  ])
  assert.deepEqual(await bot.positions(), [])
})
