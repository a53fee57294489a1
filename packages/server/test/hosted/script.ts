/** What a script from the hosted service does, by every operation. */
import assert from 'node:assert/strict'
import type { HostedClient } from './client.ts'

export type World = {
  /** An account on exchange 2. */
  publicKey: string
  privateKey: string
  /** Another user. */
  userId: number
  /** A provider of language models that speaks as OpenAI does. */
  models: { apiKey: string; baseUrl: string }
}

type Fields = Record<string, unknown>

const code = 'await $.Storage.set({ seen: true })'

/** Makes, reads, changes and deletes one of everything. */
export async function runScript(client: HostedClient, world: World): Promise<void> {
  const { userId } = world
  await exchanges(client)
  const botWebhook = await webhook(client, 'webhooks.bot')
  const dataWebhook = await webhook(client, 'webhooks.data')
  await share(client, 'webhooks.bot', botWebhook.id, userId)
  await share(client, 'webhooks.data', dataWebhook.id, userId)
  const priced = { use_price: true, exchange_id: 2, price_symbol: 'BTCUSDT' }
  const signalling = { send_signal: true, webhook_id: String(botWebhook.id), symbol: 'BTCUSDT' }
  const reacting = { data_webhook_id: String(dataWebhook.id), delay: 5 }
  await strategies(client, 'strategies.code', { code, ...priced, ...signalling })
  await strategies(client, 'strategies.reactions.code', { code, ...priced, ...signalling, ...reacting })
  await bots(client, await exchangeKey(client, world), botWebhook.id)
  await predictionBots(client, botWebhook.id)
  await dexBots(client, botWebhook.id)
  const [llm_api_id, fallback_api_id] = [await modelKey(client, world), await modelKey(client, world)]
  const thinking = { prompt: 'Decide', llm_api_id: String(llm_api_id) }
  await strategies(client, 'strategies.llmSessions', { ...thinking, cron_interval: '4H' })
  await strategies(client, 'strategies.reactions.llm', {
    ...{ ...thinking, fallback_api_id, send_email: true, data_webhook_id: String(dataWebhook.id) },
    ...{ send_signal: true, webhook_id: String(botWebhook.id), signal_symbol: 'BTCUSDT' },
  })
  for (const id of [llm_api_id, fallback_api_id]) {
    await client.call('apiKeys.llm.delete', { places: [String(id)] })
  }
  await client.call('webhooks.data.delete', { places: [String(dataWebhook.id)] })
  await client.call('webhooks.bot.delete', { places: [String(botWebhook.id)] })
}

async function exchanges(client: HostedClient): Promise<void> {
  const all = await client.call('exchanges.list', { query: { enabled: 'true' } })
  assert.ok(all.every(({ enabled }: { enabled: boolean }) => enabled))
  for (const name of ['listCex', 'listPrediction', 'listWithExchangeRate']) {
    assert.ok((await client.call(`exchanges.${name}`)).length > 0, name)
  }
  assert.ok((await client.call('exchanges.getDex', { places: ['1'] })).length > 0)
}

async function webhook(client: HostedClient, group: string) {
  const made = await client.call(`${group}.create`, {
    body: { name: 'Alerts', description: 'From a chart', is_safe: true, has_key: 'a password' },
  })
  const places = [String(made.id)]
  await client.call(`${group}.list`)
  const body = { name: 'Renamed', is_safe: false }
  await client.call(`${group}.update`, { places, body })
  await client.call(`${group}.status`, { places, body: { status: 'ACTIVE' } })
  const { name, is_safe } = await client.call(`${group}.get`, { places })
  assert.deepEqual({ name, is_safe }, body)
  return made
}

async function share(client: HostedClient, group: string, id: number, userId: number): Promise<void> {
  const places = [String(id)]
  const body = { userId: String(userId) }
  await client.call(`${group}.async`, { places, body })
  assert.equal((await client.call(`${group}.shares`, { places })).length, 1)
  await client.call(`${group}.listShared`)
  assert.equal((await client.call(`${group}.getWithShared`, { places: [userId] })).length, 1)
  await client.call(`${group}.getByShared`, { places: [userId] })
  await client.call(`${group}.deleteShare`, { places, body })
  assert.equal((await client.call(`${group}.shares`, { places })).length, 0)
}

