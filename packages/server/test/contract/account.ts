/** A life of an account by way of the API alone: everything is made, read, changed, and in the end deleted. */
import assert from 'node:assert/strict'
import { until } from '../until.ts'
import { backtests } from './backtests.ts'
import { candles } from './candles.ts'
import { chats } from './chats.ts'
import { storedBots } from './stored-bots.ts'
import type { Sender } from './stranger.ts'
import { countedAndCopied, type Fields, thing } from './things.ts'
import type { Walk } from './walk.ts'

export type Surroundings = {
  /** Posts to webhooks. */
  post: Sender
  /** Credentials of an account on exchange 2. */
  credentials: Record<string, string>
  /** A provider of language models: how a connection to it is made. */
  provider: { service_id: number; base_url: string; api_key: string; model: string; streaming: boolean }
}

const llm = '/strategy/reaction/llm'
const session = '/strategy/llm-session'
/** The strategies that ask a model, and so have a prompt instead of code. */
const asking = [llm, session]
const act = 'await $.Strategy.action($.Action.LONG); await $.Storage.set({ seen: true })'

/** Gives an account one of everything, and reads all of it. */
export async function fill(walk: Walk, surroundings: Surroundings): Promise<void> {
  await apiKeys(walk)
  const bot = await webhooks(walk, '/webhook/bot')
  const data = await webhooks(walk, '/webhook/data')
  await walk.expect(200, 'POST', '/api/exchange/test', { exchange_id: 2, ...surroundings.credentials })
  await thing(walk, '/api/exchange', { exchange_id: 2, ...surroundings.credentials })
  await aiConnections(walk, surroundings)
  await notifications(walk)
  await bots(walk, bot.id)
  await storedBots(walk, bot.id)
  await strategies(walk, '/strategy/code', { code: act, cron_interval: '1D' })
  const { times } = await walk.expect(200, 'GET', '/schedule/preview?cron_interval=1d&count=2')
  assert.equal(Date.parse(times[1]) - Date.parse(times[0]), 86_400_000)
  const led = { data_webhook_id: data.id, webhook_id: bot.id }
  await strategies(walk, '/strategy/reaction/code', { code: act, ...led })
  const asked = { connection_id: walk.ids.get('/api/llm') }
  await strategies(walk, llm, { prompt: 'Decide: {{data}}', ...asked, ...led })
  await strategies(walk, session, { prompt: 'Decide', cron_interval: '1D', ...asked })
  for (const path of ['/strategy/code', session]) {
    const past = await walk.expect(200, 'GET', `${path}/${walk.ids.get(path)}/schedule/trace`)
    assert.deepEqual([past.cron_interval, past.times], ['1D', []])
  }
  await variables(walk)
  await candles(walk)
  await chats(walk)
  await thing(walk, '/test-payload', { name: 'A breakout', webhook_id: data.id, body: '{"price":64000.10}' })
}

/** Has everything do what it is for. */
export async function run(walk: Walk, surroundings: Surroundings): Promise<void> {
  for (const path of ['/strategy/code', '/strategy/reaction/code'])
    await testRuns(walk, path, { code: '$.log(1)' })
  for (const path of asking) {
    await testRuns(walk, path, { prompt: 'Decide', connection_id: walk.ids.get('/api/llm') })
    await previews(walk, path)
  }
  await backtests(walk)
  await search(walk)
  await budgets(walk)
  await traffic(walk, surroundings)
  await approvals(walk, surroundings)
  await lists(walk)
  await books(walk)
  await triggers(walk)
}

