import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, PaperBench, plainSettings, spotRules } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { type FollowSignal, followSignal } from './follow-signal.ts'
import { MemoryBooks } from './memory-books.ts'
import type { OrderRequest, TradeSignal } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A bot on an exchange whose orders meet the given fates. After these, every order is executed. */
function unreliable(...fates: Fate[]) {
  const clock = new VirtualClock(noon)
  const venue = new UnreliableVenue(clock, futuresRules)
  const books = new MemoryBooks()
  venue.fateOf = () => fates.shift() ?? 'whole'
  let signals = 0
  const signalOf = (action: TradeSignal['action'], options = {}): TradeSignal => {
    return { botSignalId: ++signals, action, symbol: 'BTCUSDT', price: null, options, at: clock.now() }
  }
  const follow = (signal: TradeSignal, changes: Partial<FollowSignal> = {}) =>
    followSignal({
      signal,
      settings: plainSettings,
      venue,
      books,
      clock,
      whyHalted: () => null,
      stop: new AbortController().signal,
      ...changes,
    })
  const statuses = () => books.orders.map(({ clientOrderId, status }) => `${clientOrderId} ${status}`)
  return { clock, venue, books, fates, signalOf, follow, statuses }
}

test('a signal opens, the opposite signal closes and then opens, and an exit closes', async () => {
  const bench = new PaperBench({ settings: { feeRate: '0.001', slippageRate: '0.01' } })
  assert.deepEqual(await bench.follow('LONG'), { status: 'DONE', reason: null })
  assert.equal((await bench.position()).entryPrice, '101')
  assert.deepEqual(await bench.follow('SHORT'), { status: 'DONE', reason: null })
  assert.equal((await bench.position()).side, 'short')
  assert.deepEqual(await bench.follow('EXIT'), { status: 'DONE', reason: null })
  assert.equal((await bench.position()).side, null)
  assert.deepEqual(
    bench.books.orders.map(({ clientOrderId, side, reduceOnly }) => [clientOrderId, side, reduceOnly]),
    [
      ['tw-1-o', 'buy', false],
      ['tw-2-c', 'sell', true],
      ['tw-2-o', 'sell', false],
      ['tw-3-c', 'buy', true],
    ],
  )
})

test('while nobody knows what became of a stop, an opening is refused, and a close that would sell its coins waits', async () => {
  const bench = new PaperBench()
  const reason = 'The exchange has not said what became of the stop.'
  let isSettled = false
  const settleLegs: FollowSignal['settleLegs'] = async () => (isSettled ? 'settled' : { reason })
  const opening = await bench.follow('LONG', {}, { settleLegs })
  assert.deepEqual(opening, { status: 'REFUSED', reason })
  await bench.follow('LONG')
  const exit = bench.signal('EXIT')
  const waiting = await bench.follow(exit, {}, { settleLegs })
  assert.ok(waiting.status === 'CLOSING')
  assert.deepEqual([waiting.reason, waiting.attempts, waiting.refusals], [reason, 1, 0])
  assert.equal(bench.books.orders.length, 1)
  isSettled = true
  assert.equal((await bench.follow(exit, {}, { settleLegs })).status, 'DONE')
  assert.equal((await bench.position()).side, null)
})

test('following a signal again does nothing and returns the same outcome', async () => {
  const bench = new PaperBench()
  await bench.follow('LONG')
  const flip = bench.signal('SHORT')
  const first = await bench.follow(flip)
  const { length } = bench.books.fills
  assert.deepEqual(await bench.follow(flip), first)
  assert.equal(bench.books.fills.length, length)
})

test('all spellings of a symbol are one position, with the name of the venue', async () => {
  const { follow, signalOf, books } = unreliable()
  await follow(signalOf('LONG'))
  const again = { ...signalOf('LONG'), symbol: 'btc-usdt' }
  assert.equal((await follow(again)).status, 'IGNORED')
  assert.deepEqual(new Set(books.orders.map(({ symbol }) => symbol)), new Set(['BTC/USDT:USDT']))
})

test('client order ids are short and have the prefix of the installation', async () => {
  const { follow, books, signalOf } = unreliable()
  const signal = { ...signalOf('LONG'), botSignalId: Number.MAX_SAFE_INTEGER }
  await follow(signal, { orderPrefix: 'tw-a1b2c3d' })
  const { clientOrderId } = books.orders[0]!
  assert.equal(clientOrderId, 'tw-a1b2c3d-9007199254740991-o')
  assert.match(clientOrderId, /^[A-Za-z0-9-]{1,32}$/)
})

