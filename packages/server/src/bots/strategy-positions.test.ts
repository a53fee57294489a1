/** `$.Strategy.positions()`, from bots to code. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { futures, makeBot } from '../../test/bot.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import {
  addBotSignal,
  addPosition,
  addWebhook as addWebhookRow,
  type BotService,
  makeBot as makeBotRow,
  withBotService,
} from '../../test/bots.ts'
import { share, withGroup } from '../../test/group.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'
import { botSignals, bots, strategies } from '../db/schema.ts'
import { StrategyPositions } from './strategy-positions.ts'

type Found = {
  bot: { id: number; name: string; mode: string }
  symbol: string
  side: string | null
  size: number
  entryPrice: number | null
  unrealised: number | null
  signal: { action: string; status: string; reason: string | null; at: number } | null
}[]

const logPositions = `$.log([await $.Strategy.positions()])`

/** Runs a reaction once, and reads the positions that it logs. */
async function positionsSeen(reaction: Awaited<ReturnType<typeof makeReaction>>, runs = 1): Promise<Found> {
  await reaction.post({})
  const [run] = await reaction.ended(runs)
  assert.equal(run.error, null, JSON.stringify(run))
  return JSON.parse(run.log)[0]
}

withAccount(
  'code sees what the bots of its webhook hold, and what became of the last signal',
  async (account) => {
    const bot = await makeBot(account, { name: 'Trial', amount: '100', slippage_rate: '0', fee_rate: '0' })
    await bot.send({ symbol: 'BTCUSDT', side: 'SELL' })
    await bot.followed(1)
    await bot.send({ symbol: 'ETHUSDT', side: 'EXIT' })
    await bot.send({ symbol: 'BTCUSDT', side: 'SELL' })
    await bot.followed(3)
    const settings = { webhook_id: bot.webhookId, symbol: 'BTCUSDT' }
    const seen = await positionsSeen(await makeReaction(account, logPositions, settings))
    const [booked] = await bot.positions()
    const [position] = seen
    assert.equal(seen.length, 1)
    const { signal, unrealised, ...held } = position!
    assert.deepEqual(held, {
      bot: { id: bot.id, name: 'Trial', mode: 'paper' },
      ...{
        symbol: 'BTC/USDT',
        side: 'short',
        size: Number(booked.size),
        entryPrice: Number(booked.entry_price),
      },
    })
    assert.ok(unrealised === null || Math.abs(unrealised) < 10, `${unrealised}`)
    assert.deepEqual([signal!.action, signal!.status], ['SHORT', 'IGNORED'])
    assert.match(signal!.reason!, /already short/)
    assert.ok(Math.abs(Date.now() - signal!.at) < 60_000)
  },
)

withAccount(
  'code without a bot webhook, or whose webhook no bot follows, sees no positions',
  async (account) => {
    assert.deepEqual(
      await positionsSeen(await makeReaction(account, logPositions, { symbol: 'BTCUSDT' })),
      [],
    )
    const webhook = await makeBotWebhook(account)
    const settings = { webhook_id: webhook.id, symbol: 'BTCUSDT' }
    assert.deepEqual(await positionsSeen(await makeReaction(account, logPositions, settings)), [])
  },
)

withGroup('code sees only bots of its own user, on a shared webhook too', async ({ owner, guest }) => {
  const webhook = await makeBotWebhook(owner)
  await share('/api/v2/webhook/bot', webhook.id, { from: owner, to: guest })
  await webhook.addBot()
  const values = { webhook_id: webhook.id, exchange_id: futures, name: 'of the guest' }
  const theirs = await expect(201, guest.api('POST', '/api/v2/bot/signal/cex', values))
  await expect(200, guest.api('PUT', `/api/v2/bot/signal/cex/${theirs.id}/status`, { status: 'ACTIVE' }))
  await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY' }))
  const settings = { webhook_id: webhook.id, symbol: 'BTCUSDT' }
  const reaction = await makeReaction(guest, logPositions, settings)
  const seen = await positionsSeen(reaction)
  assert.deepEqual([...new Set(seen.map(({ bot }) => bot.id))], [theirs.id])
})

