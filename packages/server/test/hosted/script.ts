/** What a script from the hosted service does, by every operation that the service answers as declared. */
import assert from 'node:assert/strict'
import type { HostedClient } from './client.ts'

export type World = {
  /** An account on exchange 2. */
  publicKey: string
  privateKey: string
  /** Another user. */
  userId: number
}

const code = 'await $.Storage.set({ seen: true })'

/** Makes, reads, changes and deletes one of everything. */
export async function runScript(client: HostedClient, { userId }: World): Promise<void> {
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
  await client.call('webhooks.data.delete', { places: [String(dataWebhook.id)] })
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

async function strategies(client: HostedClient, group: string, fields: object): Promise<void> {
  const folder = await client.call(`${group}.postFolder`, { body: { name: 'Kept together' } })
  const inFolder = [String(folder.id)]
  await client.call(`${group}.updateFolder`, { places: inFolder, body: { name: 'Renamed' } })
  assert.equal((await client.call(`${group}.getFolder`, { places: inFolder })).name, 'Renamed')
  assert.ok((await client.call(`${group}.listFolder`)).length > 0)
  const made = await client.call(`${group}.create`, { body: { name: 'Moved', ...fields } })
  const places = [String(made.id)]
  await client.call(`${group}.update`, { places, body: { name: 'Renamed' } })
  await client.call(`${group}.public`, { places, body: { isPublic: true } })
  const published = await client.call(`${group}.get`, { places })
  assert.deepEqual([published.name, published.visibility], ['Renamed', 'PUBLIC'])
  await client.call(`${group}.public`, { places, body: { isPublic: false } })
  assert.equal((await client.call(`${group}.get`, { places })).visibility, 'PRIVATE')
  await client.call(`${group}.status`, { places, body: { status: 'ACTIVE' } })
  await client.call(`${group}.status`, { places, body: { status: 'INACTIVE' } })
  await client.call(`${group}.reset`, { places, body: { resetTriggers: true, resetStore: true } })
  await client.call(`${group}.store`, { places })
  assert.equal((await client.call(`${group}.listFolderRoot`)).length, 1)
  const copy = await client.call(`${group}.duplicate`, { body: { id: String(made.id) } })
  assert.equal((await client.call(`${group}.list`)).length, 2)
  assert.equal((await client.call(`${group}.getTotal`)).total, 2)
  for (const id of [made.id, copy.id]) await client.call(`${group}.delete`, { places: [String(id)] })
  await client.call(`${group}.deleteFolder`, { places: inFolder })
}