/** Deletes everything, dependent records first. */
export async function clear(walk: Walk): Promise<void> {
  const id = (path: string) => `${path}/${walk.ids.get(path)}`
  const bot = id('/bot/signal/cex')
  await walk.expect(200, 'PUT', `${bot}/status`, { status: 'INACTIVE' })
  await walk.delete(`${bot}?abandon_positions=true`)
  await walk.delete(id('/bot/signal/cex/folder'))
  for (const kind of ['prediction', 'dex']) {
    await walk.delete(id(`/bot/signal/${kind}`))
    await walk.delete(id(`/bot/signal/${kind}/folder`))
  }
  await walk.delete(id('/api/prediction'))
  for (const path of [...asking, '/strategy/reaction/code', '/strategy/code']) {
    await walk.expect(200, 'DELETE', `${id(path)}/store`)
    for (const each of [path, `${path}/folder`]) await walk.delete(id(each))
  }
  for (const path of [
    '/env',
    '/test-payload',
    '/backtest',
    '/candle',
    '/api/exchange',
    '/api/llm',
    '/notification/endpoint',
    '/notification/callback',
    '/chat/link',
    '/webhook/data',
    '/webhook/bot',
    '/api/key',
  ]) {
    await walk.delete(id(path))
  }
}

/** Operations for administrators only, and operations that are the same for all. */
export async function installation(walk: Walk): Promise<void> {
  for (const path of [
    '',
    '/cex',
    '/dex/1',
    '/prediction',
    '/with-exchange-rate',
    '?enabled=true&chainId=1',
  ]) {
    assert.ok(Array.isArray(await walk.expect(200, 'GET', `/exchange${path}`)))
  }
  await walk.expect(200, 'GET', '/exchange/dex/1/244')
  await walk.expect(200, 'GET', '/exchange/3/protection')
  const market = 'exchange=sim&symbol=btcusdt'
  const range = 'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z'
  for (const which of ['count=5', range]) {
    const { candles } = await walk.expect(200, 'GET', `/market/candles?${market}&interval=1h&${which}`)
    assert.ok(candles.length >= 5)
  }
  assert.ok((await walk.expect(200, 'GET', '/market/symbols?exchange=sim')).length > 100)
  assert.equal((await walk.expect(200, 'GET', `/market/price?${market}`)).symbol, 'BTC/USDT')
  assert.equal((await walk.expect(200, 'PUT', '/exchange/2', { enabled: true })).enabled, true)
  walk.ids.set('/exchange', 2)
  assert.equal((await walk.expect(200, 'GET', '/system')).nodes.length, 1)
  const switched = await walk.expect(200, 'GET', '/trading')
  const { live_trading, halted } = switched
  assert.deepEqual(await walk.expect(200, 'PUT', '/trading', { live_trading, halted }), switched)
}

async function apiKeys(walk: Walk) {
  const { id, api_secret } = await thing(walk, '/api/key', { name: 'Walked', algorithm: 'HMAC' })
  assert.notEqual((await walk.expect(200, 'POST', `/api/key/${id}/rotate`, {})).api_secret, api_secret)
}

async function webhooks(walk: Walk, path: string) {
  const made = await thing(walk, path, { name: 'In', is_safe: true, has_key: 'a password' })
  assert.equal(made.has_key, true)
  assert.notEqual((await walk.expect(200, 'POST', `${path}/${made.id}/rotate`)).url, made.url)
  walk.ids.set(`${path}/share`, made.id)
  walk.bodies.set(`DELETE /api/v2${path}/share/{id}`, { userId: 1 })
  return made
}

/** Shares webhooks between two accounts, as the owner and as the recipient. */
export async function share(walk: Walk, other: Walk): Promise<void> {
  const owner = (await walk.expect(200, 'GET', '/user/me')).id
  const userId = (await other.expect(200, 'GET', '/user/me')).id
  for (const path of ['/webhook/data', '/webhook/bot']) {
    const id = walk.ids.get(path)!
    await walk.expect(201, 'POST', `${path}/share/${id}`, { userId })
    for (const list of [`${id}/shares`, `shared/with/${userId}`]) {
      assert.equal((await walk.list(`${path}/${list}`)).length, 1)
    }
    for (const list of ['shared', `shared/by/${owner}`]) {
      const [shared] = await other.list(`${path}/${list}`)
      assert.equal(shared.id, id)
    }
    await walk.delete(`${path}/share/${id}?userId=${userId}`)
  }
}

