/** The contract of all venues: paper and exchanges. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from '../src/base/decimals.ts'
import { NoSuchMarket } from '../src/market/price-source.ts'
import type { OrderReport, OrderRequest, Venue } from '../src/trading/types.ts'
import { until } from './until.ts'

export type VenueBench = AsyncDisposable & {
  venue: Venue
  /** The venue's name of a symbol that the account can buy, and a size that it can buy several times. */
  symbol: string
  size: string
  /** Not a multiple of the step, or below the minimum order size. */
  tooSmall: string
  /** Records an order as the books do, for a venue that reads them. */
  book?(order: OrderRequest, report: OrderReport): Promise<void>
}

/**
 * @param name the name of the venue in test names
 * @param create creates a venue with a flat account, which executes orders sooner or later
 */
export function testVenueContract(name: string, create: () => Promise<VenueBench>): void {
  const onVenue = (guarantee: string, check: (bench: VenueBench) => Promise<void>) =>
    test(`${name}: ${guarantee}`, async () => {
      await using bench = await create()
      await check(bench)
    })

  onVenue('rules and price of a market are decimal strings', async (bench) => {
    const { venue, symbol } = bench
    const rules = await venue.rules(symbol)
    assert.equal(rules.symbol, symbol)
    for (const amount of [rules.sizeStep, rules.minSize, rules.minNotional, await venue.price(symbol)]) {
      assert.ok(new Decimal(amount).gte('0'), amount)
    }
    assert.ok(new Decimal(rules.sizeStep).gt('0'))
    await assert.rejects(venue.rules('NOSUCHTHING/NOTHING'), NoSuchMarket)
  })

  onVenue('a placed order is found, and its executions add up to its size', async (bench) => {
    const order = orderOf(bench, 'tw-901-o')
    const outcome = await bench.venue.place(order)
    assert.equal(outcome.status, 'placed')
    const report = await finalReport(bench, order)
    assert.equal(report.status, 'FILLED')
    assert.equal(sumOf(report), order.size)
    for (const { tradeId, price, fee, feeAsset, filledAt } of report.executions) {
      assert.ok(new Decimal(price).gt('0') && new Decimal(fee).gte('0'))
      assert.ok(tradeId !== '' && feeAsset !== '' && Number.isSafeInteger(filledAt))
    }
    const ids = report.executions.map(({ tradeId }) => tradeId)
    assert.equal(new Set(ids).size, ids.length)
  })

  onVenue('a repeated client order id executes nothing more', async (bench) => {
    const order = orderOf(bench, 'tw-902-o')
    await bench.venue.place(order)
    const first = await finalReport(bench, order)
    await bench.venue.place(order)
    assert.deepEqual(await finalReport(bench, order), first)
  })

  onVenue('a bought position can be closed, and nothing beyond it', async (bench) => {
    const { venue, book } = bench
    const order = orderOf(bench, 'tw-903-o')
    await venue.place(order)
    await book?.(order, await finalReport(bench, order))
    const close: OrderRequest = {
      ...order,
      clientOrderId: 'tw-904-c',
      side: 'sell',
      purpose: 'close',
      reduceOnly: true,
    }
    assert.equal((await venue.place(close)).status, 'placed')
    const report = await finalReport(bench, close)
    assert.equal(sumOf(report), order.size)
    await book?.(close, report)
    const beyond = { ...close, clientOrderId: 'tw-905-c' }
    assert.equal((await venue.place(beyond)).status, 'refused')
  })

  onVenue('an order that breaks the rules is refused with a reason, and not placed', async (bench) => {
    const order = orderOf(bench, 'tw-906-o', bench.tooSmall)
    const outcome = await bench.venue.place(order)
    assert.equal(outcome.status, 'refused')
    assert.ok(outcome.status === 'refused' && outcome.reason.length > 10)
    assert.notEqual((await bench.venue.lookUp(order)).status, 'found')
  })

  onVenue('an order that was never sent is absent, at once or after some requests', async (bench) => {
    const order = orderOf(bench, 'tw-907-o')
    await until('the venue to say that it has no such order', async () => {
      const outcome = await bench.venue.lookUp(order)
      assert.notEqual(outcome.status, 'found')
      return outcome.status === 'absent'
    })
  })
}

function orderOf({ symbol, size: usual }: VenueBench, clientOrderId: string, size = usual): OrderRequest {
  return { clientOrderId, symbol, side: 'buy', purpose: 'open', reduceOnly: false, size }
}

async function finalReport({ venue }: VenueBench, order: OrderRequest): Promise<OrderReport> {
  let report: OrderReport | undefined
  await until('the order to be executed', async () => {
    const outcome = await venue.lookUp(order)
    if (outcome.status === 'found' && outcome.report.status !== 'OPEN') report = outcome.report
    return report !== undefined
  })
  return report!
}

function sumOf({ executions }: OrderReport): string {
  return executions.reduce((sum, { size }) => sum.plus(size), new Decimal('0')).toFixed()
}
