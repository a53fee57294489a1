/** Signals on their way through the whole service to the books of paper bots. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'
import { Decimal } from '../base/decimals.ts'

withAccount('a signal of a reaction becomes an order, a fill and a position', async (client) => {
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
  // The simulated price may move between planning and fill.
  assert.ok(notional.lt('1010') && notional.gt('990'), notional.toFixed())
  assert.equal(fill.fee, notional.times('0.001').round(8).toFixed())
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
  // Each of the two fees is rounded by at most half a unit of the eighth decimal.
  const balance = new Decimal((await bot.read()).balance)
  assert.ok(balance.minus(cash).abs().lte('0.00000002'), `${balance.toFixed()} of ${cash.toFixed()}`)
})

withAccount(
  'an amount in base currency is a size, and a size that could mean either is not traded',
  async (client) => {
    const settings = { symbol: 'BTCUSDT', amount: '0.0123', amount_unit: 'base', start_balance: '1000000' }
    const bot = await makeBot(client, settings)
    for (const payload of [{}, { size: 0.5, dilution: true }, { side: 'SELL' }]) {
      assert.equal((await bot.send({ symbol: 'BTCUSDT', side: 'BUY', ...payload })).status, 202)
    }
    const [opened, sized, turned] = await bot.followed(3)
    assert.deepEqual([opened!.status, turned!.status], ['DONE', 'DONE'])
    assert.equal(sized!.status, 'REFUSED')
    assert.match(
      String(sized!.reason),
      /^The size 0\.5 of the signal could mean BTC or USDT: .* Set its size_unit/,
    )
    await expect(200, client.api('PUT', `/api/v2/bot/signal/cex/${bot.id}`, { size_unit: 'base' }))
    assert.equal((await bot.send({ symbol: 'BTCUSDT', side: 'SELL', size: 0.5, dilution: true })).status, 202)
    await bot.followed(4)
    const sizes = (await bot.orders())
      .toReversed()
      .map(({ purpose, size }: Record<string, string>) => `${purpose} ${size}`)
    assert.deepEqual(sizes.toSorted(), ['close 0.0123', 'open 0.0123', 'open 0.0123', 'open 0.5'])
    const [position] = await bot.positions()
    assert.deepEqual([position.side, position.size], ['short', '0.5123'])
  },
)

withAccount('signals from outside are followed in the order of their arrival', async (client) => {
  const bot = await makeBot(client)
  for (let index = 0; index < 20; index += 1) {
    const side = index % 2 === 0 ? 'BUY' : 'SELL'
    assert.equal((await bot.send({ symbol: 'ETHUSDT', side })).status, 202)
  }
  const followed = await bot.followed(20)
  assert.deepEqual(new Set(followed.map(({ status }) => status)), new Set(['DONE']))
  const orders = await bot.orders()
  // The first signal opens. Each of the others closes and opens the other side.
  assert.equal(orders.length, 1 + 19 * 2)
  const sides = orders.map(({ side, purpose }: Record<string, string>) => `${purpose} ${side}`)
  assert.deepEqual(sides.slice(0, 5), ['open buy', 'close sell', 'open sell', 'close buy', 'open buy'])
  const [position] = await bot.positions()
  assert.equal(position.side, 'short')
})

withAccount('a position can be closed after its symbol was removed from the list', async (client) => {
  const bot = await makeBot(client, { symbol: 'BTC/USDT' })
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await bot.followed(1)
  await expect(200, client.api('PUT', `/api/v2/bot/signal/cex/${bot.id}`, { symbol: 'ETHUSDT' }))
  for (const side of ['SELL', 'EXIT']) await bot.send({ symbol: 'BTCUSDT', side })
  const followed = await bot.followed(3)
  assert.deepEqual(
    followed.map(({ status }) => status),
    ['DONE', 'IGNORED', 'DONE'],
  )
  assert.deepEqual(await bot.positions(), [])
})

withAccount('a signal that a bot does not trade ends with a reason', async (client) => {
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

withAccount('signals for several symbols at once never make more positions than allowed', async (client) => {
  const bot = await makeBot(client, { amount: '100', max_open_positions: 2 })
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'ADAUSDT']
  await Promise.all(symbols.map((symbol) => bot.send({ symbol, side: 'BUY' })))
  const followed = await bot.followed(4)
  assert.deepEqual(followed.map(({ status }) => status).toSorted(), ['DONE', 'DONE', 'REFUSED', 'REFUSED'])
  const held = (await bot.positions()).map(({ symbol }: { symbol: string }) => symbol).toSorted()
  for (const { reason } of followed.filter(({ status }) => status === 'REFUSED')) {
    assert.equal(
      reason,
      `The bot would have 3 open positions, with ${held.join(', ')}; at most 2 are allowed (max_open_positions).`,
    )
  }
  await bot.send({ symbol: held[0], side: 'EXIT' })
  await bot.followed(5)
  const free = followed.find(({ status }) => status === 'REFUSED')!
  await bot.send({ symbol: free.symbol, side: 'BUY' })
  assert.equal((await bot.followed(6)).at(-1)!.status, 'DONE')
})

withAccount('a bot whose equity has fallen too far closes, and opens again after a reset', async (client) => {
  // The slippage makes a loss of about 90 as soon as the position is open.
  const settings = { start_balance: '1200', amount: '1000', slippage_rate: '0.1', max_drawdown: '5%' }
  const bot = await makeBot(client, settings)
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  const closed = (await bot.followed(2)).at(-1)!
  assert.deepEqual([closed.status, closed.symbol, await bot.positions()], ['DONE', 'BTC/USDT', []])
  // The limit holds for any symbol, and also after it was taken away.
  const own = `/api/v2/bot/signal/cex/${bot.id}`
  await bot.send({ symbol: 'ETHUSDT', side: 'BUY' })
  await bot.followed(3)
  await expect(200, client.api('PUT', own, { max_drawdown: null }))
  await bot.send({ symbol: 'ETHUSDT', side: 'BUY' })
  const [limited, stopped] = (await bot.followed(4)).slice(2)
  assert.deepEqual([limited!.status, stopped!.status], ['REFUSED', 'REFUSED'])
  const figures = /^The equity of the bot fell to \S+ USDT, \S+ % below its highest of 1200 USDT;/
  assert.match(limited!.reason!, figures)
  assert.match(limited!.reason!, / from 5 %, it opens nothing until its owner resets it \(max_drawdown\)\.$/)
  assert.match(stopped!.reason!, figures)
  await expect(200, client.api('POST', `${own}/drawdown/reset`))
  const [reset] = await expect(200, client.api('GET', '/api/v2/user/audit'))
  assert.deepEqual([reset.event, reset.details.id], ['drawdown_reset', bot.id])
  await bot.send({ symbol: 'ETHUSDT', side: 'BUY', size: 100 })
  assert.equal((await bot.followed(5)).at(-1)!.status, 'DONE')
})

withAccount(
  'an explained signal says what each attached bot does, and the bots then do it',
  async (client) => {
    const webhook = await makeBotWebhook(client, { is_safe: true, has_key: 'secret' })
    const btc = { symbol: 'BTCUSDT', amount: '0.01', amount_unit: 'base' }
    const follower = await webhook.addBot({ ...btc, name: 'Futures' })
    await webhook.addBot({ ...btc, name: 'Spot', exchange_id: 2 })
    await webhook.addBot({ name: 'Only ETH', symbol: 'ETHUSDT' })
    await webhook.addBot({ ...btc, name: 'Poor', start_balance: '10' })
    await webhook.addBot({ ...btc, name: 'Limited', max_position: '50' })
    await (await webhook.addBot({ ...btc, name: 'Off', delay_seconds: 60 })).setStatus('INACTIVE')
    type Plan = { bot_name: string; status: string; reason: string | null; orders: Record<string, string>[] }
    const explained = async (payload: object): Promise<Plan[]> => {
      const sent = { key: 'secret', symbol: 'BINANCE:BTCUSDT', ...payload }
      const { id, debug } = await expect(202, webhook.post(sent))
      const outcome = () => expect(200, client.api('GET', `/api/v2/signal/${id}/outcome`))
      await until('the bots', async () => (await outcome()).complete)
      return debug.plans
    }
    const shown = (plans: Plan[]) =>
      plans.map(({ bot_name, status, orders }) => [
        bot_name,
        status,
        ...orders.map(({ purpose, side, size }) => `${purpose} ${side} ${size}`),
      ])
    const why = (plans: Plan[]) => plans.map(({ reason }) => reason ?? '')
    /** The bots that nothing changes for. */
    const others = [
      ['Only ETH', 'IGNORED'],
      ['Poor', 'FAILED'],
      ['Limited', 'REFUSED'],
      ['Off', 'IGNORED'],
    ]
    /** Tries it first: a signal that is traded waits only a moment for its explanation. */
    const traded = async (payload: object): Promise<Plan[]> => {
      const tried = await explained({ ...payload, flag: ['TEST', 'DEBUG'] })
      for (const [index, plan] of shown(await explained(payload)).entries()) {
        if (plan[1] !== 'UNKNOWN') assert.deepEqual(plan, shown(tried)[index])
      }
      return tried
    }
    const tried = await explained({ side: 'BUY', flag: ['TEST', 'DEBUG'] })
    const opens = [
      ['Futures', 'DONE', 'open buy 0.01'],
      ['Spot', 'DONE', 'open buy 0.01'],
    ]
    assert.deepEqual(shown(tried), [...opens, ...others])
    const patterns = [/^$/, /^$/, /does not trade/, /only 10 USDT is free/, /max_position/, /INACTIVE/]
    for (const [index, reason] of why(tried).entries()) assert.match(reason, patterns[index]!)
    const [first, , , , , off] = tried as (Plan & Record<string, unknown>)[]
    assert.deepEqual(
      [first!.mode, first!.demo, first!.delay_seconds, off!.delay_seconds],
      ['paper', false, 0, 60],
    )
    assert.ok(Number(first!.orders[0]!.price) > 0)

    // Explained before it is stored, and traded all the same.
    assert.deepEqual(shown(await traded({ side: 'buy', flag: 'DEBUG' })), [...opens, ...others])
    const flips = await traded({ side: 'SELL', debug: 'my note' })
    assert.deepEqual(shown(flips).slice(0, 2), [
      ['Futures', 'DONE', 'close sell 0.01', 'open sell 0.01'],
      ['Spot', 'DONE', 'close sell 0.01'],
    ])
    assert.match(why(flips)[1]!, /On spot, a bot cannot sell short/)
    const orders = (await expect(200, client.api('GET', '/api/v2/order'))).toReversed()
    const placed = orders.filter(({ bot_id }: { bot_id: number }) => bot_id === follower.id)
    assert.deepEqual(
      placed.map(({ purpose, side, size }: Record<string, string>) => `${purpose} ${side} ${size}`),
      ['open buy 0.01', 'close sell 0.01', 'open sell 0.01'],
    )
    const unknown = await explained({ symbol: 'NOSUCHCOIN', side: 'EXIT', flag: 'TEST', debug: 1 })
    assert.deepEqual(shown(unknown)[0], ['Futures', 'REFUSED'])
    assert.deepEqual(shown(await traded({ side: 'EXIT', debug: 1 }))[0], [
      'Futures',
      'DONE',
      'close buy 0.01',
    ])
  },
)

