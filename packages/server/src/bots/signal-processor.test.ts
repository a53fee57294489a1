import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addSignal, openProcessor, promptVenue } from '../../test/signal-processor.ts'
import { plainSettings } from '../../test/trading.ts'
import { until } from '../../test/until.ts'
import type { Database } from '../db/database.ts'
import { Node } from '../db/node.ts'
import { botSignals, bots, notifications, orders, signals, users } from '../db/schema.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { BookingTerms, OrderReport, Venue } from '../trading/types.ts'
import { DatabaseBooks } from './database-books.ts'
import { BotLost } from './held-bot.ts'
import { Inbox } from './inbox.ts'
import { SignalProcessor, type SignalProcessorParts } from './signal-processor.ts'

withDatabase(
  'an order that was sent is settled, even if its bot is switched off before it is booked',
  async (place) => {
    let failures = 0
    /** The first report is lost with its connection, and then the user switches the bot off. */
    class FailingBooks extends DatabaseBooks {
      override async report(id: string, report: OrderReport, terms: BookingTerms): Promise<void> {
        if (failures > 0) return super.report(id, report, terms)
        failures += 1
        await bench.database.db.update(bots).set({ status: 'INACTIVE' })
        throw new Error('The connection was lost.')
      }
    }
    await using bench = await openProcessor(place, { openBooks: (options) => new FailingBooks(options) })
    await bench.send('BTCUSDT', 'LONG')
    bench.processor.wake()
    assert.deepEqual(await bench.ended(1), ['BTCUSDT DONE'])
    assert.deepEqual([failures, bench.sent.size], [1, 1])
    assert.deepEqual(
      (await bench.database.db.select().from(orders)).map(({ status }) => status),
      ['FILLED'],
    )
  },
)

withDatabase(
  'a signal that was stored while its bot was being deleted does not wait forever',
  async (place) => {
    await using bench = await openProcessor(place)
    const { database, node, botId } = bench
    await bench.send('BTCUSDT', 'LONG')
    await addSignal(database, { userId: bench.userId, botId: botId + 1 }, 'BTCUSDT', 'LONG')
    const announced: number[] = []
    await new Inbox(database, node, undefined, ({ id }) => announced.push(id)).endOrphans()
    const ends = await database.db.select().from(botSignals).orderBy(botSignals.botId)
    assert.deepEqual(
      ends.map(({ status, reason, finishedAt }) => [status, reason, finishedAt !== null]),
      [
        ['QUEUED', null, false],
        ['IGNORED', 'The bot was deleted before it followed the signal.', true],
      ],
    )
    assert.deepEqual(announced, [ends[1]!.id])
  },
)

withDatabase(
  'a bot is claimed together with its signals, unless another holder may have begun them',
  async (place) => {
    await using bench = await openProcessor(place)
    const { database, node, botId } = bench
    const { db } = database
    await bench.send('BTCUSDT', 'LONG')
    const inbox = new Inbox(database, node)
    const first = await inbox.claim(botId)
    assert.deepEqual(
      first?.waiting?.signals.map(({ symbol, hasBegun }) => [symbol, hasBegun]),
      [['BTCUSDT', false]],
    )
    assert.equal((await inbox.claim(botId))?.waiting, null, 'this node has held it before')
    const other = new Node(database, { roles: ['worker'] })
    await other.start((error) => assert.fail(`${error}`))
    assert.equal(await new Inbox(database, other).claim(botId), undefined)
    await inbox.release(botId)
    // While a claim waits for the row of the bot, another holder begins the signal, and lets the bot go.
    const late = await db.transaction(async (tx) => {
      await tx.update(bots).set({ holder: node.id }).where(eq(bots.id, botId))
      const claiming = new Inbox(database, other).claim(botId)
      await until('the claim to wait', () => isAnyLockAwaited(database))
      await tx.update(botSignals).set({ status: 'WORKING' })
      await tx.update(bots).set({ holder: null }).where(eq(bots.id, botId))
      return { claiming }
    })
    assert.equal((await late.claiming)?.waiting, null)
    const read = await new Inbox(database, other).waiting(botId, [])
    assert.deepEqual(
      read.signals.map(({ hasBegun }) => hasBegun),
      [true],
    )
    assert.equal(read.bot?.id, botId)
    assert.equal((await inbox.waiting(botId, [])).bot, undefined, 'another node holds it')
    await new Inbox(database, other).release(botId)
    await other.stop()
  },
)

withDatabase('a signal that comes while its bot is being claimed is followed at once', async (place) => {
  await using bench = await openProcessor(place)
  const { database, botId } = bench
  await database.db.transaction(async (tx) => {
    await tx.select().from(bots).where(eq(bots.id, botId)).for('update')
    bench.processor.wake()
    await until('the claim to wait', () => isAnyLockAwaited(database))
    // The claim cannot see it.
    await bench.send('BTCUSDT', 'LONG')
    bench.processor.wake()
  })
  assert.deepEqual(await bench.ended(1), ['BTCUSDT DONE'])
})

const ends = ['finish', 'finish with a notification', 'try a close again', 'let a close wait'] as const