withAccount(
  'a test run of a saved strategy sees the real positions, and unsaved code sees none',
  async (account) => {
    const bot = await makeBot(account)
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(1)
    const reaction = await makeReaction(account, logPositions, {
      webhook_id: bot.webhookId,
      symbol: 'BTCUSDT',
    })
    const path = '/api/v2/strategy/reaction/code'
    const saved = await expect(200, account.api('POST', `${path}/${reaction.id}/test`, {}))
    assert.deepEqual(
      JSON.parse(saved.log)[0].map((each: Found[number]) => [each.bot.id, each.side]),
      [[bot.id, 'long']],
    )
    const unsaved = await expect(200, account.api('POST', `${path}/test`, { code: logPositions }))
    assert.equal(unsaved.log, '[[]]\n')
  },
)

const readers = new WeakMap<BotService, StrategyPositions>()

/** The positions of a strategy of an account, at a price of 120. */
async function positionsOf(service: BotService, userId: number, webhookId: number) {
  const prices = {
    latest: ({ priceSymbol }: { priceSymbol: string }) => (priceSymbol === 'ADA/USDT' ? null : 120),
  }
  const reader = readers.get(service) ?? new StrategyPositions(service.database, prices)
  readers.set(service, reader)
  const values = { userId, type: 'code-strategy' as const, name: 's', code: '', webhookId }
  const [strategy] = await service.database.db.insert(strategies).values(values).returning()
  return reader.of(strategy!.id)
}

withBotService('a flat symbol is listed while a signal for it is in progress', async (account, service) => {
  const webhookId = await addWebhookRow(service, account)
  const { owner, id } = await makeBotRow(service, account, { webhook_id: webhookId, name: 'A' })
  const queuedAt = new Date('2026-11-22T10:00:00Z')
  await addPosition(service, owner, { symbol: 'BTC/USDT:USDT' })
  await addPosition(service, owner, { symbol: 'ADA/USDT', side: 'short', size: '2' })
  await addPosition(service, owner, { symbol: 'SOL/USDT', side: null, size: '0', entryPrice: null })
  await addBotSignal(service, owner, { symbol: 'btc-usdt', status: 'DONE', queuedAt })
  for (const [symbol, status] of [
    ['SOLUSDT', 'CLOSING'],
    ['XRPUSDT', 'WAITING'],
    ['ETHUSDT', 'DONE'],
  ] as const) {
    await addBotSignal(service, owner, { symbol, status, reason: `is ${status}`, queuedAt })
  }
  const at = queuedAt.getTime()
  const bot = { id, name: 'A', mode: 'paper' }
  const flat = { bot, side: null, size: 0, entryPrice: null, unrealised: 0 }
  const signalOf = (status: string) => ({ action: 'LONG', status, reason: `is ${status}`, at })
  assert.deepEqual(await positionsOf(service, account.userId, webhookId), [
    {
      ...{ bot, symbol: 'ADA/USDT', side: 'short', size: 2, entryPrice: 100, unrealised: null, signal: null },
    },
    {
      ...{ bot, symbol: 'BTC/USDT:USDT', side: 'long', size: 0.5, entryPrice: 100, unrealised: 10 },
      signal: { action: 'LONG', status: 'DONE', reason: null, at },
    },
    { ...flat, symbol: 'SOLUSDT', signal: signalOf('CLOSING') },
    { ...flat, symbol: 'XRPUSDT', signal: signalOf('WAITING') },
  ])
})

withBotService('many signals hide no position and no close that waits', async (account, service) => {
  const webhookId = await addWebhookRow(service, account)
  const { owner, id } = await makeBotRow(service, account, { webhook_id: webhookId })
  await addPosition(service, owner)
  const waiting = await addBotSignal(service, owner, { symbol: 'BTCUSDT', status: 'WAITING' })
  const rows = Array.from({ length: 3_000 }, (_, index) => ({
    ...{ ...owner, signalId: waiting.signalId, symbol: `A${index}USDT`, queuedAt: new Date() },
    status: index % 2 === 0 ? ('QUEUED' as const) : ('IGNORED' as const),
  }))
  const { db } = service.database
  await db.insert(botSignals).values(rows)
  const seen = await positionsOf(service, account.userId, webhookId)
  assert.equal(seen.length, 200)
  const last = seen.filter(({ symbol }) => symbol === 'BTC/USDT')
  assert.deepEqual(
    last.map(({ signal }) => signal?.status),
    ['WAITING'],
  )
  await db.update(bots).set({ webhookId: null }).where(eq(bots.id, id))
  assert.deepEqual(await positionsOf(service, account.userId, webhookId), [])
})
