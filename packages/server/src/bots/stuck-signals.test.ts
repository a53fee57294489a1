/** Signals that cannot be followed, and the signals that come after them. */
import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { addSignal, openProcessor } from '../../test/signal-processor.ts'
import { until } from '../../test/until.ts'
import { notifications, orders } from '../db/schema.ts'
import type { BookingTerms, OrderReport } from '../trading/types.ts'
import { DatabaseBooks } from './database-books.ts'
import { Inbox, type WaitingSignal } from './inbox.ts'

/** Books that throw an error of the test when they read the position in BTC. */
function booksThatThrow(place: TestDatabase, nextError: () => Error | undefined, options = {}) {
  let attempts = 0
  class FailingBooks extends DatabaseBooks {
    override position(symbol: string) {
      if (!symbol.startsWith('BTC')) return super.position(symbol)
      attempts += 1
      const error = nextError()
      if (error !== undefined) throw error
      return super.position(symbol)
    }
  }
  const opening = openProcessor(place, { openBooks: (options) => new FailingBooks(options), ...options })
  return { opening, attempts: () => attempts }
}

withDatabase(
  'a repeated error ends its signal after five attempts, notifies the owner, and the next signal is followed',
  async (place) => {
    let count = 0
    // The same error, although its messages differ in their digits.
    const nextError = () =>
      ++count <= 5 ? new TypeError(`Row ${count} of 0xbeef${count} cannot be read.`) : undefined
    let told = 0
    const subscribers = { hears: () => true, onTold: () => told++ }
    const { opening, attempts } = booksThatThrow(place, nextError, { subscribers })
    await using bench = await opening
    const { db } = bench.database
    await db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
      values (${bench.userId}, '\\x00', '{signal.failed}', '\\x00')`)
    const id = await bench.send('BTCUSDT', 'LONG')
    await bench.send('BTCUSDT', 'LONG')
    await bench.send('BTCUSDT', 'EXIT')
    await bench.send('ETHUSDT', 'EXIT')
    bench.processor.wake()
    assert.deepEqual(await bench.ended(4), [
      'BTCUSDT FAILED',
      'BTCUSDT DONE',
      'BTCUSDT DONE',
      'ETHUSDT IGNORED',
    ])
    const [first] = await bench.rows()
    const reason =
      'Following the signal failed 5 times with the same error: an internal error, see the log of the service.'
    assert.equal(first!.reason, reason)
    assert.equal(attempts() - count, 0)
    assert.equal(bench.errors.length, 5)
    const { rows } = (await db.execute(sql`select n.type, n.data, n.user_id::int as user_id, d.status
      from notifications n join notification_deliveries d on d.notification_id = n.id`)) as {
      rows: Record<string, unknown>[]
    }
    const { queued_at, finished_at, ...data } = rows[0]!.data as Record<string, unknown>
    const said = { id, bot_id: bench.botId, bot_name: 'Scalper', signal_id: first!.signalId }
    assert.deepEqual(data, {
      ...said,
      mode: 'live',
      demo: false,
      action: 'LONG',
      symbol: 'BTCUSDT',
      status: 'FAILED',
      reason,
    })
    assert.equal(finished_at, first!.finishedAt!.toISOString())
    assert.equal(queued_at, first!.queuedAt.toISOString())
    assert.deepEqual([rows.length, rows[0]!.type, rows[0]!.user_id], [1, 'signal.failed', bench.userId])
    // The failed signal, and the orders of the two signals after it.
    assert.equal(told, 3)
  },
)

withDatabase(
  'a bot with which three signals in a row fail is told of once, until one is done, even if all fail at once',
  async (place) => {
    const subscribers = { hears: () => true, onTold: () => undefined }
    await using bench = await openProcessor(place, {})
    const { db } = bench.database
    await db.execute(sql`insert into notification_endpoints (user_id, url, events, secret)
      values (${bench.userId}, '\\x00', '{bot.failed}', '\\x00')`)
    const inbox = new Inbox(bench.database, bench.node, subscribers)
    const { bot } = (await inbox.claim(bench.botId))!
    const end = async (status: 'FAILED' | 'DONE') => {
      const id = await bench.send('BTCUSDT', 'LONG')
      return () => inbox.finish({ id } as WaitingSignal, bot, { status, reason: 'Why.' })
    }
    const ends: (() => Promise<unknown>)[] = []
    for (let count = 0; count < 5; count++) ends.push(await end('FAILED'))
    await Promise.all(ends.map((finish) => finish()))
    const told = async () =>
      (await db.select().from(notifications)).map(({ type, data }) => [type, data.failed])
    assert.deepEqual(await told(), [['bot.failed', 3]])
    for (const status of ['DONE', 'FAILED', 'FAILED'] as const) await (await end(status))()
    assert.equal((await told()).length, 1)
    await (await end('FAILED'))()
    assert.equal((await told()).length, 2)
  },
)

withDatabase('alternating errors end their signal after ten attempts', async (place) => {
  let count = 0
  const nextError = () =>
    ++count <= 10 ? [new RangeError('odd'), new TypeError('even')][count % 2] : undefined
  const { opening } = booksThatThrow(place, nextError)
  await using bench = await opening
  await bench.send('BTCUSDT', 'LONG')
  await bench.send('BTCUSDT', 'EXIT')
  bench.processor.wake()
  assert.deepEqual(await bench.ended(2), ['BTCUSDT FAILED', 'BTCUSDT IGNORED'])
  assert.match(
    (await bench.rows())[0]!.reason!,
    /^Following the signal failed 10 times with different errors\. The last one: odd$/,
  )
})

withDatabase('a bot waits for an unreachable database, for as long as it takes', async (place) => {
  let count = 0
  const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const { opening } = booksThatThrow(place, () => (++count <= 30 ? away() : undefined))
  await using bench = await opening
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  assert.deepEqual(await bench.ended(1), ['BTCUSDT DONE'])
  assert.equal(bench.errors.length, 30)
})

withDatabase(
  'a bot that gives up on a signal still settles its order at the exchange, and other symbols continue',
  async (place) => {
    let isBroken = true
    class FailingBooks extends DatabaseBooks {
      override report(id: string, report: OrderReport, terms: BookingTerms): Promise<void> {
        if (isBroken && terms.base === 'BTC')
          throw new RangeError('fee must be a decimal number, got "1e-300".')
        return super.report(id, report, terms)
      }
    }
    await using bench = await openProcessor(place, { openBooks: (options) => new FailingBooks(options) })
    await bench.send('BTCUSDT', 'LONG')
    await bench.send('BTCUSDT', 'EXIT')
    await bench.send('ETHUSDT', 'LONG')
    bench.processor.wake()
    await until('the signal to be given up', async () => bench.errors.length >= 7)
    await bench.send('ETHUSDT', 'EXIT')
    bench.processor.wake()
    await bench.ended(2)
    const ends = (await bench.rows()).map(({ symbol, status }) => `${symbol} ${status}`)
    assert.deepEqual(ends, ['BTCUSDT WORKING', 'BTCUSDT QUEUED', 'ETHUSDT DONE', 'ETHUSDT DONE'])
    const statuses = async () =>
      (await bench.database.db.select().from(orders)).filter(({ symbol }) => symbol.startsWith('BTC'))
    assert.deepEqual(
      (await statuses()).map(({ status, reason }) => [status, reason]),
      [
        [
          'UNKNOWN',
          'Following the signal failed 5 times with the same error: fee must be a decimal number, got "1e-300".',
        ],
      ],
    )
    isBroken = false
    // The execution is booked, and the exit closes the position. Nothing was sent twice.
    assert.deepEqual((await bench.ended(4)).slice(0, 2), ['BTCUSDT DONE', 'BTCUSDT DONE'])
    assert.deepEqual(
      (await statuses()).map(({ status, purpose }) => `${purpose} ${status}`),
      ['open FILLED', 'close FILLED'],
    )
    assert.equal(bench.sent.size, 4)
  },
)

withDatabase(
  'a paper order that cannot be booked was never executed, and its signal fails',
  async (place) => {
    class FailingBooks extends DatabaseBooks {
      override report(id: string, report: OrderReport, terms: BookingTerms): Promise<void> {
        if (terms.base === 'BTC') throw new RangeError('fee must be a decimal number.')
        return super.report(id, report, terms)
      }
    }
    const openBooks = (options: ConstructorParameters<typeof DatabaseBooks>[0]) => new FailingBooks(options)
    await using bench = await openProcessor(place, { mode: 'paper', openBooks })
    await bench.send('BTCUSDT', 'LONG')
    await bench.send('BTCUSDT', 'EXIT')
    bench.processor.wake()
    assert.deepEqual(await bench.ended(2), ['BTCUSDT FAILED', 'BTCUSDT IGNORED'])
    const [order] = await bench.database.db.select().from(orders)
    assert.deepEqual([order!.status, order!.filledSize], ['REJECTED', '0'])
  },
)

for (const mode of ['live', 'paper'] as const) {
  withDatabase(`thousands of signals of a symbol that is stuck hold up no other: ${mode}`, async (place) => {
    await using bench = await openProcessor(place, { mode })
    const { rules } = bench.venue
    let asked = 0
    bench.venue.rules = (symbol) =>
      symbol.startsWith('STUCK') && ++asked > 1 ? bench.silence : rules(symbol)
    await bench.database.db.execute(sql`with sent as (
        insert into signals (user_id, action, symbols, options, created_at)
        select ${bench.userId}, 'LONG', '["STUCKUSDT"]', '{}', now() from generate_series(1, 3000) returning id
      ) insert into bot_signals (bot_id, user_id, signal_id, symbol, queued_at)
        select ${bench.botId}, ${bench.userId}, id, 'STUCKUSDT', now() from sent`)
    await bench.send('BTCUSDT', 'LONG')
    await bench.send('BTCUSDT', 'EXIT')
    bench.processor.wake()
    await bench.ended(2)
    for (let n = 0; n < 15; n++) await bench.send('BTCUSDT', n % 2 === 0 ? 'LONG' : 'EXIT')
    await bench.send('ETHUSDT', 'EXIT')
    bench.processor.wake()
    const ends = (await bench.ended(18)).filter((end) => !end.startsWith('STUCK'))
    assert.deepEqual(ends, [...Array(17).fill('BTCUSDT DONE'), 'ETHUSDT IGNORED'])
    assert.equal(asked, 2)
  })
}

withDatabase('the signals of a symbol keep their order in any spelling and in any number', async (place) => {
  const followed: number[] = []
  const onOutcome = (_bot: unknown, { id }: { id: number }) => {
    // A new spelling, while others are in progress.
    if (followed.push(id) === 12) void send('btc:usdt', 1).then(() => bench.processor.wake())
  }
  await using bench = await openProcessor(place, { parts: { onOutcome } })
  const { rules } = bench.venue
  bench.venue.rules = async (symbol) => {
    // Until all signals in progress have ended.
    if (symbol === 'btc:usdt') await until('the hand to be empty', async () => followed.length >= 20)
    return rules(symbol)
  }
  const ids: number[] = []
  const send = async (symbol: string, count: number) => {
    for (let n = 0; n < count; n++) {
      ids.push(await bench.send(symbol, 'EXIT'))
    }
  }
  await send('BTCUSDT', 21)
  bench.processor.wake()
  await bench.ended(22)
  await send('BTCUSDT', 11)
  await send('btc/usdt', 1)
  await send('BTC-USDT', 11)
  await send('BTCUSDT', 1)
  bench.processor.wake()
  await bench.ended(ids.length)
  assert.deepEqual(followed, ids)
})

withDatabase('a symbol that the venue does not look up delays no other symbol', async (place) => {
  await using bench = await openProcessor(place)
  const { rules } = bench.venue
  const hanging = Promise.withResolvers<Awaited<ReturnType<typeof rules>>>()
  bench.venue.rules = (symbol) => (symbol.startsWith('HANG') ? hanging.promise : rules(symbol))
  await bench.send('HANGUSDT', 'LONG')
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  await bench.ended(1)
  // Signals that wait for the same look-up keep their order.
  await bench.send('HANGUSDT', 'EXIT')
  await bench.send('BTCUSDT', 'EXIT')
  bench.processor.wake()
  await bench.ended(2)
  hanging.resolve(await rules('HANGUSDT'))
  assert.deepEqual(await bench.ended(4), ['HANGUSDT DONE', 'BTCUSDT DONE', 'HANGUSDT DONE', 'BTCUSDT DONE'])
  assert.deepEqual([...bench.sent.keys()].length, 4)
})

withDatabase('signals in progress continue while the inbox cannot be read', async (place) => {
  await using bench = await openProcessor(place)
  const { price } = bench.venue
  bench.venue.price = (symbol) => (symbol.startsWith('STUCK') ? bench.silence : price(symbol))
  await bench.send('STUCKUSDT', 'LONG')
  bench.processor.wake()
  await until('it to be in hand', async () => (await bench.rows())[0]!.status !== 'DONE')
  await bench.database.db.execute(sql`alter table bot_signals rename column symbol to renamed`)
  bench.processor.wake()
  await until('the inbox to be unreadable', async () => bench.errors.length > 0)
  await bench.database.db.execute(sql`alter table bot_signals rename column renamed to symbol`)
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  await bench.ended(1)
})

withDatabase('a node leaves a bot to another node that claimed it, and can claim it again', async (place) => {
  await using bench = await openProcessor(place)
  const { lookUp, place: send } = bench.venue
  bench.venue.place = async (order) =>
    order.symbol.startsWith('STUCK') ? { status: 'unknown', reason: 'Timed out.' } : send(order)
  const { db } = bench.database
  bench.venue.lookUp = async (order) =>
    order.symbol.startsWith('STUCK') ? { status: 'unknown', reason: 'Timed out.' } : lookUp(order)
  await bench.send('STUCKUSDT', 'LONG')
  bench.processor.wake()
  const isUnknown = async () => (await db.select().from(orders))[0]?.status === 'UNKNOWN'
  await until('the order to be unknown', isUnknown)
  await db.execute(sql`update bots set holder = gen_random_uuid()`)
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  await until('the processor to leave the bot', async () => bench.processor.isIdle)
  assert.deepEqual(
    (await bench.rows()).map(({ status }) => status),
    ['WORKING', 'QUEUED'],
  )
  await db.execute(sql`update bots set holder = null`)
  bench.processor.wake()
  await bench.ended(1)
  assert.deepEqual(
    (await bench.rows()).map(({ status }) => status),
    ['WORKING', 'DONE'],
  )
})

withDatabase(
  'a paper bot follows the signals of all symbols in their order, however many wait',
  async (place) => {
    // On a busy machine, a signal can take longer than the bench's own limit.
    const parts = { orderTimeoutMs: 30_000 }
    await using bench = await openProcessor(place, { mode: 'paper', parts })
    const symbols = ['BTCUSDT', 'ETHUSDT', 'BTCUSDT', 'ETHUSDT'].flatMap((symbol, block) =>
      Array.from({ length: block % 2 === 0 ? 25 : 1 }, () => symbol),
    )
    for (const symbol of symbols) await bench.send(symbol, 'LONG', { dilution: true })
    bench.processor.wake()
    await bench.ended(symbols.length)
    const placed = await bench.database.db.select({ symbol: orders.symbol }).from(orders).orderBy(orders.id)
    assert.deepEqual(
      placed.map(({ symbol }) => symbol.replace('/USDT:', '')),
      symbols,
    )
  },
)

withDatabase('a stored signal that cannot be read ends, and the next one is followed', async (place) => {
  await using bench = await openProcessor(place)
  const { db } = bench.database
  for (const options of [null, 'text', [1], 7]) {
    const id = await bench.send('BTCUSDT', 'LONG')
    await db.execute(sql`update signals set options = ${JSON.stringify(options)}::jsonb
      where id = (select signal_id from bot_signals where id = ${id})`)
  }
  await bench.send('BTCUSDT', 'HOLD' as 'LONG')
  await db.execute(sql`update signals set created_at = 'infinity' where id =
    (select signal_id from bot_signals where id = ${await bench.send('BTCUSDT', 'LONG')})`)
  await db.execute(sql`delete from signals where id =
    (select signal_id from bot_signals where id = ${await bench.send('BTCUSDT', 'LONG')})`)
  await bench.send('', 'LONG')
  await addSignal(bench.database, bench, 'BTCUSDT', 'LONG', { size: 5e-324, dilution: true })
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  const ends = await bench.ended(10)
  assert.deepEqual(ends, [...Array(7).fill('BTCUSDT FAILED'), ' REFUSED', 'BTCUSDT REFUSED', 'BTCUSDT DONE'])
  const reasons = (await bench.rows()).map(({ reason }) => reason)
  assert.equal(reasons[0], 'The signal cannot be read: its options are invalid.')
  assert.equal(reasons[6], 'The signal cannot be read: it is no longer stored.')
  assert.equal(bench.errors.length, 0)
})

withDatabase('a reason is stored without the characters that the database cannot hold', async (place) => {
  await using bench = await openProcessor(place)
  bench.venue.rules = async () => {
    throw new RangeError('half \ud800 and \0')
  }
  await bench.send('BTCUSDT', 'LONG')
  bench.processor.wake()
  assert.deepEqual(await bench.ended(1), ['BTCUSDT FAILED'])
  assert.match((await bench.rows())[0]!.reason!, /half \ufffd and \ufffd$/)
})