test('after a lost answer, the order is looked up and not sent again', async () => {
  for (const fate of ['unanswered', 'thrown', 'late'] as const) {
    const { follow, signalOf, venue, statuses, books } = unreliable(fate)
    venue.isHidden = () => true
    assert.deepEqual(await follow(signalOf('LONG')), { status: 'DONE', reason: null })
    assert.deepEqual(venue.sent, ['tw-1-o'])
    assert.deepEqual(statuses(), ['tw-1-o FILLED'])
    assert.equal((await books.position('BTC/USDT:USDT')).size, '1')
  }
})

test('the bot gives up an opening that never arrived, after at least ten seconds of look-ups', async () => {
  const { follow, signalOf, venue, statuses, clock } = unreliable('lost')
  const outcome = await follow(signalOf('LONG'))
  assert.equal(outcome.status, 'FAILED')
  assert.match(outcome.reason!, /never arrived/)
  assert.ok(clock.now() - noon >= 10_000 && clock.now() - noon < 20_000)
  assert.deepEqual(venue.sent, ['tw-1-o'])
  assert.deepEqual(statuses(), ['tw-1-o REJECTED'])
})

test('a close that never arrived is sent again under the same id', async () => {
  const { follow, signalOf, venue, fates, statuses } = unreliable()
  await follow(signalOf('LONG'))
  fates.push('lost')
  assert.deepEqual(await follow(signalOf('EXIT')), { status: 'DONE', reason: null })
  assert.deepEqual(venue.sent, ['tw-1-o', 'tw-2-c', 'tw-2-c'])
  assert.deepEqual(venue.arrivals, ['tw-1-o', 'tw-2-c'])
  assert.deepEqual(statuses(), ['tw-1-o FILLED', 'tw-2-c FILLED'])
})

test('a close that never arrives is sent three times, and then stays wanted under the next id', async () => {
  const { follow, signalOf, venue, fates, books } = unreliable()
  await follow(signalOf('LONG'))
  fates.push('lost', 'lost', 'lost')
  const exit = signalOf('EXIT')
  const outcome = await follow(exit)
  assert.equal(outcome.status, 'CLOSING')
  assert.match(
    outcome.reason!,
    /Only 0 of 1 BTC was closed\. The order never arrived\. It was sent 3 times\./,
  )
  assert.deepEqual(venue.sent, ['tw-1-o', 'tw-2-c', 'tw-2-c', 'tw-2-c'])
  assert.equal((await books.position('BTC/USDT:USDT')).side, 'long')
  assert.deepEqual(await follow(exit), { status: 'DONE', reason: null })
  assert.deepEqual(venue.arrivals, ['tw-1-o', 'tw-2-c2'])
})

test('an order without an answer stays unknown for hours, and is settled when an answer comes', async () => {
  const { follow, signalOf, venue, clock, statuses } = unreliable('unanswered')
  let questions = 0
  venue.isAnswered = () => venue.sent.length === 0 || ++questions > 500
  assert.deepEqual(await follow(signalOf('LONG')), { status: 'DONE', reason: null })
  assert.ok(clock.now() - noon > 3 * 3_600_000)
  assert.deepEqual(statuses(), ['tw-1-o FILLED'])
})

test('executed parts are booked as they come, and a flip opens after the whole close is executed', async () => {
  const { follow, signalOf, fates, books, clock } = unreliable()
  await follow(signalOf('LONG'))
  fates.push('parts', 'parts')
  const before = clock.now()
  assert.deepEqual(await follow(signalOf('SHORT')), { status: 'DONE', reason: null })
  assert.ok(clock.now() - before >= 8_000)
  assert.deepEqual(
    books.fills.map(({ clientOrderId, size }) => `${clientOrderId} ${size}`),
    ['tw-1-o 1', 'tw-2-c 0.001', 'tw-2-c 0.999', 'tw-2-o 0.001', 'tw-2-o 0.999'],
  )
})

test('an opening that the exchange ends after a part is DONE, and the reason says so', async () => {
  const { follow, signalOf } = unreliable('part')
  const outcome = await follow(signalOf('LONG'))
  assert.deepEqual(outcome, {
    status: 'DONE',
    reason: 'Only 0.001 of 1 BTC was executed. Nobody sells more.',
  })
})

test('the rest of a partly executed close follows at once, twice, and then after a pause', async () => {
  const { follow, signalOf, fates, books, statuses, clock } = unreliable()
  await follow(signalOf('LONG'))
  fates.push('part', 'part')
  assert.deepEqual(await follow(signalOf('EXIT')), { status: 'DONE', reason: null })
  assert.deepEqual(statuses().slice(1), ['tw-2-c CANCELED', 'tw-2-c2 CANCELED', 'tw-2-c3 FILLED'])
  assert.equal((await books.position('BTC/USDT:USDT')).side, null)

  await follow(signalOf('LONG'))
  fates.push('part', 'part', 'part')
  const flip = signalOf('SHORT')
  const nextAt = clock.now() + 1_000
  assert.deepEqual(await follow(flip), {
    status: 'CLOSING',
    reason: 'Only 0.003 of 1 BTC was closed. Nobody sells more.',
    attempts: 3,
    refusals: 0,
    nextAt,
  })
  assert.equal((await books.position('BTC/USDT:USDT')).size, '0.997')
  clock.moveTo(nextAt)
  assert.deepEqual(await follow(flip), { status: 'DONE', reason: null })
  assert.equal((await books.position('BTC/USDT:USDT')).side, 'short')
})