withAccount(
  'a protected position closes without a signal: at its stop, and when its time is over',
  async (client) => {
    const protection = { stop_loss: '5%', exit_after_seconds: 1 }
    const bot = await makeBot(client, { protection })
    assert.deepEqual((await bot.read()).protection, {
      ...{ stop_loss: '5%', take_profit: [], trailing: null, break_even: null },
      exit_after_seconds: 1,
    })
    // Any fall of the simulated price reaches this stop.
    const falls = { trailing: { by: '0.000001%' }, exit_after_seconds: 600, leverage: 3 }
    const answer = await bot.send({ symbol: 'ETHUSDT', side: 'BUY', ...falls })
    assert.deepEqual(answer.body.ignored, ['leverage'])
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(4)
    assert.deepEqual(await bot.positions(), [])
    const closes = (await bot.orders()).filter(({ purpose }: { purpose: string }) => purpose === 'close')
    for (const { status, origin, symbol } of closes) {
      assert.equal(status, 'FILLED')
      assert.equal(origin, symbol === 'ETH/USDT' ? 'trailing' : 'time')
    }
    const signal = await expect(200, client.api('GET', `/api/v2/signal/${closes[0].signal_id}`))
    assert.deepEqual([signal.action, signal.strategy_id, signal.origin], ['EXIT', null, closes[0].origin])
  },
)

