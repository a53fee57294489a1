/** Protected positions in the database, at prices that each test sets. Nothing here trades: closes are only queued. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import {
  type Account,
  addBotSignal,
  addPosition,
  type BotService,
  makeBot,
  withBotService,
} from '../../../test/bots.ts'
import { until } from '../../../test/until.ts'
import {
  botSignals,
  type Protection,
  positionProtections,
  protectionLegs,
  protectionWatch,
  signals,
} from '../../db/schema.ts'
import { type Quote, VenueUnreachable } from '../../market/price-source.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import { Closes } from '../closes.ts'
import type { MissedCandles } from '../missed-candles.ts'
import { ProtectionWatch } from './watch.ts'
import { watchedPositions } from './watched-positions.ts'

const start = Date.UTC(2026, 0, 5, 12)

/** A bot, switched off, with a long of 2 since 100. */
async function hold(service: BotService, account: Account, settings: Partial<Protection>) {
  const bot = await makeBot(service, account)
  const openedAt = new Date(start)
  const symbol = `P${bot.id}/USDT`
  await addPosition(service, bot.owner, { symbol, size: '2', openedAt })
  const { db } = service.database
  await db.insert(positionProtections).values({
    ...{ botId: bot.id, symbol, openedAt, openedSize: '2' },
    settings: { ...noProtection, ...settings },
  })
  const of = eq(positionProtections.botId, bot.id)
  const closes = () =>
    db
      .select({
        id: botSignals.id,
        origin: signals.origin,
        options: signals.options,
        status: botSignals.status,
      })
      .from(botSignals)
      .innerJoin(signals, eq(signals.id, botSignals.signalId))
      .where(eq(botSignals.botId, bot.id))
      .orderBy(botSignals.id)
  return {
    ...{ id: bot.id as number, owner: bot.owner, own: bot.own as string, symbol, closes },
    read: async () => (await db.select().from(positionProtections).where(of))[0]!,
    origins: async () => (await closes()).map(({ origin }) => origin),
    end: (id: number, status: 'DONE' | 'FAILED') =>
      db.update(botSignals).set({ status }).where(eq(botSignals.id, id)),
  }
}

/** One node. Other tests of this file share the database, so only the prices of one symbol are known. */
function node(
  { database, catalogue }: BotService,
  symbol: string,
  candles: MissedCandles | null = null,
  onError: (error: unknown) => void = (error) => assert.fail(`unexpected: ${error}`),
) {
  const followers = new Set<(quote: Quote) => void>()
  let price: number | null = null
  const announced: number[] = []
  const prompted: number[] = []
  const watch = new ProtectionWatch({
    keepNow: (botId) => prompted.push(botId),
    ...{ database, catalogue },
    market: {
      follow: (_venue, name, onUpdate) => {
        if (name === symbol) followers.add(onUpdate)
        return () => followers.delete(onUpdate)
      },
      latest: (_venue, name) => (name === symbol && price !== null ? { price, at: 0 } : undefined),
      rules: async (_venue, name) => ({
        ...{ symbol: name, service: 'spot' as const, base: 'P', quote: 'USDT' },
        ...{ sizeStep: '0.001', minSize: '0.001', minNotional: '5' },
      }),
    },
    announce: (botIds) => announced.push(...botIds),
    ...{ candles, onError },
  })
  return {
    ...{ watch, announced, prompted },
    look: (at: number | null, now = start + 1_000) => {
      price = at
      return watch.look(now)
    },
    /** The price comes by the stream of the market, and the queued close is awaited. */
    hear: async (next: number) => {
      price = next
      for (const tell of followers) tell({ price: next, at: Date.now() })
      await watch.look(start + 1_000)
    },
  }
}

