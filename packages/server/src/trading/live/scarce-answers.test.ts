/** Exchanges that answer only required requests, or answer late, in parts, or with other data than before. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buyOf, finalReport, liveServices, nameOf, openLive } from '../../../test/live-services.ts'
import { until } from '../../../test/until.ts'
import { MemoryBooks } from '../memory-books.ts'
import type { OrderReport } from '../types.ts'
import { checkCredentials } from './credentials.ts'

/** Optional requests: the bot can work if these fail. */
const dispensable = /\/time$|account\/detail|account\/settings|\/dapi\/|\/margin\/|\/delivery\/|USDC-FUTURES/
const trades = /myTrades|userTrades|my_trades|QueryTrades|fills|execution\/list/
/** Longer than the stand-in of Kraken futures lists an order that has ended. */
const timeouts = { endedMs: 40, behindMs: 1_300, refusedMs: 1_200 }

/** The position and the order after the books have counted a report. */
async function booked(symbol: string, report: OrderReport) {
  const books = new MemoryBooks()
  const order = buyOf(symbol)
  await books.plan(1, order)
  const [base = '', quote = ''] = (symbol.split(':')[0] ?? '').split('/')
  const service = symbol.includes(':') ? 'futures' : 'spot'
  await books.report(order.clientOrderId, report, { base, quote, service, feeRates: {} })
  return { position: await books.position(symbol), order: books.orders[0] }
}

describe('on each exchange', { concurrency: 10 }, () => {
  for (const service of liveServices) {
    const name = nameOf(service)
    const { symbol, exchange } = service
    const order = buyOf(symbol)
    const tellsTrades = exchange !== 'hyperliquid'

    test(`${name}: an order is placed and settled without optional requests`, async () => {
      await using opened = await openLive(service)
      const { venue, standIn, trading } = opened
      for (const answer of [
        { status: 404, body: '<html>Not Found</html>' },
        { status: 500, body: '{}' },
      ]) {
        standIn.failRest(answer, answer.status === 404 ? dispensable : /\/time$/)
        const venueOf = { exchange: service.exchange, service: service.service }
        const endpoints = { [exchange]: standIn.endpoints }
        const { credentials } = trading
        assert.equal((await checkCredentials({ venue: venueOf, credentials, endpoints })).ok, true)
      }
      assert.equal((await venue.place(order)).status, 'placed')
      assert.equal((await finalReport(venue, order)).status, 'FILLED')
    })

    test(`${name}: an order whose executions are never listed is booked by its own totals`, async () => {
      for (const answer of [{ status: 404, body: '{}' }, { status: 200, body: '<html></html>' }, undefined]) {
        await using opened = await openLive(service, { timeouts })
        const { venue, standIn, trading } = opened
        trading.hideTradesFor(3_600_000)
        if (answer !== undefined && tellsTrades) standIn.failRest(answer, trades)
        // Otherwise, Binance reports them in the answer to the order.
        trading.failNext('after-cut')
        await venue.place(order)
        const report = await finalReport(venue, order)
        assert.equal(report.status, 'FILLED')
        assert.match(report.reason ?? '', /did not list every fill/)
        const { position, order: inBooks } = await booked(symbol, report)
        const isExact = service.tellsFees === true && service.service === 'spot'
        const size = isExact ? trading.balance('BTC') : '0.01'
        assert.deepEqual([position.side, position.size, inBooks?.status], ['long', size, 'FILLED'])
        assert.ok(Number(position.fees) > 0, position.fees)
        const worth = Number(position.entryPrice) / Number(standIn.price(symbol))
        assert.ok(Math.abs(worth - 1) < (isExact ? 0.002 : 1e-6), `${position.entryPrice}`)
      }
    })

    test(`${name}: an order that the bot cancels ends with its executed part`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      trading.setFills('never')
      for (const [i, failure] of ([undefined, 'cut', 503] as const).entries()) {
        const one = { ...order, clientOrderId: `tw-${i}-o` }
        assert.equal((await venue.place(one)).status, 'placed')
        if (failure !== undefined) standIn.failAfter(failure)
        await venue.cancel(one)
        await until(
          'the exchange to have ended it',
          async () => trading.orders().at(-1)?.status === 'canceled',
        )
        const report = await finalReport(venue, one)
        assert.deepEqual([report.status, report.executions], ['CANCELED', []])
      }
    })

    test(`${name}: an order of very many executions is reported with all of them`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setFills('many')
      const large = { ...order, size: '0.5' }
      assert.equal((await venue.place(large)).status, 'placed')
      const report = await finalReport(venue, large)
      assert.deepEqual([report.status, report.executions.length], ['FILLED', 230])
    })

    test(`${name}: executions that are listed before their order count with the order`, async () => {
      await using opened = await openLive(service, { absentAfterMs: 30_000 })
      const { venue, trading } = opened
      trading.hideFor(200)
      trading.failNext('after-cut')
      await venue.place(order)
      const report = await finalReport(venue, order)
      assert.deepEqual([report.status, report.executions.length], ['FILLED', 1])
    })

    test(`${name}: orders that the exchange has forgotten are absent`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setFills('never')
      assert.equal((await venue.place(order)).status, 'placed')
      trading.forget()
      await until('the order to be absent', async () => (await venue.lookUp(order)).status === 'absent')
    })

    test(`${name}: an exchange gets no requests for as long as it asks`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      await venue.rules(symbol)
      standIn.failRest({ status: 429, headers: { 'retry-after': '4' }, body: '' })
      const outcome = await venue.place(order)
      assert.ok(outcome.status === 'busy', JSON.stringify(outcome))
      assert.ok((outcome.retryAfterMs ?? 0) > 500, `${outcome.retryAfterMs}`)
      standIn.failRest(undefined)
      const calls = () => [...standIn.restCalls().values()].reduce((sum, count) => sum + count, 0)
      const before = calls()
      assert.equal((await venue.place(order)).status, 'busy')
      assert.equal((await venue.lookUp(order)).status, 'unknown')
      assert.equal(calls(), before)
      await sleep(outcome.retryAfterMs ?? 0)
      await until('the order to be taken', async () => (await venue.place(order)).status === 'placed')
      assert.equal(trading.orders().length, 1)
    })
  }
})
