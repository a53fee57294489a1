/** Bots of a whole service, on an exchange whose prices the test sets. The tests use only the public interface. */
import assert from 'node:assert/strict'
import type { Client } from '../client.ts'
import type { TestExchange } from '../connection.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import type { OracleMarket, OracleSettings, OracleSignal } from './oracle.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
export type Item = any

export const bases = ['BTC', 'ETH', 'SOL'] as const
export type Base = (typeof bases)[number]
export type Kind = 'spot' | 'futures'
export type Prices = Record<Kind, Record<Base, number>>

export const symbolOf = (kind: Kind, base: string) => `${base}/USDT${kind === 'spot' ? '' : ':USDT'}`
const exchangeIds = { spot: 2, futures: 3 }

/** The rules of the exchange, the same on spot and futures. */
export const marketOf = (service: Kind): OracleMarket => ({
  service,
  sizeStep: '0.00001',
  minSize: '0.00001',
  minNotional: '5',
})

/** A sent signal with its id. */
export type Sent = {
  id: number
  base: Base
  action: OracleSignal['action']
  options: OracleSignal['options']
}

/** Reads all pages of a list, and returns the oldest item first. */
export async function everyItem(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const answer = await expect(
      200,
      client.api('GET', `/api/v2${path}${path.includes('?') ? '&' : '?'}limit=200&page=${page}`),
    )
    items.push(...answer.items)
    if (answer.items.length < 200) return items.toReversed()
  }
}

export async function makeWebhook(client: Client) {
  const webhook = await expect(201, client.api('POST', '/api/v2/webhook/bot', {}))
  return { id: webhook.id as number, path: new URL(webhook.url).pathname }
}

/** Creates an active paper bot. */
export async function makePaperBot(
  client: Client,
  webhookId: number,
  kind: Kind,
  settings: OracleSettings,
): Promise<number> {
  const { id } = await expect(
    201,
    client.api('POST', '/api/v2/bot/signal/cex', {
      webhook_id: webhookId,
      exchange_id: exchangeIds[kind],
      amount: settings.amount,
      size_unit: settings.sizeUnit ?? null,
      strict_amount: settings.strictAmount,
      fee_rate: settings.feeRate,
      slippage_rate: settings.slippageRate,
      start_balance: settings.startBalance,
      max_position: settings.maxPosition,
      max_daily_loss: settings.maxDailyLoss,
      cooldown_seconds: settings.cooldownSeconds,
      max_signal_age_seconds: settings.maxSignalAgeSeconds,
    }),
  )
  await expect(200, client.api('PUT', `/api/v2/bot/signal/cex/${id}/status`, { status: 'ACTIVE' }))
  return id
}

/** Resolves when a bot has followed all its signals. */
export function quiet(client: Client, botId: number, timeoutMs?: number): Promise<void> {
  const waiting = async (status: string) => {
    const path = `/api/v2/bot/signal/cex/${botId}/signals?limit=1&status=${status}`
    return (await expect(200, client.api('GET', path))).total
  }
  return until(
    `bot ${botId} to have followed its signals`,
    async () => (await waiting('QUEUED')) + (await waiting('WORKING')) === 0,
    timeoutMs,
  )
}

/** Two bots that hold every symbol, so that the API shows which prices the service knows. */
export class Probe {
  #client: Client
  #exchange: TestExchange
  #bots: Record<Kind, number>
  #path: string

  private constructor(client: Client, exchange: TestExchange, bots: Record<Kind, number>, path: string) {
    this.#path = path
    this.#client = client
    this.#exchange = exchange
    this.#bots = bots
  }

  static async start(client: Client, exchange: TestExchange, settings: OracleSettings): Promise<Probe> {
    const { id, path } = await makeWebhook(client)
    const bots = {
      spot: await makePaperBot(client, id, 'spot', settings),
      futures: await makePaperBot(client, id, 'futures', settings),
    }
    for (const base of bases)
      await client.send('POST', path, { body: { symbol: `${base}USDT`, side: 'BUY' } })
    for (const bot of Object.values(bots)) await quiet(client, bot)
    return new Probe(client, exchange, bots, path)
  }

  /** How another signal to buy ends in the two bots, which hold positions. */
  async endsOf(symbol: string): Promise<string[]> {
    await expect(202, this.#client.send('POST', this.#path, { body: { symbol, side: 'BUY' } }))
    const ends: string[] = []
    for (const bot of Object.values(this.#bots)) {
      await quiet(this.#client, bot)
      const last = (await everyItem(this.#client, `/bot/signal/cex/${bot}/signals`)).at(-1)
      ends.push(`${last.status}: ${last.reason}`)
    }
    return ends
  }

  /** Resolves when the service knows these prices. */
  async setPrices(prices: Prices): Promise<void> {
    for (const kind of ['spot', 'futures'] as const) {
      for (const base of bases) this.#exchange.standIn.setPrice(symbolOf(kind, base), prices[kind][base])
    }
    for (const kind of ['spot', 'futures'] as const) {
      await until('the prices to arrive', async () => {
        const held = await everyItem(this.#client, `/position?bot_id=${this.#bots[kind]}`)
        assert.equal(held.length, bases.length)
        return held.every(({ symbol, price }) => {
          const base = bases.find((each) => symbolOf(kind, each) === symbol)!
          return price !== null && Number(price) === prices[kind][base]
        })
      })
    }
  }
}
