/** Liquidations of paper positions, on a real database, at prices that each test sets. */
import assert from 'node:assert/strict'
import { and, eq, sql } from 'drizzle-orm'
import {
  type Account,
  addOrder,
  addPosition,
  type BotService,
  botsPath,
  makeBot,
  withBotService,
} from '../../../test/bots.ts'
import { withDatabase } from '../../../test/databases.ts'
import { inBacktest, onPaper, type Step } from '../../../test/paper-and-backtest.ts'
import { expect } from '../../../test/reaction.ts'
import { fills, notifications, orders, positionProtections, positions } from '../../db/schema.ts'
import { VenueUnreachable } from '../../market/price-source.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import type { MissedCandles } from '../missed-candles.ts'
import { readPosition, writePosition } from '../position-rows.ts'
import { ProtectionChanges } from '../protection/changes.ts'
import { Liquidations } from './liquidations.ts'

const costs = { feeRate: '0.0007', slippageRate: '0.0003', spreadRate: '0.0011', amount: '1990' }

withDatabase(
  'a paper bot with isolated margin is liquidated as in a backtest, to the last digit',
  async (database) => {
    const steps: Step[] = [
      { price: '101.3', signal: 'LONG' },
      { price: '97.1', signal: 'LONG', options: { dilution: true } },
      { price: '90.6' },
      { price: '89.3' },
      { price: '90', signal: 'SHORT' },
      { price: '99.1' },
      { price: '104.2', signal: 'LONG' },
      // It is liquidated before the EXIT of the same moment, which would lose more than the margin.
      { price: '50', signal: 'EXIT' },
      { price: '66', signal: 'SHORT' },
      { price: '64.9', signal: 'EXIT' },
    ]
    const settings = { ...costs, leverage: 10 }
    const paper = await onPaper(database, { ...settings, maintenance: '0.005' }, steps)
    assert.deepEqual(paper, await inBacktest(settings, steps, { maintenanceRate: '0.005' }))
    assert.equal(paper.fills.length, 9)
  },
)

withDatabase(
  'an opening whose stop would come only when the margin is used up is refused, as in a backtest',
  async (database) => {
    const steps: Step[] = [
      { price: '100', signal: 'LONG' },
      { price: '89' },
      { price: '100', signal: 'SHORT', options: { protection: { ...noProtection, stop_loss: '5%' } } },
      { price: '102' },
    ]
    const settings = { ...costs, leverage: 10, protection: { ...noProtection, stop_loss: '12%' } }
    const paper = await onPaper(database, { ...settings, maintenance: '0.005' }, steps)
    assert.deepEqual(paper, await inBacktest(settings, steps, { maintenanceRate: '0.005' }))
    // Only the short was opened.
    assert.match(paper.fills[0] ?? '', /sell/)
  },
)

const terms = { leverage: 10, maintenance: '0.005' }

/** A paper bot on futures with a long of 2 since 100, which ends at 90, and is liquidated from 90.452 on. */
async function hold(service: BotService, account: Account, values: object = {}) {
  const { id: exchange_id } = service.catalogue.named('binance', 'futures')!
  await service.catalogue.setEnabled(exchange_id, true)
  const bot = await makeBot(service, account, { exchange_id, ...terms })
  const symbol = `M${bot.id}/USDT:USDT`
  const openedAt = new Date(Date.now() - 3_600_000)
  const position = await addPosition(service, bot.owner, { symbol, size: '2', openedAt, ...values })
  const { db } = service.database
  const isIt = and(eq(positions.botId, bot.id), eq(positions.symbol, symbol))
  return {
    ...{ id: bot.id as number, owner: bot.owner, own: bot.own as string, symbol, position },
    fills: () => db.select().from(fills).where(eq(fills.botId, bot.id)),
    read: async () => (await db.select().from(positions).where(isIt))[0]!,
  }
}

type Held = Awaited<ReturnType<typeof hold>>

/** A node that knows the price of one symbol. */
function node({ database, catalogue }: BotService, { symbol }: Held, candles: MissedCandles | null = null) {
  let price: number | null = null
  const told: number[] = []
  const errors: unknown[] = []
  const liquidations = new Liquidations({
    ...{ database, catalogue, candles, onError: (error) => errors.push(error) },
    market: {
      follow: () => () => undefined,
      latest: (_venue, name) => (name === symbol && price !== null ? { price, at: 0 } : undefined),
    },
    subscribers: { hears: () => true, onTold: () => told.push(1) },
  })
  return {
    ...{ liquidations, told, errors },
    look: async (at: number) => {
      price = at
      await liquidations.look()
      await liquidations.settled()
    },
    lookOnce: (at: number) => {
      price = at
      return liquidations.look()
    },
  }
}

