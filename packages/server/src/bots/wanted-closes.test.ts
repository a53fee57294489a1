/** Closes that the exchange refuses, or that nobody may carry out now, in a bot with a database. */
import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { addSignal, openProcessor, type ProcessorOptions } from '../../test/signal-processor.ts'
import { until } from '../../test/until.ts'
import { DatabaseAway } from '../base/failures.ts'
import { botSignals, bots, orders } from '../db/schema.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { OrderRequest } from '../trading/types.ts'
import { SignalProcessor } from './signal-processor.ts'

/** A bot with a long position, at an exchange that refuses closes as long as the test says so. */
async function openRefused(
  place: TestDatabase,
  options: ProcessorOptions & { closePausesMs?: number[] } = {},
) {
  const { closePausesMs = [5], ...others } = options
  const parts = { timeouts: { closePausesMs }, ...others.parts }
  const bench = await openProcessor(place, { ...others, parts })
  const asked: string[] = []
  const state = { isRefused: true, asked }
  const place_ = bench.venue.place
  bench.venue.place = async (order: OrderRequest) => {
    asked.push(order.clientOrderId)
    if (order.purpose === 'open' || !state.isRefused) return place_(order)
    return { status: 'refused', reason: 'The market is halted.' }
  }
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  await bench.ended(1)
  const { db } = bench.database
  const has = (id: number, status: string) =>
    until(`signal ${id} to be ${status}`, async () => {
      const [row] = await db.select().from(botSignals).where(eq(botSignals.id, id))
      return row!.status === status
    })
  const row = async (id: number) => (await db.select().from(botSignals).where(eq(botSignals.id, id)))[0]!
  const store = bench.send
  const send = async (...signal: Parameters<typeof store>) => {
    const id = await store(...signal)
    bench.processor.wake()
    return id
  }
  return Object.assign(bench, { state, has, row, send })
}

const forever = [600_000]

type Rows = { rows: Record<string, unknown>[] }

withDatabase(
  'a refused close stays CLOSING until it is executed, and its owner is told once',
  async (place) => {
    let told = 0
    const subscribers = { hears: () => true, onTold: () => told++ }
    await using bench = await openRefused(place, { subscribers })
    const { db } = bench.database
    await db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
    values (${bench.userId}, '\\x00', '{close.refused}', '\\x00')`)
    const id = await bench.send('BTCUSDT', 'EXIT')
    await until('five refusals', async () => (await bench.row(id)).refusals >= 5)
    const closing = await bench.row(id)
    assert.deepEqual([closing.status, closing.finishedAt], ['CLOSING', null])
    assert.match(
      closing.reason!,
      /^Only 0 of 1 BTC was closed\. The market is halted\. The bot has tried \d+ times and tries again at \d{4}-/,
    )
    bench.state.isRefused = false
    await bench.has(id, 'DONE')
    assert.equal((await bench.row(id)).reason, null)

    const notified = async () => {
      const { rows } = (await db.execute(sql`select type, data from notifications order by id`)) as Rows
      return rows as { type: string; data: Record<string, unknown> }[]
    }
    const [news, ...more] = await notified()
    assert.deepEqual(more, [])
    const { reason, queued_at, ...data } = news!.data
    const { signalId } = await bench.row(id)
    const said = { id, bot_id: bench.botId, bot_name: 'Scalper', signal_id: signalId, action: 'EXIT' }
    assert.deepEqual(data, {
      ...{ ...said, mode: 'live', demo: false, symbol: 'BTCUSDT', status: 'CLOSING', refusals: 3 },
    })
    assert.match(String(reason), /The market is halted\. The bot has tried 3 times/)
    assert.equal(queued_at, (await bench.row(id)).queuedAt.toISOString())

    // After an executed close, the count begins again.
    await bench.ended(2)
    await bench.send('BTCUSDT', 'LONG')
    bench.state.isRefused = true
    await bench.ended(3)
    const again = await bench.send('BTCUSDT', 'EXIT')
    await until('three refusals', async () => (await bench.row(again)).refusals >= 3)
    assert.equal((await notified()).length, 2)
  },
)

withDatabase('refusals count over the signals of a symbol', async (place) => {
  const subscribers = { hears: () => true, onTold: () => undefined }
  await using bench = await openRefused(place, { subscribers, closePausesMs: forever })
  const { db } = bench.database
  await db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
    values (${bench.userId}, '\\x00', '{close.refused}', '\\x00')`)
  const ids: number[] = []
  for (let count = 1; count <= 5; count++) {
    ids.push(await bench.send('BTCUSDT', 'EXIT'))
    await bench.has(ids.at(-1)!, 'CLOSING')
  }
  const { rows } = (await db.execute(sql`select data from notifications`)) as Rows
  assert.deepEqual(
    rows.map(({ data }) => [(data as { id: number }).id, (data as { refusals: number }).refusals]),
    [[ids[2], 3]],
  )
})

