/** Sends many signals at once to nodes that are killed or share the work, and compares the books with the oracle. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lookInto } from '../accounts.ts'
import type { Client } from '../client.ts'
import { startExchange, type TestExchange } from '../connection.ts'
import { createEmbeddedDatabase, createTestDatabase, type TestDatabase } from '../databases.ts'
import { longPatienceMs } from '../patience.ts'
import { startProcess } from '../process.ts'
import { expect } from '../reaction.ts'
import { startService } from '../service.ts'
import { until } from '../until.ts'
import { compareBot } from './comparison.ts'
import type { OracleSettings } from './oracle.ts'
import { bodyOf, free, meantBy, type SignalPayload, signalOf } from './random-signals.ts'
import {
  bases,
  everyItem,
  type Kind,
  makePaperBot,
  makeWebhook,
  type Prices,
  quiet,
  type Sent,
  symbolOf,
} from './stage.ts'

// Without slippage and with constant prices, the price of the last fill is also the current price.
const calm: OracleSettings = { ...free, slippageRate: '0' }
const bots: [Kind, OracleSettings][] = [
  ['spot', { ...calm, startBalance: '900' }],
  ['futures', calm],
  ['futures', { ...calm, maxPosition: '500', strictAmount: true, startBalance: '2000' }],
]
const env = { MARKET: 'live', WEBHOOK_BURST: '1000000', WEBHOOK_RATE: '1000000', LOG_LEVEL: 'error' }

type Stage = { exchange: TestExchange; prices: Prices; path: string; webhookId: number; ids: number[] }

async function setStage(client: Client, exchange: TestExchange): Promise<Stage> {
  const { id: webhookId, path } = await makeWebhook(client)
  const ids: number[] = []
  for (const [kind, settings] of bots) ids.push(await makePaperBot(client, webhookId, kind, settings))
  const of = (kind: Kind) =>
    Object.fromEntries(bases.map((base) => [base, Number(exchange.standIn.price(symbolOf(kind, base)))]))
  return { exchange, prices: { spot: of('spot'), futures: of('futures') } as Prices, path, webhookId, ids }
}

/** A bot with a long that a stop protects, in a symbol whose price nothing else depends on. */
async function guardedLong(client: Client): Promise<number> {
  const { id: webhookId, path } = await makeWebhook(client)
  const id = await makePaperBot(client, webhookId, 'spot', calm)
  const body = { symbol: 'PEPE/USDT', side: 'BUY', stop_loss: '5%' }
  await expect(202, client.send('POST', path, { body }))
  await until('the position to be protected', async () => {
    const [held] = await everyItem(client, `/position?bot_id=${id}`)
    return held?.protection?.state === 'WATCHED'
  })
  return id
}

/** The stop has been reached: the service has queued the close, and maybe not followed it. */
const hasTriggered = (client: Client, id: number) =>
  until(
    'the stop to be reached',
    async () => (await everyItem(client, `/bot/signal/cex/${id}/signals`)).length > 1,
  )

async function checkClosedOnce(client: Client, id: number): Promise<void> {
  await quiet(client, id, longPatienceMs)
  assert.deepEqual(await everyItem(client, `/position?bot_id=${id}`), [])
  const orders = await everyItem(client, `/order?bot_id=${id}`)
  const filled = orders.filter(({ status }) => status === 'FILLED')
  assert.deepEqual(
    filled.map(({ purpose, origin }) => [purpose, origin]),
    [
      ['open', null],
      ['close', 'stop_loss'],
    ],
  )
}

const payloads = (count: number, seed: number) =>
  fc.sample(signalOf, { seed, numRuns: count }).filter(({ flag }) => flag !== 'TEST')

/** Posts all payloads at once. @returns the answered payloads by signal id */
async function postAll(
  clients: Client[],
  path: string,
  all: SignalPayload[],
  onAnswer: () => void,
): Promise<Map<number, SignalPayload>> {
  const answered = new Map<number, SignalPayload>()
  const posts = all.map(async (payload, index) => {
    const client = clients[index % clients.length]!
    const answer = await client.send('POST', path, { body: bodyOf(payload) }).catch(() => undefined)
    if (answer?.status !== 202) return
    answered.set(answer.body.id, payload)
    onAnswer()
  })
  await Promise.all(posts)
  return answered
}

