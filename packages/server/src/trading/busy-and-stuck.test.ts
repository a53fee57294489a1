/** Exchanges that accept no orders for a while, and orders that stay open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, plainSettings } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { type FollowSignal, followSignal } from './follow-signal.ts'
import { MemoryBooks } from './memory-books.ts'
import type { Action, OrderRequest } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A venue that counts cancellations. */
class CancelCounting extends UnreliableVenue {
  cancelled = 0
  override async cancel(order: OrderRequest): Promise<void> {
    this.cancelled++
    await super.cancel(order)
  }
}

function bench() {
  const clock = new VirtualClock(noon)
  const venue = new CancelCounting(clock, futuresRules)
  const books = new MemoryBooks()
  let signals = 0
  const follow = (action: Action, changes: Partial<FollowSignal> = {}) =>
    followSignal({
      signal: { botSignalId: ++signals, action, symbol: 'BTC', price: null, options: {}, at: clock.now() },
      settings: plainSettings,
      venue,
      books,
      clock,
      whyHalted: () => null,
      stop: new AbortController().signal,
      ...changes,
    })
  const becomes = (...fates: Fate[]) => {
    venue.fateOf = () => fates.shift() ?? 'whole'
  }
  return { clock, venue, books, follow, becomes }
}

const untaken: Fate[] = Array.from({ length: 5 }, () => 'busy')

test('an order that was certainly not accepted is sent again under the same id, and exists once', async () => {
  const { venue, books, follow, becomes } = bench()
  becomes(...untaken)
  assert.deepEqual(await follow('LONG'), { status: 'DONE', reason: null })
  becomes(...untaken)
  assert.deepEqual(await follow('EXIT'), { status: 'DONE', reason: null })
  assert.deepEqual(venue.sent, ['tw-1-o', 'tw-2-c'])
  assert.equal((await books.position(futuresRules.symbol)).side, null)
})

test('an opening is retried until its signal is too old, a close for two minutes', async () => {
  const { venue, clock, books, follow } = bench()
  await follow('LONG')
  venue.fateOf = () => 'busy'
  const opening = await follow('LONG', {
    signal: { botSignalId: 7, action: 'SHORT', symbol: 'BTC', price: null, options: {}, at: clock.now() },
    settings: { ...plainSettings, maxSignalAgeSeconds: 20 },
    books: new MemoryBooks(),
  })
  assert.equal(opening.status, 'FAILED')
  assert.match(opening.reason ?? '', /asks for fewer requests\. The signal is \d+ s old/)
  const before = clock.now()
  const exit = await follow('EXIT')
  assert.equal(exit.status, 'CLOSING')
  assert.match(exit.reason ?? '', /asks for fewer requests\. The bot tried for 120 s/)
  const triedMs = clock.now() - before
  assert.ok(triedMs > 80_000 && triedMs <= 120_000, `${triedMs} ms`)
  assert.equal((await books.position(futuresRules.symbol)).side, 'long')
  venue.fateOf = () => 'whole'
  assert.equal((await follow('EXIT')).status, 'DONE')
})

test('the kill switch ends the retries at a busy exchange', async () => {
  const { venue, follow } = bench()
  let asked = 0
  venue.fateOf = () => {
    asked++
    return 'busy'
  }
  const outcome = await follow('LONG', { whyHalted: () => (asked > 2 ? 'Trading is halted.' : null) })
  assert.equal(outcome.status, 'FAILED')
  assert.match(outcome.reason ?? '', /The bot places no new orders/)
  assert.deepEqual([asked, venue.sent], [3, []])
})

test('the bot respects the retry time that the exchange gives', async () => {
  const { venue, clock, follow } = bench()
  const times: number[] = []
  venue.place = async () => {
    times.push(clock.now())
    return { status: 'busy', reason: 'The exchange asks for fewer requests.', retryAfterMs: 45_000 }
  }
  assert.equal((await follow('LONG')).status, 'FAILED')
  assert.deepEqual(
    times.map((at) => at - times[0]!),
    [0, 45_000, 90_000],
  )
})

test('an order that stays open is cancelled after a minute, and its executed part is booked', async () => {
  const { venue, clock, books, follow, becomes } = bench()
  becomes('stuck')
  const before = clock.now()
  const opened = await follow('LONG')
  assert.equal(opened.status, 'DONE')
  assert.match(opened.reason ?? '', /Only 0\.001 of 1 BTC was executed/)
  const waitedMs = clock.now() - before
  assert.ok(waitedMs >= 60_000 && waitedMs < 200_000, `${waitedMs} ms`)
  assert.equal(venue.cancelled, 1)
  assert.equal((await books.position(futuresRules.symbol)).size, '0.001')
  assert.equal(venue.holding(), '0.001')
})

