/** Backtests that users ask for, on a database that the tests of a file share, without a service. */
import { randomBytes, randomUUID } from 'node:crypto'
import { SyntaxChecker } from '@tickwright/sandbox'
import { AiConnections } from '../src/ai/connections.ts'
import { DatabaseBudgets } from '../src/ai/database-budgets.ts'
import { ProviderHttp } from '../src/ai/provider-http.ts'
import { Providers } from '../src/ai/providers.ts'
import { Backtests } from '../src/backtests/jobs/backtests.ts'
import type { BacktestRequest } from '../src/backtests/jobs/request.ts'
import { BacktestWorker } from '../src/backtests/jobs/worker.ts'
import { Node } from '../src/db/node.ts'
import { dataWebhooks, deliveries, users } from '../src/db/schema.ts'
import { UserLimits } from '../src/db/user-limits.ts'
import { CandleStore } from '../src/market/stored/candle-store.ts'
import { OutgoingHttp } from '../src/outgoing/outgoing-http.ts'
import { Vault } from '../src/secrets/vault.ts'
import { createTestDatabase, fileResources } from './databases.ts'
import { longPatienceMs } from './patience.ts'
import { until } from './until.ts'

const vault = new Vault(randomBytes(32))
const place = fileResources.use(await createTestDatabase())
export const database = await place.open(fileResources)
const syntax = new SyntaxChecker()
fileResources.defer(() => syntax.close())

const providerHttp = new ProviderHttp({ publicUrl: 'http://127.0.0.1:3000', allow: [] })
fileResources.defer(() => providerHttp.close())
const providers = new Providers(providerHttp)
const limits = new UserLimits()
const connections = new AiConnections({ database, vault, limits, http: providerHttp, providers })

export const backtests = new Backtests({
  ...{ database, vault, syntax, candles: new CandleStore(database, limits), retentionDays: 30 },
  connections,
  environment: async () => ({}),
  announce: () => undefined,
})

export async function addUser(): Promise<number> {
  const email = `${randomUUID()}@example.com`
  const [user] = await database.db
    .insert(users)
    .values({ email, passwordHash: '', role: 'user' })
    .returning({ id: users.id })
  return user!.id
}

/** A node that executes backtests. */
export async function startNode({ allow = [] as string[], firstPauseMs = 1_000 } = {}) {
  const errors: unknown[] = []
  const node = new Node(database, { roles: ['backtest'] })
  await node.start((error) => errors.push(error))
  const publicUrl = 'http://127.0.0.1:3000'
  const http = new OutgoingHttp({ publicUrl, allow, timeoutMs: longPatienceMs })
  const worker = new BacktestWorker({
    send: (ownerId, request, signal) => http.request(ownerId, request, signal),
    ...{ database, node, vault, announce: () => undefined },
    ai: { connections, providers, budgets: new DatabaseBudgets(database) },
    config: {
      ...{
        backtestExecutors: 1,
        backtestPriority: 'normal',
        sandboxJit: true,
        sandboxRunsPerIsolate: 10_000,
      },
      publicUrl,
    },
    subscribers: { hears: () => true, onTold: () => undefined },
    onError: (error) => errors.push(error),
    firstPauseMs,
  })
  await worker.start()
  return {
    errors,
    async stop() {
      await worker.stop()
      http.close()
      await node.stop()
    },
  }
}

export const minuteMs = 60_000

/** Code that asks what its bot holds in each run, which is slow, and decides by it. */
export function slowRequest(count: number): BacktestRequest {
  const candles = Array.from({ length: count }, (_, index) => {
    const price = 100 + 10 * Math.sin(index / 10)
    return [index * minuteMs, price, price, price, price, 1]
  })
  const code = `
    const [held] = await $.Strategy.positions()
    if (Math.random() < 0.1) $.log(held?.size)
    if (held === undefined && $.Price.price < 95) await $.Strategy.action('LONG')
    if (held !== undefined && $.Price.price > 105) await $.Strategy.action('EXIT')`
  return { code, symbol: 'BTC/USDT', candles, examine: false, bots: [{}, { amount: '200' }] }
}

export async function endOf(userId: number, id: number) {
  const isOver = async () => (await backtests.get(userId, id)).finishedAt !== null
  // Two processes start, and execute hundreds of runs.
  await until('the end of a backtest', isOver, 3 * longPatienceMs)
  return await backtests.get(userId, id)
}

/** A data webhook that is so many days old, with deliveries of these times, which count from the first candle on. */
export async function addDeliveries(userId: number, parts: readonly number[], { days = 0 } = {}) {
  const [webhook] = await database.db
    .insert(dataWebhooks)
    .values({
      ...{ userId, name: '', description: '', urlHash: randomBytes(32), urlSecret: randomBytes(32) },
      createdAt: new Date(Date.now() - days * 24 * 60 * minuteMs),
    })
    .returning({ id: dataWebhooks.id })
  const webhookId = webhook!.id
  await database.db.insert(deliveries).values(
    parts.map((part, index) => ({
      ...{ webhookId, body: JSON.stringify({ n: index, secret: 'hidden' }), ip: '192.0.2.7', reactions: 0 },
      ...{ headers: { 'user-agent': `feed ${index}` }, receivedAt: new Date(startMs + part * partMs) },
    })),
  )
  return webhookId
}

/** So long does a candle last: times and ids of deliveries have about the same order, so those of all tests are near. */
export const partMs = 5_000
export const startMs = Math.floor(Date.now() / minuteMs) * minuteMs - 3 * 60 * minuteMs
export const flatCandles = (count: number) =>
  Array.from({ length: count }, (_, part) => [startMs + part * partMs, 100, 100, 100, 100])