test('a refused or rejected opening fails with the reason of the exchange, and a flip opens nothing without its close', async () => {
  const { follow, signalOf, fates, books } = unreliable('refused')
  assert.deepEqual(await follow(signalOf('LONG')), { status: 'FAILED', reason: 'Insufficient balance.' })
  await follow(signalOf('LONG'))
  for (const fate of ['refused', 'rejected'] as const) {
    fates.push(fate)
    const outcome = await follow(signalOf('SHORT'))
    assert.equal(outcome.status, 'CLOSING')
    assert.match(
      outcome.reason!,
      /Only 0 of 1 BTC was closed. (Insufficient balance|Margin is insufficient)\./,
    )
  }
  assert.equal((await books.position('BTC/USDT:USDT')).side, 'long')
  fates.push('whole', 'rejected')
  const outcome = await follow(signalOf('SHORT'))
  assert.equal(outcome.status, 'FAILED')
  assert.equal(outcome.reason, 'The position was closed, but no new one was opened. Margin is insufficient.')
})

test('a refused close fails, even if the price has since fallen so far that nothing can be closed', async () => {
  const { follow, signalOf, fates, venue } = unreliable()
  venue.marketRules = spotRules
  await follow(signalOf('LONG'))
  fates.push('refused')
  const place = venue.place.bind(venue)
  venue.place = (order) => {
    venue.currentPrice = '1'
    return place(order)
  }
  const outcome = await follow(signalOf('EXIT'))
  assert.deepEqual(outcome, { status: 'FAILED', reason: 'Only 0 of 1 BTC was closed. Insufficient balance.' })
})

test('an order that the exchange forgets ends with its executed part', async () => {
  const { follow, signalOf, venue, books, clock } = unreliable('parts')
  const found = venue.lookUp.bind(venue)
  let asked = 0
  venue.lookUp = async (order: OrderRequest) => (++asked > 4 ? { status: 'absent' } : found(order))
  const outcome = await follow(signalOf('LONG'))
  assert.equal(outcome.status, 'DONE')
  assert.match(outcome.reason!, /Only 0.001 of 1 BTC was executed. .*no longer knows the order/)
  assert.ok(clock.now() - noon >= 600_000)
  assert.equal(books.orders[0]!.status, 'CANCELED')
})

test('a flip opens at a new price and checks the limits again', async () => {
  const bench = new PaperBench({ settings: { maxDailyLoss: '5', slippageRate: '0.05' } })
  await bench.follow('LONG')
  const outcome = await bench.follow('SHORT')
  assert.equal(outcome.status, 'REFUSED')
  assert.match(
    outcome.reason!,
    /^The position was closed, but no new one was opened\. The bot has lost 10 USDT today \(UTC\); .* 5 USDT/,
  )
  assert.equal((await bench.position()).side, null)
})

test('while trading is halted, no order is placed, but placed orders are settled', async () => {
  const bench = unreliable()
  const halted = { whyHalted: () => 'Trading is halted.' }
  assert.equal((await bench.follow(bench.signalOf('LONG'), halted)).status, 'REFUSED')
  assert.deepEqual(bench.venue.sent, [])
  assert.equal((await bench.follow(bench.signalOf('EXIT'), halted)).status, 'IGNORED')

  const stop = new AbortController()
  bench.fates.push('parts')
  const signal = bench.signalOf('LONG')
  bench.venue.lookUp = async () => {
    stop.abort()
    return { status: 'unknown', reason: 'The process is ending.' }
  }
  await assert.rejects(bench.follow(signal, { stop: stop.signal }), { name: 'AbortError' })
  Reflect.deleteProperty(bench.venue, 'lookUp')
  assert.deepEqual(await bench.follow(signal, halted), { status: 'DONE', reason: null })
  assert.deepEqual(bench.statuses(), ['tw-3-o FILLED'])

  const flip = await bench.follow(bench.signalOf('SHORT'), {
    whyHalted: () => (bench.venue.sent.length > 1 ? 'Trading is halted.' : null),
  })
  assert.equal(flip.status, 'REFUSED')
  assert.match(
    flip.reason!,
    /^The position was closed, but no new one was opened\. The bot places no new orders/,
  )
})