async function aiConnections(walk: Walk, { provider }: Surroundings) {
  const { id } = await thing(walk, '/api/llm', { name: 'Models', ...provider })
  assert.ok((await walk.expect(200, 'GET', '/api/llm/services')).length > 0)
  const models: { id: number; name: string }[] = await walk.expect(
    200,
    'GET',
    `/api/llm/models/${provider.service_id}?connection_id=${id}`,
  )
  const listed = models.find(({ name }) => name === provider.model)!
  walk.ids.set('/api/llm/models', provider.service_id)
  for (const model of [provider.model, listed.id]) {
    assert.equal((await walk.expect(200, 'PUT', `/api/llm/${id}/model`, { model })).model, provider.model)
  }
  await walk.expect(200, 'PUT', `/api/llm/${id}/fallback`, { fallback_id: null })
}

async function notifications(walk: Walk) {
  const endpoint = { url: 'https://receiver.example/events', events: ['signal.created'] }
  const path = '/notification/endpoint'
  const { id, secret } = await thing(walk, path, endpoint, { description: 'Größer' })
  assert.notEqual((await walk.expect(200, 'POST', `${path}/${id}/rotate`)).secret, secret)
  const sent = await walk.expect(201, 'POST', `${path}/${id}/test`)
  walk.ids.set('/notification', sent.id)
  assert.equal((await walk.list('/notification'))[0].id, sent.id)
  await walk.expect(200, 'GET', `/notification/${sent.id}`)
  await walk.expect(200, 'POST', `/notification/${sent.id}/replay`)
  await walk.expect(200, 'POST', `${path}/${id}/recover`, { since: new Date().toISOString() })
}

async function bots(walk: Walk, webhookId: number) {
  const folder = await thing(walk, '/bot/signal/cex/folder', { name: 'Kept together' })
  await walk.expect(200, 'GET', '/bot/signal/cex/folder/root')
  await thing(walk, '/bot/signal/cex', { exchange_id: 3, webhook_id: webhookId, folder_id: folder.id })
  await countedAndCopied(walk, '/bot/signal/cex')
}

async function strategies(walk: Walk, path: string, fields: Record<string, unknown>) {
  const folder = await thing(walk, `${path}/folder`, { name: 'Kept together' })
  await walk.expect(200, 'GET', `${path}/folder/root`)
  const body = {
    name: 'Walked',
    send_signal: true,
    symbol: 'BTCUSDT',
    folder_id: folder.id,
    ...fields,
  }
  const { id } = await thing(walk, path, body)
  await countedAndCopied(walk, path)
  const isAsking = asking.includes(path)
  const what = isAsking ? { resetStorage: true, resetResponse: true } : { resetStore: true }
  await walk.expect(200, 'PUT', `${path}/${id}/reset`, { resetTriggers: true, ...what })
  await walk.list(`${path}/${id}/runs`)
  await versions(walk, `${path}/${id}`, isAsking ? 'prompt' : 'code')
}

/** What was saved before is compared and restored. */
async function versions(walk: Walk, own: string, text: string) {
  const before = await walk.expect(200, 'GET', own)
  await walk.expect(200, 'PUT', own, { [text]: '// Another', reason: 'To compare' })
  const [latest, earlier] = await walk.expect(200, 'GET', `${own}/versions`)
  const part = await walk.expect(200, 'GET', `${own}/versions?before=${latest.version}&limit=1`)
  assert.deepEqual([part.items, part.limit], [[earlier], 1])
  assert.deepEqual([latest.changed, latest.reason], [[text], 'To compare'])
  const old = await walk.expect(200, 'GET', `${own}/versions/${earlier.version}`)
  assert.equal(old.settings[text], before[text])
  const { from, settings } = await walk.expect(200, 'GET', `${own}/versions/${latest.version}/diff`)
  assert.deepEqual([from, settings], [earlier.version, []])
  const restored = await walk.expect(200, 'POST', `${own}/versions/${earlier.version}/restore`, {})
  assert.equal(restored[text], before[text])
}

async function search(walk: Walk) {
  const { strategies } = await walk.expect(200, 'GET', '/search?q=gr%C3%B6%C3%9Fer')
  assert.equal(strategies.length, 4)
}

async function budgets(walk: Walk) {
  for (const path of asking) {
    const id = walk.ids.get(path)
    const { tokens } = await walk.expect(200, 'GET', `${path}/${id}/budget`)
    assert.equal(tokens.left, tokens.limit - tokens.spent)
    const listed = await walk.list(`${path}/budget`)
    assert.ok(listed.some(({ strategy_id }) => strategy_id === id))
  }
}

