/** Each kind of event, through the whole service. */
import assert from 'node:assert/strict'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { futures, makeBot } from '../../test/bot.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { deploy } from '../../test/deploying.ts'
import { keyOf, type LiveEvent, openLive, requestLive } from '../../test/live.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { refusedPosts } from '../../test/refused.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withAccount, withService } from '../../test/with-service.ts'

withAccount('a stream follows a signal through its bot to the position', async (account, { url }) => {
  const bot = await makeBot(account)
  await using stream = await openLive(url, `?bot_id=${bot.id}`, { key: await keyOf(account) })
  await expect(202, bot.send({ side: 'BUY', symbol: 'BTCUSDT' }))
  const fill = await stream.ofKind('fill')
  const position = await stream.ofKind('position')
  const order = await stream.find(({ kind, data }) => kind === 'order' && data.status === 'FILLED')
  const done = await stream.find(({ kind, data }) => kind === 'bot_signal' && data.status === 'DONE')
  assert.deepEqual(await bot.fills(), [fill.data])
  assert.deepEqual(await bot.orders(), [order.data])
  const [held] = await bot.positions()
  assert.deepEqual([held.symbol, held.size, held.side], [position.data.symbol, position.data.size, 'long'])
  const own = `/api/v2/bot/signal/cex/${bot.id}`
  assert.deepEqual(await expect(200, account.api('GET', `${own}/signals`)), [done.data])
  await expect(200, account.api('POST', `${own}/close`, {}))
  const close = await stream.find(({ kind, data }) => kind === 'bot_signal' && data.id !== done.data.id)
  assert.equal(close.data.action, 'EXIT')
  const flat = await stream.find(({ kind, data }) => kind === 'position' && data.side === null)
  assert.equal(flat.data.size, '0')
  await expect(200, account.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  const status = await stream.ofKind('status')
  const { name } = await bot.read()
  assert.deepEqual(status.data, { id: bot.id, type: 'signal-bot', name, status: 'INACTIVE' })
})

withAccount(
  'a stream tells of switched strategies and webhooks, and of suspensions',
  async (account, { url }) => {
    const reaction = await makeReaction(account, 'await $.Strategy.action("EXIT")')
    await using stream = await openLive(url, '?kind=status,suspension', { key: await keyOf(account) })
    await reaction.post({})
    await reaction.post({})
    const { data } = await stream.ofKind('suspension')
    const { id, type, name, status, suspended_until, suspension_reason } = await reaction.read()
    assert.deepEqual(data, { id, type, name, status, suspended_until, suspension_reason })
    assert.equal(status, 'SUSPENDED')
    await reaction.setStatus('INACTIVE')
    const off = await stream.ofKind('status')
    assert.deepEqual([off.data.id, off.data.status, off.data.suspended_until], [id, 'INACTIVE', null])
    const webhook = `/api/v2/webhook/data/${reaction.webhookId}`
    await expect(200, account.api('PUT', `${webhook}/status`, { status: 'INACTIVE' }))
    const read = await expect(200, account.api('GET', webhook))
    const closed = await stream.ofKind('status')
    assert.deepEqual(closed.data, {
      id: reaction.webhookId,
      type: 'data-webhook',
      name: read.name,
      status: 'INACTIVE',
    })
  },
)

withAccount('a stream tells of what was created, copied or deployed', async (account, { url }) => {
  await using stream = await openLive(url, '?kind=status', { key: await keyOf(account) })
  const [code, bots] = ['/api/v2/strategy/code', '/api/v2/bot/signal/cex']
  const create = (path: string, body: object) => expect(201, account.api('POST', path, body))
  const made = [await create('/api/v2/webhook/data', {}), await create('/api/v2/webhook/bot', {})]
  for (const [path, settings] of [
    [code, { name: 'Mine' }],
    [bots, { exchange_id: futures }],
  ] as const) {
    const one = await create(path, settings)
    made.push(one, await create(`${path}/duplicate`, { id: one.id }))
  }
  const settings = { bot: { exchange_id: futures, webhook_id: 'bot-webhook/out' }, in: {}, out: {}, rsi: {} }
  const kinds = { bot: 'signal-bot', in: 'data-webhook', out: 'bot-webhook', rsi: 'code-strategy' }
  const objects = Object.entries(kinds).map(([key, kind]) => ({
    ...{ kind, key, settings: settings[key as keyof typeof settings] },
  }))
  made.push(...(await deploy(account, objects)))
  const isOf = (name: string) => (each: { name: string }) => each.name === name
  assert.ok(made.length === 10 && !made.some(isOf('')))
  const told = new Set<string>()
  while (told.size < made.length) {
    const { data } = await stream.next()
    const one = made.find(({ id, name }) => id === data.id && name === data.name)
    assert.equal(data.status, one.status)
    told.add(`${data.type} ${data.id}`)
  }
})

withAccount('everyone hears of the trading switch', async (account, service) => {
  await using stream = await openLive(service.url, '?kind=trading_switch', { key: await keyOf(account) })
  const halted = await expect(
    200,
    service.api('PUT', '/api/v2/trading', { halted: true, reason: 'Maintenance' }),
  )
  assert.equal(halted.halt.reason, 'Maintenance')
  // Which positions of its own are only watched, each user asks for.
  const { watched: _, watched_total: __, ...halt } = halted.halt
  assert.deepEqual((await stream.next()).data, { ...halted, halt })
  await expect(200, service.api('PUT', '/api/v2/trading', { halted: false }))
  assert.equal((await stream.next()).data.halted, false)
})

withAccount('a replay and a test of hostile text stay one line of JSON', async (account, { url }) => {
  const hostile = 'line\r\nid: 9\n\ndata: x\u2028\u2029\u202e<script>\ud800 end'
  const reaction = await makeReaction(
    account,
    `for (let n = 0; n < 300; n++) $.log(${JSON.stringify(hostile)})`,
  )
  await using stream = await openLive(url, '?kind=run,delivery', { key: await keyOf(account) })
  const posted = await expect(
    202,
    reaction.post(JSON.stringify({ hostile }), { 'content-type': 'application/json' }),
  )
  const run = await stream.find(({ kind, data }) => kind === 'run' && data.finished_at !== null)
  const stored = await expect(200, account.api('GET', `/api/v2/run/${run.data.id}`))
  assert.equal(run.data.log, stored.log)
  assert.ok(stored.log.includes('id: 9\n\ndata: x'))
  await expect(202, account.api('POST', `/api/v2/delivery/${posted.id}/replay`, {}))
  const again = await stream.find(({ kind, data }) => kind === 'run' && data.trigger === 'replay')
  assert.equal(again.data.delivery_id, posted.id)
  assert.ok(again.data.id > run.data.id)
})

withAccount(
  'a run is on the stream what it is in the list, when it is queued and however it ends',
  async (account, { url }) => {
    const code = `
      const { how } = JSON.parse($.Request.data)
      $.log('log of ' + how + '\\0 \\ud800')
      if (how === 'http') await $.Http.get('http://127.0.0.1:9/')
      if (how === 'signal') await $.Strategy.action('LONG')
      if (how === 'unawaited') $.Strategy.action('SHORT')
      if (how === 'slow') { ${lastingFor(700)} }
      if (how === 'error') throw new TypeError('no \\ud800')
      if (how === 'violation') await $.Storage.set('x'.repeat(40_000))`
    const reaction = await makeReaction(account, code)
    await using stream = await openLive(url, '?kind=run', { key: await keyOf(account) })
    const ends: LiveEvent['data'][] = []
    const send = async (how: string) => {
      await expect(202, reaction.post({ how }))
      const first = await stream.next()
      const hasEnded = ({ data }: LiveEvent) => data.finished_at !== null
      const { data } = hasEnded(first) ? first : await stream.find(hasEnded)
      ends.push(data)
      return first.data
    }
    const queued = await send('slow')
    const unknown = { started_at: null, finished_at: null, duration_ms: null, log: null }
    assert.deepEqual(queued, { ...ends[0], status: 'QUEUED', ...unknown })
    for (const how of ['http', 'signal', 'unawaited', 'error', 'violation']) await send(how)
    assert.deepEqual(ends, await reaction.runs())
    assert.deepEqual(
      ends.map(({ status, signal_id, http }) => [status, signal_id !== null, http.length]),
      [
        ['SUCCEEDED', false, 0],
        ['SUCCEEDED', false, 1],
        ['SUCCEEDED', true, 0],
        ['SUCCEEDED', true, 0],
        ['FAILED', false, 0],
        ['VIOLATION', false, 0],
      ],
    )
  },
)

withAccount(
  'a filter selects the events of one strategy, webhook or run, and an id of nobody none',
  async (account, { url }) => {
    const key = await keyOf(account)
    const [one, other] = [await makeReaction(account, '$.log(1)'), await makeReaction(account, '$.log(2)')]
    await using ofOne = await openLive(url, `?strategy_id=${one.id}`, { key })
    await using ofWebhook = await openLive(url, `?webhook_id=${other.webhookId}`, { key })
    await using ofNobody = await openLive(url, '?strategy_id=9007199254740991', { key })
    await other.post({})
    await other.ended(1)
    await one.post({})
    const first = await ofOne.next()
    assert.deepEqual([first.kind, first.data.strategy_id], ['run', one.id])
    const delivery = await ofWebhook.next()
    assert.deepEqual([delivery.kind, delivery.data.webhook_id], ['delivery', other.webhookId])
    await one.ended(1)
    // Everything before this event would have come before it.
    await using all = await openLive(url, '', { key })
    await one.setStatus('INACTIVE')
    await all.ofKind('status')
    assert.equal(ofNobody.id(), '')
  },
)

withAccount(
  'a data webhook and a bot webhook with the same id have filters of their own',
  async (account, { url }) => {
    let [data, bot] = [await makeWebhook(account), await makeBotWebhook(account)]
    while (data.id !== bot.id) {
      if (data.id < bot.id) data = await makeWebhook(account)
      else bot = await makeBotWebhook(account)
    }
    const key = await keyOf(account)
    const open = (query: string) =>
      openLive(url, `?${query}&kind=delivery,refused_post,signal,status`, { key })
    await using ofData = await open(`data_webhook_id=${data.id}`)
    await using ofBot = await open(`bot_webhook_id=${bot.id}`)
    await using ofEither = await open(`webhook_id=${bot.id}`)
    await using ofBoth = await open(`data_webhook_id=${data.id}&bot_webhook_id=${bot.id}`)
    const all: string[] = []
    const follow = async (stream: typeof ofData, shows: (data: LiveEvent['data']) => boolean) => {
      const { kind, data } = await ofEither.next()
      all.push(kind)
      const event = await stream.next()
      assert.deepEqual([event.kind, event.data], [kind, data])
      assert.ok(shows(event.data), JSON.stringify(event))
    }
    await expect(202, bot.post({ symbol: 'BTCUSDT', side: 'BUY' }))
    await follow(ofBot, ({ webhook_id, run_id }) => webhook_id === bot.id && run_id === null)
    await expect(202, data.post({}))
    await follow(ofData, ({ webhook_id, body }) => webhook_id === data.id && body === '{}')
    await expect(400, bot.post('nonsense', { 'content-type': 'application/json' }))
    await refusedPosts(account, bot.own, 1)
    await follow(ofBot, ({ webhook_id, status }) => webhook_id === bot.id && status === 400)
    await expect(400, data.post('nonsense', { 'content-type': 'application/json' }))
    await follow(ofData, ({ webhook_id, status }) => webhook_id === data.id && status === 400)
    await bot.change({ name: 'bot' })
    await follow(ofBot, ({ type, name }) => type === 'bot-webhook' && name === 'bot')
    await data.change({ name: 'data' })
    await follow(ofData, ({ type, name }) => type === 'data-webhook' && name === 'data')
    assert.deepEqual(all, ['signal', 'delivery', 'refused_post', 'refused_post', 'status', 'status'])
    // Nothing belongs to two webhooks.
    assert.equal(ofBoth.id(), '')
  },
)

withAccount('a stream sends prices on request, and says why one is missing', async (account, { url }) => {
  const key = await keyOf(account)
  const symbols = encodeURIComponent('3:btcusdt,3:ETH/USDT:USDT,3:NOSUCH')
  await using stream = await openLive(url, `?kind=price&symbols=${symbols}`, { key })
  const seen = new Map<string, LiveEvent>()
  while (seen.size < 3) {
    const event = await stream.next()
    if (!seen.has(event.data.symbol)) seen.set(event.data.symbol, event)
  }
  const first = seen.get('btcusdt')!
  assert.deepEqual([first.kind, first.data.exchange_id, first.data.reason], ['price', 3, null])
  assert.ok(first.data.price > 0 && Date.parse(first.data.at) > 0)
  const second = await stream.find(({ data }) => data.symbol === 'btcusdt')
  assert.ok(Date.parse(second.data.at) >= Date.parse(first.data.at))
  assert.ok(seen.get('ETH/USDT:USDT')!.data.price > 0)
  const missing = seen.get('NOSUCH')!
  assert.equal(missing.data.price, null)
  assert.match(missing.data.reason, /NOSUCH/)
})

withAccount(
  'prices of too many symbols, of nonsense or of no exchange are refused',
  async (account, { url }) => {
    const key = await keyOf(account)
    const refused = async (symbols: string) => {
      const { response } = await requestLive(url, `?symbols=${encodeURIComponent(symbols)}`, { key })
      const { details } = (await response.json()) as { details?: { field: string }[] }
      return [response.status, details?.[0]?.field]
    }
    const many = (count: number) => Array.from({ length: count }, (_, n) => `3:S${n}`).join()
    for (const symbols of [
      'BTC/USDT',
      '3:',
      '3: ',
      '-1:X',
      '999999:BTC/USDT',
      many(21),
      `3:${'x'.repeat(65)}`,
    ]) {
      assert.deepEqual(await refused(symbols), [400, 'querystring.symbols'], symbols)
    }
    const streams = []
    for (let n = 0; n < 10; n++) {
      streams.push(await openLive(url, `?kind=price&symbols=${encodeURIComponent(many(20))}`, { key }))
    }
    assert.deepEqual(await refused('3:BTC/USDT'), [429, undefined])
    for (const stream of streams) await stream[Symbol.asyncDispose]()
  },
)

withService('a large body is left out, as the event says', async (service) => {
  const reaction = await makeReaction(service, '$.log(1)')
  await using stream = await openLive(service.url, `?kind=delivery&webhook_id=${reaction.webhookId}`)
  await expect(202, reaction.post({ text: 'x'.repeat(20_000) }))
  await expect(202, reaction.post({ text: 'x'.repeat(2_000) }))
  assert.equal((await stream.next()).data.body, null)
  assert.equal((await stream.next()).data.body.length, JSON.stringify({ text: 'x'.repeat(2_000) }).length)
})
