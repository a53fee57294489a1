/** Posts in the formats of other services, to the byte, to a real service. */
import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../../test/bot-webhook.ts'
import { expect } from '../../../test/reaction.ts'
import { refusedPosts } from '../../../test/refused.ts'
import { withSharedAccount } from '../../../test/shared-account.ts'

const json = { 'content-type': 'application/json' }
/** As TradingView fills it in: all values are texts. */
const threeCommas = (made: Date, secret = 'the secret of a bot') =>
  `{\n"secret": "${secret}",\n"max_lag": "300",\n"timestamp": "${made.toISOString()}",\n"trigger_price": "50000",\n` +
  '"tv_exchange": "BINANCE",\n"tv_instrument": "BTCUSDT.P",\n"action": "buy",\n"bot_uuid": "b-1",\n' +
  '"strategy_info": {\n"market_position": "long",\n"market_position_size": "0.01"\n},\n' +
  '"order": {\n"amount": "0.01",\n"currency_type": "base"\n}\n}'

withSharedAccount(
  'an alert for another service reaches the bots once, and its secret is never stored',
  async (account) => {
    const settings = { format: '3commas', is_safe: true, has_key: 'the secret of a bot' }
    const webhook = await makeBotWebhook(account, settings)
    assert.equal(webhook.resource.format, '3commas')
    const bot = await webhook.addBot()
    const made = new Date(Date.now() - 1_000)
    assert.equal((await webhook.post(threeCommas(made, 'another'), json)).status, 401)
    const text = threeCommas(made)
    const { status, body } = await webhook.post(text, json)
    assert.deepEqual([status, body.bots, body.ignored], [202, 1, ['tv_exchange', 'bot_uuid']])
    const [signal] = await webhook.signals()
    assert.deepEqual(
      [signal.action, signal.symbols, signal.options],
      ['LONG', ['BTCUSDT.P'], { size: 500, sizeUnit: 'quote' }],
    )
    // TradingView posts an alert again if it gets no answer in time.
    const again = await expect(200, webhook.post(text, json))
    assert.deepEqual([again.id, again.duplicate], [body.id, true])
    assert.equal((await bot.signals()).length, 1)
    const later = await expect(202, webhook.post(threeCommas(new Date(made.getTime() + 1)), json))
    assert.notEqual(later.id, body.id)
    const deliveries = await expect(200, account.api('GET', `${webhook.own}/deliveries`))
    const kept = deliveries.find(({ id }: { id: number }) => id === body.id)
    assert.equal(kept.body, text.replace('\n"secret": "the secret of a bot",', ''))
    assert.doesNotMatch(JSON.stringify(deliveries), /the secret of a bot/)
  },
)

withSharedAccount('what no bot can do is refused by name, and listed', async (account) => {
  const webhook = await makeBotWebhook(account, { format: 'traderspost' })
  await webhook.addBot()
  const refused = await webhook.post({ ticker: 'BTCUSDT', action: 'buy', optionType: 'call', cancel: true })
  assert.equal(refused.status, 400)
  const named = refused.body.details.map(({ field }: { field: string }) => field)
  assert.deepEqual(named, ['body.optionType', 'body.cancel'])
  const late = { ticker: 'BTCUSDT', action: 'buy', time: '2026-01-31T12:00:00Z', max_lag: 60 }
  const { body } = await webhook.post(late)
  assert.match(
    body.error,
    /body\.time is 2026-01-31T12:00:00\.000Z, and the post arrived at 20.*Z: .* s later/,
  )
  assert.deepEqual(await webhook.signals(), [])
  const listed = await refusedPosts(account, webhook.own, 1)
  assert.match(listed.at(-1).reason, /body\.optionType belongs to an option/)
  // Another format from the next post on.
  await webhook.change({ format: 'tickwright' })
  await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY' }))
  assert.equal((await webhook.post({ ticker: 'BTCUSDT', action: 'buy' })).status, 400)
})

withSharedAccount('a webhook accepts posts from its networks only', async (account) => {
  const webhook = await makeBotWebhook(account, { allow_from: ['TradingView', ' 10.0.0.0/8 '] })
  assert.deepEqual(webhook.resource.allow_from, ['tradingview', '10.0.0.0/8'])
  const buy = { symbol: 'BTCUSDT', side: 'BUY' }
  const { status, body } = await webhook.post(buy, { 'x-forwarded-for': '52.89.214.238' })
  assert.deepEqual([status, body.code], [403, 'sender_not_allowed'])
  assert.match(body.error, /127\.0\.0\.1/)
  const listed = await refusedPosts(account, webhook.own, 1)
  assert.deepEqual([listed[0].code, listed[0].ip], ['sender_not_allowed', '127.0.0.1'])
  // A signed request says who it is from.
  await expect(202, account.api('POST', `${webhook.own}/signal`, buy))
  await webhook.change({ allow_from: ['127.0.0.0/8'] })
  await expect(202, webhook.post(buy))
  const wrong = await account.api('PUT', webhook.own, { allow_from: ['127.0.0.1', '10.0.0.0/33'] })
  assert.deepEqual([wrong.status, wrong.body.details[0].field], [400, 'body.allow_from'])
  await webhook.change({ allow_from: [] })
  await expect(202, webhook.post(buy))
})