/** What the model would be shown, without asking it. */
async function previews(walk: Walk, path: string) {
  await walk.expect(200, 'POST', `${path}/${walk.ids.get(path)}/preview`, {})
  await walk.expect(200, 'POST', `${path}/preview`, { prompt: 'Decide' })
}

async function testRuns(walk: Walk, path: string, unsaved: Fields) {
  const { code, prompt } = unsaved
  const text = code === undefined ? { prompt } : { code }
  assert.equal((await walk.expect(200, 'POST', `${path}/check`, text)).ok, true)
  await walk.expect(200, 'POST', `${path}/${walk.ids.get(path)}/test`, {})
  await walk.expect(200, 'POST', `${path}/test`, unsaved)
}

async function variables(walk: Walk) {
  const made = await thing(walk, '/env', { name: 'TOKEN', value: 'hidden' }, { name: 'RENAMED' })
  assert.ok(!('value' in made))
  const unused = { uses: [], next_after: null }
  assert.deepEqual(await walk.expect(200, 'GET', `/env/${made.id}/uses?after=0`), unused)
}

/** A payload becomes a run, a signal, an order and a position. */
async function traffic(walk: Walk, { post }: Surroundings) {
  const bot = await walk.expect(200, 'GET', `/webhook/bot/${walk.ids.get('/webhook/bot')}`)
  const data = await walk.expect(200, 'GET', `/webhook/data/${walk.ids.get('/webhook/data')}`)
  const headers = { 'x-key': 'a password' }
  const send = ({ url }: { url: string }, body: object) =>
    post({ method: 'POST', target: new URL(url).pathname, body: JSON.stringify(body), headers })
  for (const [kind, { url }] of Object.entries({ data, bot })) {
    const refused = `/webhook/${kind}/${walk.ids.get(`/webhook/${kind}`)}/refused`
    assert.equal((await post({ method: 'POST', target: new URL(url).pathname, body: '{}' })).status, 401)
    await until('a refused post', async () => (await walk.expect(200, 'GET', refused)).length > 0)
    assert.equal((await walk.list(refused))[0].code, 'webhook_key')
  }
  const accepted = await send(data, { last: 1 })
  assert.deepEqual([accepted.status, accepted.body.reactions], [202, 2])
  const [delivery] = await walk.list(`/webhook/data/${data.id}/deliveries`)
  assert.equal(delivery.id, accepted.body.id)
  walk.ids.set('/delivery', delivery.id)
  await walk.expect(200, 'GET', `/delivery/${delivery.id}`)
  assert.equal((await send(bot, { symbol: 'BTCUSDT', side: 'BUY' })).status, 202)
  const [posted] = await walk.list(`/webhook/bot/${bot.id}/deliveries`)
  assert.deepEqual(await walk.expect(200, 'GET', `/webhook/bot/${bot.id}/deliveries/${posted.id}`), posted)
  await walk.expect(200, 'GET', `/webhook/bot/${bot.id}/deliveries/${posted.id}/trace`)
  const callback = 'https://receiver.example/told'
  assert.equal((await send(bot, { symbol: 'BTCUSDT', side: 'BUY', flag: 'TEST', callback })).status, 202)
  const [host] = await walk.list('/notification/callback')
  walk.ids.set('/notification/callback', host.id)
  const { origin } = await walk.expect(200, 'POST', `/notification/callback/${host.id}/rotate`)
  assert.equal(origin, 'https://receiver.example')
  const reaction = `/strategy/reaction/code/${walk.ids.get('/strategy/reaction/code')}`
  await until('the run to end', async () => {
    const [run] = await walk.expect(200, 'GET', `${reaction}/runs`)
    walk.ids.set('/run', run.id)
    return run.status === 'SUCCEEDED'
  })
  await walk.expect(200, 'GET', `/run/${walk.ids.get('/run')}`)
  const receipt = await walk.expect(200, 'GET', `/run/${walk.ids.get('/run')}/trace`)
  assert.deepEqual([receipt.run.id, receipt.outcome.status], [walk.ids.get('/run'), 'SUCCEEDED'])
  await walk.expect(200, 'GET', `/delivery/${delivery.id}/trace`)
  await walk.expect(202, 'POST', `/webhook/bot/${bot.id}/signal`, {
    symbol: 'BTCUSDT',
    side: 'BUY',
    flag: 'TEST',
  })
  await until('a fill', async () => (await walk.expect(200, 'GET', '/fill')).length > 0)
  await walk.expect(202, 'POST', `/delivery/${delivery.id}/replay`)
  for (const kind of ['code', 'llm']) {
    assert.equal((await walk.list(`/webhook/data/${data.id}/${kind}-reactions`)).length, 1)
  }
  await walk.list(`/webhook/bot/${bot.id}/bots`)
  const ofWebhook = await walk.expect(200, 'GET', `/webhook/bot/bot/signal/${bot.id}/cex`)
  assert.deepEqual(ofWebhook.data, ofWebhook.items)
  await walk.list(`/api/exchange/${walk.ids.get('/api/exchange')}/bots`)
  await walk.expect(200, 'GET', `/api/exchange/bot/signal/${walk.ids.get('/api/exchange')}`)
  // These paths name a key and a webhook by another way.
  walk.ids.set('/api/exchange/bot/signal', walk.ids.get('/api/exchange')!)
  walk.ids.set('/webhook/bot/bot/signal', bot.id)
  await walk.list(`/bot/signal/cex/${walk.ids.get('/bot/signal/cex')}/signals`)
  await walk.expect(200, 'GET', `/bot/signal/cex/${walk.ids.get('/bot/signal/cex')}/equity`)
  await statistics(walk)
  await walk.expect(200, 'GET', '/deploy?kind=code-strategy&project=walk')
  const object = { kind: 'bot-webhook', key: 'walked', settings: {} }
  await walk.expect(200, 'POST', '/deploy', { project: 'walk', dry_run: true, objects: [object] })
}

