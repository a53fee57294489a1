import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plain } from '../../base/decimals.ts'
import { applyExecution, flatPosition } from '../../trading/ledger.ts'
import { type BookedFill, netOf, noBooks } from '../../trading/statistics/trades.ts'
import type { BookingTerms } from '../../trading/types.ts'
import { TradeWatch } from './news.ts'
import { readBooks, storedBooks } from './stored-books.ts'

const terms: BookingTerms = { base: 'BTC', quote: 'USDT', service: 'spot', feeRates: {} }

/** Fills of a symbol, as the books count them. Sizes above zero buy. */
function fillsOf(trades: readonly (readonly [size: string, price: string])[], fee = '0'): BookedFill[] {
  let position = flatPosition()
  return trades.map(([signed, price], index) => {
    const side = signed.startsWith('-') ? 'sell' : 'buy'
    const size = signed.replace('-', '')
    const filledAt = 1_000 * (index + 1)
    const execution = { tradeId: String(index), size, price, fee, feeAsset: 'USDT', filledAt }
    const { realised, position: next } = applyExecution(position, execution, side, terms)
    position = next
    const of = { id: index + 1, orderId: index, kind: 'order' as const, symbol: 'BTC/USDT' }
    return { ...of, side, size, price, fee, feeAsset: 'USDT', realised, filledAt }
  })
}

/** Tells after each batch, with the books stored in between. @returns such as `closed 1 long 9.8` */
function told(batches: readonly (readonly BookedFill[])[], isWorking = (_batch: number) => false): string[] {
  let stored: Record<string, unknown> | undefined
  let known = { openedId: null as number | null, closedId: null as number | null }
  return batches.flatMap((fills, batch) => {
    const watch = new TradeWatch(readBooks(stored), known)
    for (const fill of fills) watch.count(fill, true)
    const news = watch.news(isWorking(batch))
    stored = JSON.parse(JSON.stringify(storedBooks(watch.books)))
    known = watch.told
    return news.map(({ what, of: { trade } }) => {
      const figure = what === 'opened' ? trade.entered : netOf(trade)
      return `${what} ${trade.id} ${trade.side} ${plain(figure)}`
    })
  })
}

test('a position is told once when it opens and once when it closes, with all fees in its profit', () => {
  const fills = fillsOf(
    [
      ['1', '100'],
      ['1', '110'],
      ['-0.5', '120'],
      ['-1.5', '130'],
      ['1', '90'],
    ] as const,
    '0.1',
  )
  const expected = ['opened 1 long 1', 'closed 1 long 44.6', 'opened 5 long 1']
  assert.deepEqual(told(fills.map((fill) => [fill])), expected)
  // Fills of one report open together.
  assert.deepEqual(told([fills.slice(0, 2), fills.slice(2)]), ['opened 1 long 2', ...expected.slice(1)])
})

test('a fill that turns a position closes one and opens the other, and its profit is that of each part', () => {
  assert.deepEqual(
    told([
      fillsOf(
        [
          ['1', '100'],
          ['-3', '110'],
          ['2', '100'],
        ],
        '0.3',
      ),
    ]),
    [...['opened 1 long 1', 'closed 1 long 9.6'], ...['opened 2 short 2', 'closed 2 short 19.5']],
  )
})

test('a close that leaves dust is told when no order is working, with all that the order has sold', () => {
  const fills = fillsOf([
    ['1', '100'],
    ['-0.96', '110'],
    ['-0.03', '110'],
  ])
  const batches = [...fills.map((fill) => [fill]), []]
  assert.deepEqual(
    told(batches, (batch) => batch === 1 || batch === 2),
    ['opened 1 long 1', 'closed 1 long 9.9'],
  )
  assert.deepEqual(told(batches), ['opened 1 long 1', 'closed 1 long 9.6'])
  // What is bought next is another trade, which tells of the one before if nobody has.
  const next = [
    ...fills.slice(0, 2),
    ...fillsOf([
      ['1', '100'],
      ['-0.96', '110'],
      ['1', '100'],
    ]).slice(2),
  ]
  assert.deepEqual(
    told([next], () => true),
    ['opened 1 long 1', 'closed 1 long 9.6', 'opened 3 long 1.04'],
  )
})

test('of fills from before, nobody hears, and a trade that was closed before is not told later', () => {
  const fills = fillsOf([
    ['1', '100'],
    ['-0.97', '110'],
    ['1', '100'],
    ['-1.03', '120'],
  ])
  const watch = new TradeWatch(noBooks, { openedId: null, closedId: null })
  for (const fill of fills.slice(0, 2)) watch.count(fill, false)
  assert.deepEqual(watch.news(false), [])
  for (const fill of fills.slice(2)) watch.count(fill, true)
  assert.deepEqual(
    watch.news(false).map(({ what, of }) => `${what} ${of.trade.id}`),
    ['opened 3', 'closed 3'],
  )
})

test('however fills are divided into reports, each trade is opened once and closed once, in this order', () => {
  const size = fc.constantFrom('1', '-1', '0.97', '-0.97', '0.03', '-0.03', '2', '-2')
  const property = fc.property(
    fc.array(fc.tuple(size, fc.constantFrom('100', '110.5', '90'), fc.boolean()), { maxLength: 30 }),
    (given) => {
      const fills = fillsOf(given.map(([amount, price]) => [amount, price] as const))
      const batches: BookedFill[][] = [[]]
      for (const [index, fill] of fills.entries()) {
        batches.at(-1)!.push(fill)
        if (given[index]![2]) batches.push([])
      }
      const shown = told(batches).map((line) => line.split(' ').slice(0, 2).join(' '))
      assert.equal(new Set(shown).size, shown.length)
      const whole = told(fills.map((fill) => [fill])).map((line) => line.split(' ').slice(0, 2).join(' '))
      assert.deepEqual(shown, whole)
      for (const [place, line] of shown.entries())
        assert.equal(line.startsWith('opened'), place % 2 === 0, shown.join())
    },
  )
  fc.assert(property)
})
