/** The contract of all books: those in memory and those in the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BookingTerms,
  type Books,
  type Execution,
  type OrderReport,
  type OrderRequest,
  PlanRefused,
} from '../src/trading/types.ts'
import { noon } from './trading.ts'

/** `newSignal` returns the id of a signal whose orders the books accept. */
export type BooksBench = AsyncDisposable & { books: Books; newSignal(): Promise<number> }

const symbol = 'BTC/USDT:USDT'
const terms: BookingTerms = { base: 'BTC', quote: 'USDT', service: 'futures', feeRates: {} }

function buyOrder(botSignalId: number, changes: Partial<OrderRequest> = {}): OrderRequest {
  const clientOrderId = `tw-${botSignalId}-o`
  const order = {
    symbol,
    side: 'buy',
    purpose: 'open',
    reduceOnly: false,
    size: '2',
    plannedAt: noon,
  } as const
  return { clientOrderId, ...order, ...changes }
}

function execution(tradeId: string, changes: Partial<Execution> = {}): Execution {
  return { tradeId, size: '1', price: '100', fee: '0.1', feeAsset: 'USDT', filledAt: noon, ...changes }
}

function reportOf(status: OrderReport['status'], executions: Execution[] = []): OrderReport {
  return { exchangeOrderId: 'x1', status, executions, reason: null }
}

/**
 * @param name the name of the books in test names
 * @param create creates books of a bot that has never traded
 */