test('while only openings are halted, closes go on, also the close of a flip', async () => {
  const halted = {
    whyHalted: (purpose: string) => (purpose === 'open' ? 'Openings are halted. Closes go on.' : null),
  }
  for (const action of ['EXIT', 'SHORT'] as const) {
    const bench = new PaperBench()
    await bench.follow('LONG')
    const outcome = await bench.follow(action, {}, halted)
    assert.equal((await bench.position()).side, null)
    assert.equal(outcome.status, action === 'EXIT' ? 'DONE' : 'REFUSED')
    const refused =
      'The position was closed, but no new one was opened. The bot places no new orders. Openings are halted. Closes go on.'
    assert.equal(outcome.reason, action === 'EXIT' ? null : refused)
    assert.equal((await bench.follow('LONG', {}, halted)).status, 'REFUSED')
  }
})

test('an order that is planned just before a halt is not sent', async () => {
  const { follow, signalOf, venue, books } = unreliable()
  const whyHalted = () => (books.orders.length > 0 ? 'Trading is halted.' : null)
  const outcome = await follow(signalOf('LONG'), { whyHalted })
  assert.equal(outcome.status, 'FAILED')
  assert.equal(outcome.reason, 'The bot places no new orders. Trading is halted.')
  assert.deepEqual(venue.sent, [])
})

test('a signal for an unknown market is refused, and one for an unreachable market fails after half a minute', async () => {
  const { follow, signalOf, venue, clock } = unreliable()
  venue.rules = async () => {
    throw new NoSuchMarket('There is no BTCUSDT here.')
  }
  const outcome = await follow(signalOf('LONG'))
  assert.deepEqual(outcome, { status: 'REFUSED', reason: 'There is no BTCUSDT here.' })
  venue.rules = async () => {
    throw new VenueUnreachable('Nobody is there.')
  }
  assert.deepEqual(await follow(signalOf('LONG')), { status: 'FAILED', reason: 'Nobody is there.' })
  assert.ok(clock.now() - noon >= 30_000)
})

test('without a price, the bot opens nothing but still closes', async () => {
  const { follow, signalOf, venue, books } = unreliable()
  await follow(signalOf('LONG'))
  venue.price = async () => {
    throw new VenueUnreachable('There is no price.')
  }
  const outcome = await follow(signalOf('SHORT'))
  assert.deepEqual(outcome, {
    status: 'FAILED',
    reason: 'The position was closed, but no new one was opened. There is no price.',
  })
  assert.equal((await books.position('BTC/USDT:USDT')).side, null)
})

test('an aborted call throws before it sends anything', async () => {
  const { follow, signalOf, venue } = unreliable()
  await assert.rejects(follow(signalOf('LONG'), { stop: AbortSignal.abort() }), { name: 'AbortError' })
  assert.deepEqual(venue.sent, [])
})

test('a fee in the coin of the exchange counts at the price of the coin', async () => {
  const { follow, signalOf, venue, books } = unreliable()
  const place = venue.place.bind(venue)
  venue.place = async (order) => {
    const outcome = await place(order)
    if (outcome.status === 'placed') outcome.report.executions[0]!.feeAsset = 'BNB'
    return outcome
  }
  venue.price = async (symbol?: string) => (symbol === 'BNB/USDT' ? '600' : '100')
  await follow(signalOf('LONG'))
  assert.equal((await books.position('BTC/USDT:USDT')).fees, '60')
})

test('a paper order that a dead process did not book is executed by the next one, unless the signal is too old', async () => {
  for (const laterMs of [1_000, 120_000]) {
    const bench = new PaperBench({ rules: spotRules, settings: { maxSignalAgeSeconds: 60 } })
    const signal = bench.signal('LONG')
    const order = { side: 'buy', purpose: 'open', reduceOnly: false, size: '1' } as const
    await bench.books.plan(1, { ...order, clientOrderId: 'tw-1-o', symbol: 'BTC/USDT' })
    bench.clock.moveTo(noon + laterMs)
    const outcome = await bench.follow(signal)
    assert.equal(outcome.status, laterMs === 1_000 ? 'DONE' : 'FAILED')
    if (laterMs > 60_000) assert.match(outcome.reason!, /never arrived\. The signal is 120 s old/)
    assert.equal(bench.books.fills.length, laterMs === 1_000 ? 1 : 0)
  }
})

test('a leverage over the maximum of the market opens nothing, and closes as before', async () => {
  const rules = { ...futuresRules, mostLeverage: '20' }
  const bench = new PaperBench({ rules, settings: { leverage: 20 } })
  assert.equal((await bench.follow('LONG')).status, 'DONE')
  bench.settings.leverage = 21
  const { reason } = await bench.follow('SHORT')
  assert.equal((await bench.position()).side, null)
  assert.match(
    reason!,
    /The leverage of BTC\/USDT:USDT is at most 20, and the bot is set to 21 \(leverage\)\./,
  )
  assert.equal((await bench.follow('LONG')).status, 'REFUSED')
})