withBotService(
  'a stop that is reached queues one close, even if two nodes see it at once and the bot is off',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '2%' })
    const nodes = [node(service, held.symbol), node(service, held.symbol)]
    for (const { look } of nodes) await look(98.5)
    assert.deepEqual(await held.origins(), [])
    await Promise.all(nodes.map(({ look }) => look(97)))
    await Promise.all(nodes.map(({ look }) => look(96)))
    const [close, ...others] = await held.closes()
    assert.deepEqual(others, [])
    assert.deepEqual([close!.origin, close!.options, close!.status], ['stop_loss', {}, 'QUEUED'])
    assert.deepEqual(
      nodes.flatMap(({ announced }) => announced),
      [held.id],
    )
    const row = await held.read()
    assert.deepEqual([row.state, row.closeId, row.stopPrice], ['CLOSING', close!.id, '98'])
  },
)

withBotService('the best price and the stop that follows it survive a restart', async (account, service) => {
  const held = await hold(service, account, { trailing: { by: '2%', from: null, step: null } })
  const before = node(service, held.symbol)
  await before.look(100)
  await before.hear(110)
  await before.hear(109)
  await before.watch.stop()
  assert.deepEqual([(await held.read()).bestPrice, (await held.read()).stopPrice], ['110', '107.8'])
  const after = node(service, held.symbol)
  await after.look(107)
  assert.deepEqual(await held.origins(), ['trailing'])
})

withBotService('an older best price of another node takes nothing back', async (account, service) => {
  const held = await hold(service, account, { trailing: { by: '2%', from: null, step: null } })
  const [ahead, behind] = [node(service, held.symbol), node(service, held.symbol)]
  await behind.look(105)
  await ahead.look(110)
  await ahead.look(110)
  await behind.look(105)
  await behind.look(106)
  assert.deepEqual([(await held.read()).bestPrice, (await held.read()).stopPrice], ['110', '107.8'])
})

withBotService('a target closes its part once, and a stop does not wait for it', async (account, service) => {
  const targets = [
    { at: '102', part: '0.5' },
    { at: '104', part: '0.25' },
  ]
  const held = await hold(service, account, { stop_loss: '99', take_profit: targets })
  const { look } = node(service, held.symbol)
  await look(102)
  await look(104.5)
  const [first, ...others] = await held.closes()
  assert.deepEqual(others, [], 'the second target waits until the close of the first one has ended')
  assert.deepEqual(first!.options, { size: 1, forceSize: true })
  await look(98)
  assert.deepEqual(await held.origins(), ['take_profit', 'stop_loss'])
  assert.equal((await held.read()).targetsPassed, 2)
})

withBotService(
  'a close of a part replaces no close that somebody else has asked for',
  async (account, service) => {
    const held = await hold(service, account, { take_profit: [{ at: '102', part: '0.5' }] })
    const asked = await addBotSignal(service, held.owner, { symbol: held.symbol, status: 'CLOSING' })
    const { look } = node(service, held.symbol)
    await look(103)
    assert.equal((await held.closes()).length, 1)
    await held.end(asked.id, 'FAILED')
    await look(101)
    assert.deepEqual(await held.origins(), [null, 'take_profit'])
  },
)

withBotService('a close that failed is tried again after a pause, which grows', async (account, service) => {
  const held = await hold(service, account, { stop_loss: '99' })
  const { look } = node(service, held.symbol)
  const failLast = async () => held.end((await held.closes()).at(-1)!.id, 'FAILED')
  await look(98, start)
  await failLast()
  await look(98, start + 4_999)
  assert.equal((await held.closes()).length, 1)
  await look(98, start + 5_000)
  await failLast()
  await look(98, start + 14_999)
  assert.equal((await held.closes()).length, 2)
  await look(98, start + 15_000)
  assert.equal((await held.closes()).length, 3)
})

withBotService('time closes a position, also if there is no price', async (account, service) => {
  const held = await hold(service, account, { exit_after_seconds: 60 })
  const { look } = node(service, held.symbol)
  await look(null, start + 59_999)
  assert.deepEqual(await held.origins(), [])
  await look(null, start + 60_000)
  assert.deepEqual(await held.origins(), ['time'])
})

withBotService(
  'the protection of an earlier position says nothing about a later one',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '99' })
    await service.database.db
      .update(positionProtections)
      .set({ openedAt: new Date(start - 1) })
      .where(eq(positionProtections.botId, held.id))
    await node(service, held.symbol).look(50)
    assert.deepEqual(await held.origins(), [])
  },
)

