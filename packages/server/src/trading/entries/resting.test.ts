import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, PaperBench, plainSettings } from '../../../test/trading.ts'
import type { SignalEntry } from '../../db/schema.ts'
import { VenueUnreachable } from '../../market/price-source.ts'
import type { FollowSignal } from '../follow-signal.ts'
import { PaperVenue, type PriceRange } from '../paper-venue.ts'
import type { TradeSignal } from '../types.ts'
import { limitOf } from './plan.ts'

/** A bench whose signals are followed again, as a bot does. */
class EntryBench extends PaperBench {
  followAgain(signal: TradeSignal, changes: Partial<FollowSignal> = {}) {
    return this.follow(signal, {}, changes)
  }

  async orders() {
    return this.books.orders.map(({ size, limit, status, filledSize }) => [
      size,
      limit?.price,
      status,
      filledSize,
    ])
  }

  long(entry: SignalEntry): TradeSignal {
    return this.signal('LONG', { entry })
  }

  /** The venue of a new process. */
  restarted(rangeSince: () => Promise<PriceRange | null>): PaperVenue {
    return new PaperVenue({
      settings: this.settings,
      books: this.books,
      market: { rules: async () => futuresRules, price: async () => String(this.price), rangeSince },
      now: () => this.clock.now(),
    })
  }
}

test('a limit order rests, and is executed at its limit once the price has gone through it', async () => {
  const bench = new EntryBench({ settings: { feeRate: '0', slippageRate: '0.01' } })
  const signal = bench.long({ type: 'limit', price: '98' })
  const first = await bench.followAgain(signal)
  assert.equal(first.status, 'RESTING')
  assert.equal(first.status === 'RESTING' && first.until, noon + 300_000)
  // Sized for its limit, and at the limit itself others come first.
  bench.price = '98'
  assert.equal((await bench.followAgain(signal)).status, 'RESTING')
  assert.deepEqual(await bench.orders(), [['1.02', '98', 'OPEN', '0']])
  bench.price = '97.9'
  assert.deepEqual(await bench.followAgain(signal), { status: 'DONE', reason: null })
  const { side, size, entryPrice } = await bench.position()
  assert.deepEqual({ side, size, entryPrice }, { side: 'long', size: '1.02', entryPrice: '98' })
  assert.equal(bench.books.fills.length, 1)
})

test('an offset is measured from the price, on the better side', async () => {
  for (const [action, price] of [
    ['LONG', '99.5'],
    ['SHORT', '100.5'],
  ] as const) {
    const bench = new EntryBench({ settings: { entry: null } })
    await bench.follow(action, { entry: { type: 'limit', offset: '0.5%' } })
    assert.equal(bench.books.orders[0]!.limit!.price, price)
  }
})

test('a limit beyond the price is executed at once, never worse than the limit; post-only is refused', async () => {
  const bench = new EntryBench({ settings: { slippageRate: '0.05' } })
  assert.equal((await bench.followAgain(bench.long({ type: 'limit', price: '102' }))).status, 'DONE')
  assert.equal((await bench.position()).entryPrice, '102')
  const other = new EntryBench()
  const outcome = await other.followAgain(other.long({ type: 'post_only', price: '102' }))
  assert.equal(outcome.status, 'IGNORED')
  assert.match(String(outcome.reason), /post-only order at 102 would be executed at once \(post_only\)\.$/)
})

test('when its time is over it is cancelled, and the signal says that the limit was not reached', async () => {
  const bench = new EntryBench()
  const signal = bench.long({ type: 'limit', price: '98', timeout_seconds: 60 })
  await bench.followAgain(signal)
  bench.clock.moveTo(noon + 60_000)
  const outcome = await bench.followAgain(signal)
  assert.deepEqual(outcome, {
    status: 'IGNORED',
    reason: 'The limit of 98 was not reached within 60 s (timeout_seconds).',
  })
  assert.deepEqual(await bench.orders(), [['1.02', '98', 'CANCELED', '0']])
})

test('then the rest follows at market, unless the price is worse than max_slippage allows', async () => {
  for (const [price, status, size] of [
    ['98.9', 'DONE', '1.02'],
    ['99', 'REFUSED', '0'],
  ] as const) {
    const bench = new EntryBench()
    const entry = {
      type: 'limit',
      price: '98',
      timeout_seconds: 60,
      on_timeout: 'market',
      max_slippage: '1%',
    }
    const signal = bench.long(entry as SignalEntry)
    await bench.followAgain(signal)
    bench.price = price
    bench.clock.moveTo(noon + 60_000)
    assert.equal((await bench.followAgain(signal)).status, status)
    assert.equal((await bench.position()).size, size)
  }
})

