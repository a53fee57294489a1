import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, noon, PaperBench, plainSettings, spotRules } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { decimal, plain, zero } from '../base/decimals.ts'
import { fundsOf } from './equity-size.ts'
import { followSignal } from './follow-signal.ts'
import { flatPosition } from './ledger.ts'
import { MemoryBooks } from './memory-books.ts'
import { planOpening } from './plan.ts'
import type { Books } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

const amountOf = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((count) => plain(decimal(String(count)).div('1000')))

test('an opening for a part of the equity is a multiple of the step, and never over the part, the limit or what is free', () => {
  fc.assert(
    fc.property(
      fc.record({
        percent: amountOf(1, 100_000),
        equity: amountOf(-1_000, 1_000_000_000),
        price: amountOf(1, 100_000_000),
        step: fc.constantFrom('0.001', '0.00000001', '0.03', '1'),
        held: amountOf(0, 1_000_000),
        maxPosition: fc.option(amountOf(1, 1_000_000_000), { nil: null }),
        feeRate: fc.constantFrom('0', '0.001', '0.333333333333333333'),
        isBuying: fc.boolean(),
        kind: fc.constantFrom('paper' as const, 'live' as const),
      }),
      ({ percent, equity, price, step, held, maxPosition, feeRate, isBuying, kind }) => {
        const bench = new PaperBench({
          rules: { ...futuresRules, sizeStep: step, minSize: '0', minNotional: '0' },
          settings: {
            amount: percent,
            amountUnit: 'equity_percent',
            maxPosition,
            feeRate,
            slippageRate: '0.01',
          },
        })
        const { rules, settings } = bench
        const position = { ...flatPosition(), side: 'long', size: held, entryPrice: price } as const
        const positions = decimal(held).gt('0') ? [{ symbol: rules.symbol, position, price }] : []
        const funds = fundsOf({ amount: equity }, positions, kind, rules, settings)
        const signal = bench.signal(isBuying ? 'LONG' : 'SHORT')
        const stop = () => ({ reason: 'It has none.' })
        const opening = planOpening({ signal, rules, price, settings, rate: null, funds, stop })
        const value = decimal(held).times(price)
        if (opening.status === 'REFUSED') return
        const size = decimal(opening.order.size)
        const worth = size.times(price)
        assert.ok(size.gt('0') && size.mod(step).eq('0'))
        assert.ok(worth.lte(decimal(equity).times(percent).div('100')))
        if (maxPosition !== null) {
          // An opening on the other side of a remainder makes that smaller first.
          const after = isBuying ? value.plus(worth) : worth.minus(value)
          assert.ok(after.lte(maxPosition), 'max_position')
        }
        if (kind === 'paper') {
          const cost = worth.times('1.01').times(decimal('1').plus(feeRate))
          assert.ok(cost.lte(decimal(equity).minus(value)), 'what is free')
        }
        const isLess = worth.lt(decimal(equity).times(percent).div('100').minus(decimal(step).times(price)))
        if (isLess) assert.notEqual(opening.note, null, 'an opening that is smaller says why')
      },
    ),
    { numRuns: 500 },
  )
})

test('a bot opens for a part of what it has now, on paper also for all of it', async () => {
  const settings = { amount: '10', amountUnit: 'equity_percent', startBalance: '1000' } as const
  const bench = new PaperBench({ settings })
  assert.deepEqual(await bench.follow('LONG'), { status: 'DONE', reason: null })
  assert.equal((await bench.position()).size, '1')
  bench.price = '200'
  // The equity is 1100 now.
  await bench.follow('LONG', { dilution: true })
  assert.equal((await bench.position()).size, '1.55')

  const costs = { feeRate: '0.001', slippageRate: '0.0005' }
  const all = new PaperBench({ rules: spotRules, settings: { ...settings, ...costs, amount: '100' } })
  const { status, reason } = await all.follow('LONG')
  assert.equal(status, 'DONE')
  assert.equal(
    reason,
    'Only 1000 USDT of the equity is free, so the bot opens for less than 100 % of the equity of 1000 USDT.',
  )
  assert.equal((await all.position()).size, '9.985')
})

