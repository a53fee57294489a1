import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal, plain, zero } from '../../base/decimals.ts'
import { applyExecution, costOf, flatPosition } from '../ledger.ts'
import type { BookingTerms, Position, Side } from '../types.ts'
import { averageOf, type BookedFill, countFill, mostMoves, netOf, noBooks, type Trade } from './trades.ts'

const futures: BookingTerms = { base: 'BTC', quote: 'USDT', service: 'futures', feeRates: { BNB: '612.4' } }
const spot: BookingTerms = { ...futures, service: 'spot' }

type Given = {
  side: Side
  size: string
  price: string
  fee?: string
  feeAsset?: string
  orderId?: number | null
}

/** Books fills with the ledger, and turns them into trades. */
function tradesOf(given: readonly Given[], terms = futures) {
  const symbol = terms.service === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT'
  let position = flatPosition()
  let books = noBooks
  const past: Trade[] = []
  const nets: string[] = []
  for (const [
    index,
    { side, size, price, fee = '0', feeAsset = 'USDT', orderId = index },
  ] of given.entries()) {
    const at = (index + 1) * 1000
    const execution = { tradeId: String(index), size, price, fee, feeAsset, filledAt: at }
    const { realised, position: next } = applyExecution(position, execution, side, terms)
    position = next
    const kind = orderId === null ? ('external' as const) : ('order' as const)
    const fill: BookedFill = {
      id: index + 1,
      orderId,
      kind,
      symbol,
      realised,
      side,
      size,
      price,
      fee,
      feeAsset,
      filledAt: at,
    }
    const step = countFill(books, fill)
    books = step.books
    if (step.past !== null) past.push(step.past.trade)
    nets.push(plain(step.shares.reduce((sum, share) => sum.plus(netOf(share)), zero)))
    assert.equal(nets.at(-1), realised)
  }
  const trades = books.trade === null ? past : [...past, books.trade]
  return { trades, position, books }
}

const buy = (size: string, price: string, more: Partial<Given> = {}): Given => ({
  side: 'buy',
  size,
  price,
  ...more,
})
const sell = (size: string, price: string, more: Partial<Given> = {}): Given => ({
  side: 'sell',
  size,
  price,
  ...more,
})

const shown = (trade: Trade) => ({
  side: trade.side,
  entered: plain(trade.entered),
  entry: averageOf(trade.entryValue, trade.entered)?.toFixed() ?? null,
  exit: averageOf(trade.exitValue, trade.exited)?.toFixed() ?? null,
  from: trade.openedAt,
  to: trade.closedAt,
  gross: plain(trade.gross),
  fees: plain(trade.fees),
  rest: plain(trade.rest),
})

test('a trade that is added to and closed in parts has average prices, and its profit before and after fees', () => {
  const { trades } = tradesOf([
    buy('1', '100', { fee: '0.1' }),
    buy('3', '120', { fee: '0.36' }),
    sell('1', '130', { fee: '0.13' }),
    sell('3', '110', { fee: '0.33' }),
  ])
  assert.deepEqual(trades.map(shown), [
    {
      ...{ side: 'long', entered: '4', entry: '115', exit: '115', from: 1000, to: 4000 },
      ...{ gross: '0', fees: '0.92', rest: '0' },
    },
  ])
  assert.equal(plain(netOf(trades[0]!)), '-0.92')
})

test('one fill that reverses a position ends one trade and begins the next, and its fee is split by size', () => {
  const { trades } = tradesOf([buy('1', '100'), sell('3', '110', { fee: '0.33' }), buy('2', '90')])
  assert.deepEqual(trades.map(shown), [
    {
      ...{ side: 'long', entered: '1', entry: '100', exit: '110', from: 1000, to: 2000 },
      ...{ gross: '10', fees: '0.11', rest: '0' },
    },
    {
      ...{ side: 'short', entered: '2', entry: '110', exit: '90', from: 2000, to: 3000 },
      ...{ gross: '40', fees: '0.22', rest: '0' },
    },
  ])
  assert.deepEqual(
    trades.map(({ id, closedBy }) => [id, closedBy]),
    [
      [1, 2],
      [2, 3],
    ],
  )
})

test('an open trade has no end, and what is left of it at its cost', () => {
  const { trades } = tradesOf([sell('2', '100'), buy('0.5', '80')])
  const [open] = trades
  assert.deepEqual([open!.closedAt, plain(open!.rest), plain(open!.restCost)], [null, '1.5', '150'])
  assert.equal(plain(open!.gross), '10')
})

test('dust ends a trade, and the next one takes it over at its cost', () => {
  const { trades, position } = tradesOf(
    [
      buy('1', '100', { fee: '0.001', feeAsset: 'BTC' }),
      sell('0.99', '120'),
      buy('1', '200'),
      sell('1.009', '210'),
    ],
    spot,
  )
  assert.equal(position.side, null)
  const [first, second] = trades.map(shown)
  assert.deepEqual(
    [first!.entered, first!.entry, first!.exit, first!.rest, first!.to, first!.gross, first!.fees],
    ['0.999', '100', '120', '0.009', 2000, '19.8', '0.1'],
  )
  // 0.009 at 100, and 1 at 200.
  assert.deepEqual([second!.entered, second!.gross, second!.to], ['1.009', '10.99', 4000])
})

