import type { Client } from './client.ts'
import { expect } from './reaction.ts'
import { until } from './until.ts'

/** Binance futures, whose prices are simulated in tests. */
export const futures = 3

/** A bot webhook with an active paper bot. */
export async function makeBot(client: Client, fields: Record<string, unknown> = {}) {
  const webhook = await expect(201, client.api('POST', '/api/v2/webhook/bot', {}))
  const settings = { webhook_id: webhook.id, exchange_id: futures, ...fields }
  const bot = await expect(201, client.api('POST', '/api/v2/bot/signal/cex', settings))
  await expect(200, client.api('PUT', `/api/v2/bot/signal/cex/${bot.id}/status`, { status: 'ACTIVE' }))
  const path = new URL(webhook.url).pathname
  const list = (what: string) =>
    expect(200, client.api('GET', `/api/v2/${what}?bot_id=${bot.id}&limit=200&page=1`))
  return {
    id: bot.id as number,
    webhookId: webhook.id as number,
    read: () => expect(200, client.api('GET', `/api/v2/bot/signal/cex/${bot.id}`)),
    send: (payload: unknown) => client.send('POST', path, { body: payload }),
    orders: async () => (await list('order')).items.toReversed(),
    fills: async () => (await list('fill')).items.toReversed(),
    positions: async () => (await list('position')).items,
    /** Its signals, oldest first, after waiting until `count` of them have ended or wait for their owner. */
    followed: async (count: number, timeoutMs?: number) => {
      let seen: { status: string; reason: string | null; symbol: string }[] = []
      const hasEnded = ({ status }: { status: string }) =>
        !['DELAYED', 'QUEUED', 'WORKING', 'CLOSING'].includes(status)
      const enough = async () => {
        const own = `/api/v2/bot/signal/cex/${bot.id}/signals?limit=200&page=1`
        seen = (await expect(200, client.api('GET', own))).items.toReversed()
        return seen.filter(hasEnded).length >= count
      }
      await until(`${count} signals to be followed`, enough, timeoutMs)
      return seen
    },
  }
}
