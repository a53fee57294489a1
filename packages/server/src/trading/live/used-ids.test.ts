/** Orders that the exchange already has under a client order id, as after a restored backup. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buyOf, liveServices, nameOf, openLive, settled } from '../../../test/live-services.ts'
import type { OrderRequest } from '../types.ts'
import { LiveVenue } from './live-venue.ts'

/** As a process that has placed nothing yet. */
async function afterRestart(opened: Awaited<ReturnType<typeof openLive>>, exchange: string, service: string) {
  const { standIn } = opened
  const venue = new LiveVenue({
    venue: { exchange, service },
    credentials: standIn.trading.credentials,
    endpoints: { [exchange]: standIn.endpoints },
    price: async (symbol) => standIn.price(symbol),
    absentAfterMs: 100,
    timeouts: { endedMs: 40 },
  })
  return Object.assign(venue, { [Symbol.asyncDispose]: () => venue.close() })
}

describe('on each exchange', { concurrency: 10 }, () => {
  for (const service of liveServices) {
    const name = nameOf(service)
    const { symbol, exchange } = service
    // Kraken Futures describes an order that ended some time ago by its fills only.
    const isDescribed = exchange !== 'krakenfutures'

    test(`${name}: an order that is older than its plan is another order`, async () => {
      await using opened = await openLive(service)
      const order = buyOf(symbol, { plannedAt: Date.now() })
      await opened.venue.place(order)
      await using venue = await afterRestart(opened, exchange, service.service)
      const own = await settled(venue, order)
      assert.equal(own.status, 'found')
      const later = { ...order, plannedAt: Date.now() + 120_000 }
      if (isDescribed) assert.equal((await settled(venue, later)).status, 'absent')
    })

    test(`${name}: a used id gives no other order's executions, whether the exchange accepts it again or not`, async () => {
      await using opened = await openLive(service)
      const old = buyOf(symbol, { size: '0.02', plannedAt: Date.now() })
      await opened.venue.place(old)
      await using venue = await afterRestart(opened, exchange, service.service)
      const order: OrderRequest = { ...old, size: '0.01' }
      const outcome = await venue.place(order)
      const sizes = opened.trading.orders().map(({ size }) => Number(size))
      if (outcome.status !== 'placed') return assert.equal(sizes.length, 1)
      assert.equal(sizes.length, 2)
      const sum = outcome.report.executions.reduce((total, { size }) => total + Number(size), 0)
      assert.ok(sum === 0 || sum === 0.01, `${sum}`)
    })
  }
})

const refusing = liveServices.filter(({ exchange, service }) =>
  // A spot buy at Bitget is an IOC order. It ends at once, and the stand-in refuses only ids of open orders.
  exchange === 'bitget' ? service === 'futures' : ['binance', 'gate', 'kraken'].includes(exchange),
)

for (const service of refusing) {
  test(`${nameOf(service)}: a refusal because another order has the id is a refusal`, async () => {
    await using opened = await openLive(service)
    const { symbol, exchange } = service
    opened.trading.setFills('never')
    const old = buyOf(symbol, { size: '0.02', plannedAt: Date.now() })
    await opened.venue.place(old)
    await using venue = await afterRestart(opened, exchange, service.service)
    const outcome = await venue.place({ ...old, size: '0.01' })
    assert.equal(outcome.status, 'refused')
    assert.match(
      outcome.status === 'refused' ? outcome.reason : '',
      /The exchange has another order with this id\./,
    )
    // The same order again is not refused: it is there.
    const again = await venue.place(old)
    assert.equal(again.status, 'placed')
    assert.equal(opened.trading.orders().length, 1)
  })
}
