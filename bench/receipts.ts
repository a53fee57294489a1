import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { setUpReaction } from '../examples/set-up.ts'
import { simulatedMarket } from '../packages/server/src/catalogue/entries.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import { type Latencies, latenciesAgainstFloor, type Row, type Section } from './report.ts'
import { succeededRuns } from './runs-of.ts'
import { runWaiter } from './service-metrics.ts'
import { percentile } from './statistics.ts'

const mostMs = 10
/** The first reads compile code, and PostgreSQL plans a statement five times before it keeps the plan. */
const warmUp = 100
/** How long a bot may take to follow a signal. */
const patienceMs = 20_000
/** A call has two steps: itself and its answer. */
const code = `for (let n = 0; n < 66; n++) {
  $.log('price', n)
  await $.getExchangeRate($.Exchange.BINANCE, 'BTC/USDT')
}`

/**
 * Reads the trace of a run with 200 steps, one at a time, compared with reading the run itself, and the trace of a post to
 * a bot webhook that a paper bot followed to its fill, compared with reading the post: the latencies, and the CPU time of
 * the service and its database for each read.
 */
export const receipts: Benchmark = { name: 'receipts', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  await using service = await startServiceProcess({ settings: await backend.emptyDatabase() })
  const { access } = service
  const client = createApiClient(access)
  const id = await runOnce(client, access.baseUrl)
  const { steps } = await client.runs.trace(id)
  const { bot: posts } = client.webhooks
  const [webhookId, postId] = await postOnce(client)
  const ofPost = await posts.trace(webhookId, postId)
  const reads: [floor: Read, ours: Read][] = [
    [
      { name: 'floor: the run itself', read: () => client.runs.get(id) },
      { name: `trace with ${steps.length} steps`, read: () => client.runs.trace(id) },
    ],
    [
      { name: 'floor: the post itself', read: () => posts.delivery(webhookId, postId) },
      {
        name: `trace of a post to a bot webhook, ${ofPost.steps.length} steps`,
        read: () => posts.trace(webhookId, postId),
      },
    ],
  ]
  const count = quick ? 300 : 1_000
  const rows: Row[] = []
  for (const pair of reads) {
    const [floor, ours] = await inTurns(count, pair)
    const [floorCpu, ourCpu] = await cpuOf(count, pair, [service.pid, ...backend.pids])
    const target = { text: `p99 within ${mostMs} ms`, met: ours!.p99Ms <= mostMs }
    rows.push({ ...floor!, ...floorCpu }, { ...latenciesAgainstFloor(ours!, floor!), ...ourCpu, target })
  }
  return { bench: 'receipts', title: 'one signed GET at a time', rows }
}

/**
 * The CPU time of all these processes for each read, if it is known. The system counts it in steps of 10 ms, so all reads
 * of one kind come first.
 */
async function cpuOf(
  count: number,
  reads: readonly Read[],
  pids: readonly number[],
): Promise<Pick<Row, 'cpuMs'>[]> {
  const rows: Pick<Row, 'cpuMs'>[] = []
  for (const { read } of reads) {
    const before = cpuSeconds(pids)
    for (let round = 0; round < count; round++) await read()
    const after = cpuSeconds(pids)
    const isKnown = before !== undefined && after !== undefined
    rows.push(isKnown ? { cpuMs: ((after - before) * 1_000) / count } : {})
  }
  return rows
}

/** Has a reaction run once, and resolves to the id of the run. */
async function runOnce(client: ApiClient, baseUrl: string): Promise<number> {
  const { url, reactionId } = await setUpReaction(client, { name: 'traced', code, sendSignal: false })
  const settle = runWaiter(baseUrl)
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(url, { method: 'POST', headers, body: candlePayload(0) })
  if (status !== 202) throw new Error(`The payload was answered with ${status}.`)
  await settle(1)
  const [ended] = await succeededRuns(client, reactionId, 1)
  return ended!.id
}

/** Has a paper bot follow a post to its webhook. Resolves to the ids of the webhook and of the post. */
async function postOnce(client: ApiClient): Promise<[webhookId: number, postId: number]> {
  const webhook = await client.webhooks.bot.create({ name: 'traced' })
  const exchanges = await client.exchanges.list()
  const { id: exchange_id } = exchanges.find(({ type }) => type === simulatedMarket.type)!
  const bot = await client.bots.signal.create({ webhook_id: webhook.id, exchange_id })
  await client.bots.signal.setStatus(bot.id, { status: 'ACTIVE' })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ side: 'BUY', symbol: 'BTC/USDT' })
  const response = await fetch(webhook.url, { method: 'POST', headers, body })
  if (response.status !== 202) throw new Error(`The post was answered with ${await response.text()}`)
  const { id } = (await response.json()) as { id: number }
  for (const untilMs = performance.now() + patienceMs; ; await sleep(100)) {
    const { bots } = await client.signals.get(id)
    if (bots.every(({ status }) => status === 'DONE') && bots.length > 0) return [webhook.id, id]
    if (performance.now() > untilMs) throw new Error(`No bot has followed the post: ${JSON.stringify(bots)}`)
  }
}

type Read = { name: string; read(): Promise<unknown> }

/** Each in turn, so that both see the same machine. */
async function inTurns(count: number, reads: readonly Read[]): Promise<Latencies[]> {
  const took = reads.map((): number[] => [])
  for (let round = -warmUp; round < count; round++) {
    for (const [index, { read }] of reads.entries()) {
      const startedAt = performance.now()
      await read()
      if (round >= 0) took[index]!.push(performance.now() - startedAt)
    }
  }
  return reads.map(({ name }, index) => {
    const at = (share: number) => percentile(took[index]!, share)
    return { name, p50Ms: at(0.5), p99Ms: at(0.99) }
  })
}
