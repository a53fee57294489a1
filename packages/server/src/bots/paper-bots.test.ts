/** Signals through the whole service, to the books of paper bots. */
import assert from 'node:assert/strict'
import { futures, makeBot } from '../../test/bot.ts'
import { eachDatabase } from '../../test/databases.ts'
import { eachAccount } from '../../test/each-service.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { Decimal } from '../trading/decimals.ts'

eachAccount('the signal of a reaction becomes an order, a fill and a position', async (client) => {
  const bot = await makeBot(client, { amount: '1000', fee_rate: '0.001', slippage_rate: '0' })
  const reaction = await makeReaction(
    client,
    `await $.Strategy.action($.Action[$.Request.data.slice(6, -2)])`,
    {
      webhook_id: bot.webhookId,
      symbol: 'BTCUSDT',
    },
  )
  await reaction.post({ a: 'LONG' })
  await reaction.ended(1)
  assert.deepEqual(
    (await bot.followed(1)).map(({ status }) => status),
    ['DONE'],
  )
  const [signal] = await expect(200, client.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
  assert.equal(signal.delivered, true)
  const [order] = await bot.orders()
  assert.deepEqual([order.side, order.status, order.symbol], ['buy', 'FILLED', 'BTC/USDT'])
  const [fill] = await bot.fills()
  const notional = new Decimal(fill.size).times(fill.price)
  assert.ok(notional.lte('1000') && notional.gt('999'), notional.toFixed())
  assert.equal(fill.fee, notional.times('0.001').toFixed())
  const [position] = await bot.positions()
  assert.deepEqual([position.side, position.size], ['long', fill.size])

  await reaction.post({ a: 'EXIT' })
  await bot.followed(2)
  assert.deepEqual(await bot.positions(), [])
  const fills = await bot.fills()
  const cash = fills.reduce((sum: Decimal, { side, size, price, fee }: Record<string, string>) => {
    const worth = new Decimal(size!).times(price!)
    return (side === 'sell' ? sum.plus(worth) : sum.minus(worth)).minus(fee!)
  }, new Decimal('10000'))
  assert.equal((await bot.read()).balance, cash.toFixed())
})

eachAccount('signals from outside are followed in the order in which they came', async (client) => {
  const bot = await makeBot(client)
  for (let index = 0; index < 20; index += 1) {
    const side = index % 2 === 0 ? 'BUY' : 'SELL'
    assert.equal((await bot.send({ symbol: 'ETHUSDT', side })).status, 202)
  }
  const followed = await bot.followed(20)
  assert.deepEqual(new Set(followed.map(({ status }) => status)), new Set(['DONE']))
  const orders = await bot.orders()
  // The first opens; each of the others closes and opens the other way.
  assert.equal(orders.length, 1 + 19 * 2)
  const sides = orders.map(({ side, purpose }: Record<string, string>) => `${purpose} ${side}`)
  assert.deepEqual(sides.slice(0, 5), ['open buy', 'close sell', 'open sell', 'close buy', 'open buy'])
  const [position] = await bot.positions()
  assert.equal(position.side, 'short')
})

eachAccount('what a bot does not do is recorded with its reason', async (client) => {
  const bot = await makeBot(client, { symbol: 'BTC/USDT', max_position: '50', amount: '100' })
  for (const payload of [
    { symbol: 'SOLUSDT', side: 'BUY' },
    { symbol: 'BTCUSDT', side: 'EXIT' },
    { symbol: 'btcusdt', side: 'BUY' },
  ]) {
    assert.equal((await bot.send(payload)).status, 202)
  }
  const followed = await bot.followed(3)
  assert.deepEqual(
    followed.map(({ status }) => status),
    ['IGNORED', 'IGNORED', 'REFUSED'],
  )
  assert.ok(followed.every(({ reason }) => reason !== null && reason.length > 10))
  assert.deepEqual(await bot.orders(), [])
})

eachDatabase('killed amid signals, a service follows each of them once', async (place) => {
  const env = { WEBHOOK_RATE: '1000000', WEBHOOK_BURST: '1000000', LOG_LEVEL: 'error' }
  let accepted = 0
  let botId: number | undefined
  let path = ''
  for (let round = 0; round < 2; round += 1) {
    await using service = await startProcess({ database: place, env })
    if (botId === undefined) {
      const webhook = await expect(201, service.api('POST', '/api/v2/webhook/bot', {}))
      path = new URL(webhook.url).pathname
      const made = await expect(
        201,
        service.api('POST', '/api/v2/bot/signal/cex', { webhook_id: webhook.id, exchange_id: futures }),
      )
      await expect(200, service.api('PUT', `/api/v2/bot/signal/cex/${made.id}/status`, { status: 'ACTIVE' }))
      botId = made.id
    }
    for (let index = 0; index < 30; index += 1) {
      const side = accepted % 2 === 0 ? 'BUY' : 'SELL'
      const { status } = await service.send('POST', path, { body: { symbol: 'BTCUSDT', side } })
      assert.equal(status, 202)
      accepted += 1
    }
    await service.killGroup()
  }
  await using service = await startProcess({ database: place, env })
  const own = `/api/v2/bot/signal/cex/${botId}`
  const all = async (query: string) => (await expect(200, service.api('GET', query))).items
  await until(
    'all signals to be followed',
    async () => {
      const followed = await all(`${own}/signals?limit=200&page=1`)
      const ended = followed.filter(
        ({ status }: { status: string }) => status !== 'QUEUED' && status !== 'WORKING',
      )
      return ended.length === accepted
    },
    60_000,
  )
  const orders = await all(`/api/v2/order?bot_id=${botId}&limit=200&page=1`)
  const ids = orders.map(({ client_order_id }: { client_order_id: string }) => client_order_id)
  assert.equal(new Set(ids).size, ids.length)
  const fills = await all(`/api/v2/fill?bot_id=${botId}&limit=200&page=1`)
  const held = fills.reduce(
    (sum: Decimal, { side, size }: Record<string, string>) =>
      side === 'buy' ? sum.plus(size!) : sum.minus(size!),
    new Decimal('0'),
  )
  const [position] = await all(`/api/v2/position?bot_id=${botId}&limit=10&page=1`)
  assert.equal(held.toFixed(), position.side === 'long' ? position.size : `-${position.size}`)
  const cash = fills.reduce(
    (sum: Decimal, { realised }: Record<string, string>) => sum.plus(realised!),
    new Decimal('0'),
  )
  assert.equal((await expect(200, service.api('GET', own))).balance, cash.plus('10000').toFixed())
})
