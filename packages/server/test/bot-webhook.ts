import type { ApiAnswer, Client } from './client.ts'
import { expect } from './reaction.ts'

/** A bot webhook, with the path that senders post to. */
export type TestBotWebhook = {
  id: number
  /** Its path in the API. */
  own: string
  path: string
  /** The answer of the API when it was created. */
  resource: ApiAnswer['body']
  /** Posts a payload: text unchanged, anything else as JSON. */
  post(payload: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  /** Changes it through the API. */
  change(changes: Record<string, unknown>): Promise<ApiAnswer['body']>
  /** The signals that came through it, newest first. */
  signals(): Promise<ApiAnswer['body'][]>
  /** Creates an active paper bot that follows it. */
  addBot(fields?: Record<string, unknown>): Promise<FollowingBot>
}

export type FollowingBot = {
  id: number
  own: string
  setStatus(status: 'ACTIVE' | 'INACTIVE'): Promise<ApiAnswer['body']>
  /** The signals that it received, oldest first. */
  signals(): Promise<{ signal_id: number; action: string; symbol: string }[]>
}

/** Binance futures, whose prices are simulated in tests. */
const futures = 3

/** Creates a bot webhook through the API. */
export async function makeBotWebhook(
  client: Client,
  settings: Record<string, unknown> = {},
): Promise<TestBotWebhook> {
  const resource = await expect(201, client.api('POST', '/api/v2/webhook/bot', settings))
  const path = new URL(resource.url).pathname
  const own = `/api/v2/webhook/bot/${resource.id}`
  return {
    id: resource.id,
    own,
    path,
    resource,
    post: (payload, headers) => client.send('POST', path, { body: payload, ...(headers && { headers }) }),
    change: (change) => expect(200, client.api('PUT', own, change)),
    signals: () => expect(200, client.api('GET', `/api/v2/signal?webhook_id=${resource.id}`)),
    addBot: (fields) => makeFollower(client, { webhook_id: resource.id, ...fields }),
  }
}

async function makeFollower(client: Client, fields: Record<string, unknown>): Promise<FollowingBot> {
  const bots = '/api/v2/bot/signal/cex'
  const { id } = await expect(201, client.api('POST', bots, { exchange_id: futures, ...fields }))
  const own = `${bots}/${id}`
  const setStatus: FollowingBot['setStatus'] = (status) =>
    expect(200, client.api('PUT', `${own}/status`, { status }))
  await setStatus('ACTIVE')
  const signals = async () => (await expect(200, client.api('GET', `${own}/signals`))).toReversed()
  return { id, own, setStatus, signals }
}
