/** Pages, windows of time, modes and fees: what accounts at single exchanges need beyond the usual questions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { startHyperliquid, startKraken } from '../../../../test/exchanges/index.ts'
import { buyOf, finalReport, liveServices, openLive } from '../../../../test/live-services.ts'
import { createExchange } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { VenueUnreachable } from '../../../market/price-source.ts'
import { openAccount } from '../account.ts'
import type { LiveVenueOptions } from '../live-venue.ts'
import { dialectOf } from './index.ts'

type Started<F extends (...options: never[]) => unknown> = Awaited<ReturnType<F>>

const dayMs = 86_400_000
const serviceOf = (exchange: string, service: string) =>
  liveServices.find((one) => one.exchange === exchange && one.service === service)!
const open = (exchange: string, service: string, changes: Partial<LiveVenueOptions> = {}) =>
  openLive(serviceOf(exchange, service), changes)

for (const [exchange, service, count] of [
  ['binance', 'spot', 1_150],
  ['binance', 'futures', 1_150],
  ['kraken', 'spot', 230],
  ['krakenfutures', 'futures', 230],
  ['hyperliquid', 'futures', 2_300],
] as const) {
  test(`${exchange} ${service}: ${count} trades are read completely, page by page`, async () => {
    await using opened = await open(exchange, service)
    const { venue, trading } = opened
    const { symbol, quote } = serviceOf(exchange, service)
    trading.setBalance(quote, '100000000')
    trading.setFills('many')
    for (let i = 0; i < count / 230; i++) {
      await venue.place(buyOf(symbol, { clientOrderId: `tw-${i}-o`, size: '0.5' }))
      await finalReport(venue, buyOf(symbol, { clientOrderId: `tw-${i}-o`, size: '0.5' }))
    }
    const read = await venue.account.tradesSince(symbol, Date.now() - 3 * dayMs)
    assert.equal(read.length, count)
    assert.equal(new Set(read.map(({ tradeId }) => tradeId)).size, count)
  })
}

test('binance futures: in hedge mode, an order names its position, and each position is read and closed', async () => {
  await using opened = await open('binance', 'futures')
  const { venue, trading } = opened
  const { symbol } = serviceOf('binance', 'futures')
  trading.setMode({ position: 'hedge' })
  const order = (clientOrderId: string, side: 'buy' | 'sell', purpose: 'open' | 'close') =>
    buyOf(symbol, { clientOrderId, side, purpose, reduceOnly: purpose === 'close' })
  assert.equal((await venue.place(order('tw-1-o', 'buy', 'open'))).status, 'placed')
  assert.equal((await venue.place(order('tw-2-o', 'sell', 'open'))).status, 'placed')
  assert.equal((await venue.account.facts()).positionMode, 'hedge')
  const sides = async () => (await venue.account.positions()).map(({ side, size }) => `${side} ${size}`)
  assert.deepEqual((await sides()).sort(), ['long 0.01', 'short 0.01'])
  assert.equal((await venue.place(order('tw-1-c', 'sell', 'close'))).status, 'placed')
  assert.deepEqual(await sides(), ['short 0.01'])
  assert.equal((await venue.place(order('tw-2-c', 'buy', 'close'))).status, 'placed')
  assert.deepEqual(await sides(), [])
  const again = await venue.place(order('tw-3-c', 'buy', 'close'))
  assert.ok(again.status === 'refused')
  assert.match(again.reason, /ReduceOnly Order is rejected/)
})

test('binance futures: after the mode was changed, the order is sent again as the new mode wants it', async () => {
  await using opened = await open('binance', 'futures')
  const { venue, trading } = opened
  const { symbol } = serviceOf('binance', 'futures')
  for (const position of ['one-way', 'hedge', 'one-way'] as const) {
    assert.notEqual((await venue.account.facts()).positionMode, null)
    trading.setMode({ position })
    const order = buyOf(symbol, { clientOrderId: `tw-${trading.orders().length}-o` })
    const outcome = await venue.place(order)
    if (trading.orders().length > 0 && outcome.status === 'busy') {
      assert.match(outcome.reason, /position side does not match/)
      assert.equal((await venue.place(order)).status, 'placed')
    }
  }
  assert.equal(trading.orders().length, 3)
})

test('binance futures: an account with portfolio margin says what to change', async () => {
  await using opened = await open('binance', 'futures')
  opened.trading.setMode({ account: 'portfolio' })
  const { accountType, obstacles } = await opened.venue.account.facts()
  assert.equal(accountType, 'portfolio')
  assert.match(obstacles.join(), /^The account uses portfolio margin, .* sub-account without it\.$/)
})

test('binance: a demo account is not asked what only the real exchange knows', async () => {
  for (const service of ['spot', 'futures']) {
    await using opened = await open('binance', service, { isDemo: true })
    const { venue, standIn } = opened
    const { mayWithdraw, accountId } = await venue.account.facts()
    assert.deepEqual([mayWithdraw, accountId], [null, '354937868'])
    await venue.account.equity()
    assert.deepEqual(
      [...standIn.restCalls().keys()].filter((path) => path.startsWith('/sapi')),
      [],
    )
  }
})

test('each demo has its own addresses', async () => {
  const addresses: Record<string, RegExp> = {
    binance: /"fapiPrivate":"https:\/\/demo-fapi\.binance\.com/,
    krakenfutures: /"private":"https:\/\/demo-futures\.kraken\.com/,
    hyperliquid: /"private":"https:\/\/api\.hyperliquid-testnet\.xyz/,
  }
  for (const [exchange, address] of Object.entries(addresses)) {
    const account = (await createExchange({ exchange, service: 'futures' }, {})) as CcxtAccount
    dialectOf(exchange)?.useDemo?.(account)
    assert.match(JSON.stringify(account.urls.api), address)
    await account.close()
  }
  assert.equal(dialectOf('kraken')?.useDemo, undefined)
})

test('binance: a key that the exchange does not know is an error, not an account without facts', async () => {
  for (const service of ['spot', 'futures']) {
    await using opened = await open('binance', service, { credentials: { apiKey: 'nobody', secret: 's' } })
    await assert.rejects(opened.venue.account.facts(), VenueUnreachable)
  }
})

test('kraken: an order of exactly as many trades as Kraken takes ids at once is read', async () => {
  await using opened = await open('kraken', 'spot')
  const { trading, standIn, venue } = opened
  const { symbol } = serviceOf('kraken', 'spot')
  for (let i = 0; i < 20; i++) trading.trade(symbol, 'buy', '0.001')
  const ids = (await venue.account.tradesSince(symbol, Date.now() - dayMs)).map(({ tradeId }) => tradeId)
  const account = await openAccount({
    venue: { exchange: 'kraken', service: 'spot' },
    credentials: trading.credentials,
    endpoints: { kraken: standIn.endpoints },
  })
  const order = { id: 'OSTAND-INS00-000001', info: { trades: ids } }
  assert.equal((await dialectOf('kraken')!.trades(account, order, symbol)).length, 20)
  await account.close()
})

test('kraken: over the limit for requests, nothing counts as read, and orders are still placed', async () => {
  await using opened = await open('kraken', 'spot')
  const { venue, trading } = opened
  const standIn = opened.standIn as Started<typeof startKraken>
  const { symbol } = serviceOf('kraken', 'spot')
  await venue.rules(symbol)
  standIn.limitRequests('starter')
  const history = () => venue.account.tradesSince(symbol, Date.now() - dayMs)
  await assert.rejects(async () => {
    for (let i = 0; i < 8; i++) await history()
  }, VenueUnreachable)
  assert.equal((await venue.place(buyOf(symbol))).status, 'placed')
  assert.equal(trading.orders().length, 1)
  assert.equal((await venue.lookUp(buyOf(symbol))).status, 'unknown')
  standIn.limitRequests(undefined)
  assert.equal((await finalReport(venue, buyOf(symbol))).status, 'FILLED')
  assert.equal((await history()).length, 1)
})

test('krakenfutures: fees are those that the account log has', async () => {
  await using opened = await open('krakenfutures', 'futures')
  const { venue, trading } = opened
  const { symbol } = serviceOf('krakenfutures', 'futures')
  trading.setFee('0.00012345')
  await venue.place(buyOf(symbol))
  const { executions } = await finalReport(venue, buyOf(symbol))
  const [execution] = executions
  assert.deepEqual([Number(execution?.fee), execution?.feeAsset], [0.074082345, 'USD'])
})

test("krakenfutures: without the account log, fees have the rate of the account's tier", async () => {
  await using opened = await open('krakenfutures', 'futures')
  const { venue, standIn } = opened
  const { symbol } = serviceOf('krakenfutures', 'futures')
  standIn.failRest({ status: 401, body: '{"status":"unauthorized"}' }, /account-log/)
  await venue.place(buyOf(symbol))
  const { executions } = await finalReport(venue, buyOf(symbol))
  // The stand-in's account traded 6.2 million dollars in 30 days, so its taker rate is 0.045 %.
  assert.equal(Number(executions[0]?.fee), 0.01 * 60_010 * 0.00045)
})

test('krakenfutures: an order is not final while the account log lags behind its fills', async () => {
  await using opened = await open('krakenfutures', 'futures')
  const { venue, standIn } = opened
  const { symbol } = serviceOf('krakenfutures', 'futures')
  standIn.failRest({ status: 200, body: '{"accountUid":"f92fc7de","logs":[]}' }, /account-log/)
  await venue.place(buyOf(symbol))
  const early = await venue.lookUp(buyOf(symbol))
  assert.ok(early.status === 'found')
  assert.deepEqual([early.report.status, early.report.executions], ['OPEN', []])
  await assert.rejects(venue.account.tradesSince(symbol, Date.now() - dayMs), VenueUnreachable)
  standIn.failRest(undefined)
  const { status, executions } = await finalReport(venue, buyOf(symbol))
  assert.deepEqual([status, executions.length], ['FILLED', 1])
})

test('krakenfutures: the account log is read again only from its last row on', async () => {
  await using opened = await open('krakenfutures', 'futures')
  const { venue, trading, standIn } = opened
  const { symbol } = serviceOf('krakenfutures', 'futures')
  for (let i = 0; i < 30; i++) trading.trade(symbol, 'buy', '0.01')
  const since = Date.now() - dayMs
  assert.equal((await venue.account.tradesSince(symbol, since)).length, 30)
  const asked = () => standIn.restCalls().get('/api/history/v3/account-log')
  const before = asked()
  await venue.account.tradesSince(symbol, since)
  assert.equal(asked(), before)
  for (let i = 0; i < 30; i++) trading.payFunding(symbol, `-${i + 1}`)
  const paid = await venue.account.fundingSince(symbol, since)
  assert.deepEqual(
    paid.map(({ amount }) => amount),
    Array.from({ length: 30 }, (_, i) => `-${i + 1}`),
  )
  assert.deepEqual(await venue.account.fundingSince(symbol, since), paid)
})

test('hyperliquid: whatever the exchange calls the state of an order, open stays open and an end is an end', async () => {
  const { symbol } = serviceOf('hyperliquid', 'futures')
  for (const state of ['open', 'triggered', 'waitingForFill', 'something new']) {
    await using opened = await open('hyperliquid', 'futures')
    const { venue, trading } = opened
    trading.setFills('never')
    const standIn = opened.standIn as Started<typeof startHyperliquid>
    standIn.nameStates({ open: state })
    await venue.place(buyOf(symbol))
    const found = await venue.lookUp(buyOf(symbol))
    assert.ok(found.status === 'found' && found.report.status === 'OPEN', state)
  }
  // The states of the page "Query order status by oid or cloid".
  for (const state of [
    'canceled',
    'marginCanceled',
    'vaultWithdrawalCanceled',
    'openInterestCapCanceled',
    'selfTradeCanceled',
    'reduceOnlyCanceled',
    'siblingFilledCanceled',
    'delistedCanceled',
    'liquidatedCanceled',
    'scheduledCancel',
    'tickRejected',
    'minTradeNtlRejected',
    'perpMarginRejected',
    'reduceOnlyRejected',
    'iocCancelRejected',
    'marketOrderNoLiquidityRejected',
    'oracleRejected',
    'perpMaxPositionRejected',
  ]) {
    await using opened = await open('hyperliquid', 'futures')
    const { venue, trading } = opened
    trading.setFills('never')
    const standIn = opened.standIn as Started<typeof startHyperliquid>
    standIn.nameStates({ canceled: state })
    await venue.place(buyOf(symbol))
    trading.fillOpen('0.4')
    const { status, executions } = await finalReport(venue, buyOf(symbol))
    assert.deepEqual([status, executions[0]?.size], ['CANCELED', '0.004'], state)
  }
})

test('hyperliquid: the address of a sub-account, or a key that may not sign, is an obstacle', async () => {
  await using opened = await open('hyperliquid', 'futures')
  opened.trading.setMode({ account: 'subAccount' })
  assert.match((await opened.venue.account.facts()).obstacles.join(), /sub-account/)
  const stranger = { ...opened.trading.credentials, walletAddress: `0x${'77'.repeat(20)}` }
  await using other = await open('hyperliquid', 'futures', {
    endpoints: { hyperliquid: opened.standIn.endpoints },
    credentials: stranger,
  })
  const { mayTrade, obstacles } = await other.venue.account.facts()
  assert.equal(mayTrade, false)
  assert.match(obstacles.join(), /agent/)
})

test('hyperliquid: an account that holds everything in one place has no single total', async () => {
  await using opened = await open('hyperliquid', 'futures')
  opened.trading.setMode({ account: 'unifiedAccount' })
  assert.equal((await opened.venue.account.facts()).accountType, 'unifiedAccount')
  assert.equal(await opened.venue.account.equity(), null)
})

for (const [exchange, service, isListed] of [
  ['binance', 'spot', true],
  ['binance', 'futures', true],
  ['kraken', 'spot', true],
  ['krakenfutures', 'futures', true],
  ['krakenfutures', 'futures', false],
  ['hyperliquid', 'futures', true],
] as const) {
  const how = isListed ? '' : ', also if only its fills are left'
  test(`${exchange} ${service}: of several orders with the same id, the latest is found${how}`, async () => {
    await using opened = await open(exchange, service)
    const { venue, trading, standIn } = opened
    const { symbol } = serviceOf(exchange, service)
    assert.equal((await venue.place(buyOf(symbol, { size: '0.03' }))).status, 'placed')
    await new Promise((resolve) => setTimeout(resolve, 2))
    await using later = await open(exchange, service, { endpoints: { [exchange]: standIn.endpoints } })
    assert.equal((await later.venue.place(buyOf(symbol, { size: '0.02' }))).status, 'placed')
    if (!isListed)
      standIn.failRest({ status: 200, body: '{"result":"success","orders":[]}' }, /orders\/status/)
    await using again = await open(exchange, service, { endpoints: { [exchange]: standIn.endpoints } })
    const { executions } = await finalReport(again.venue, buyOf(symbol, { size: '0.02' }))
    assert.deepEqual(
      executions.map(({ size }) => size),
      ['0.02'],
    )
    assert.equal(trading.orders().length, 2)
  })
}

const exchanges = ['binance', 'kraken', 'krakenfutures', 'hyperliquid']

for (const service of liveServices.filter(({ exchange }) => exchanges.includes(exchange))) {
  test(`${service.exchange} ${service.service}: a price band or a halted market refuses a close, with the reason`, async () => {
    await using opened = await openLive(service)
    const { venue, trading } = opened
    const { symbol } = service
    await venue.place(buyOf(symbol, { size: '0.05' }))
    const reduceOnly = service.service === 'futures'
    const close = buyOf(symbol, { clientOrderId: 'tw-1-c', side: 'sell', purpose: 'close', reduceOnly })
    trading.refuseCloses(1)
    const refused = await venue.place(close)
    assert.ok(refused.status === 'refused', JSON.stringify(refused))
    assert.match(refused.reason, /PERCENT_PRICE|cancel_only|marketSuspended|too far from oracle/)
    assert.equal((await venue.place(close)).status, 'placed')
    trading.setMaintenance(true)
    const down = await venue.place({ ...close, clientOrderId: 'tw-2-c' })
    assert.equal(down.status, 'unknown', JSON.stringify(down))
    trading.setMaintenance(false)
    assert.equal(trading.orders().length, 2)
  })
}