test('openings of two symbols at once never spend more than is free, whatever becomes of their orders', async () => {
  const fate = fc.constantFrom<Fate>(
    'whole',
    'parts',
    'part',
    'refused',
    'lost',
    'late',
    'unanswered',
    'stuck',
  )
  const opening = fc.record({ fate, percent: fc.integer({ min: 1, max: 100 }) })
  const check = async (openings: readonly { fate: Fate; percent: number }[]) => {
    const clock = new VirtualClock(noon)
    const books = new MemoryBooks()
    const follow = ({ fate, percent }: { fate: Fate; percent: number }, place: number) => {
      const base = ['BTC', 'ETH', 'SOL'][place]!
      const symbol = `${base}/USDT`
      const venue = new UnreliableVenue(clock, { ...spotRules, symbol, base })
      venue.fateOf = () => fate
      return followSignal({
        signal: { botSignalId: place, action: 'LONG', symbol, price: null, options: {}, at: clock.now() },
        settings: {
          ...plainSettings,
          amount: String(percent),
          amountUnit: 'equity_percent',
          feeRate: '0.001',
        },
        ...{ venue, books, clock, whyHalted: () => null, stop: new AbortController().signal },
      })
    }
    await Promise.all(openings.map(follow))
    const spent = books.fills.reduce(
      (sum, { size, price, fee }) => sum.plus(decimal(size).times(decimal(price))).plus(decimal(fee)),
      zero,
    )
    assert.ok(spent.lte('10000'), `${plain(spent)} were spent`)
    // The first of them is not made smaller by those that come after it.
    const [first] = openings
    if (first?.fate === 'whole') {
      const { size } = await books.position('BTC/USDT')
      assert.ok(first.percent === 100 || decimal(size).eq(String(first.percent)), size)
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(opening, { minLength: 2, maxLength: 3 }), check), {
    numRuns: 100,
  })
})

test('what a bot has is read once for each opening, also with a limit that depends on it', async () => {
  const settings = { amount: '10', amountUnit: 'equity_percent', maxDrawdown: '20' } as const
  const bench = new PaperBench({ settings })
  const asked: number[] = []
  const books: Books = new Proxy(bench.books, {
    get: (target, name) => {
      if (name === 'realisedSince') asked.push(0)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { status } = await bench.follow('LONG', {}, { books })
  assert.deepEqual([status, asked.length], ['DONE', 1])
})

test('a part of the equity is limited by max_position, in the currency of the limits', async () => {
  const settings = {
    amount: '50',
    amountUnit: 'equity_percent',
    startBalance: '1',
    maxPosition: '150',
  } as const
  const bench = new PaperBench({
    rules: { ...spotRules, symbol: 'ETH/BTC', base: 'ETH', quote: 'BTC', minNotional: '0' },
    settings: { ...settings, amountRate: 'BTC/USDT' },
  })
  bench.rates['BTC/USDT'] = '1000'
  bench.price = '0.1'
  const opened = await bench.follow('LONG')
  assert.equal(opened.status, 'DONE')
  assert.match(opened.reason!, /^The position in ETH\/BTC may be worth at most 150 USDT \(max_position\), so/)
  assert.equal((await bench.position()).size, '1.5')
  const full = await bench.follow('LONG', { dilution: true })
  assert.equal(full.status, 'REFUSED')
  assert.match(full.reason!, /\(max_position\), so nothing is left to open with\.$/)
})

test('what nobody knows, or what is lost, is no equity to open with', async () => {
  const settings = { amount: '10', amountUnit: 'equity_percent' } as const
  const unknown = new PaperBench({ settings: { ...settings, startBalance: null } })
  assert.match(
    (await unknown.follow('LONG')).reason!,
    /^The start balance of the bot is not known yet, so nobody/,
  )
  const lost = new PaperBench({ settings: { ...settings, startBalance: '0' } })
  assert.match((await lost.follow('LONG')).reason!, /^The equity of the bot is 0 USDT, so it opens nothing/)
  const small = new PaperBench({ settings: { ...settings, startBalance: '0.5' } })
  assert.equal(
    (await small.follow('LONG')).reason,
    'At a price of 100, 10 % of the equity of 0.5 USDT is 0 BTC; the minimum order size is 0.001 BTC.',
  )
  const sized = await new PaperBench({ settings }).follow('LONG', { size: 5 })
  assert.match(sized.reason!, /could mean BTC or USDT: the amount of the bot is a part of its equity/)
  assert.equal(
    (await new PaperBench({ settings }).follow({ ...small.signal('EXIT'), at: noon })).status,
    'IGNORED',
  )
})