test('after a lost answer to a cancellation, the order is looked up and, if still open, cancelled again', async () => {
  const { venue, books, follow, becomes } = bench()
  becomes('stuck')
  let lost = 2
  const cancel = venue.cancel.bind(venue)
  venue.cancel = async (order) => {
    if (lost-- > 0) throw new Error('socket hang up')
    await cancel(order)
  }
  assert.equal((await follow('LONG')).status, 'DONE')
  assert.equal((await books.position(futuresRules.symbol)).size, venue.holding())
})

test('an order that is executed in parts over minutes is not cancelled', async () => {
  const { venue, books, clock, follow } = bench()
  const startedAt = clock.now()
  becomesSlow(venue, () => Math.floor((clock.now() - startedAt) / 40_000))
  assert.deepEqual(await follow('LONG'), { status: 'DONE', reason: null })
  assert.equal(venue.cancelled, 0)
  assert.ok(clock.now() - startedAt >= 400_000)
  assert.equal((await books.position(futuresRules.symbol)).size, '1')
})

test('an opening that is open is looked at often, for its stop, and a newer signal cancels its rest', async () => {
  const { venue, clock, books, follow, becomes } = bench()
  becomes('stuck')
  const startedAt = clock.now()
  const protectedAt: number[] = []
  const outcome = await follow('LONG', {
    whyCancelled: () => (clock.now() - startedAt >= 55_000 ? 'A newer signal came.' : null),
    protectPart: async () => void protectedAt.push(clock.now() - startedAt),
  })
  assert.equal(outcome.status, 'DONE')
  assert.match(outcome.reason ?? '', /Only 0\.001 of 1 BTC was executed/)
  assert.ok(clock.now() - startedAt < 60_000)
  assert.equal(venue.cancelled, 1)
  assert.equal((await books.position(futuresRules.symbol)).size, venue.holding())
  const pauses = protectedAt.map((at, index) => at - (protectedAt[index - 1] ?? 0))
  assert.ok(pauses.length > 20 && pauses[0]! >= 1_000 && Math.max(...pauses) <= 2_000, `${pauses}`)
})

test('a newer signal cancels no opening of which nothing is known to be executed', async () => {
  const { venue, clock, follow } = bench()
  const startedAt = clock.now()
  becomesSlow(venue, () => (clock.now() - startedAt < 10_000 ? 0 : 10))
  const whyCancelled = () => 'A newer signal came.'
  assert.deepEqual(await follow('LONG', { whyCancelled }), { status: 'DONE', reason: null })
  assert.equal(venue.cancelled, 0)
})

/** A report of an order of size 1 that is executed in ten parts. @param done the number of executed parts */
function becomesSlow(venue: UnreliableVenue, done: () => number): void {
  const report = () => ({
    exchangeOrderId: '1',
    status: done() >= 10 ? ('FILLED' as const) : ('OPEN' as const),
    executions: Array.from({ length: Math.min(10, done()) }, (_, i) => ({
      tradeId: String(i),
      size: '0.1',
      price: '100',
      fee: '0',
      feeAsset: 'USDT',
      filledAt: noon + i,
    })),
    reason: null,
  })
  venue.place = async () => ({ status: 'placed', report: report() })
  venue.lookUp = async () => ({ status: 'found', report: report() })
}

test('the size of a signal is the decimal number that its sender wrote', async () => {
  for (const [payload, size] of [
    ['{"size": 0.1}', '0.1'],
    ['{"size": 1e-7}', '0.0000001'],
    ['{"size": 123456789.12345678}', '123456789.12345678'],
    ['{"size": 0.30000000000000004}', '0.30000000000000004'],
    ['{"size": 1000000000000000000}', '1000000000000000000'],
  ]) {
    const { venue, books, follow } = bench()
    venue.marketRules = { ...futuresRules, sizeStep: '0.00000000000000001', minSize: '0', minNotional: '0' }
    venue.currentPrice = '1'
    const options = JSON.parse(payload!)
    const signal = { botSignalId: 1, action: 'LONG', symbol: 'BTC', price: null, options, at: noon } as const
    assert.equal((await follow('LONG', { signal })).status, 'DONE')
    assert.equal(books.orders[0]?.size, size)
  }
})