/** The prices of each minute since ten minutes ago, the unfinished one last. */
function minutes(now: number, lows: readonly number[]): MissedCandles & { asked: number } {
  const opening = Math.floor(now / 60_000) * 60_000
  const found = lows.map((low, index) => {
    const time = opening + (index - lows.length + 1) * 60_000
    return { time, open: 100, high: 101, low, last: 100, volume: 1, done: index < lows.length - 1 }
  })
  const candles = {
    asked: 0,
    range: async (_: number, { exchange }: { exchange: string }, { symbol }: { symbol: string }) => {
      candles.asked += 1
      return { venue: { exchange } as never, symbol, found }
    },
  }
  return candles
}

async function nobodyWatchedFor({ database }: BotService, ms: number): Promise<void> {
  const watchedUntil = new Date(Date.now() - ms)
  await database.db
    .insert(protectionWatch)
    .values({ id: 1, watchedUntil })
    .onConflictDoUpdate({ target: protectionWatch.id, set: { watchedUntil } })
}

withBotService(
  'a stop that was crossed while nobody watched closes at the price of that time, once, though the price has come back',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '2%' })
    await nobodyWatchedFor(service, 600_000)
    const now = Date.now()
    const candles = minutes(now, [100, 97, 99, 100])
    const nodes = [node(service, held.symbol, candles), node(service, held.symbol, candles)]
    await Promise.all(nodes.map(({ look }) => look(100, now)))
    await Promise.all(nodes.map(({ watch }) => watch.stop()))
    assert.deepEqual(await held.origins(), ['stop_loss'])
    const row = await held.read()
    assert.deepEqual([row.state, row.missedPrice, row.missedSince], ['CLOSING', '98', null])
    const later = minutes(now, [90])
    const third = node(service, held.symbol, later)
    await third.look(100, now)
    await third.watch.stop()
    assert.deepEqual([await held.origins(), later.asked], [['stop_loss'], 0])
  },
)

withBotService(
  'if a node dies before it has counted what nobody watched, the next one counts all of it',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '2%' })
    await nobodyWatchedFor(service, 600_000)
    const now = Date.now()
    const away = { range: () => Promise.reject(new VenueUnreachable('The exchange is away.')) }
    const dying = node(service, held.symbol, away)
    // The current price decides nothing meanwhile.
    await dying.look(90, now)
    await dying.watch.stop()
    assert.deepEqual(await held.origins(), [])
    const next = node(service, held.symbol, minutes(now, [97, 100]))
    await next.look(100, now)
    await next.watch.stop()
    assert.deepEqual(await held.origins(), ['stop_loss'])
  },
)

withBotService('a process that slept counts what it missed, as after a start', async (account, service) => {
  const held = await hold(service, account, { stop_loss: '2%' })
  const now = Date.now()
  const { look, watch } = node(service, held.symbol, minutes(now, [100, 97, 99, 100]))
  await look(100, now)
  await nobodyWatchedFor(service, 600_000)
  await look(100, now + 600_000)
  await watch.stop()
  assert.deepEqual(await held.origins(), ['stop_loss'])
})

withBotService(
  'if the candles cannot be read for a minute, the current price decides',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '2%' })
    await nobodyWatchedFor(service, 600_000)
    const now = Date.now()
    const errors: unknown[] = []
    const away = { range: () => Promise.reject(new VenueUnreachable('The exchange is away.')) }
    const { look, watch } = node(service, held.symbol, away, (error) => errors.push(error))
    await look(90, now)
    await until('the position to be settled', async () => {
      await look(90, now + 61_000)
      return (await held.read()).missedSince === null
    })
    await look(90, now + 62_000)
    await watch.stop()
    assert.deepEqual([await held.origins(), errors.length > 0], [['stop_loss'], true])
    assert.equal((await held.read()).missedPrice, null)
  },
)