export function testBooksContract(name: string, create: () => Promise<BooksBench>): void {
  const onBooks = (guarantee: string, check: (bench: BooksBench) => Promise<void>) =>
    test(`${name}: ${guarantee}`, async () => {
      await using bench = await create()
      await check(bench)
    })

  onBooks('the limit that was reached last is remembered', async ({ books }) => {
    assert.equal(await books.limitReachedAt(), null)
    await books.reachLimit({ at: noon, loss: '50' })
    assert.equal(await books.limitReachedAt(), noon)
    await books.reachLimit({ at: noon + 86_400_000, loss: '50' })
    assert.equal(await books.limitReachedAt(), noon + 86_400_000)
  })

  onBooks('the last place for a position goes to one of two openings', async ({ books, newSignal }) => {
    const plan = async (of: string, most: number, dust: string[] = []) => {
      const id = await newSignal()
      const order = buyOrder(id, { symbol: of })
      await books.plan(id, order, { positions: { most, dust } })
      return order.clientOrderId
    }
    const both = ['ETH/USDT:USDT', 'SOL/USDT:USDT'].map((each) => plan(each, 1))
    const [won, ...others] = (await Promise.allSettled(both)).toSorted(({ status }) =>
      status === 'fulfilled' ? -1 : 1,
    )
    assert.ok(won?.status === 'fulfilled' && others.every(({ status }) => status === 'rejected'))
    const taken = (await books.openings()).orders[0]?.symbol
    await assert.rejects(plan(symbol, 1), {
      name: 'PlanRefused',
      message: `The bot would have 2 open positions, with ${taken}; at most 1 is allowed (max_open_positions).`,
    })
    await plan(taken!, 1)
    await plan(symbol, 2)
    await books.report(won.value, reportOf('FILLED', [execution('1')]), terms)
    // The remainder is dust, but another order may still open a position.
    await assert.rejects(plan(symbol, 1, [taken!]), PlanRefused)
  })

  onBooks('of two openings for what is free, one is planned again', async ({ books, newSignal }) => {
    const { latest, orders } = await books.openings()
    assert.deepEqual(orders, [])
    const planned: string[] = []
    const both = ['ETH/USDT:USDT', 'SOL/USDT:USDT'].map(async (of) => {
      const id = await newSignal()
      await books.plan(id, buyOrder(id, { symbol: of }), { latest })
      planned.push(of)
    })
    const failed = (await Promise.allSettled(both)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason.name] : [],
    )
    assert.deepEqual([failed, planned.length], [['PlanOutdated'], 1])
    const now = await books.openings()
    assert.deepEqual(now.orders, [{ symbol: planned[0], size: buyOrder(0).size, limit: null }])
    const id = await newSignal()
    await books.plan(id, buyOrder(id, { symbol }), { latest: now.latest })
    assert.equal((await books.openings()).orders.length, 2)
  })

  onBooks('a bot that has never traded has no position and no profit', async ({ books, newSignal }) => {
    const position = await books.position(symbol)
    assert.deepEqual([position.side, position.size, position.entryPrice], [null, '0', null])
    assert.deepEqual([position.realised, position.fees], ['0', '0'])
    assert.equal(await books.realisedSince(0), '0')
    assert.deepEqual(await books.ordersOf(await newSignal()), [])
  })

  onBooks(
    'a reported total counts once, including earlier reports, whatever is reported later',
    async ({ books, newSignal }) => {
      const id = await newSignal()
      const order = buyOrder(id)
      await books.plan(id, order)
      const told = (...args: Parameters<typeof reportOf>) =>
        books.report(order.clientOrderId, reportOf(...args), terms)
      const totals = { size: '2', price: '101', fee: '0.4', feeAsset: 'USDT', filledAt: noon }
      await told('OPEN', [execution('1')])
      const summed = { ...reportOf('FILLED', [execution('1')]), totals }
      for (let times = 0; times < 2; times++) await books.report(order.clientOrderId, summed, terms)
      const check = async () => {
        const { size, entryPrice, fees } = await books.position(symbol)
        // 1 at 100 with a fee of 0.1; the rest at 102 with its share of the fees.
        assert.deepEqual([size, entryPrice, fees], ['2', '101', '0.3'])
      }
      await check()
      // Another node may report the single executions afterwards: the sum contains them.
      await told('FILLED', [execution('1'), execution('2', { price: '102' })])
      await check()
    },
  )

  onBooks('executions beyond a booked total count', async ({ books, newSignal }) => {
    const id = await newSignal()
    const order = buyOrder(id)
    await books.plan(id, order)
    const totals = { size: '1', price: '100', fee: '0', feeAsset: 'USDT', filledAt: noon }
    await books.report(order.clientOrderId, { ...reportOf('CANCELED'), totals }, terms)
    const all = reportOf('FILLED', [execution('1'), execution('2', { price: '104' })])
    for (let times = 0; times < 2; times++) await books.report(order.clientOrderId, all, terms)
    const { size, entryPrice } = await books.position(symbol)
    assert.deepEqual([size, entryPrice], ['2', '102'])
    assert.equal((await books.ordersOf(id))[0]?.filledSize, '2')
  })

  onBooks('the orders of a signal are in the order of the plan', async ({ books, newSignal }) => {
    const [first, second] = [await newSignal(), await newSignal()]
    const close = buyOrder(second, {
      clientOrderId: `tw-${second}-c`,
      purpose: 'close',
      reduceOnly: true,
      size: '0.00000001',
    })
    await books.plan(second, close)
    await books.plan(first, buyOrder(first))
    await books.plan(second, buyOrder(second))
    const fresh = { status: 'PLANNED', filledSize: '0', reason: null }
    assert.deepEqual(await books.ordersOf(second), [
      { ...close, ...fresh },
      { ...buyOrder(second), ...fresh },
    ])
    assert.equal((await books.ordersOf(first)).length, 1)
  })

  onBooks(
    'an execution counts once, no matter how often, and with which others, it is reported',
    async (bench) => {
      const { books, newSignal } = bench
      const id = await newSignal()
      await books.plan(id, buyOrder(id))
      const [a, b] = [execution('a'), execution('b', { price: '110', filledAt: noon + 5 })]
      await books.report(`tw-${id}-o`, reportOf('OPEN', [a]), terms)
      assert.equal((await books.ordersOf(id))[0]!.filledSize, '1')
      await books.report(`tw-${id}-o`, reportOf('OPEN', [a]), terms)
      await Promise.all([
        books.report(`tw-${id}-o`, reportOf('FILLED', [a, b]), terms),
        books.report(`tw-${id}-o`, reportOf('FILLED', [b, a]), terms),
      ])
      const [order] = await books.ordersOf(id)
      assert.deepEqual([order!.status, order!.filledSize], ['FILLED', '2'])
      const position = await books.position(symbol)
      assert.deepEqual([position.side, position.size, position.entryPrice], ['long', '2', '105'])
      assert.deepEqual([position.realised, position.fees, position.openedAt], ['-0.2', '0.2', noon])
      assert.equal(await books.realisedSince(0), '-0.2')
    },
  )

  onBooks('trade ids are unique for each order only', async ({ books, newSignal }) => {
    for (const id of [await newSignal(), await newSignal()]) {
      await books.plan(id, buyOrder(id))
      await books.report(`tw-${id}-o`, reportOf('FILLED', [execution('1')]), terms)
    }
    assert.equal((await books.position(symbol)).size, '2')
  })

  onBooks('a late report does not open an ended order again', async ({ books, newSignal }) => {
    for (const final of ['FILLED', 'CANCELED'] as const) {
      const id = await newSignal()
      await books.plan(id, buyOrder(id))
      await books.report(`tw-${id}-o`, reportOf(final, [execution('1')]), terms)
      await books.report(`tw-${id}-o`, reportOf('OPEN', [execution('1'), execution('2')]), terms)
      const [order] = await books.ordersOf(id)
      assert.deepEqual([order!.status, order!.filledSize], [final, '2'])
    }
  })

  onBooks('a note says why an order is unknown, and then that it was not placed', async (bench) => {
    const { books, newSignal } = bench
    const id = await newSignal()
    await books.plan(id, buyOrder(id))
    await books.note(`tw-${id}-o`, 'UNKNOWN', 'The connection was cut.')
    const [unknown] = await books.ordersOf(id)
    assert.deepEqual([unknown!.status, unknown!.reason], ['UNKNOWN', 'The connection was cut.'])
    await books.plan(id, buyOrder(id))
    assert.equal((await books.ordersOf(id))[0]!.status, 'PLANNED')
    await books.note(`tw-${id}-o`, 'REJECTED', 'It has never arrived.')
    const [rejected] = await books.ordersOf(id)
    assert.deepEqual([rejected!.status, rejected!.reason], ['REJECTED', 'It has never arrived.'])
    assert.equal((await books.position(symbol)).side, null)
  })

  onBooks('an order that was given up, but was executed after all, is in the books', async (bench) => {
    const { books, newSignal } = bench
    const id = await newSignal()
    await books.plan(id, buyOrder(id))
    await books.note(`tw-${id}-o`, 'REJECTED', 'It has never arrived.')
    await books.report(`tw-${id}-o`, reportOf('FILLED', [execution('1', { size: '2' })]), terms)
    assert.equal((await books.ordersOf(id))[0]!.status, 'FILLED')
    assert.equal((await books.position(symbol)).size, '2')
  })

  onBooks('a note or a new plan does not overwrite an order that the venue has reported', async (bench) => {
    const { books, newSignal } = bench
    const id = await newSignal()
    await books.plan(id, buyOrder(id))
    await books.report(`tw-${id}-o`, reportOf('FILLED', [execution('1', { size: '2' })]), terms)
    await books.note(`tw-${id}-o`, 'UNKNOWN', 'late')
    await books.note(`tw-${id}-o`, 'REJECTED', 'late')
    await assert.rejects(books.plan(id, buyOrder(id)))
    const [order, ...others] = await books.ordersOf(id)
    assert.deepEqual([order!.status, order!.filledSize, others.length], ['FILLED', '2', 0])
  })

  onBooks('a client order id belongs to one signal', async ({ books, newSignal }) => {
    const [first, second] = [await newSignal(), await newSignal()]
    await books.plan(first, buyOrder(first))
    await assert.rejects(books.plan(second, buyOrder(first)))
    assert.equal((await books.ordersOf(first)).length, 1)
    assert.equal((await books.ordersOf(second)).length, 0)
  })

  onBooks('profit since a time is that of the fills from that time on', async ({ books, newSignal }) => {
    const id = await newSignal()
    await books.plan(id, buyOrder(id))
    const close = { clientOrderId: `tw-${id}-c`, side: 'sell', purpose: 'close', reduceOnly: true } as const
    await books.plan(id, buyOrder(id, close))
    const opened = execution('1', { size: '2', fee: '0' })
    await books.report(`tw-${id}-o`, reportOf('FILLED', [opened]), terms)
    const closed = [
      execution('1', { price: '90', fee: '0', filledAt: noon + 1_000 }),
      execution('2', { price: '130', fee: '0.5', filledAt: noon + 2_000 }),
    ]
    await books.report(`tw-${id}-c`, reportOf('FILLED', closed), terms)
    assert.equal(await books.realisedSince(noon), '19.5')
    assert.equal(await books.realisedSince(noon + 1_000), '19.5')
    assert.equal(await books.realisedSince(noon + 1_001), '29.5')
    assert.equal(await books.realisedSince(noon + 2_001), '0')
    const position = await books.position(symbol)
    assert.deepEqual([position.side, position.openedAt, position.lastLossAt], [null, null, noon + 1_000])
  })

  onBooks(
    'the books have the currency of the first order that can be executed',
    async ({ books, newSignal }) => {
      assert.equal(await books.quote(), null)
      const rejected = await newSignal()
      await books.plan(rejected, buyOrder(rejected, { symbol: 'ETH/BTC' }))
      assert.equal(await books.quote(), 'BTC')
      await books.note(`tw-${rejected}-o`, 'REJECTED', 'It has never arrived.')
      assert.equal(await books.quote(), null)
      const id = await newSignal()
      await books.plan(id, buyOrder(id))
      await books.report(`tw-${id}-o`, reportOf('CANCELED', [execution('1')]), terms)
      assert.equal(await books.quote(), 'USDT')
    },
  )

  onBooks('amounts keep every digit', async ({ books, newSignal }) => {
    const id = await newSignal()
    const size = '123456789012.123456789012345678'
    await books.plan(id, buyOrder(id, { size }))
    const price = '0.000000012345678901'
    await books.report(`tw-${id}-o`, reportOf('FILLED', [execution('1', { size, price, fee: '0' })]), terms)
    const position = await books.position(symbol)
    assert.deepEqual([position.size, position.entryPrice], [size, price])
    assert.equal((await books.ordersOf(id))[0]!.filledSize, size)
  })

  onBooks('a report about an unknown order is refused', async ({ books }) => {
    await assert.rejects(books.report('tw-0-o', reportOf('FILLED', [execution('1')]), terms))
    assert.equal((await books.position(symbol)).side, null)
  })
}
