/** Closes that the exchange does not execute: they stay wanted until the position is flat. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followToTheEnd } from '../../test/follow-to-the-end.ts'
import { futuresRules, noon, plainSettings, spotRules } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { type FollowSignal, followSignal } from './follow-signal.ts'
import { MemoryBooks } from './memory-books.ts'
import { type Action, PlanRefused } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

const { symbol } = futuresRules

/** A bot with a long position of 1 BTC. After the given fates, every order is executed. */
async function heldLong(rules = futuresRules) {
  const clock = new VirtualClock(noon)
  const venue = new UnreliableVenue(clock, rules)
  const books = new MemoryBooks()
  const fates: Fate[] = []
  venue.fateOf = () => fates.shift() ?? 'whole'
  let signals = 0
  const inputOf = (action: Action, changes: Partial<FollowSignal> = {}): FollowSignal => ({
    signal: { botSignalId: ++signals, action, symbol: 'BTC', price: null, options: {}, at: clock.now() },
    settings: plainSettings,
    venue,
    books,
    clock,
    whyHalted: () => null,
    stop: new AbortController().signal,
    ...changes,
  })
  await followSignal(inputOf('LONG'))
  const position = () => books.position(rules.symbol)
  /** As books do when a position is closed at the exchange. */
  const closeOutside = async (size = '1') => {
    const order = { symbol: rules.symbol, side: 'sell', purpose: 'close', reduceOnly: true, size } as const
    await books.plan(1_000, { ...order, clientOrderId: 'outside' })
    const trade = { tradeId: '1', size, price: '90', fee: '0', feeAsset: 'USDT', filledAt: clock.now() }
    const report = { exchangeOrderId: 'x', status: 'FILLED' as const, executions: [trade], reason: null }
    await books.report('outside', report, { base: 'BTC', quote: 'USDT', service: 'futures', feeRates: {} })
  }
  const becomes = (...next: Fate[]) => fates.push(...next)
  return { clock, venue, books, inputOf, position, closeOutside, becomes }
}

const times = (count: number, fate: Fate) => Array.from({ length: count }, () => fate)

test('a close that is refused fifty times is tried again with a backoff, until the position is flat', async () => {
  for (const action of ['EXIT', 'SHORT'] as const) {
    const { clock, books, becomes, inputOf, position } = await heldLong()
    becomes(...times(50, 'refused'))
    const seen: number[] = []
    const input = inputOf(action, { timeouts: {} })
    const end = await followToTheEnd(input, ({ refusals }) => seen.push(refusals))
    assert.deepEqual(end, { status: 'DONE', reason: null })
    assert.equal((await position()).side, action === 'EXIT' ? null : 'short')
    assert.deepEqual(
      seen,
      Array.from({ length: 50 }, (_, index) => index + 1),
    )

    const closes = books.orders.filter(({ purpose }) => purpose === 'close')
    assert.equal(closes.at(-1)!.clientOrderId, 'tw-2-c51')
    const pauses = closes
      .slice(1)
      .map((close, index) => (close.plannedAt! - closes[index]!.plannedAt!) / 1_000)
    assert.deepEqual(pauses.slice(0, 7), [1, 2, 5, 10, 30, 60, 60])
    // From ten minutes after the first refusal on.
    assert.deepEqual(new Set(pauses.slice(16)), new Set([120]))
    assert.equal(clock.now(), closes.at(-1)!.plannedAt)
  }
})

test('a close is tried again although the clock was set back by an hour', async () => {
  const { clock, becomes, inputOf, position } = await heldLong()
  becomes('refused')
  let backMs = 0
  const shifted = { now: () => clock.now() - backMs, sleep: clock.sleep.bind(clock) }
  const input = inputOf('EXIT', { clock: shifted })
  const statusNow = async () => (await followSignal(input)).status
  assert.equal(await statusNow(), 'CLOSING')
  // Less than a pause.
  backMs = 30_000
  assert.equal(await statusNow(), 'CLOSING')
  backMs = 3_600_000
  assert.equal(await statusNow(), 'DONE')
  assert.equal((await position()).side, null)
})

test('a flip whose signal has become too old meanwhile closes and does not open', async () => {
  const { becomes, inputOf, position } = await heldLong()
  becomes(...times(10, 'refused'))
  const settings = { ...plainSettings, maxSignalAgeSeconds: 60 }
  const end = await followToTheEnd(inputOf('SHORT', { settings }))
  assert.equal(end.status, 'REFUSED')
  assert.match(end.reason!, /^The position was closed, but no new one was opened\. The signal is \d+ s old/)
  assert.equal((await position()).side, null)
})