withBotService(
  'two nodes book one liquidation, which loses the margin and never more',
  async (account, service) => {
    const held = await hold(service, account)
    const nodes = [node(service, held), node(service, held)]
    await service.database.db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
      values (${account.userId}, '\\x00', '{position.liquidated}', '\\x00')`)
    for (const { look } of nodes) await look(90.46)
    assert.deepEqual(await held.fills(), [])
    await Promise.all(nodes.map(({ look }) => look(50)))
    await Promise.all(nodes.map(({ look }) => look(40)))
    const [fill, ...others] = await held.fills()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [
        fill!.kind,
        fill!.orderId,
        fill!.side,
        Number(fill!.size),
        Number(fill!.price),
        Number(fill!.realised),
      ],
      ['liquidation', null, 'sell', 2, 90, -20],
    )
    const { side, realised } = await held.read()
    assert.deepEqual([side, Number(realised)], [null, -20.05])
    assert.equal(nodes.flatMap(({ told }) => told).length, 1)
    const events = await service.database.db
      .select({ type: notifications.type, data: notifications.data })
      .from(notifications)
      .where(eq(notifications.userId, account.userId))
    const liquidated = events.filter(({ type }) => type === 'position.liquidated')
    assert.deepEqual(
      liquidated.map(({ data }) => (data as { bot_id: number }).bot_id),
      [held.id],
    )
  },
)

withBotService('while an order is on its way, nothing is liquidated', async (account, service) => {
  const held = await hold(service, account)
  const { look } = node(service, held)
  const { symbol } = held
  const order = await addOrder(service, held.owner, { symbol, status: 'PLANNED', purpose: 'close' })
  await look(50)
  assert.deepEqual(await held.fills(), [])
  const { db } = service.database
  await db.update(orders).set({ status: 'REJECTED' }).where(eq(orders.id, order.id))
  await look(50)
  assert.equal((await held.fills()).length, 1)
})

/** Candles of a minute with these lows, until now. */
function minutes(lows: readonly number[]): MissedCandles {
  const opening = Math.floor(Date.now() / 60_000) * 60_000
  const found = lows.map((low, index) => {
    const time = opening + (index - lows.length + 1) * 60_000
    return { time, open: 100, high: 101, low, last: 100, volume: 1, done: index < lows.length - 1 }
  })
  return {
    range: async (_: number, __: unknown, { symbol }: { symbol: string }) => ({ symbol, found }),
  } as never
}

const unwatched = () => ({ marginWatchedAt: new Date(Date.now() - 600_000) })

withBotService(
  'a liquidation price that was crossed while nobody watched counts once, though the price has come back',
  async (account, service) => {
    const held = await hold(service, account, unwatched())
    const away = { range: () => Promise.reject(new VenueUnreachable('The exchange is away.')) }
    // A node that dies before it has read the candles leaves all of it to the next one.
    await node(service, held, away).look(100)
    assert.deepEqual(await held.fills(), [])
    const nodes = [
      node(service, held, minutes([100, 90.4, 99])),
      node(service, held, minutes([100, 90.4, 99])),
    ]
    await Promise.all(nodes.map(({ look }) => look(100)))
    assert.deepEqual(
      (await held.fills()).map(({ kind, price }) => [kind, Number(price)]),
      [['liquidation', 90]],
    )
    const safe = await hold(service, account, unwatched())
    const next = node(service, safe, minutes([100, 90.46, 99]))
    await next.look(100)
    assert.deepEqual(await safe.fills(), [])
    assert.ok((await safe.read()).marginWatchedAt!.getTime() > Date.now() - 60_000)
  },
)

withBotService('candles that nobody sends hold up no other position', async (account, service) => {
  const waiting = await hold(service, account, unwatched())
  const held = await hold(service, account)
  const { promise: sent, resolve: send } = Promise.withResolvers<void>()
  const { lookOnce, liquidations } = node(
    service,
    held,
    meanwhile(80, () => sent),
  )
  await lookOnce(50)
  assert.equal((await held.fills()).length, 1)
  assert.deepEqual(await waiting.fills(), [])
  send()
  await liquidations.settled()
  assert.equal((await waiting.fills()).length, 1)
})

/** What happens while the candles are read, whose lowest price is this. */
function meanwhile(low: number, change: () => Promise<unknown>): MissedCandles {
  const { range } = minutes([100, low, 99])
  return {
    range: async (...asked: Parameters<typeof range>) => {
      await change()
      return await range(...asked)
    },
  } as never
}

withBotService(
  'what the price was says nothing about a position or a margin of later',
  async (account, service) => {
    // Also a position with the same entry price is another one.
    for (const entryPrice of ['110', '100']) {
      const held = await hold(service, account, unwatched())
      const opensAgain = async () => {
        const position = await readPosition(service.database.db, held.id, held.symbol)
        const key = { botId: held.id, userId: account.userId, symbol: held.symbol }
        await writePosition(service.database.db, key, { ...position, entryPrice, openedAt: Date.now() })
      }
      await node(service, held, meanwhile(80, opensAgain)).look(105)
      assert.deepEqual(await held.fills(), [])
    }
    const risky = await hold(service, account, unwatched())
    const raises = () => expect(200, account.api('PUT', risky.own, { leverage: 20 }))
    await node(service, risky, meanwhile(94, raises)).look(100)
    assert.deepEqual(await risky.fills(), [])
    // A price of now counts.
    await node(service, risky, minutes([100, 99])).look(94)
    assert.equal((await risky.fills()).length, 1)
  },
)

withBotService(
  'a stop that was crossed before the end of the margin comes first',
  async (account, service) => {
    const protect = async (held: Held, values: object) => {
      const { id: botId, symbol, position } = held
      await service.database.db.insert(positionProtections).values({
        ...{ botId, symbol, openedAt: position.openedAt!, openedSize: '2', settings: noProtection },
        ...values,
      })
    }
    const lows = [100, 80, 99]
    const unread = await hold(service, account, unwatched())
    await protect(unread, { missedSince: new Date() })
    await node(service, unread, minutes(lows)).look(100)
    assert.deepEqual(await unread.fills(), [])
    const stopped = await hold(service, account, unwatched())
    await protect(stopped, { state: 'CLOSING', missedPrice: '95' })
    await node(service, stopped, minutes(lows)).look(80)
    assert.deepEqual(await stopped.fills(), [])
    // The price jumped over both.
    const jumped = await hold(service, account, unwatched())
    await protect(jumped, { state: 'CLOSING', missedPrice: '80' })
    await node(service, jumped, minutes(lows)).look(100)
    assert.equal((await jumped.fills()).length, 1)
  },
)

withBotService('a maintenance that no position would survive is refused', async (account, service) => {
  const held = await hold(service, account)
  const change = (body: object) => account.api('PUT', held.own, body)
  const refused = await expect(400, change({ leverage: 200 }))
  assert.match(refused.error, /body\.maintenance must be below 0\.005, got 0\.005: with a leverage of 200/)
  for (const maintenance of ['1', '-0.1', 'x']) {
    const { details } = await expect(400, change({ maintenance }))
    assert.equal(details[0].field, 'body.maintenance')
  }
  const before = new Date()
  const changed = await expect(200, change({ leverage: 20 }))
  assert.deepEqual([changed.leverage, changed.maintenance], [20, '0.005'])
  // What the price did before the change ends no margin.
  assert.ok((await held.read()).marginWatchedAt! >= before)
  await node(service, held, minutes([100, 94, 99])).look(100)
  assert.deepEqual(await held.fills(), [])
  const { id: spot } = service.catalogue.named('binance', 'spot')!
  await service.catalogue.setEnabled(spot, true)
  const onSpot = await account.api('POST', botsPath, { exchange_id: spot, maintenance: '0.005' })
  assert.match(onSpot.body.error, /body\.maintenance must be null on .*only futures have margin/)
})

withBotService(
  'a stop beyond the liquidation of a paper position is refused, as at an exchange',
  async (account, service) => {
    const held = await hold(service, account)
    const changes = new ProtectionChanges({
      ...{ database: service.database, catalogue: service.catalogue, onChange: () => undefined },
      market: { price: async () => ({ quote: { price: 100, at: Date.now() } }) as never },
    })
    const of = { userId: account.userId, botId: held.id, symbol: held.symbol }
    const protect = (stop_loss: string) =>
      changes.set(of, { ...noProtection, stop_loss }, async () => undefined)
    await assert.rejects(protect('10%'), {
      code: 'resource_conflict',
      message:
        /^The position would be liquidated at 90\.45\d*, and its stop would be at 90, too late\. Use a closer stop\.$/,
    })
    await protect('9%')
    // Without a margin, nothing is liquidated.
    await expect(200, account.api('PUT', held.own, { maintenance: null }))
    await protect('10%')
  },
)
