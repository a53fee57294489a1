/** What positions of paper bots in perpetuals pay and receive. */
import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { openMarket, place, readBooks } from '../../../test/paper-and-backtest.ts'
import { openProcessor } from '../../../test/signal-processor.ts'
import { futuresRules, minuteCandle, plainSettings } from '../../../test/trading.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain } from '../../base/decimals.ts'
import { bots, payments, positions } from '../../db/schema.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import { ReplayBot } from '../../trading/replay-bot.ts'
import { Fundings } from './fundings.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const settings = { feeRate: '0.0007', slippageRate: '0.0003', amount: '199', funding: 'exchange' as const }
const { symbol } = futuresRules

/** A bot on paper, whose exchange has these rates, and these openings of minutes. */
async function openBench(database: TestDatabase) {
  const own = {
    rates: [] as { time: number; rate: number }[],
    opens: new Map<number, number>(),
    asked: 0,
    /** An exchange that answers only when this resolves. */
    silent: undefined as undefined | { exchange: string; until: Promise<void> },
  }
  const { venues, setPrice, close } = openMarket({
    get db() {
      return test.database.db
    },
  })
  const told: string[] = []
  const subscribers = { hears: () => true, onTold: () => told.push('told') }
  const test = await openProcessor(database, {
    ...{ mode: 'paper', settings },
    parts: { openVenue: (bot) => venues.open(bot, test.parts.openBooks(bot)) },
  })
  const placeOf = (id: number) => ({ ...(place as object), id, exchange: `exchange ${id}` }) as never
  /** Each is a node of its own. */
  const node = () =>
    new Fundings({
      ...{ database: test.database, catalogue: { find: placeOf }, subscribers: subscribers as never },
      market: { latest: () => undefined, resolve: async () => symbol },
      candles: {
        range: async () => ({
          found: [...own.opens].map(([time, open]) => ({ time, open, last: open + 1 })) as never,
        }),
      } as never,
      rates: {
        funding: async (venue, _symbol, { since, until }) => {
          own.asked += 1
          if (venue.exchange === own.silent?.exchange) await own.silent.until
          if (own.rates.length === 0) throw new NoSuchMarket('It has none.')
          return own.rates.filter(({ time }) => time >= since && time < until)
        },
      },
      onError: (error) => assert.fail(`${error}`),
    })
  let sent = 0
  const follow = async (price: string, action: 'LONG' | 'SHORT' | 'EXIT') => {
    await setPrice(price)
    await test.send(symbol, action)
    test.processor.wake()
    await test.ended(++sent)
  }
  const paid = async () => {
    const rows = await test.database.db.select().from(payments).orderBy(payments.paidAt)
    return rows.map(({ paidAt, value }) => [paidAt.getTime(), Number(value)])
  }
  const position = async () =>
    (await test.database.db.select().from(positions).where(eq(positions.botId, test.botId)))[0]!
  return {
    ...{ test, own, node, follow, paid, position, told },
    async [Symbol.asyncDispose]() {
      await test.processor.stop()
      await close()
      await test[Symbol.asyncDispose]()
    },
  }
}

const nextHour = (ms: number) => Math.ceil((ms + 1) / hourMs) * hourMs

withDatabase('a paper position pays at the moments of its exchange, as in a backtest', async (database) => {
  await using bench = await openBench(database)
  await bench.follow('101.3', 'SHORT')
  const first = nextHour(Date.now())
  const moments = [
    { at: first, rate: '0.00031', price: '97.13' },
    { at: first + 8 * hourMs, rate: '-0.00012', price: '133.9' },
  ]
  // A day of rates from before the position, which it does not pay.
  const earlier = [3, 2, 1].map((n) => ({ time: first - n * 8 * hourMs, rate: 0.5 }))
  bench.own.rates = [...earlier, ...moments.map(({ at, rate }) => ({ time: at, rate: Number(rate) }))]
  bench.own.opens = new Map(moments.map(({ at, price }) => [at, Number(price)]))
  const [one, two] = [bench.node(), bench.node()]
  // The first rate is due, and its candle has not begun to say anything yet.
  await one.look(first + minuteMs / 2)
  assert.deepEqual(await bench.paid(), [])
  await Promise.all([one.look(first + 2 * minuteMs), two.look(first + 2 * minuteMs)])
  assert.equal((await bench.paid()).length, 1)
  // An hour without a node is caught up, by one that begins only then.
  const later = first + 20 * hourMs
  for (const node of [bench.node(), one, two]) await node.look(later)
  assert.deepEqual(
    (await bench.paid()).map(([at]) => at),
    moments.map(({ at }) => at),
  )
  await bench.follow('104.2', 'EXIT')

  const bot = new ReplayBot(
    futuresRules,
    { ...plainSettings, ...settings },
    {
      funding: moments.map(({ at: _at, ...of }, index) => ({
        ...of,
        at: minuteCandle(index + 1, { open: '1' }).openedAt,
      })),
    },
  )
  const steps = ['101.3', '97.13', '133.9', '104.2']
  for (const [index, open] of steps.entries()) {
    const candle = minuteCandle(index, { open })
    const action = index === 0 ? 'SHORT' : index === 3 ? 'EXIT' : undefined
    if (action !== undefined) bot.add({ action, at: candle.openedAt, options: {} })
    await bot.along(candle)
  }
  const books = await readBooks(bench.test.database, bench.test.botId)
  assert.deepEqual(
    books.payments,
    bot.payments.map(({ value }) => value),
  )
  const { realised, funding } = await bench.position()
  assert.equal(Number(realised), Number(bot.position.realised))
  const sum = bot.payments.reduce((all, { value }) => all.plus(value), decimal('0'))
  assert.ok(decimal(funding).eq(sum), `${funding} is not ${plain(sum)}`)
  // Nothing is held any more.
  await one.look(later + 40 * hourMs)
  assert.equal((await bench.paid()).length, 2)
})