test('refused, rejected, cancelled, ended early, lost, busy: whatever happens to a close, it stays wanted', async () => {
  const { becomes, inputOf, position, venue, books } = await heldLong()
  becomes('refused', 'rejected', 'part', 'stuck', 'lost', 'lost', 'lost', ...times(40, 'busy'), 'unanswered')
  const end = await followToTheEnd(inputOf('EXIT'))
  assert.deepEqual(end, { status: 'DONE', reason: null })
  assert.equal((await position()).side, null)
  assert.equal(venue.holding(), '0')
  const rejected = books.orders.filter(({ status }) => status === 'REJECTED')
  assert.ok(rejected.some(({ reason }) => reason?.includes('The bot tried for 120 s')))
})

test('a position that was closed outside ends the close as DONE, and a flip opens', async () => {
  const bench = await heldLong()
  bench.becomes('refused')
  const asked: string[] = []
  const reconcile = async (name: string) => {
    asked.push(name)
    await bench.closeOutside()
  }
  assert.deepEqual(await followSignal(bench.inputOf('EXIT', { reconcile })), {
    status: 'DONE',
    reason:
      'Something else closed the position in BTC/USDT:USDT, such as a target, or somebody at the exchange.',
  })
  assert.deepEqual(asked, [symbol])
  assert.equal(bench.venue.sent.length, 2)

  const flip = await heldLong()
  flip.becomes('part', 'part', 'refused')
  const rest = () => flip.closeOutside('0.998')
  assert.deepEqual(await followSignal(flip.inputOf('SHORT', { reconcile: rest })), {
    status: 'DONE',
    reason: null,
  })
  assert.deepEqual([(await flip.position()).side, (await flip.position()).size], ['short', '1'])
})

test('a position that was reduced outside is closed as far as it is there', async () => {
  const { becomes, inputOf, closeOutside, books, position } = await heldLong()
  becomes('refused')
  let isOpen = true
  const reconcile = async () => {
    if (isOpen) await closeOutside('0.4')
    isOpen = false
  }
  const end = await followToTheEnd(inputOf('EXIT', { reconcile }))
  assert.deepEqual(end, {
    status: 'DONE',
    reason:
      'Something else closed the position in BTC/USDT:USDT, such as a target, or somebody at the exchange. This signal closed 0.6 of 1 BTC.',
  })
  assert.equal(books.orders.at(-1)!.size, '0.6')
  assert.equal((await position()).side, null)
})

test('the books are compared with the account after each refusal, and again before a late retry', async () => {
  const { becomes, inputOf, clock } = await heldLong()
  becomes(...times(8, 'refused'))
  const at: number[] = []
  const reconcile = async () => {
    at.push((clock.now() - noon) / 1_000)
  }
  await followToTheEnd(inputOf('EXIT', { reconcile }))
  assert.deepEqual(at, [0, 1, 3, 8, 18, 48, 108, 108, 168, 168, 228])
})

test('while trading is halted, a close waits, and proceeds when it is followed again', async () => {
  const { becomes, inputOf, venue, position } = await heldLong()
  const input = inputOf('EXIT')
  const halted = { ...input, whyHalted: () => 'Trading is halted.' }
  assert.equal((await followSignal(halted)).status, 'WAITING')
  assert.equal(venue.sent.length, 1)
  becomes('refused')
  assert.equal((await followSignal(input)).status, 'CLOSING')
  assert.equal((await followToTheEnd(halted)).status, 'WAITING')
  assert.deepEqual(await followToTheEnd(input), { status: 'DONE', reason: null })
  assert.equal((await position()).side, null)
})

test('while trading is halted, a flip is refused, but a flip whose close is wanted already waits', async () => {
  const { becomes, inputOf, position } = await heldLong()
  assert.equal(
    (await followSignal(inputOf('SHORT', { whyHalted: () => 'Trading is halted.' }))).status,
    'REFUSED',
  )
  becomes('refused')
  const flip = inputOf('SHORT')
  assert.equal((await followSignal(flip)).status, 'CLOSING')
  assert.equal((await followToTheEnd({ ...flip, whyHalted: () => 'Trading is halted.' })).status, 'WAITING')
  assert.deepEqual(await followToTheEnd(flip), { status: 'DONE', reason: null })
  assert.equal((await position()).side, 'short')
})

test('a halt between the plan of a close and its sending lets the close wait', async () => {
  const { inputOf, books } = await heldLong()
  const input = inputOf('EXIT', { whyHalted: () => (books.orders.length > 1 ? 'Trading is halted.' : null) })
  assert.equal((await followSignal(input)).status, 'WAITING')
  assert.equal(books.orders.at(-1)!.status, 'REJECTED')
  assert.deepEqual(await followToTheEnd({ ...input, whyHalted: () => null }), {
    status: 'DONE',
    reason: null,
  })
})

