import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal, plain } from '../base/decimals.ts'
import type { AccountTrade, TradeKind } from './account.ts'
import { compareFutures, compareSpot, type OutsideExecution, outsideTrades } from './reconcile.ts'

const sizeStep = '0.001'

function tradeOf(id: number, size: string, kind: TradeKind = 'order'): AccountTrade {
  const isSale = size.startsWith('-')
  return {
    tradeId: `t${id}`,
    exchangeOrderId: `o${id}`,
    symbol: 'BTC/USDT',
    side: isSale ? 'sell' : 'buy',
    size: isSale ? size.slice(1) : size,
    price: '100',
    fee: '0.1',
    feeAsset: 'USDT',
    filledAt: id,
    kind,
  }
}

const sum = (...sizes: string[]) =>
  plain(sizes.reduce((total, size) => total.plus(decimal(size)), decimal('0')))
const signedSize = ({ side, size }: Pick<OutsideExecution, 'side' | 'size'>) =>
  side === 'buy' ? size : `-${size}`
const negative = (size: string) => plain(decimal(size).neg())

const size = fc
  .integer({ min: 1, max: 9_999 })
  .map((steps) => plain(decimal(String(steps)).div(decimal('1000'))))
const signedSizes = fc.tuple(size, fc.boolean()).map(([one, isShort]) => (isShort ? `-${one}` : one))
const kind = fc.constantFrom<TradeKind>('order', 'order', 'liquidation', 'adl')

/** What can happen to an account with a bot, between two comparisons. */
const step = fc.oneof(
  fc.record({ type: fc.constant('own' as const), size: signedSizes }),
  fc.record({ type: fc.constant('outside' as const), size: signedSizes, kind }),
  fc.record({ type: fc.constant('moved' as const), size: signedSizes }),
  fc.record({ type: fc.constant('ignore' as const) }),
  fc.record({ type: fc.constant('compare' as const) }),
)

test('futures: after any history of trades, the books and the ignored part are the account, and each trade is booked once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let [books, ignored, account] = ['0', '0', '0']
      let hasMoved = false
      let id = 0
      const trades: AccountTrade[] = []
      const known = { orderIds: new Set<string>(), tradeIds: new Set<string>() }
      let consumed = 0
      const compare = () => {
        const outside = outsideTrades(trades.slice(consumed), known)
        const found = compareFutures({
          booksSize: books,
          ignoredSize: ignored,
          accountSize: account,
          outside,
          sizeStep,
        })
        assert.equal(sum(books, ignored, found.difference), account)
        if (found.verdict === 'explained') {
          for (const execution of found.executions) {
            assert.ok(decimal(execution.size).gt('0'))
            books = sum(books, signedSize(execution))
            assert.ok(!known.tradeIds.has(execution.tradeId))
            known.tradeIds.add(execution.tradeId)
          }
          ignored = found.ignoredSize
        }
        if (found.verdict !== 'differs') {
          consumed = trades.length
          assert.equal(sum(books, ignored), account)
        }
        return found
      }
      for (const one of [...steps, { type: 'compare' as const }]) {
        if (one.type === 'own' || one.type === 'outside') {
          id += 1
          trades.push(tradeOf(id, one.size, one.type === 'own' ? 'order' : one.kind))
          account = sum(account, one.size)
        }
        if (one.type === 'own') {
          known.orderIds.add(`o${id}`)
          books = sum(books, one.size)
        }
        if (one.type === 'moved') {
          account = sum(account, one.size)
          hasMoved = true
        }
        const found = one.type === 'compare' || one.type === 'ignore' ? compare() : undefined
        if (found?.verdict === 'differs') {
          assert.ok(hasMoved, 'trades alone explain everything')
          ignored = sum(ignored, found.difference)
          consumed = trades.length
        }
      }
      assert.equal(sum(books, ignored), account)
    }),
    { numRuns: 5_000 },
  )
})

test('futures: a trade reduces the ignored part first, and never enlarges the part of the bot if it enlarges the ignored part', () => {
  const sizes = { booksSize: '1', ignoredSize: '2', sizeStep }
  const close = compareFutures({ ...sizes, accountSize: '0.5', outside: [tradeOf(1, '-2.5')] })
  assert.deepEqual(
    [close.verdict, close.ignoredSize, close.executions.map(signedSize)],
    ['explained', '0', ['-0.5']],
  )
  assert.equal(close.executions[0]!.fee, '0.02')
  const more = compareFutures({ ...sizes, accountSize: '4', outside: [tradeOf(1, '1')] })
  assert.deepEqual([more.verdict, more.ignoredSize, more.executions], ['explained', '3', []])
})