/** Reads what the fills of the bot amount to. */
async function statistics(walk: Walk) {
  const bot = `/bot/signal/cex/${walk.ids.get('/bot/signal/cex')}`
  const { items } = await walk.expect(200, 'GET', `${bot}/trades?limit=1`)
  assert.equal(items.length, 1)
  const since = '2026-01-01T00:00:00Z'
  assert.equal((await walk.expect(200, 'GET', `${bot}/stats?since=${since}`)).bot_id, items[0].bot_id)
  assert.equal((await walk.expect(200, 'GET', '/stats')).groups[0].mode, 'paper')
  const { strategies } = await walk.expect(200, 'GET', `/stats/strategy?since=${since}`)
  assert.equal(strategies[0].groups[0].mode, 'paper')
  assert.equal((await walk.expect(200, 'GET', '/equity')).groups[0].mode, 'paper')
  const { symbol_count } = await walk.expect(200, 'POST', '/bot/signal/cex/size', {
    exchange_id: 472,
    amount: '10',
  })
  assert.equal(symbol_count, 1)
  assert.equal((await walk.expect(200, 'GET', '/equity/drawdown')).groups[0].mode, 'paper')
  assert.equal((await walk.expect(200, 'GET', '/trade?limit=1')).items[0].bot_id, items[0].bot_id)
  for (const file of ['/order.csv', '/fill.csv', '/payment.csv', '/trade.csv', `${bot}/trades.csv`]) {
    assert.match(await walk.expect(200, 'GET', file), /^id,.*\r\n/)
  }
  assert.match(await walk.expect(200, 'GET', '/position.csv'), /^bot_id,.*\r\n/)
}

