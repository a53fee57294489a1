/** Follows thousands of signals on a failing exchange, in processes that die, and checks what must always hold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { followToTheEnd } from '../../test/follow-to-the-end.ts'
import { Killed, mortal } from '../../test/mortal-books.ts'
import { futuresRules, noon, plainSettings, spotRules } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { decimal, plain, zero } from '../base/decimals.ts'
import type { FollowSignal, SignalOutcome } from './follow-signal.ts'
import { costOf } from './ledger.ts'
import { MemoryBooks } from './memory-books.ts'
import { isDust } from './plan.ts'
import type { TradeSignal } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

/** Random numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const fates: Fate[] = [
  ...(['whole', 'parts', 'part', 'refused', 'rejected'] as const),
  ...(['lost', 'late', 'unanswered', 'thrown', 'busy', 'stuck'] as const),
]

const signalOf = fc.record({
  action: fc.constantFrom('LONG', 'SHORT', 'EXIT'),
  options: fc.record(
    { dilution: fc.boolean(), size: fc.double({ min: 0.01, max: 500, noNaN: true }) },
    { requiredKeys: [] },
  ),
  price: fc.integer({ min: 5_000, max: 20_000 }),
})

async function trade(signals: readonly Planned[], seed: number, service: 'spot' | 'futures') {
  const random = randomOf(seed)
  const clock = new VirtualClock(noon)
  const venue = new UnreliableVenue(clock, service === 'spot' ? spotRules : futuresRules)
  const books = new MemoryBooks()
  venue.fateOf = () => (random() < 0.5 ? 'whole' : fates[Math.floor(random() * fates.length)]!)
  venue.isAnswered = () => random() < 0.7
  venue.isHidden = () => random() < 0.5
  const outcomes: SignalOutcome[] = []
  for (const [index, { action, options, price }] of signals.entries()) {
    venue.currentPrice = plain(decimal(String(price)).div('100'))
    const input = {
      signal: { botSignalId: index + 1, action, symbol: 'BTC', price: null, options, at: clock.now() },
      settings: plainSettings,
      venue,
      clock,
      whyHalted: () => (random() < 0.03 ? 'Trading is halted.' : null),
      stop: new AbortController().signal,
    }
    const outcome = await untilSettled({ ...input, books }, random)
    outcomes.push(outcome)
    // The owner lets a waiting close proceed.
    const again = await untilSettled({ ...input, books, whyHalted: () => null }, random)
    if (books.orders.some(({ botSignalId }) => botSignalId === index + 1)) {
      assert.notEqual(again.status, 'IGNORED')
    }
    if (action === 'EXIT' && options.size === undefined) {
      assert.match(outcome.status, /^(DONE|IGNORED|FAILED|WAITING)$/)
      const position = await books.position(venue.marketRules.symbol)
      assert.ok(position.side === null || isDust(position, venue.marketRules, venue.currentPrice))
    }
  }
  return { venue, books, outcomes }
}

type Planned = Pick<TradeSignal, 'action' | 'options'> & { price: number }

/** Follows a signal until it ends or waits for a person, in one process after another. */
async function untilSettled(input: FollowSignal, random: () => number) {
  for (;;) {
    try {
      return await followToTheEnd({ ...input, books: mortal(input.books, () => random() < 0.08) })
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
}

for (const service of ['futures', 'spot'] as const) {
  test(`on ${service}, no order is placed twice, no position is lost and no outcome stays unknown, whatever fails`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(signalOf, { maxLength: 12 }), fc.integer(), async (signals, seed) => {
        const { venue, books } = await trade(signals, seed, service)
        const { symbol } = venue.marketRules

        assert.equal(new Set(venue.arrivals).size, venue.arrivals.length)
        const openings = venue.sent.filter((id) => id.endsWith('-o'))
        assert.equal(new Set(openings).size, openings.length)
        for (const { status } of books.orders) assert.match(status, /^(FILLED|CANCELED|REJECTED)$/)

        const position = await books.position(symbol)
        const held = position.side === 'short' ? `-${position.size}` : position.size
        assert.equal(held, venue.holding())
        if (service === 'spot') assert.notEqual(position.side, 'short')

        let cash = zero
        for (const { side, size, price, fee } of books.fills) {
          const worth = decimal(size).times(decimal(price))
          cash = (side === 'buy' ? cash.minus(worth) : cash.plus(worth)).minus(decimal(fee))
        }
        const cost = decimal(costOf(position))
        const open = position.side === 'short' ? cost.neg() : cost
        assert.equal(plain(decimal(position.realised).minus(open)), plain(cash))
      }),
      { numRuns: 1_500 },
    )
  })
}
