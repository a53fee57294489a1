import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { openProcessor, promptVenue, type TestProcessor } from '../../test/signal-processor.ts'
import { plainSettings } from '../../test/trading.ts'
import { until } from '../../test/until.ts'
import { bots, orders, positions } from '../db/schema.ts'
import { type PaperMarket, PaperVenue } from '../trading/paper-venue.ts'
import { RestingPace } from './resting.ts'
import { SignalProcessor } from './signal-processor.ts'

/** A market in which every symbol has the same price. */
class OnePrice {
  #price = '100'
  #followers = new Set<(price: string) => void>()

  /** The venue of a new process. */
  venue(bench: () => TestProcessor, rangeSince?: PaperMarket['rangeSince']): PaperVenue {
    const { rules } = promptVenue().venue
    const { parts, botId, userId } = bench()
    const settings = { ...plainSettings, startBalance: '10000' }
    const bot = { id: botId, userId, exchangeId: 2, settings } as never
    return new PaperVenue({
      settings,
      books: parts.openBooks(bot),
      market: {
        rules,
        price: async () => this.#price,
        follow: (_, onPrice) => {
          this.#followers.add(onPrice)
          return () => this.#followers.delete(onPrice)
        },
        ...(rangeSince && { rangeSince }),
      },
      now: Date.now,
    })
  }

  get followers(): number {
    return this.#followers.size
  }

  /** The price is there for a moment only. */
  flash(price: string): void {
    for (const follower of this.#followers) follower(price)
  }
}

async function open(place: Parameters<typeof openProcessor>[0]) {
  const market = new OnePrice()
  let venue: PaperVenue | undefined
  const bench: TestProcessor = await openProcessor(place, {
    mode: 'paper',
    parts: {
      openVenue: async () => {
        venue ??= market.venue(() => bench)
        return venue
      },
      // Longer than the test: only a signal whose opening rests lets others begin before it has ended.
      orderTimeoutMs: 600_000,
    },
  })
  const { db } = bench.database
  const order = async (symbol: string) =>
    (await db.select().from(orders).where(eq(orders.symbol, symbol)).orderBy(orders.id)).at(-1)
  const rests = (symbol: string) =>
    until('the order to rest', async () => (await order(symbol))?.status === 'OPEN')
  return { ...bench, market, order, rests, all: bench }
}

test('the more openings rest, the less often an exchange is asked about each, five times a second for all of them', () => {
  const pace = new RestingPace()
  using all = new DisposableStack()
  const paper = all.use(pace.begin('paper'))
  const [first] = Array.from({ length: 10 }, () => all.use(pace.begin('live')))
  assert.deepEqual([paper.pauseMs(), first!.pauseMs()], [2_000, 2_000])
  const more = Array.from({ length: 90 }, () => pace.begin('live'))
  assert.equal(first!.pauseMs(), 20_000)
  for (const one of more) one[Symbol.dispose]()
  assert.equal(first!.pauseMs(), 2_000)
})

const limit = (price: string) => ({ entry: { type: 'limit', price } })

withDatabase(
  'an opening rests until a price goes through its limit, and no other symbol waits for it',
  async (place) => {
    const bench = await open(place)
    await using _ = bench.all
    await bench.send('BTCUSDT', 'LONG', limit('98'))
    bench.processor.wake()
    await bench.rests('BTC/USDT:USDT')
    await bench.send('ETHUSDT', 'LONG')
    bench.processor.wake()
    await until('the other symbol', async () => (await bench.order('ETH/USDT:USDT'))?.status === 'FILLED')
    bench.market.flash('97.5')
    assert.deepEqual(await bench.ended(2), ['BTCUSDT DONE', 'ETHUSDT DONE'])
    const order = await bench.order('BTC/USDT:USDT')
    assert.deepEqual([order!.type, order!.limitPrice, order!.averagePrice], ['limit', '98', '98'])
    assert.equal(bench.market.followers, 0)
  },
)

withDatabase('a newer exit cancels what rests, and so does switching the bot off', async (place) => {
  const bench = await open(place)
  await using _ = bench.all
  await bench.send('BTCUSDT', 'LONG', limit('98'))
  bench.processor.wake()
  await bench.rests('BTC/USDT:USDT')
  await bench.send('BTCUSDT', 'EXIT')
  bench.processor.wake()
  assert.deepEqual(await bench.ended(2), ['BTCUSDT IGNORED', 'BTCUSDT IGNORED'])
  assert.equal((await bench.order('BTC/USDT:USDT'))!.status, 'CANCELED')
  assert.match(
    String((await bench.rows())[0]!.reason),
    /^A newer signal of the symbol cancelled the order: \d+ /,
  )
  await bench.send('BTCUSDT', 'LONG', limit('98'))
  bench.processor.wake()
  await bench.rests('BTC/USDT:USDT')
  await bench.database.db.update(bots).set({ status: 'INACTIVE' })
  assert.equal((await bench.ended(3)).at(-1), 'BTCUSDT REFUSED')
  assert.equal((await bench.order('BTC/USDT:USDT'))!.status, 'CANCELED')
})

withDatabase('a restart goes on with the wait, and counts the prices that nobody saw', async (place) => {
  const bench = await open(place)
  await using _ = bench.all
  await bench.send('BTCUSDT', 'LONG', limit('98'))
  bench.processor.wake()
  await bench.rests('BTC/USDT:USDT')
  await bench.processor.stop()
  const next = async (low: string) => {
    const venue = bench.market.venue(
      () => bench.all,
      async () => ({ low, high: '101' }),
    )
    const processor = new SignalProcessor(bench.botId, { ...bench.parts, openVenue: async () => venue })
    processor.wake()
    return { processor, venue }
  }
  const still = await next('98')
  await until('the new process to follow the price', async () => bench.market.followers === 2)
  assert.equal((await bench.order('BTC/USDT:USDT'))!.status, 'OPEN')
  await still.processor.stop()
  const { processor } = await next('97')
  assert.deepEqual(await bench.ended(1), ['BTCUSDT DONE'])
  await processor.stop()
  const held = await bench.database.db.select().from(positions)
  assert.deepEqual(
    held.map(({ side, entryPrice }) => [side, entryPrice]),
    [['long', '98']],
  )
})