/** Decides about requests of a model, in both ways. */
async function approvals(walk: Walk, { post }: Surroundings) {
  const reaction = `${llm}/${walk.ids.get(llm)}`
  // Earlier payloads and replays request nothing, and no code uses up the actions of this second.
  await until('the runs before to end', async () => {
    const runs: { finished_at: string | null }[] = await walk.expect(200, 'GET', `${reaction}/runs`)
    return runs.filter(({ finished_at }) => finished_at !== null).length === 2
  })
  const code = `/strategy/reaction/code/${walk.ids.get('/strategy/reaction/code')}`
  await walk.expect(200, 'PUT', `${code}/status`, { status: 'INACTIVE' })
  await walk.expect(200, 'PUT', reaction, { prompt: 'Act on {{data}}', needs_approval: true })
  const data = await walk.expect(200, 'GET', `/webhook/data/${walk.ids.get('/webhook/data')}`)
  const sending = { method: 'POST', target: new URL(data.url).pathname, headers: { 'x-key': 'a password' } }
  for (const [verb, status] of [
    ['reject', 'REJECTED'],
    ['approve', 'APPROVED'],
  ]) {
    assert.equal((await post({ ...sending, body: '{}' })).status, 202)
    const waiting = '/approval?status=PENDING'
    await until('an approval', async () => (await walk.expect(200, 'GET', waiting)).length > 0)
    const [{ id }] = await walk.list('/approval')
    assert.equal((await walk.expect(200, 'POST', `/approval/${id}/${verb}`)).status, status)
    assert.equal((await walk.expect(200, 'GET', `/approval/${id}`)).status, status)
    walk.ids.set('/approval', id)
  }
}

/** On paper, nothing differs and no close waits, so decisions about that are refused. */
async function books(walk: Walk) {
  const botId = walk.ids.get('/bot/signal/cex')
  const bot = `/bot/signal/cex/${botId}`
  const protection = { symbol: 'BTCUSDT', protection: { stop_loss: '99%' } }
  await walk.expect(200, 'PUT', `/position/${botId}/protection`, protection)
  await walk.list('/payment')
  const compared = await walk.expect(200, 'GET', `${bot}/reconciliation`)
  assert.deepEqual(compared, { symbols: [], events: [], events_total: 0 })
  for (const decision of ['adopt', 'ignore']) {
    await walk.expect(409, 'POST', `${bot}/reconciliation/${decision}`, { symbol: 'BTC/USDT' })
  }
  await walk.expect(200, 'PUT', bot, { max_drawdown: '50%' })
  await walk.expect(200, 'POST', `${bot}/drawdown/reset`)
  const { signals } = await walk.expect(200, 'POST', `${bot}/close`, { symbol: 'BTCUSDT' })
  const close = `${bot}/signals/${signals[0].id}`
  await until('the close to end', async () => (await walk.expect(200, 'GET', '/position')).length === 0)
  await until('the signal to end', async () => {
    const [signal] = await walk.expect(200, 'GET', `${bot}/signals`)
    return signal.finished_at !== null
  })
  for (const decision of ['proceed', 'drop']) await walk.expect(409, 'POST', `${close}/${decision}`)
  await walk.expect(200, 'POST', '/trading/panic')
}

async function lists(walk: Walk) {
  for (const path of ['/run', '/delivery', '/bot-signal', '/signal', '/order', '/fill', '/position']) {
    assert.ok((await walk.list(path)).length > 0, path)
  }
  const [data, bot] = [walk.ids.get('/webhook/data'), walk.ids.get('/webhook/bot')]
  await walk.expect(200, 'GET', `/live?kind=run,signal&data_webhook_id=${data}&bot_webhook_id=${bot}`)
  const [signal] = await walk.expect(
    200,
    'GET',
    `/signal?action=LONG&webhook_id=${walk.ids.get('/webhook/bot')}`,
  )
  walk.ids.set('/signal', signal.id)
  await walk.expect(200, 'GET', `/signal/${signal.id}`)
  await walk.expect(200, 'GET', `/signal/${signal.id}/outcome`)
}

/** What a schedule triggers runs at once, too, unless it is off. */
async function triggers(walk: Walk) {
  const triggered = await walk.expect(202, 'POST', `/strategy/code/${walk.ids.get('/strategy/code')}/trigger`)
  assert.equal((await walk.expect(200, 'GET', `/run/${triggered.run_id}`)).trigger, 'manual')
  const asked = `${session}/${walk.ids.get(session)}`
  await walk.expect(200, 'PUT', `${asked}/status`, { status: 'INACTIVE' })
  await walk.expect(409, 'POST', `${asked}/trigger`)
}