async function strategies(client: HostedClient, group: string, fields: Fields): Promise<void> {
  const made = await client.call(`${group}.create`, { body: { name: 'Moved', ...fields } })
  const places = [String(made.id)]
  const isThinking = 'llm_api_id' in fields
  if (isThinking) isAsGiven(made, fields)
  await client.call(`${group}.update`, { places, body: { name: 'Renamed' } })
  await client.call(`${group}.public`, { places, body: { isPublic: true } })
  const published = await client.call(`${group}.get`, { places })
  assert.deepEqual([published.name, published.visibility], ['Renamed', 'PUBLIC'])
  await client.call(`${group}.public`, { places, body: { isPublic: false } })
  assert.equal((await client.call(`${group}.get`, { places })).visibility, 'PRIVATE')
  await client.call(`${group}.status`, { places, body: { status: 'ACTIVE' } })
  await client.call(`${group}.status`, { places, body: { status: 'INACTIVE' } })
  const reset = isThinking ? { resetStorage: true, resetResponse: true } : { resetStore: true }
  await client.call(`${group}.reset`, { places, body: { resetTriggers: true, ...reset } })
  if (!isThinking) await client.call(`${group}.store`, { places })
  await folders(client, group)
  if (group === 'strategies.reactions.code') await ofWebhook(client, 'codeReactions', made)
  if (group === 'strategies.reactions.llm') await ofWebhook(client, 'llmReactions', made)
  const copy = await client.call(`${group}.duplicate`, { body: { id: String(made.id) } })
  assert.equal((await client.call(`${group}.list`)).length, 2)
  assert.equal((await client.call(`${group}.getTotal`)).total, 2)
  for (const id of [made.id, copy.id]) await client.call(`${group}.delete`, { places: [String(id)] })
}

/** A folder of a group, which has one item so far. */
async function folders(client: HostedClient, group: string): Promise<void> {
  const folder = await client.call(`${group}.postFolder`, { body: { name: 'Kept together' } })
  const places = [String(folder.id)]
  await client.call(`${group}.updateFolder`, { places, body: { name: 'Renamed' } })
  assert.equal((await client.call(`${group}.getFolder`, { places })).name, 'Renamed')
  assert.equal((await client.call(`${group}.listFolder`)).length, 1)
  assert.equal((await client.call(`${group}.listFolderRoot`)).length, 1)
  await client.call(`${group}.deleteFolder`, { places })
}

/** What asks a model has the keys and the symbol that were given. */
function isAsGiven(made: Fields, { llm_api_id, fallback_api_id, signal_symbol, send_email }: Fields): void {
  assert.deepEqual(
    [made.connection_id, made.fallback_id, made.symbol, made.send_email],
    [Number(llm_api_id), fallback_api_id ?? null, signal_symbol ?? null, send_email ?? false],
  )
}

/** The reactions of a data webhook. */
async function ofWebhook(client: HostedClient, name: string, made: { id: number; data_webhook_id: number }) {
  const listed = await client.call(`webhooks.data.${name}`, {
    places: [String(made.data_webhook_id)],
    query: { page: 1, limit: 10 },
  })
  assert.deepEqual([listed.total, listed.data[0].id], [1, made.id])
}

async function exchangeKey(client: HostedClient, { publicKey, privateKey }: World): Promise<number> {
  const credentials = { exchangeId: '2', publicKey, privateKey }
  await client.call('apiKeys.exchange.postTest', { body: credentials })
  const { id } = await client.call('apiKeys.exchange.create', { body: { name: 'Main', ...credentials } })
  assert.equal((await client.call('apiKeys.exchange.list')).length, 1)
  await client.call('apiKeys.exchange.status', { places: [String(id)], body: { status: 'ACTIVE' } })
  return id
}

