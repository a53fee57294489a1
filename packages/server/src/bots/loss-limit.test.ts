import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { and, eq } from 'drizzle-orm'
import { makeBot as makeFollower } from '../../test/bot.ts'
import {
  type Account,
  addFill,
  addOrder,
  addPosition,
  type BotService,
  makeBot,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { startReceivers } from '../../test/receiver.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { botSignals, bots, notificationEndpoints, notifications, payments, signals } from '../db/schema.ts'
import { dayOf } from '../trading/risk.ts'
import { LossLimits } from './loss-limit.ts'
import { defaultSettings } from './settings.ts'

const watchers = new WeakMap<BotService, ReturnType<typeof watcherOf>>()

/** Watches the bots of a service, at prices that each test sets. */
function watcher(service: BotService) {
  const known = watchers.get(service) ?? watcherOf(service)
  watchers.set(service, known)
  known.prices.clear()
  known.announced.length = 0
  assert.deepEqual(known.errors, [])
  return known
}

function watcherOf({ database }: BotService) {
  const prices = new Map<string, number>()
  const announced: number[] = []
  const errors: unknown[] = []
  const limits = new LossLimits({
    database,
    prices: { latest: ({ priceSymbol }) => prices.get(priceSymbol) ?? null },
    subscribers: { hears: () => true, onTold: () => undefined },
    announce: (botIds) => announced.push(...botIds),
    onError: (error) => errors.push(error),
  })
  return { prices, announced, errors, limits }
}

/** An active bot that holds half a bitcoin since 100. */
async function makeHolder(
  service: BotService,
  account: Account,
  settings: Record<string, unknown> = {},
  position: Parameters<typeof addPosition>[2] = {},
) {
  const bot = await makeBot(service, account, { max_daily_loss: '10', ...settings })
  await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
  await addPosition(service, bot.owner, { realised: '0', ...position })
  const read = () => expect(200, account.api('GET', bot.own))
  const closes = () =>
    service.database.db
      .select({ symbol: botSignals.symbol, origin: signals.origin, action: signals.action })
      .from(botSignals)
      .innerJoin(signals, eq(signals.id, botSignals.signalId))
      .where(eq(botSignals.botId, bot.id))
      .orderBy(botSignals.id)
  const { id, own, owner } = bot as { id: number; own: string; owner: { userId: number; botId: number } }
  return { id, own, owner, isReached: async () => (await read()).limit_reached_at !== null, closes }
}

async function addEndpoint({ database }: BotService, { userId }: Account): Promise<void> {
  const secrets = { url: randomBytes(8), secret: randomBytes(8) }
  await database.db.insert(notificationEndpoints).values({ userId, events: ['limit.reached'], ...secrets })
}

withBotService(
  'a limit is reached without a signal, once a day, and stays reached when the price recovers',
  async (account, service) => {
    await addEndpoint(service, account)
    const bot = await makeHolder(service, account, { name: 'Scalper' })
    const { prices, limits, announced } = watcher(service)
    const noon = dayOf(Date.now()) + 43_200_000
    prices.set('BTC/USDT', 80.1)
    await limits.look(noon)
    assert.equal(await bot.isReached(), false)
    prices.set('BTC/USDT', 80)
    // Two nodes look at the same time.
    await Promise.all([limits.look(noon), limits.look(noon)])
    assert.equal(await bot.isReached(), true)
    prices.set('BTC/USDT', 100)
    await limits.look(noon + 1_000)
    assert.equal(await bot.isReached(), true)
    prices.set('BTC/USDT', 10)
    await limits.look(noon + 2_000)
    const { db } = service.database
    const ofUser = and(eq(notifications.userId, account.userId), eq(notifications.type, 'limit.reached'))
    const events = await db.select().from(notifications).where(ofUser)
    assert.deepEqual(
      events.map(({ data }) => data),
      [
        {
          ...{ bot_id: bot.id, bot_name: 'Scalper', mode: 'paper', demo: false },
          ...{ limit: 'max_daily_loss', loss: '10' },
          max_daily_loss: '10',
          ...{ amount_currency: 'USDT', on_limit: 'stop', closing: [] },
        },
      ],
    )
    assert.deepEqual([await bot.closes(), announced.includes(bot.id)], [[], false])
    await limits.look(noon + 86_400_000)
    assert.equal((await db.select().from(notifications).where(ofUser)).length, 2)
  },
)

withBotService(
  'with on_limit close, all positions and all openings in progress are closed',
  async (account, service) => {
    const bot = await makeHolder(service, account, { on_limit: 'close' })
    await addPosition(service, bot.owner, { symbol: 'ETH/USDT', side: null, size: '0', entryPrice: null })
    await addPosition(service, bot.owner, { symbol: 'ADA/USDT', side: 'short' })
    await addOrder(service, bot.owner, { symbol: 'SOL/USDT', status: 'UNKNOWN' })
    await addOrder(service, bot.owner, { symbol: 'XRP/USDT', status: 'UNKNOWN', purpose: 'close' })
    const { prices, limits, announced } = watcher(service)
    // The loss of the short is unknown, and that of the long is enough.
    prices.set('BTC/USDT', 79)
    await Promise.all([limits.look(Date.now()), limits.look(Date.now())])
    const closes = (await bot.closes()).map(({ symbol, origin, action }) => `${action} ${symbol} ${origin}`)
    assert.deepEqual(closes.toSorted(), ['EXIT ADA/USDT limit', 'EXIT BTC/USDT limit', 'EXIT SOL/USDT limit'])
    assert.deepEqual(
      announced.filter((id) => id === bot.id),
      [bot.id],
    )
  },
)

withBotService(
  'realised losses and funding of the day count, those of yesterday do not',
  async (account, service) => {
    const bot = await makeHolder(service, account)
    const { prices, limits } = watcher(service)
    prices.set('BTC/USDT', 96)
    const now = Date.now()
    const yesterday = new Date(dayOf(now) - 1)
    await addFill(service, bot.owner, { realised: '-1000', filledAt: yesterday })
    await addFill(service, bot.owner, { realised: '-5', filledAt: new Date(dayOf(now)) })
    await limits.look(now)
    assert.equal(await bot.isReached(), false)
    const payment = {
      symbol: 'BTC/USDT',
      kind: 'funding' as const,
      asset: 'USDT',
      paidAt: new Date(dayOf(now)),
    }
    const amounts = { amount: '-3', value: '-3', paymentId: '1' }
    await service.database.db.insert(payments).values({ ...bot.owner, ...payment, ...amounts })
    await limits.look(now)
    assert.equal(await bot.isReached(), true)
  },
)

withBotService(
  'bots without a limit, switched off, without a price or with a gain are left alone',
  async (account, service) => {
    const noLimit = await makeHolder(service, account, { max_daily_loss: null })
    const off = await makeHolder(service, account)
    await expect(200, account.api('PUT', `${off.own}/status`, { status: 'INACTIVE' }))
    const short = await makeHolder(service, account)
    await addPosition(service, short.owner, { symbol: 'ADA/USDT', side: 'short', size: '1' })
    const { prices, limits } = watcher(service)
    await limits.look(Date.now())
    prices.set('ADA/USDT', 1)
    await limits.look(Date.now())
    const states = await Promise.all([noLimit, off, short].map((bot) => bot.isReached()))
    assert.deepEqual(states, [false, false, false])
    prices.set('BTC/USDT', 1)
    await limits.look(Date.now())
    // The gain of the short, of 99, does not offset the loss of the long, of 49.5.
    assert.deepEqual(await Promise.all([noLimit, off, short].map((bot) => bot.isReached())), [
      false,
      false,
      true,
    ])
  },
)

withBotService('a loss is compared with the limit at the rate of the bot', async (account, service) => {
  const position = { symbol: 'ETH/BTC', entryPrice: '0.05', size: '0.1' }
  const settings = { amount_rate: 'BTC/USDT', max_daily_loss: '60' }
  const bot = await makeHolder(service, account, settings, position)
  const { prices, limits } = watcher(service)
  prices.set('ETH/BTC', 0.04)
  await limits.look(Date.now())
  assert.equal(await bot.isReached(), false)
  // 0.1 ETH lost 0.001 BTC, which is 60 USDT.
  prices.set('BTC/USDT', 60_000)
  await limits.look(Date.now())
  assert.equal(await bot.isReached(), true)
})

withBotService(
  'a bot that is told to close after it has reached its limit closes at once',
  async (account, service) => {
    const bot = await makeHolder(service, account)
    await addOrder(service, bot.owner, { symbol: 'SOL/USDT', status: 'UNKNOWN' })
    const tell = (settings: object) => expect(200, account.api('PUT', bot.own, settings))
    const announcements = () => service.announced.filter((id) => id === bot.id).length
    await tell({ on_limit: 'close' })
    assert.deepEqual([await bot.closes(), announcements()], [[], 0])
    await tell({ on_limit: 'stop' })
    const { prices, limits } = watcher(service)
    prices.set('BTC/USDT', 79)
    await limits.look(Date.now())
    assert.equal(await bot.isReached(), true)
    await tell({ name: 'renamed' })
    assert.deepEqual([await bot.closes(), announcements()], [[], 0])
    service.changes.length = 0
    await Promise.all([tell({ on_limit: 'close' }), tell({ on_limit: 'close' })])
    const told = (kind: string, part?: string) =>
      service.changes.filter((change) => change.kind === kind && change.part === part)
    assert.deepEqual([told('signal').length, told('bot_signal', 'signal').length], [1, 1])
    const closes = (await bot.closes()).map(({ symbol, origin, action }) => `${action} ${symbol} ${origin}`)
    assert.deepEqual(closes.toSorted(), ['EXIT BTC/USDT limit', 'EXIT SOL/USDT limit'])
    assert.equal(announcements(), 1)
  },
)

withBotService(
  'on_limit closes nothing if the limit is new, of an earlier day, or of a bot that is off',
  async (account, service) => {
    const reached = async (at: Date) => {
      const bot = await makeHolder(service, account)
      await service.database.db.update(bots).set({ limitReachedAt: at }).where(eq(bots.id, bot.id))
      return bot
    }
    const tell = (own: string, settings: object) => expect(200, account.api('PUT', own, settings))
    const newLimit = await reached(new Date())
    await tell(newLimit.own, { on_limit: 'close', max_daily_loss: '20' })
    const yesterday = await reached(new Date(dayOf(Date.now()) - 1))
    await tell(yesterday.own, { on_limit: 'close' })
    const off = await reached(new Date())
    await expect(200, account.api('PUT', `${off.own}/status`, { status: 'INACTIVE' }))
    await tell(off.own, { on_limit: 'close' })
    for (const bot of [newLimit, yesterday, off]) assert.deepEqual(await bot.closes(), [])
  },
)

withBotService('a new limit is judged from the start', async (account, service) => {
  const bot = await makeHolder(service, account)
  const { prices, limits } = watcher(service)
  prices.set('BTC/USDT', 80)
  await limits.look(Date.now())
  await expect(200, account.api('PUT', bot.own, { name: 'renamed', max_daily_loss: '10' }))
  assert.equal(await bot.isReached(), true)
  await expect(200, account.api('PUT', bot.own, { max_daily_loss: '20' }))
  assert.equal(await bot.isReached(), false)
  await limits.look(Date.now())
  assert.equal(await bot.isReached(), false)
})

withBotService(
  'a bot that cannot be judged does not keep others from their limits',
  async (account, service) => {
    const broken = await makeHolder(service, account)
    const bot = await makeHolder(service, account)
    const { db } = service.database
    const settings = { ...defaultSettings, maxDailyLoss: 'ten' }
    await db.update(bots).set({ settings }).where(eq(bots.id, broken.id))
    const { prices, limits, errors } = watcher(service)
    prices.set('BTC/USDT', 80)
    await limits.look(Date.now())
    await limits.look(Date.now())
    assert.equal(await bot.isReached(), true)
    assert.deepEqual(errors.splice(0).map(String), [
      'RangeError: max_daily_loss must be a decimal number, got "ten".',
    ])
    await db.update(bots).set({ status: 'INACTIVE' }).where(eq(bots.id, broken.id))
  },
)

test('a bot on the simulated market stops or closes by itself, and its owner learns of it', async () => {
  await using receivers = await startReceivers()
  await using service = await startService({ env: { HTTP_ALLOW: receivers.host } })
  const receiver = receivers.add()
  const endpoint = { url: receiver.url, events: ['limit.reached'] }
  await expect(201, service.api('POST', '/api/v2/notification/endpoint', endpoint))
  // The slippage makes a loss of about 90 as soon as the position is open.
  const settings = { amount: '1000', slippage_rate: '0.1', fee_rate: '0', max_daily_loss: '50' }
  const stopping = await makeFollower(service, settings)
  const closing = await makeFollower(service, { ...settings, on_limit: 'close' })
  for (const bot of [stopping, closing]) {
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(1)
  }
  const followed = await closing.followed(2)
  assert.equal(followed.at(-1)!.status, 'DONE')
  assert.deepEqual(await closing.positions(), [])
  await until('both events', async () => receiver.received.length === 2)
  const events = receiver.bodies().map(({ data }) => [data.bot_id, data.on_limit, data.closing])
  assert.deepEqual(events.toSorted(), [
    [stopping.id, 'stop', []],
    [closing.id, 'close', ['BTC/USDT']],
  ])
  assert.equal((await stopping.positions()).length, 1)
  await stopping.send({ symbol: 'ETHUSDT', side: 'BUY' })
  const [, refused] = await stopping.followed(2)
  assert.equal(refused!.status, 'REFUSED')
  assert.match(
    refused!.reason!,
    /^The loss of the bot reached 50 USDT today at \d\d:\d\d UTC; it opens nothing/,
  )
  await stopping.send({ symbol: 'BTCUSDT', side: 'EXIT' })
  assert.equal((await stopping.followed(3)).at(-1)!.status, 'DONE')
})
