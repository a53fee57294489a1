import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testBooksContract } from '../../test/books-contract.ts'
import { noon } from '../../test/trading.ts'
import { decimal, plain, zero } from '../base/decimals.ts'
import { MemoryBooks } from './memory-books.ts'
import { isUnsettled } from './order-status.ts'
import { quoteOf } from './symbols.ts'

testBooksContract('books in memory', async () => {
  let signals = 0
  return { books: new MemoryBooks(), newSignal: async () => ++signals, async [Symbol.asyncDispose]() {} }
})

/** What happens to an order, in any order of time: also one that was given up may turn out to be executed. */
const step = fc.record({
  order: fc.nat(5),
  status: fc.constantFrom('OPEN', 'FILLED', 'CANCELED', 'REJECTED', 'note'),
  isExecuted: fc.boolean(),
  minute: fc.nat(20),
})

test('books in memory: what they keep is what all orders and fills say', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const books = new MemoryBooks()
      for (const [tradeId, { order, status, isExecuted, minute }] of steps.entries()) {
        const clientOrderId = `tw-${order}`
        const quote = order < 3 ? 'USDT' : 'USDC'
        const symbol = `${order % 2 === 0 ? 'BTC' : 'ETH'}/${quote}:${quote}`
        const side = order % 3 === 0 ? 'sell' : 'buy'
        const request = { clientOrderId, symbol, side, reduceOnly: false, size: '9' } as const
        if (!books.orders.some((known) => known.clientOrderId === clientOrderId))
          await books.plan(order, { ...request, purpose: order === 4 ? 'close' : 'open' })
        if (status === 'note') {
          await books.note(clientOrderId, 'REJECTED', 'given up')
          continue
        }
        const filledAt = noon + minute * 60_000
        const price = String(100 + minute)
        const execution = { tradeId: `${tradeId}`, size: '1', price, fee: '0.1', feeAsset: quote, filledAt }
        const executions = isExecuted ? [execution] : []
        const terms = { base: symbol.slice(0, 3), quote, service: 'futures', feeRates: {} } as const
        await books.report(clientOrderId, { exchangeOrderId: null, status, executions, reason: null }, terms)
      }
      const { orders, fills } = books
      const open = orders.filter(({ status, purpose }) => purpose === 'open' && isUnsettled(status))
      const left = open.map(({ symbol, size, filledSize }) => {
        return { symbol, size: plain(decimal(size).minus(filledSize)), limit: null }
      })
      const { orders: opening, latest } = await books.openings()
      assert.deepEqual(opening, left)
      assert.equal(latest, orders.findLast(({ purpose }) => purpose === 'open')?.clientOrderId ?? '')
      const traded = orders.find(({ status, filledSize }) => filledSize !== '0' || isUnsettled(status))
      assert.equal(await books.quote(), traded === undefined ? null : quoteOf(traded.symbol))
      for (let at = noon; at <= noon + 21 * 60_000; at += 60_000) {
        const since = fills.filter(({ filledAt }) => filledAt >= at)
        const sum = since.reduce((total, { realised }) => total.plus(decimal(realised)), zero)
        assert.equal(await books.realisedSince(at), plain(sum))
      }
    }),
    { numRuns: 300 },
  ))