async function bots(client: HostedClient, keyId: number, webhookId: number): Promise<void> {
  const made = await client.call('bots.cex.create', {
    body: {
      ...{ webhook_id: String(webhookId), api_id: String(keyId), symbol: 'BTCUSDT' },
      ...{ pair_base: 'BTC', pair_quote: 'USDT', amount_from_signal: false, amount: 1, is_quote: false },
      ...{ name: 'Follower', delay: 5 },
    },
  })
  assert.deepEqual(
    [made.connection_id, made.exchange_id, made.mode, made.strict_amount, made.symbol],
    [keyId, 2, 'paper', true, 'BTCUSDT'],
  )
  assert.deepEqual([made.amount, made.amount_in, made.delay_seconds], ['1', 'BTC', 5])
  assert.match(made.note, /trades on paper/)
  const places = [String(made.id)]
  await isListedBy(client, made.id, {
    'apiKeys.exchange.getSignalBot': keyId,
    'webhooks.bot.listBotSignalCex': webhookId,
  })
  await client.call('bots.cex.update', {
    places,
    body: { amount_from_signal: true, amount: 25, is_quote: true },
  })
  const changed = await client.call('bots.cex.get', { places })
  assert.deepEqual([changed.strict_amount, changed.amount, changed.amount_in], [false, '25', 'USDT'])
  await client.call('bots.cex.status', { places, body: { status: 'ACTIVE' } })
  await client.call('bots.cex.status', { places, body: { status: 'INACTIVE' } })
  await folders(client, 'bots.cex')
  const copy = await client.call('bots.cex.duplicate', { body: { id: String(made.id) } })
  assert.equal((await client.call('bots.cex.list')).length, 2)
  assert.equal((await client.call('bots.cex.getTotal')).total, 2)
  for (const id of [made.id, copy.id]) await client.call('bots.cex.delete', { places: [String(id)] })
  await client.call('apiKeys.exchange.delete', { places: [String(keyId)] })
}

const wallet = {
  exchangeId: '15',
  funderAddress: `0x${'aB'.repeat(20)}`,
  walletPrivateKey: `0x${'1f'.repeat(32)}`,
}

async function predictionBots(client: HostedClient, webhookId: number): Promise<void> {
  assert.equal(await client.call('apiKeys.prediction.postTest', { body: wallet }), true)
  const key = await client.call('apiKeys.prediction.create', { body: { name: 'Wallet', ...wallet } })
  assert.ok(!JSON.stringify(key).includes(wallet.walletPrivateKey.slice(2)))
  assert.equal((await client.call('apiKeys.prediction.list')).length, 1)
  await client.call('apiKeys.prediction.status', { places: [String(key.id)], body: { status: 'ACTIVE' } })
  const group = 'bots.prediction'
  const made = await client.call(`${group}.create`, {
    body: {
      ...{ name: 'Elections', webhook_id: String(webhookId), api_id: String(key.id) },
      ...{ slug_from_signal: true, amount_from_signal: false, amount: 25, delay: 5 },
    },
  })
  assert.deepEqual(
    [made.connection_id, made.exchange_id, made.webhook_id, made.slug, made.status],
    [key.id, 15, webhookId, null, 'INACTIVE'],
  )
  assert.deepEqual([made.amount, made.strict_amount, made.delay_seconds], ['25', true, 5])
  await isListedBy(client, made.id, {
    'apiKeys.prediction.getSignalBot': key.id,
    'webhooks.bot.listBotSignalPrediction': webhookId,
  })
  const places = [String(made.id)]
  await client.call(`${group}.update`, { places, body: { amount: 50, amount_from_signal: true } })
  const changed = await client.call(`${group}.get`, { places })
  assert.deepEqual([changed.amount, changed.strict_amount, changed.delay_seconds], ['50', false, 5])
  const copy = await client.call(`${group}.duplicate`, { body: { id: String(made.id) } })
  await client.call(`${group}.delete`, { places: [String(copy.id)] })
  await predictionMarket(client, `${group}.getMarket`)
  await withoutVenue(client, group, made.id, /cannot trade on Polymarket yet/)
  await client.call('apiKeys.prediction.delete', { places: [String(key.id)] })
}