test('futures: the exchange says why it closed a position, and a size below the step is no difference', () => {
  const sizes = { booksSize: '1.0004', ignoredSize: '0', sizeStep }
  for (const [given, booked] of [
    ['order', 'external'],
    ['liquidation', 'liquidation'],
    ['adl', 'adl'],
  ] as const) {
    const found = compareFutures({ ...sizes, accountSize: '0', outside: [tradeOf(1, '-1', given)] })
    assert.deepEqual([found.verdict, found.executions.map((one) => one.kind)], ['explained', [booked]])
  }
  assert.equal(compareFutures({ ...sizes, accountSize: '1', outside: [] }).verdict, 'agrees')
})

test('spot: after any sales by hand, the books of all bots never exceed the account, and no sale is booked twice', () => {
  const history = fc.record({
    bots: fc.array(size, { minLength: 1, maxLength: 5 }),
    own: size,
    sales: fc.array(size, { maxLength: 6 }),
    order: fc.array(fc.nat(4), { maxLength: 8 }),
  })
  fc.assert(
    fc.property(history, ({ bots, own, sales, order }) => {
      const books = [...bots]
      let total = sum(own, ...bots)
      const sold: AccountTrade[] = []
      for (const [index, sale] of sales.entries()) {
        if (decimal(sale).gt(decimal(total))) continue
        sold.push(tradeOf(index + 1, `-${sale}`))
        total = sum(total, negative(sale))
      }
      const booked = new Map<string, string>()
      const turn = (botId: number) => {
        const holdings = books.map((held, id) => ({ botId: id, size: held }))
        const outside = sold.flatMap((trade) => {
          const left = sum(trade.size, negative(booked.get(trade.tradeId) ?? '0'))
          return left === '0' ? [] : [{ ...trade, size: left }]
        })
        const found = compareSpot({ botId, holdings, elsewhere: '0', total, outside, sizeStep })
        assert.notEqual(found.verdict, 'differs')
        for (const { tradeId, size: part } of found.executions) {
          books[botId] = sum(books[botId]!, negative(part))
          booked.set(tradeId, sum(booked.get(tradeId) ?? '0', part))
        }
        assert.ok(decimal(books[botId]!).gte('0'))
      }
      for (const id of order) if (id < books.length) turn(id)
      for (const id of books.keys()) turn(id)
      assert.ok(decimal(sum(...books)).lte(decimal(total)), `${books} of ${total}`)
      for (const trade of sold) assert.ok(decimal(booked.get(trade.tradeId) ?? '0').lte(decimal(trade.size)))
    }),
    { numRuns: 3_000 },
  )
})

test("spot: coins that left without a sale are a difference; more coins than the books are the owner's", () => {
  const sizes = { botId: 1, holdings: [{ botId: 1, size: '2' }], elsewhere: '0', sizeStep }
  const withdrawn = compareSpot({ ...sizes, total: '1.5', outside: [tradeOf(1, '-0.2'), tradeOf(2, '3')] })
  assert.deepEqual([withdrawn.verdict, withdrawn.difference], ['differs', '-0.5'])
  assert.equal(compareSpot({ ...sizes, total: '7', outside: [] }).verdict, 'agrees')
  assert.equal(compareSpot({ ...sizes, total: '7', outside: [tradeOf(1, '-3')] }).verdict, 'unrelated')
  assert.equal(compareSpot({ ...sizes, total: '1.9995', outside: [] }).verdict, 'agrees')
  assert.equal(compareSpot({ ...sizes, elsewhere: '1', total: '2.5', outside: [] }).verdict, 'differs')
})

test("a trade of an order of the account's bots, or one that is in the books, is not outside", () => {
  const trades = [
    tradeOf(1, '1'),
    tradeOf(2, '1'),
    { ...tradeOf(3, '-2', 'liquidation'), exchangeOrderId: null },
  ]
  const known = { orderIds: new Set(['o1']), tradeIds: new Set(['t2']) }
  assert.deepEqual(
    outsideTrades(trades, known).map(({ tradeId }) => tradeId),
    ['t3'],
  )
})