withDatabase('a rate that stays unknown is told once, and booked when it is known', async (database) => {
  await using bench = await openBench(database)
  await bench.follow('100', 'LONG')
  const usual = (n: number) => Math.ceil(Date.now() / (8 * hourMs)) * 8 * hourMs + n * 8 * hourMs
  const at = usual(0)
  bench.own.opens = new Map([
    [at, 110],
    // A gap: the last close before the moment counts.
    [at + 8 * hourMs - 5 * minuteMs, 119],
  ])
  const node = bench.node()
  await node.look(at + 30 * minuteMs)
  assert.equal(bench.told.length, 0)
  for (const later of [70, 80, 90]) await node.look(at + later * minuteMs)
  await bench.node().look(at + 95 * minuteMs)
  assert.equal(bench.told.length, 1)
  assert.equal((await bench.position()).fundingUnknownAt!.getTime(), at)
  // The next one is known before it.
  const size = Number((await bench.position()).size)
  bench.own.rates = [{ time: at + 8 * hourMs, rate: 0.001 }]
  const value = (price: number) => -Number((size * price * 0.001).toFixed(9))
  await bench.node().look(at + 9 * hourMs)
  assert.deepEqual(await bench.paid(), [[at + 8 * hourMs, value(120)]])
  bench.own.rates.unshift({ time: at, rate: 0.001 })
  await bench.node().look(at + 10 * hourMs)
  assert.deepEqual(await bench.paid(), [
    [at, value(110)],
    [at + 8 * hourMs, value(120)],
  ])
})

withDatabase('a position that was closed before a moment pays nothing for it', async (database) => {
  await using bench = await openBench(database)
  await bench.follow('100', 'LONG')
  await bench.follow('100', 'EXIT')
  const first = nextHour(Date.now())
  const times = [-1, 0, 1].map((n) => first + n * hourMs)
  bench.own.rates = times.map((time) => ({ time, rate: 0.01 }))
  bench.own.opens = new Map(times.map((time) => [time, 110]))
  await bench.node().look(first + 3 * hourMs)
  assert.deepEqual(await bench.paid(), [])
  const { fundingUntil, updatedAt } = await bench.position()
  // All its moments are settled, so nobody looks at it any more.
  assert.ok(fundingUntil! > updatedAt)
  const { asked } = bench.own
  await bench.node().look(first + 4 * hourMs)
  assert.equal(bench.own.asked, asked)
})

withDatabase('an exchange that says nothing holds up no other', async (database) => {
  await using bench = await openBench(database)
  await bench.follow('100', 'LONG')
  const { db } = bench.test.database
  // The first one says nothing. Another bot has the same position at a second one.
  const [silent] = await db.select().from(bots)
  const copies = sql`jsonb_build_object('id', id + 1000, 'exchange_id', exchange_id + 1)`
  await db.execute(
    sql`insert into bots overriding system value select (jsonb_populate_record(bots, ${copies})).* from bots`,
  )
  const copied = sql`jsonb_build_object('bot_id', bot_id + 1000, 'funding_until', now())`
  await db.execute(
    sql`insert into positions overriding system value select (jsonb_populate_record(positions, ${copied})).* from positions`,
  )
  const at = nextHour(Date.now())
  bench.own.rates = [{ time: at, rate: 0.001 }]
  bench.own.opens = new Map([[at, 100]])
  const { promise, resolve } = Promise.withResolvers<void>()
  bench.own.silent = { exchange: `exchange ${silent!.exchangeId}`, until: promise }
  const node = bench.node()
  const look = node.look(at + 2 * minuteMs)
  await until('the payment at the other exchange', async () => (await bench.paid()).length === 1)
  resolve()
  await look
  assert.equal((await bench.paid()).length, 2)
})