withAccount(
  'the owner of a position protects it, and takes that back; a stop that would act at once is refused',
  async (client) => {
    const bot = await makeBot(client, { require_stop: true, max_stop_distance: '3%' })
    for (const fields of [
      {},
      { stop_loss: '4%' },
      { stop_loss: 1e9 },
      { stop_loss: '2%', take_profit: '2R' },
    ]) {
      assert.equal((await bot.send({ symbol: 'BTCUSDT', side: 'BUY', ...fields })).status, 202)
    }
    const reasons = (await bot.followed(4)).map(({ reason }) => `${reason}`)
    assert.match(reasons[0]!, /require_stop/)
    assert.match(reasons[1]!, /max_stop_distance/)
    assert.match(reasons[2]!, /^The stop of a long must be below the price/)
    const shown = async () => (await bot.positions())[0].protection
    const opened = await shown()
    assert.deepEqual([opened.state, opened.settings.stop_loss, opened.targets.length], ['WATCHED', '2%', 1])
    assert.match(opened.note, /do not act while the service is not running/)
    const path = `/api/v2/position/${bot.id}/protection`
    const put = (body: unknown) => client.api('PUT', path, body)
    const refused = await expect(409, put({ symbol: 'BTCUSDT', protection: { stop_loss: 1e9 } }))
    assert.match(refused.error, /must be below the price.* It would close the position at once\.$/)
    const wrong = await expect(400, put({ symbol: 'BTCUSDT', protection: { trailing: { from: '1%' } } }))
    assert.deepEqual(
      wrong.details.map(({ field }: { field: string }) => field),
      ['body.protection.trailing.by'],
    )
    await expect(409, put({ symbol: 'ETHUSDT', protection: { stop_loss: '2%' } }))
    await expect(
      404,
      client.api('PUT', '/api/v2/position/999999/protection', { symbol: 'BTCUSDT', protection: null }),
    )
    await expect(200, put({ symbol: 'btc/usdt', protection: { stop_loss: '10%' } }))
    assert.deepEqual((await shown()).settings, { ...opened.settings, stop_loss: '10%', take_profit: [] })
    await expect(200, put({ symbol: 'BTCUSDT', protection: null }))
    assert.equal(await shown(), null)
  },
)