/** The accepted signals according to the service, the oldest first. */
async function accepted(client: Client, { webhookId, prices }: Stage) {
  const signals = await everyItem(client, `/signal?webhook_id=${webhookId}`)
  return signals.map(({ id, action, symbols, options }): Sent & { prices: Prices } => {
    const base = bases.find((each) => symbols[0].startsWith(each))!
    return { id, base, action, options, prices }
  })
}

function checkAnswered(sent: Sent[], answered: Map<number, SignalPayload>): void {
  const byId = new Map(sent.map(({ id, base, action, options }) => [id, { base, action, options }]))
  for (const [id, payload] of answered) assert.deepEqual(byId.get(id), meantBy(payload))
}

test('a service that is killed between signals follows each signal and each stop once, and in order', async () => {
  await using place = await createEmbeddedDatabase()
  const seed = Math.floor(Math.random() * 2 ** 31)
  await using exchange = await startExchange()
  const options = { database: place, env: { ...env, ...exchange.env } }
  let stage: Stage | undefined
  let guarded: number | undefined
  const answered = new Map<number, SignalPayload>()
  for (let round = 0; round < 2; round += 1) {
    await using service = await startProcess(options)
    stage ??= await setStage(service, exchange)
    guarded ??= await guardedLong(service)
    const enough = Promise.withResolvers<void>()
    let answers = 0
    const posting = postAll([service], stage.path, payloads(40, seed + round), () => {
      answers += 1
      if (answers === 20) enough.resolve()
    })
    await enough.promise
    const own = `/api/v2/bot/signal/cex/${stage.ids[1]}/signals?limit=1`
    await until(
      'a bot to follow a signal',
      async () => (await expect(200, service.api('GET', `${own}&status=DONE`))).total > 0,
    )
    if (round === 0) {
      exchange.standIn.setPrice('PEPE/USDT', 0.000007)
      await hasTriggered(service, guarded)
    }
    await service.killGroup()
    for (const [id, payload] of await posting) answered.set(id, payload)
  }
  await using service = await startProcess(options)
  for (const id of stage!.ids) await quiet(service, id, longPatienceMs)
  await checkClosedOnce(service, guarded!)
  const sent = await accepted(service, stage!)
  checkAnswered(sent, answered)
  for (const [index, [kind, settings]] of bots.entries()) {
    await compareBot(
      service,
      stage!.ids[index]!,
      kind,
      settings,
      sent,
      sent.at(-1)!.prices,
      `bot ${index}, seed ${seed}`,
    )
  }
})

/** The signals of a bot in the order in which it followed them. Two nodes that accept signals at once may commit in another order. */
async function followedOrder(place: TestDatabase, botId: number): Promise<number[]> {
  const text = 'select signal_id from bot_signals where bot_id = $1::bigint order by finished_at, id'
  const rows = await lookInto(place, (database) => database.prepare('followed_order', text)([botId]))
  return rows.map(([id]) => Number(id))
}

test('hundreds of signals at once to two nodes are each followed once, one after another', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  await using exchange = await startExchange()
  await using place = await createTestDatabase()
  const options = { database: place, env: { ...env, ...exchange.env } }
  await using first = await startService(options)
  await using second = await startService(options)
  const stage = await setStage(first, exchange)
  const all = payloads(200, seed)
  const answered = await postAll([first, second], stage.path, all, () => {})
  assert.equal(answered.size, all.length)
  for (const id of stage.ids) await quiet(second, id, longPatienceMs)
  const sent = await accepted(second, stage)
  checkAnswered(sent, answered)
  const byId = new Map(sent.map((each) => [each.id, each]))
  for (const [index, [kind, settings]] of bots.entries()) {
    const order = await followedOrder(place, stage.ids[index]!)
    const inOrder = order.map((id) => byId.get(id)!)
    await compareBot(
      first,
      stage.ids[index]!,
      kind,
      settings,
      inOrder,
      sent.at(-1)!.prices,
      `bot ${index}, seed ${seed}`,
    )
  }
})