withBotService('a halt names the positions that only the service protects', async (account, service) => {
  const held = await hold(service, account, { stop_loss: '99' })
  const another = await hold(service, account, { stop_loss: '99' })
  const named = (limit: number) => watchedPositions(service.database, held.owner.userId, limit)
  const position = { bot_id: held.id, symbol: held.symbol }
  assert.deepEqual(await named(1), { watched: [position], watched_total: 2 })
  await service.database.db
    .update(positionProtections)
    .set({ state: 'CALLED_OFF' })
    .where(eq(positionProtections.botId, another.id))
  assert.deepEqual(await named(2), { watched: [position], watched_total: 1 })
})

withBotService('dust is not closed', async (account, service) => {
  const held = await hold(service, account, { take_profit: [{ at: '102', part: '0.0001' }] })
  const { look } = node(service, held.symbol)
  await look(103)
  await look(103)
  assert.deepEqual(await held.origins(), [])
})

withBotService(
  'a close that its owner drops is not queued again: a stop is off, a target takes all targets with it',
  async (account, service) => {
    const closes = new Closes({ database: service.database, onBots: () => undefined })
    const drop = (held: { id: number }, id: number) =>
      closes.drop(account.userId, held.id, id, async () => undefined)
    const held = await hold(service, account, { stop_loss: '99', take_profit: [{ at: '102', part: '0.5' }] })
    const { look } = node(service, held.symbol)
    const wait = async () => {
      const close = (await held.closes()).at(-1)!
      await service.database.db
        .update(botSignals)
        .set({ status: 'WAITING' })
        .where(eq(botSignals.id, close.id))
      return close.id
    }
    await look(103)
    await drop(held, await wait())
    await look(104)
    assert.deepEqual(await held.origins(), ['take_profit'])
    await look(98)
    await drop(held, await wait())
    await look(90)
    assert.deepEqual(await held.origins(), ['take_profit', 'stop_loss'])
    assert.equal((await held.read()).state, 'CALLED_OFF')
  },
)

/** The stop of a position of `hold` is an order at the exchange. */
async function restAtExchange(
  { database }: BotService,
  { userId }: Account,
  { id, symbol }: { id: number; symbol: string },
  price: string,
): Promise<void> {
  await database.db.insert(protectionLegs).values({
    ...{ botId: id, userId, symbol, openedAt: new Date(start), generation: 1, clientId: `leg-${id}` },
    ...{ side: 'sell', size: '2', stop: '98', price, stopReason: 'stop_loss' },
    ...{ status: 'OPEN', sentAt: new Date(start) },
  })
}

withBotService(
  'a stop that rests at the exchange comes first, and the service closes only after it',
  async (account, service) => {
    const held = await hold(service, account, { stop_loss: '2%' })
    const { watch, prompted, look } = node(service, held.symbol)
    await restAtExchange(service, account, held, '98')
    const named = await watchedPositions(service.database, held.owner.userId, 9)
    assert.deepEqual(named, { watched: [], watched_total: 0 })
    await look(97, start)
    await look(97, start + 1_000)
    assert.deepEqual([await held.origins(), prompted], [[], [held.id, held.id]])
    // The price is back above the stop for a moment: the exchange comes first again.
    await look(99, start + 5_000)
    await look(97, start + 6_000)
    assert.deepEqual(await held.origins(), [])
    await look(97, start + 11_000)
    assert.deepEqual(await held.origins(), ['stop_loss'])
    // One that does not cover the stop holds nothing back.
    const other = await hold(service, account, { stop_loss: '2%' })
    await restAtExchange(service, account, other, '97.5')
    await node(service, other.symbol).look(97, start)
    assert.deepEqual(await other.origins(), ['stop_loss'])
    // The clock is set back by an hour just after the price was there. The service waits no longer for that.
    const third = await hold(service, account, { stop_loss: '2%' })
    await restAtExchange(service, account, third, '98')
    const back = node(service, third.symbol)
    await back.look(97, start + 3_600_000)
    for (const seconds of [0, 1, 4]) await back.look(97, start + seconds * 1_000)
    assert.deepEqual([await third.origins(), back.prompted.length], [[], 4])
    await back.look(97, start + 5_000)
    assert.deepEqual(await third.origins(), ['stop_loss'])
    await Promise.all([watch.stop(), back.watch.stop()])
  },
)