test('a chase is priced again at most so often, each time for so long, and never beyond max_slippage', async () => {
  const bench = new EntryBench()
  const entry: SignalEntry = {
    type: 'limit',
    offset: '2%',
    timeout_seconds: 60,
    on_timeout: 'chase',
    chases: 2,
  }
  const signal = bench.long(entry)
  await bench.followAgain(signal)
  for (const [minutes, price] of [
    [1, '101'],
    [2, '102'],
  ] as const) {
    bench.clock.moveTo(noon + minutes * 60_000)
    bench.price = price
    assert.equal((await bench.followAgain(signal)).status, 'RESTING')
  }
  bench.clock.moveTo(noon + 180_000)
  assert.equal((await bench.followAgain(signal)).status, 'IGNORED')
  assert.deepEqual(
    bench.books.orders.map(({ clientOrderId, limit, status }) => [clientOrderId, limit?.price, status]),
    [
      ['tw-1-o', '98', 'CANCELED'],
      ['tw-1-o2', '101', 'CANCELED'],
      ['tw-1-o3', '102', 'CANCELED'],
    ],
  )
})

test('a halt and a newer signal cancel what rests, and nothing follows', async () => {
  for (const [changes, status] of [
    [{ whyHalted: () => 'Trading is halted.' }, 'REFUSED'],
    [{ whyCancelled: () => 'A newer signal came.' }, 'IGNORED'],
  ] as const) {
    const bench = new EntryBench()
    const signal = bench.long({ type: 'limit', price: '98', on_timeout: 'market', timeout_seconds: 60 })
    await bench.followAgain(signal)
    assert.equal((await bench.followAgain(signal, changes)).status, status)
    bench.clock.moveTo(noon + 60_000)
    assert.equal((await bench.followAgain(signal, changes)).status, status)
    assert.equal(bench.books.orders.length, 1)
  }
})

test('a limit of the bot that is reached meanwhile cancels what rests', async () => {
  const bench = new EntryBench({ settings: { maxDailyLoss: '10' } })
  const signal = bench.long({ type: 'limit', price: '98', on_timeout: 'market' })
  await bench.followAgain(signal)
  await bench.books.reachLimit({ at: noon, loss: '10' })
  assert.deepEqual(await bench.followAgain(signal), {
    status: 'REFUSED',
    reason: 'The bot places no new orders. It has reached its max_daily_loss today.',
  })
})

test('an order that the price has reached is not cancelled, but executed', async () => {
  const bench = new EntryBench()
  const signal = bench.long({ type: 'limit', price: '98' })
  await bench.followAgain(signal)
  bench.venue.note(futuresRules.symbol, '97')
  bench.clock.moveTo(noon + 300_000)
  assert.equal((await bench.followAgain(signal)).status, 'DONE')
})

test('money that an order may need is not free for others', async () => {
  const bench = new EntryBench({ settings: { startBalance: '150', feeRate: '0' } })
  await bench.followAgain(bench.long({ type: 'limit', price: '98' }))
  const other = { ...futuresRules, symbol: 'ETH/USDT:USDT' }
  bench.rates[other.symbol] = '100'
  const request = {
    symbol: other.symbol,
    side: 'buy',
    purpose: 'open',
    reduceOnly: false,
    size: '1',
  } as const
  const outcome = await bench.venue.place({ ...request, clientOrderId: 'other' })
  assert.match(outcome.status === 'refused' ? outcome.reason : '', /only 50\.04 USDT is free/)
})

test('after a restart, candles tell whether the limit was reached meanwhile, and the wait goes on', async () => {
  const bench = new EntryBench()
  const signal = bench.long({ type: 'limit', price: '98' })
  await bench.followAgain(signal)
  const quiet = bench.restarted(async () => ({ low: '98', high: '105' }))
  const still = await bench.followAgain(signal, { venue: quiet })
  assert.equal(still.status === 'RESTING' && still.until, noon + 300_000)
  const reached = bench.restarted(async () => ({ low: '97.5', high: '105' }))
  assert.equal((await bench.followAgain(signal, { venue: reached })).status, 'DONE')
  assert.equal((await bench.position()).entryPrice, '98')
})

test('while the candles cannot be read, nothing is decided; after a minute, only new prices count', async () => {
  const bench = new EntryBench()
  const signal = bench.long({ type: 'limit', price: '98' })
  await bench.followAgain(signal)
  const venue = bench.restarted(() => Promise.reject(new VenueUnreachable('away')))
  bench.price = '97'
  assert.equal((await bench.followAgain(signal, { venue })).status, 'RESTING')
  bench.clock.moveTo(noon + 61_000)
  assert.equal((await bench.followAgain(signal, { venue })).status, 'DONE')
})

test('a live bot refuses an entry with a limit where its venue takes none, and says why', async () => {
  const bench = new EntryBench()
  const { venue } = bench
  const live = { ...plainVenue(venue), kind: 'live' as const }
  const outcome = await bench.follow('LONG', { entry: { type: 'limit' } }, { venue: live })
  assert.equal(outcome.status, 'REFUSED')
  assert.match(String(outcome.reason), /places no orders with a limit \(limit, post_only\) at this exchange/)
  const able = { ...live, whyNoLimits: null }
  assert.equal((await bench.follow('LONG', { entry: { type: 'limit' } }, { venue: able })).status, 'RESTING')
  assert.equal((await bench.follow('LONG', { entry: { type: 'market' } }, { venue: live })).status, 'DONE')
})