/** An exchange by its id or its name, as scripts have either. */
async function predictionMarket(client: HostedClient, name: string): Promise<void> {
  for (const exchange of ['15', 'polymarket']) {
    const { question, active, outcomes } = await client.call(name, { places: [exchange, 'will-it-rain'] })
    assert.deepEqual([question, active], ['Will it rain in Paris on May 1?', true])
    assert.deepEqual(outcomes[0], { name: 'Yes', token_id: '7132', price: 0.0455, won: null })
  }
  await client.refused(name, { places: ['15', 'nothing'] }, 404, /^Polymarket has no market "nothing"/)
  await client.refused(name, { places: ['2', 'will-it-rain'] }, 404, /no prediction exchange "2"/)
  await client.refused(name, { places: ['242', 'will-it-rain'] }, 409, /predict\.fun: it answers only/)
}

async function dexBots(client: HostedClient, webhookId: number): Promise<void> {
  const group = 'bots.dex'
  const [dex] = await client.call('exchanges.getDex', { places: ['56'] })
  const factory = await client.call(`${group}.getFactory`, { places: ['56', String(dex.id)] })
  const address = `0x${'Cd'.repeat(20)}`
  const made = await client.call(`${group}.create`, {
    body: {
      ...{ name: 'On a chain', webhook_id: String(webhookId), factory_id: String(factory.id), chain_id: 56 },
      ...{ address, symbol: 'ETHUSDC', delay: 5 },
    },
  })
  assert.deepEqual(
    [made.exchange_id, made.chain_id, made.address, made.symbol, made.delay_seconds],
    [dex.id, '56', address.toLowerCase(), 'ETHUSDC', 5],
  )
  assert.equal((await client.call(`${group}.getByChainAndAddress`, { places: ['56', address] })).id, made.id)
  await isListedBy(client, made.id, { 'webhooks.bot.listBotSignalDex': webhookId })
  const places = [String(made.id)]
  await client.call(`${group}.update`, { places, body: { symbol: 'ETHUSDC,BTCUSDC' } })
  assert.equal((await client.call(`${group}.get`, { places })).symbol, 'ETHUSDC,BTCUSDC')
  await withoutVenue(client, group, made.id, /cannot trade on .* yet/)
}

/** What bots without a venue have in common: they cannot be on. In the end, the one that there is, is deleted. */
async function withoutVenue(client: HostedClient, group: string, id: number, why: RegExp): Promise<void> {
  const places = [String(id)]
  await client.refused(`${group}.status`, { places, body: { status: 'ACTIVE' } }, 409, why)
  await client.call(`${group}.status`, { places, body: { status: 'INACTIVE' } })
  await folders(client, group)
  assert.equal((await client.call(`${group}.list`)).length, 1)
  assert.equal((await client.call(`${group}.getTotal`)).total, 1)
  await client.call(`${group}.delete`, { places })
  assert.equal((await client.call(`${group}.getTotal`)).total, 0)
}

/** Each of these lists has this bot alone. */
async function isListedBy(client: HostedClient, id: number, lists: Record<string, number>): Promise<void> {
  for (const [name, of] of Object.entries(lists)) {
    const { total, data } = await client.call(name, { places: [String(of)] })
    assert.deepEqual([total, data[0].id], [1, id], name)
  }
}

/** By the number of its provider at the hosted service, and the numbers of models in the list. */
async function modelKey(client: HostedClient, { models: { apiKey, baseUrl } }: World): Promise<number> {
  const openAi = 2
  const services: { id: number; name: string }[] = await client.call('apiKeys.llm.listServices')
  const [first, second] = await client.call('apiKeys.llm.getModels', { places: [openAi] })
  await client.call('apiKeys.llm.create', {
    body: { name: 'Thinker', serviceId: openAi, modelId: first.id, apiKey },
    beside: { base_url: baseUrl },
  })
  const made = (await client.call('apiKeys.llm.list')).at(-1)
  assert.deepEqual(
    [services.find(({ id }) => id === made.service_id)?.name, made.model],
    ['OpenAI', first.name],
  )
  const places = [String(made.id)]
  await client.call('apiKeys.llm.model', { places, body: { modelId: second.id } })
  assert.equal((await client.call('apiKeys.llm.list')).at(-1).model, second.name)
  return made.id
}