withDatabase(
  'a newer signal of the symbol, in any spelling, replaces a close that waits for its next attempt',
  async (place) => {
    await using bench = await openRefused(place, { closePausesMs: forever })
    const first = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(first, 'CLOSING')
    // A newer EXIT takes over the close.
    const second = await bench.send('btc-usdt', 'EXIT')
    await bench.has(second, 'CLOSING')
    const replaced = await bench.row(first)
    assert.equal(replaced.status, 'IGNORED')
    assert.equal(
      replaced.reason,
      `A newer signal of the symbol replaced it: ${second} in the bot's list of signals.`,
    )
    // A LONG calls it off, because the position is already long.
    const third = await bench.send('BTC/USDT:USDT', 'LONG')
    await bench.has(third, 'IGNORED')
    assert.match((await bench.row(third)).reason!, /already long/)
    assert.equal((await bench.row(second)).status, 'IGNORED')
    // A SHORT flips.
    await bench.has(await bench.send('BTCUSDT', 'EXIT'), 'CLOSING')
    bench.state.isRefused = false
    await bench.has(await bench.send('BTCUSDT', 'SHORT'), 'DONE')
    assert.deepEqual(bench.errors, [])
  },
)

withDatabase('a newer signal that the bot would not follow replaces no close', async (place) => {
  await using bench = await openRefused(place, { closePausesMs: [300] })
  const exit = await bench.send('BTCUSDT', 'EXIT')
  await bench.has(exit, 'CLOSING')
  const { db } = bench.database
  await db.execute(sql`update bots set settings = jsonb_set(settings, '{symbols}', '["ETHUSDT"]')`)
  const long = await bench.send('BTCUSDT', 'LONG')
  await until('the next attempt', async () => (await bench.row(exit)).refusals >= 3)
  assert.deepEqual([(await bench.row(exit)).status, (await bench.row(long)).status], ['CLOSING', 'QUEUED'])
  // An EXIT behind it takes over the close, because the bot would follow that one.
  const last = await bench.send('BTCUSDT', 'EXIT')
  await bench.has(last, 'CLOSING')
  assert.deepEqual([(await bench.row(exit)).status, (await bench.row(long)).status], ['IGNORED', 'IGNORED'])
})

withDatabase('a bot whose clock is set back by an hour tries its close again', async (place, { mock }) => {
  await using bench = await openRefused(place, { closePausesMs: [300] })
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const id = await bench.send('BTCUSDT', 'EXIT')
  await bench.has(id, 'CLOSING')
  mock.timers.setTime(Date.now() - 3_600_000)
  await until('the next attempt', async () => (await bench.row(id)).refusals >= 2)
})

withDatabase('a halt during the pause before the next attempt lets the close wait at once', async (place) => {
  let isHalted = false
  await using bench = await openRefused(place, {
    parts: { whyHalted: () => (isHalted ? 'Trading is halted.' : null) },
    closePausesMs: forever,
  })
  const id = await bench.send('BTCUSDT', 'EXIT')
  await bench.has(id, 'CLOSING')
  const attempts = bench.state.asked.length
  isHalted = true
  await bench.has(id, 'WAITING')
  assert.match((await bench.row(id)).reason!, /^Trading is halted\./)
  assert.equal(bench.state.asked.length, attempts)
})

withDatabase(
  'while nobody knows whether trading is halted, a close and an opening wait for the database, not for their owner',
  async (place) => {
    let left = 3
    const whyHalted = () => {
      if (left-- > 0) throw new DatabaseAway('The switch cannot be read.')
      return null
    }
    await using bench = await openRefused(place, { parts: { whyHalted } })
    bench.state.isRefused = false
    for (const action of ['EXIT', 'LONG'] as const) {
      left = 3
      await bench.has(await bench.send('BTCUSDT', action), 'DONE')
    }
  },
)

withDatabase(
  'while trading is halted, a close waits outside the queue until a newer signal is done',
  async (place) => {
    let isHalted = false
    const parts = { whyHalted: () => (isHalted ? 'Trading is halted.' : null) }
    await using bench = await openRefused(place, { parts, closePausesMs: [30] })
    const closing = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(closing, 'CLOSING')
    isHalted = true
    await bench.has(closing, 'WAITING')
    const { reason, finishedAt } = await bench.row(closing)
    assert.equal(reason, 'Trading is halted. The close waits until you let it proceed or drop it.')
    assert.equal(finishedAt, null)
    // A part, so it does not stand for the whole close that waits.
    const part = await bench.send('btcusdt', 'EXIT', { size: 0.4 })
    await bench.has(part, 'WAITING')
    await bench.has(await bench.send('BTCUSDT', 'SHORT'), 'REFUSED')
    await bench.has(await bench.send('ETHUSDT', 'EXIT'), 'IGNORED')
    const whole = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(whole, 'WAITING')
    assert.deepEqual(
      [(await bench.row(closing)).status, (await bench.row(part)).status],
      ['IGNORED', 'WAITING'],
    )

    // When trading goes on, what waits stays waiting.
    isHalted = false
    bench.state.isRefused = false
    await bench.has(await bench.send('ETHUSDT', 'LONG'), 'DONE')
    assert.equal((await bench.row(whole)).status, 'WAITING')
    const flip = await bench.send('BTC/USDT:USDT', 'SHORT')
    await bench.has(whole, 'IGNORED')
    await bench.has(part, 'IGNORED')
    assert.match((await bench.row(part)).reason!, new RegExp(`replaced it: ${flip} in`))
    assert.equal((await bench.row(flip)).status, 'DONE')
    await bench.processor.stop()
    assert.deepEqual(bench.errors, [])
  },
)