function plainVenue(venue: PaperVenue) {
  return {
    rules: (symbol: string) => venue.rules(symbol),
    price: (symbol: string) => venue.price(symbol),
    place: (order: Parameters<PaperVenue['place']>[0]) => venue.place(order),
    lookUp: (order: Parameters<PaperVenue['lookUp']>[0]) => venue.lookUp(order),
    cancel: (order: Parameters<PaperVenue['cancel']>[0]) => venue.cancel(order),
  }
}

test('the bot decides how its signals enter, and a signal may say otherwise', async () => {
  const entry = {
    type: 'limit',
    offset: '1%',
    timeout_seconds: 60,
    on_timeout: 'cancel',
    chases: null,
  } as const
  const settings = { ...plainSettings, entry: { ...entry, max_slippage: null } }
  const bench = new EntryBench({ settings })
  assert.equal((await bench.follow('LONG')).status, 'RESTING')
  assert.equal((await bench.follow('SHORT', { entry: { type: 'market' } })).status, 'DONE')
})

test('a post-only order that does not rest follows at market, or is priced again at the price of its own side', async () => {
  const market = new EntryBench()
  const signal = market.long({ type: 'post_only', price: '102', on_timeout: 'market' })
  assert.deepEqual(await market.followAgain(signal), { status: 'DONE', reason: null })
  assert.deepEqual(
    market.books.orders.map(({ limit, status }) => [limit?.price, status]),
    [
      ['102', 'REJECTED'],
      [undefined, 'FILLED'],
    ],
  )
  const bench = new EntryBench({ rules: { ...futuresRules, priceStep: '0.5' } })
  let bid = '101.2'
  const best = async () => ({ bid, ask: '101.3' })
  const venue = { ...plainVenue(bench.venue), kind: 'paper' as const, bestPrices: best }
  const chased = bench.long({ type: 'post_only', price: '102.3', on_timeout: 'chase', chases: 3 })
  // It would be executed at once again and again, so it waits longer each time, and never more often than asked.
  const outcome = await bench.followAgain(chased, { venue })
  assert.equal(outcome.status, 'IGNORED')
  assert.deepEqual(
    bench.books.orders.map(({ limit, status }) => [limit?.price, status]),
    [['102', 'REJECTED'], ...Array.from({ length: 3 }, () => ['101', 'REJECTED'])],
  )
  assert.equal(bench.clock.now() - noon, 250 + 500 + 1_000)
  bid = '99.7'
  const rests = bench.long({ type: 'post_only', price: '102.3', on_timeout: 'chase' })
  const resting = await bench.followAgain(rests, { venue })
  assert.equal(resting.status === 'RESTING' && resting.order.limit?.price, '99.5')
  // Its time counts from the last order.
  assert.equal(resting.status === 'RESTING' && resting.until, bench.clock.now() + 300_000)
  // Without a price, the first order is at the best price of its side, too.
  const first = await bench.follow('LONG', { entry: { type: 'post_only' } }, { venue })
  assert.equal(first.status === 'RESTING' && first.order.limit?.price, '99.5')
})

test('a limit has a price that the market allows, on the better side', () => {
  const steps = { priceStep: '0.5' }
  for (const [side, price, limit] of [
    ['buy', '99.7', '99.5'],
    ['sell', '99.7', '100'],
    ['buy', '99.5', '99.5'],
  ] as const) {
    const asked = { type: 'limit', offset: null, price } as const
    assert.equal(limitOf(asked, side, '100', steps).price, limit)
    assert.equal(limitOf({ ...asked, price: null }, side, price, steps).price, limit)
  }
  assert.equal(limitOf({ type: 'limit', offset: null, price: '99.7' }, 'buy', '100').price, '99.7')
})

test('an order that ended without the bot is over, whatever its time, and nothing follows', async () => {
  const bench = new EntryBench()
  const signal = bench.long({ type: 'limit', price: '98', on_timeout: 'market', timeout_seconds: 60 })
  await bench.followAgain(signal)
  await bench.venue.cancel({ ...bench.books.orders[0]!, isKnown: true })
  bench.clock.moveTo(noon + 60_000)
  assert.deepEqual(await bench.followAgain(signal), {
    status: 'IGNORED',
    reason: 'The order was cancelled at the exchange, and not by the bot.',
  })
  assert.equal(bench.books.orders.length, 1)
  // A process that stopped after it had begun to cancel it knows that it was the bot.
  const other = bench.long({ type: 'limit', price: '98', on_timeout: 'market', timeout_seconds: 60 })
  await bench.followAgain(other)
  bench.clock.moveTo(noon + 120_000)
  const stop = new AbortController()
  const dying = { ...plainVenue(bench.venue), kind: 'paper', cancel: async () => stop.abort() } as const
  await assert.rejects(bench.followAgain(other, { venue: dying, stop: stop.signal }))
  await bench.venue.cancel({ ...bench.books.orders[1]!, isKnown: true })
  assert.equal((await bench.followAgain(other)).status, 'DONE')
})
