/** Compares paper bots, through the public interface alone, with the oracle. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Client } from '../client.ts'
import { startExchange } from '../connection.ts'
import { withDatabase } from '../databases.ts'
import { expect } from '../reaction.ts'
import { startService } from '../service.ts'
import { disagreements } from '../trades.ts'
import { compareBot } from './comparison.ts'
import type { OracleSettings } from './oracle.ts'
import { bodyOf, free, meantBy, type SignalPayload, signalOf } from './random-signals.ts'
import { type Kind, makePaperBot, makeWebhook, type Prices, Probe, quiet, type Sent } from './stage.ts'

const bots: [Kind, Partial<OracleSettings>][] = [
  ['spot', {}],
  ['futures', {}],
  ['spot', { feeRate: '0', slippageRate: '0', strictAmount: true }],
  ['futures', { feeRate: '0.333333333333333333', slippageRate: '0.25' }],
  ['spot', { startBalance: '600', amount: '199.99' }],
  ['futures', { startBalance: '600', amount: '199.99', feeRate: '0' }],
  ['futures', { maxPosition: '400', cooldownSeconds: 0 }],
  // Without a daily limit: the service looks at losses between signals too, at moments that this test cannot know.
  ['futures', { cooldownSeconds: 31_536_000 }],
  ['spot', { amount: '4.99', maxPosition: '100' }],
  ['futures', { sizeUnit: 'base' }],
]

const priceOf = (least: number, most: number) =>
  fc.integer({ min: least * 100, max: most * 100 }).map((cents) => cents / 100)
const marketPrices = fc.record({
  BTC: priceOf(50_000, 70_000),
  ETH: priceOf(2_000, 4_000),
  SOL: priceOf(60, 240),
})
const stepOf = fc.record({
  prices: fc.record({ spot: marketPrices, futures: marketPrices }),
  signals: fc.array(signalOf, { minLength: 1, maxLength: 6 }),
})
const steps = 6

/** @returns `undefined` for a signal with the flag `TEST`, which no bot follows */
async function post(client: Client, path: string, payload: SignalPayload): Promise<Sent | undefined> {
  const answer = await expect(202, client.send('POST', path, { body: bodyOf(payload) }))
  assert.equal(answer.bots, payload.flag === 'TEST' ? 0 : bots.length)
  return payload.flag === 'TEST' ? undefined : { id: answer.id, ...meantBy(payload) }
}

withDatabase('orders, fills, positions and profit of paper bots match the oracle', async (place) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  await using exchange = await startExchange()
  const env = { MARKET: 'live', WEBHOOK_BURST: '100000', WEBHOOK_RATE: '100000', ...exchange.env }
  await using service = await startService({ database: place, env })
  const probe = await Probe.start(service, exchange, free)
  for (const end of await probe.endsOf('BTCUSDC')) {
    assert.match(end, /^REFUSED: The amounts of the bot are in USDT, and BTC\/USDC\S* is quoted in USDC/)
  }
  const { id, path } = await makeWebhook(service)
  const ids = await Promise.all(
    bots.map(([kind, changes]) => makePaperBot(service, id, kind, { ...free, ...changes })),
  )
  const sent: (Sent & { prices: Prices })[] = []
  const all = fc.sample(stepOf, { seed, numRuns: steps })
  for (const { prices, signals } of all) {
    await probe.setPrices(prices)
    const posted = await Promise.all(signals.map((signal) => post(service, path, signal)))
    sent.push(...posted.filter((each) => each !== undefined).map((each) => ({ ...each, prices })))
    for (const bot of ids) await quiet(service, bot)
  }
  sent.sort((a, b) => a.id - b.id)
  assert.ok(sent.length > 0)
  const now = all.at(-1)!.prices
  const database = await place.open()
  for (const [index, [kind, changes]] of bots.entries()) {
    const what = `bot ${index}, seed ${seed}`
    await compareBot(service, ids[index]!, kind, { ...free, ...changes }, sent, now, what)
    assert.deepEqual(await disagreements(database, { id: ids[index]!, userId: 1 }), [], what)
  }
})