test('on spot, a SHORT only closes, so it waits while trading is halted, like an EXIT', async () => {
  const { inputOf } = await heldLong(spotRules)
  assert.equal(
    (await followSignal(inputOf('SHORT', { whyHalted: () => 'Trading is halted.' }))).status,
    'WAITING',
  )
})

test('an EXIT stays wanted while the exchange cannot be reached, and an opening fails', async () => {
  const { inputOf, venue, position } = await heldLong()
  let isAway = true
  const rules = venue.rules.bind(venue)
  venue.rules = async () => {
    if (isAway) throw new VenueUnreachable('Nobody is there.')
    return rules()
  }
  assert.deepEqual(await followSignal(inputOf('SHORT')), { status: 'FAILED', reason: 'Nobody is there.' })
  const seen: string[] = []
  const end = await followToTheEnd(inputOf('EXIT'), ({ reason }) => {
    seen.push(reason)
    isAway = seen.length < 5
  })
  assert.deepEqual(new Set(seen), new Set(['Nobody is there.']))
  assert.deepEqual(end, { status: 'DONE', reason: null })
  assert.equal((await position()).side, null)
})

test('a close that is wanted waits while trading is halted, even if the exchange cannot be reached', async () => {
  const { becomes, inputOf, venue } = await heldLong()
  becomes('refused')
  const input = inputOf('EXIT')
  assert.equal((await followSignal(input)).status, 'CLOSING')
  venue.rules = async () => {
    throw new VenueUnreachable('Nobody is there.')
  }
  assert.equal((await followSignal(input)).status, 'CLOSING')
  assert.equal((await followSignal({ ...input, whyHalted: () => 'Trading is halted.' })).status, 'WAITING')
})

test('a close in a market that is no longer listed stays wanted, under the name in the books only', async () => {
  const { inputOf, venue } = await heldLong()
  venue.rules = async () => {
    throw new NoSuchMarket('There is no such market.')
  }
  const unknown = await followSignal(inputOf('EXIT'))
  assert.deepEqual(unknown, { status: 'REFUSED', reason: 'There is no such market.' })
  const input = inputOf('EXIT')
  const outcome = await followSignal({ ...input, signal: { ...input.signal, symbol } })
  assert.equal(outcome.status, 'CLOSING')
})

test('an opening that the books do not plan is refused with their reason', async () => {
  const { inputOf, books, venue } = await heldLong()
  const plan = books.plan.bind(books)
  books.plan = async (id, order) => {
    if (order.purpose === 'open') throw new PlanRefused('The bot was switched off meanwhile.')
    return plan(id, order)
  }
  assert.deepEqual(await followSignal(inputOf('SHORT')), {
    status: 'REFUSED',
    reason: 'The position was closed, but no new one was opened. The bot was switched off meanwhile.',
  })
  assert.deepEqual(venue.arrivals, ['tw-1-o', 'tw-2-c'])
})

test('an obstacle of the books refuses openings and no closes', async () => {
  const { inputOf, books } = await heldLong()
  const asked: string[] = []
  const differing = Object.assign(books, {
    openingObstacle: async (name: string) => {
      asked.push(name)
      return 'The books and the account differ.'
    },
  })
  const outcome = await followSignal(inputOf('SHORT', { books: differing }))
  assert.equal(outcome.status, 'REFUSED')
  assert.match(
    outcome.reason!,
    /^The position was closed, but no new one was opened\. The books and the account differ/,
  )
  assert.deepEqual(asked, [symbol])
})

test('a close on spot asks for the free balance only if the account may lack coins, and then sells no more than that', async () => {
  const { books, inputOf, becomes, position } = await heldLong(spotRules)
  let asked = 0
  const freeOf = async () => {
    asked++
    return '0.4009'
  }
  const half = inputOf('EXIT', { freeOf })
  half.signal.options = { size: 0.1, forceSize: true }
  assert.deepEqual(await followSignal(half), { status: 'DONE', reason: null })
  assert.equal(asked, 0)
  // From here on, the books hold 0.9 BTC. The exchange refuses to sell that.
  becomes('refused')
  const input = inputOf('EXIT', { freeOf })
  assert.equal((await followSignal(input)).status, 'CLOSING')
  assert.equal(asked, 0)
  await input.clock.sleep(60_000)
  assert.equal((await followSignal(input)).status, 'DONE')
  assert.equal(asked, 1)
  assert.equal((await position()).side, null)
  assert.deepEqual(
    (await books.ordersOf(input.signal.botSignalId)).map(({ size }) => size),
    ['0.9', '0.4', '0.5'],
  )
})