for (const end of ends)
  withDatabase(`to ${end} changes nothing if another node takes the bot over meanwhile`, async (place) => {
    const subscribers = { hears: () => end === 'finish with a notification', onTold: () => undefined }
    await using bench = await openProcessor(place, { subscribers })
    const { database, node, botId } = bench
    const { db } = database
    const id = await bench.send('BTCUSDT', 'EXIT')
    const inbox = new Inbox(database, node, subscribers)
    const { bot, waiting } = (await inbox.claim(botId))!
    const signal = waiting!.signals[0]!
    const close = { status: 'CLOSING', reason: '', attempts: 1, refusals: 1, nextAt: Date.now() } as const
    const attempt = async () => {
      if (end === 'try a close again') await inbox.closing(signal, bot, close)
      else if (end === 'let a close wait') await inbox.wait(signal, bot, '')
      else await inbox.finish(signal, bot, { status: 'FAILED', reason: '' })
    }
    const late = await db.transaction(async (tx) => {
      await tx.select().from(bots).where(eq(bots.id, botId)).for('update')
      await tx.update(bots).set({ holder: randomUUID() }).where(eq(bots.id, botId))
      const attempting = assert.rejects(attempt(), BotLost)
      await until('it to wait for the bot', () => isAnyLockAwaited(database))
      return { attempting }
    })
    await late.attempting
    await assert.rejects(attempt(), BotLost)
    const rows = (await bench.rows()).map(({ status, finishedAt }) => [status, finishedAt])
    assert.deepEqual(rows, [['QUEUED', null]])
    assert.equal(await db.$count(notifications), 0)
    await db.update(bots).set({ holder: node.id }).where(eq(bots.id, botId))
    await attempt()
    assert.notEqual((await bench.rows()).find((row) => row.id === id)?.status, 'QUEUED')
  })

async function isAnyLockAwaited(database: Database): Promise<boolean> {
  const isOwn = `datname = current_database() and wait_event_type = 'Lock'`
  const [row] = await database.prepare(
    'lock_waits',
    `select count(*) from pg_stat_activity where ${isOwn}`,
  )([])
  return row![0] !== '0'
}

/** A live bot with one waiting signal, and a processor on a node that has missed its heartbeats. */
async function openLateProcessor(
  database: Database,
  venue: Venue,
  whyHalted: SignalProcessorParts['whyHalted'],
) {
  const { db } = database
  const [user] = await db
    .insert(users)
    .values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    .returning()
  const userId = user!.id
  const settings = { ...plainSettings, maxSignalAgeSeconds: null }
  const [bot] = await db
    .insert(bots)
    .values({ userId, name: '', mode: 'live', status: 'ACTIVE', exchangeId: 2, settings })
    .returning()
  const botId = bot!.id
  const [signal] = await db
    .insert(signals)
    .values({ userId, action: 'LONG', symbols: ['BTCUSDT'], options: {}, createdAt: new Date() })
    .returning()
  await db
    .insert(botSignals)
    .values({ botId, userId, signalId: signal!.id, symbol: 'BTCUSDT', queuedAt: new Date() })
  const node = new Node(database, { roles: ['worker'] })
  assert.equal(node.mayWork(), false)
  const processor = new SignalProcessor(botId, {
    inbox: new Inbox(database, node),
    node,
    openVenue: async () => venue,
    openBooks: () =>
      new DatabaseBooks({
        database,
        nodeId: node.id,
        bot: { id: botId, userId, startBalance: '10000' },
        markPrice: () => null,
      }),
    whyHalted,
    orderPrefix: 'tw',
    timeouts: { priceMs: 0 },
    onOutcome: () => undefined,
    onError: (error) => assert.fail(`${error}`),
  })
  return { processor, node }
}

withDatabase('a node that was suspended sends an order after its next heartbeat', async (place) => {
  const database = await place.open()
  const { venue, sent } = promptVenue()
  const { processor, node } = await openLateProcessor(database, venue, () => null)
  processor.wake()
  const followed = async () => (await database.db.select().from(botSignals))[0]!
  await until('the signal to be followed', async () => (await followed()).finishedAt !== null)
  await processor.stop()
  assert.equal((await followed()).status, 'DONE')
  assert.deepEqual([sent.size, node.mayWork()], [1, true])
})

withDatabase(
  'a node that was suspended sends no order for a bot that another node has claimed',
  async (place) => {
    const database = await place.open()
    const { venue, sent } = promptVenue()
    const other = randomUUID()
    let asked = 0
    const { processor } = await openLateProcessor(database, venue, async ({ id }) => {
      // At the third call, the order is in the books and about to be sent.
      if (++asked === 3) await database.db.update(bots).set({ holder: other }).where(eq(bots.id, id))
      return null
    })
    processor.wake()
    const unknown = eq(orders.status, 'UNKNOWN')
    await until('the order to be given up', async () => (await database.db.$count(orders, unknown)) === 1)
    await processor.stop()
    assert.deepEqual([sent.size, asked], [0, 3])
    assert.equal((await database.db.select().from(bots))[0]!.holder, other)
  },
)

withDatabase(
  'a node that stands still at the price of a signal does not end it once another node follows it',
  async (place) => {
    const database = await place.open()
    const other = randomUUID()
    const { venue, sent } = promptVenue()
    const stalled: Venue = {
      ...venue,
      price: async () => {
        await database.db.update(bots).set({ holder: other })
        await database.db.update(botSignals).set({ status: 'WORKING' })
        throw new VenueUnreachable('There was no price in time.')
      },
    }
    const { processor } = await openLateProcessor(database, stalled, () => null)
    processor.wake()
    await until('the processor to let go', async () => processor.isIdle)
    const [signal] = await database.db.select().from(botSignals)
    assert.deepEqual([signal!.status, signal!.reason, signal!.finishedAt], ['WORKING', null, null])
    assert.equal((await database.db.select().from(bots))[0]!.holder, other)
    assert.equal(sent.size, 0)
  },
)
