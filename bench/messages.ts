import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { startRemote } from '../packages/server/test/remote.ts'
import { until } from '../packages/server/test/until.ts'
import type { BenchContext, Benchmark } from './context.ts'
import type { Row, Section } from './report.ts'
import { percentile } from './statistics.ts'

const mostMs = 300
/** Slower than an account may act. */
const pauseMs = 600

/**
 * From a trade until its message has arrived in a chat: a paper bot opens and closes a position, one signal after the
 * other. It begins with the POST of the signal, so the figure contains the order and its fill.
 */
export const messages: Benchmark = { name: 'messages', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  const arrivals: number[] = []
  // ntfy answers a published message so: docs.ntfy.sh/publish.
  await using chat = await startRemote((_asked, response) => {
    arrivals.push(performance.now())
    response.setHeader('content-type', 'application/json').end('{"id":"x","event":"message"}')
  })
  const settings = { ...(await backend.emptyDatabase()), HTTP_ALLOW: chat.host }
  await using service = await startServiceProcess({ settings })
  const client = createApiClient(service.access)
  const signal = await tradingBot(client)
  await client.notifications.endpoints.create({
    ...{ kind: 'ntfy', url: `${chat.url}/trades-of-mine`, token: `tk_${'n'.repeat(29)}` },
    events: ['position.opened', 'position.closed'],
  })
  const delaysMs: number[] = []
  const floorMs: number[] = []
  // A service like ntfy takes this many at once. The courier sends later ones more slowly.
  const count = quick ? 6 : 30
  for (let n = 0; n < count; n++) {
    const floorAt = performance.now()
    await (await fetch(chat.url, { method: 'POST', body: '{}' })).text()
    floorMs.push(performance.now() - floorAt)
    const before = arrivals.length
    const sentAt = performance.now()
    await signal(n % 2 === 0 ? 'BUY' : 'EXIT')
    await until('the message', async () => arrivals.length > before)
    // The first message also opens the connection, and compiles what it needs.
    if (n > 1) delaysMs.push(arrivals.at(-1)! - sentAt)
    await sleep(pauseMs)
  }
  const p95 = percentile(delaysMs, 0.95)
  const rows: Row[] = [
    { name: 'floor: one POST to the chat', p50Ms: percentile(floorMs, 0.5), mostMs: Math.max(...floorMs) },
    {
      name: 'signal posted to message of the trade in the chat',
      p50Ms: percentile(delaysMs, 0.5),
      mostMs: Math.max(...delaysMs),
      target: { text: `95 % within ${mostMs} ms`, met: p95 <= mostMs },
    },
    { name: 'the same, 95th percentile', mostMs: p95 },
  ]
  return { bench: 'messages', title: 'from a trade to its message in a chat', rows }
}

/** A paper bot on the simulated market, and a function that sends it a signal. */
async function tradingBot(client: ReturnType<typeof createApiClient>) {
  const market = (await client.exchanges.list()).find(({ type }) => type === 'SIM')
  const webhook = await client.webhooks.bot.create({ name: 'trades' })
  const bot = await client.bots.signal.create({ webhook_id: webhook.id, exchange_id: market!.id })
  await client.bots.signal.setStatus(bot.id, { status: 'ACTIVE' })
  return async (side: 'BUY' | 'EXIT') => {
    const body = JSON.stringify({ symbol: 'BTCUSDT', side })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(webhook.url, { method: 'POST', headers, body })
    if (answer.status !== 202) throw new Error(`The signal was refused: ${await answer.text()}`)
  }
}