test('a fill that takes the dust still belongs to its trade, which ended before', () => {
  const { trades } = tradesOf([buy('1', '100'), sell('0.96', '120'), sell('0.04', '120'), buy('1', '100')])
  assert.deepEqual(
    trades.map(({ closedAt, gross }) => [closedAt, plain(gross)]),
    [
      [2000, '20'],
      [null, '0'],
    ],
  )
})

test('a fee in an asset without a known price is listed, once, and not counted', () => {
  const fee = { fee: '0.5', feeAsset: 'XYZ' }
  const { trades } = tradesOf([buy('1', '100', fee), sell('2', '100', fee)])
  assert.deepEqual(
    trades.map(({ uncounted, fees }) => [Object.fromEntries(uncounted), plain(fees)]),
    [
      [{ XYZ: decimal('1') }, '0'],
      [{}, '0'],
    ],
  )
})

test('a fee that takes all that was bought is a trade of nothing, and a loss', () => {
  const { trades } = tradesOf([buy('1', '100', { fee: '1', feeAsset: 'BTC' }), buy('1', '100')], spot)
  assert.deepEqual(
    trades.map(({ entered, closedAt, fees, gross }) => [plain(entered), closedAt, plain(fees), plain(gross)]),
    [
      ['0', 1000, '100', '0'],
      ['1', null, '0', '0'],
    ],
  )
})

test('of thousands of orders, a trade keeps the first entries and the last exits, and counts all', () => {
  const many = Array.from({ length: 100 }, (_, n) => buy('1', '100', { orderId: Math.floor(n / 2) }))
  const { trades } = tradesOf([
    ...many,
    ...Array.from({ length: 30 }, () => sell('1', '100', { orderId: null })),
  ])
  const { entries, entryCount, exits, exitCount } = trades[0]!
  assert.deepEqual([entries.length, entryCount, exits.length, exitCount], [mostMoves, 50, mostMoves, 30])
  assert.deepEqual([entries[0]!.fillId, exits.at(-1)!.fillId], [1, 130])
})

const amount = (decimals: number, most: number) =>
  fc.integer({ min: 1, max: most }).map((n) => plain(decimal(`${n}e-${decimals}`)))

const fillOf = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell'),
  size: fc.oneof(amount(8, 2_000_000_000), amount(0, 1_000_000), amount(3, 5_000)),
  price: fc.oneof(amount(2, 9_999_999), amount(10, 99_999), amount(5, 300_000)),
  fee: fc.oneof(
    fc.constant('0'),
    amount(12, 1_000_000_000),
    amount(8, 99).map((text) => `-${text}`),
  ),
  feeAsset: fc.constantFrom('USDT', 'BTC', 'BNB', 'XYZ'),
  share: fc.constantFrom(null, '1', '0.5', '0.97'),
})

for (const terms of [futures, spot]) {
  test(`the trades of any fills on ${terms.service} add up to the ledger's profit, fees and holding`, () => {
    fc.assert(
      fc.property(fc.array(fillOf, { maxLength: 40 }), (fills) => {
        // Often all or most of the position, so that trades end, with and without dust.
        let position: Position = flatPosition()
        const given = fills.map(({ share, ...fill }) => {
          const closes = share !== null && position.side !== null
          const side = closes ? (position.side === 'long' ? 'sell' : 'buy') : fill.side
          const size = closes ? plain(decimal(position.size).times(decimal(share))) : fill.size
          const execution = { ...fill, size, tradeId: '1', filledAt: 1 }
          position = applyExecution(position, execution, side, terms).position
          return { ...fill, side: side as Side, size }
        })
        const { trades, books } = tradesOf(given, terms)
        const sum = (of: (trade: Trade) => typeof zero) =>
          plain(trades.reduce((all, trade) => all.plus(of(trade)), zero))
        assert.equal(sum(netOf), position.realised)
        assert.equal(
          sum(({ fees }) => fees),
          position.fees,
        )
        assert.equal(plain(books.holding.size.abs()), position.size)
        assert.equal(plain(books.holding.cost.abs()), costOf(position))
        for (const trade of trades) {
          assert.equal(plain(trade.exited.plus(trade.rest)), plain(trade.entered))
          const gain = trade.exitValue.plus(trade.restCost).minus(trade.entryValue)
          assert.equal(plain(trade.gross), plain(trade.side === 'long' ? gain : gain.neg()))
        }
        assert.ok(trades.slice(0, -1).every(({ closedAt }) => closedAt !== null))
      }),
      { numRuns: 1_000 },
    )
  })
}