withAccount('an entry with a limit rests, is shown, and is cancelled by an exit', async (client) => {
  const bot = await makeBot(client, { entry: { type: 'limit', offset: '20%', on_timeout: 'chase' } })
  assert.deepEqual((await bot.read()).entry, {
    ...{ type: 'limit', offset: '20%', timeout_seconds: 300 },
    ...{ on_timeout: 'chase', chases: 3, max_slippage: null },
  })
  const sent = await bot.send({ symbol: 'BTCUSDT', side: 'BUY', type: 'post_only', timeout_seconds: '600' })
  assert.deepEqual([sent.status, sent.body.ignored], [202, undefined])
  await until('the order to rest', async () => (await bot.orders())[0]?.status === 'OPEN')
  const [order] = await bot.orders()
  assert.deepEqual([order.type, order.filled_size], ['post_only', '0'])
  assert.ok(new Decimal(order.size).times(order.limit_price).lte('100'))
  const until600s = new Date(Date.parse(order.created_at) + 600_000).toISOString()
  assert.deepEqual(order.rests, { until: until600s, on_timeout: 'chase', chases_left: 3 })
  assert.equal((await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })).status, 202)
  assert.deepEqual(
    (await bot.followed(2)).map(({ status }) => status),
    ['IGNORED', 'IGNORED'],
  )
  const [ended] = await bot.orders()
  assert.deepEqual([ended.status, ended.rests], ['CANCELED', null])
  const wrong = await bot.send({ symbol: 'BTCUSDT', side: 'BUY', type: 'market', on_timeout: 'chase' })
  assert.deepEqual([wrong.status, wrong.body.details[0].field], [400, 'body.on_timeout'])
  const path = `/api/v2/bot/signal/cex/${bot.id}`
  const refused = await client.api('PUT', path, { entry: { type: 'market', offset: '1%' } })
  assert.deepEqual([refused.status, refused.body.details[0].field], [400, 'body.entry.offset'])
})