withDatabase(
  'a bot that is switched off lets an EXIT wait, follows the close of its owner, and opens nothing',
  async (place) => {
    await using bench = await openRefused(place)
    const { db } = bench.database
    bench.state.isRefused = false
    await db.update(bots).set({ status: 'INACTIVE' })
    const exit = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(exit, 'WAITING')
    assert.match((await bench.row(exit)).reason!, /^The bot is switched off\./)
    await bench.has(await bench.send('BTCUSDT', 'LONG'), 'REFUSED')
    const own = await addSignal(bench.database, bench, 'BTC/USDT:USDT', 'EXIT', {}, { origin: 'owner' })
    bench.processor.wake()
    await bench.has(own, 'DONE')
    await bench.has(exit, 'IGNORED')
  },
)

withDatabase(
  'an opening that the exchange is too busy for is not sent after the bot is switched off',
  async (place) => {
    await using bench = await openRefused(place, { parts: { timeouts: { firstPauseMs: 150 } } })
    const { db } = bench.database
    let asked = 0
    bench.venue.place = async () => {
      asked += 1
      await db.update(bots).set({ status: 'INACTIVE' })
      return { status: 'busy', reason: 'The exchange asks for fewer requests.' }
    }
    const id = await bench.send('ETHUSDT', 'LONG')
    await bench.has(id, 'FAILED')
    assert.equal(asked, 1)
  },
)

withDatabase(
  'a bot that is switched off just before an opening is planned does not plan it',
  async (place) => {
    await using bench = await openRefused(place)
    const { db } = bench.database
    const { rules } = bench.venue
    bench.venue.rules = async (symbol) => {
      await db.update(bots).set({ status: 'INACTIVE' })
      return rules(symbol)
    }
    // The bot still counts as it was read a moment ago.
    const id = await bench.send('ETHUSDT', 'LONG')
    await bench.has(id, 'REFUSED')
    assert.match((await bench.row(id)).reason!, /switched off/)
    assert.equal(await db.$count(orders, eq(orders.botSignalId, id)), 0)
  },
)

withDatabase('a close that its owner drops is not tried again', async (place) => {
  await using bench = await openRefused(place, { closePausesMs: [40] })
  const { db } = bench.database
  const id = await bench.send('BTCUSDT', 'EXIT')
  await bench.has(id, 'CLOSING')
  await db
    .update(botSignals)
    .set({ status: 'IGNORED', reason: 'Dropped.', finishedAt: new Date() })
    .where(eq(botSignals.id, id))
  await bench.has(await bench.send('BTCUSDT', 'LONG'), 'IGNORED')
  const attempts = bench.state.asked.length
  await bench.has(await bench.send('ETHUSDT', 'LONG'), 'DONE')
  assert.equal(bench.state.asked.length, attempts + 1)
  assert.deepEqual([(await bench.row(id)).status, (await bench.row(id)).reason], ['IGNORED', 'Dropped.'])
})

withDatabase(
  'after a crash, the next process continues a close at the time of its next attempt',
  async (place) => {
    await using bench = await openRefused(place, { closePausesMs: [600] })
    const id = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(id, 'CLOSING')
    await bench.processor.stop()
    bench.state.isRefused = false
    const next = new SignalProcessor(bench.botId, bench.parts)
    next.wake()
    await bench.has(id, 'DONE')
    await next.stop()
    const closes = await bench.database.db
      .select()
      .from(orders)
      .where(eq(orders.purpose, 'close'))
      .orderBy(orders.id)
    assert.deepEqual(
      closes.map(({ clientOrderId, status }) => `${clientOrderId} ${status}`),
      [`tw-${id}-c REJECTED`, `tw-${id}-c2 FILLED`],
    )
    assert.ok(closes[1]!.createdAt.getTime() - closes[0]!.createdAt.getTime() >= 600)
  },
)

withDatabase(
  'an EXIT stays wanted while the bot cannot reach its exchange, and fails if it holds nothing',
  async (place) => {
    let isAway = false
    await using bench = await openRefused(place, {
      closePausesMs: [5],
      parts: { timeouts: { marketMs: 5, firstPauseMs: 1, closePausesMs: [5] } },
    })
    bench.state.isRefused = false
    const { rules } = bench.venue
    bench.venue.rules = async (symbol) => {
      if (isAway) throw new VenueUnreachable('Nobody is there.')
      return rules(symbol)
    }
    isAway = true
    const id = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(id, 'CLOSING')
    assert.match(
      (await bench.row(id)).reason!,
      /^Nobody is there\. The bot has tried once and tries again at/,
    )
    isAway = false
    await bench.has(id, 'DONE')
    isAway = true
    const flat = await bench.send('BTCUSDT', 'EXIT')
    await bench.has(flat, 'FAILED')
    assert.equal((await bench.row(flat)).reason, 'Nobody is there.')
  },
)
