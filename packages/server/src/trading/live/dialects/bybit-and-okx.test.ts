/** What an account at Bybit says beyond orders. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveServices, openLive } from '../../../../test/live-services.ts'
import { createExchange } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { VenueUnreachable } from '../../../market/price-source.ts'
import type { OrderRequest } from '../../types.ts'
import { bybit } from './bybit.ts'

const [spot, futures] = liveServices.filter(({ exchange }) => exchange === 'bybit')
const symbol = 'BTC/USDT:USDT'

const orderOf = (id: string, changes: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: id,
  symbol,
  side: 'buy',
  purpose: 'open',
  reduceOnly: false,
  size: '0.01',
  ...changes,
})

test('trades by hand, liquidations and ADL are listed with their kind and fee, and funding is not among them', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading } = opened
  const since = Date.now() - 1_000
  await venue.place(orderOf('tw-1-o', { size: '0.05' }))
  trading.trade(symbol, 'sell', '0.01')
  trading.trade(symbol, 'sell', '0.02', 'liquidation')
  trading.trade(symbol, 'sell', '0.02', 'adl')
  trading.payFunding(symbol, '-0.5')
  const trades = await venue.account.tradesSince(symbol, since)
  assert.deepEqual(
    trades.map(({ side, size, kind }) => [side, size, kind]),
    [
      ['buy', '0.05', 'order'],
      ['sell', '0.01', 'order'],
      ['sell', '0.02', 'liquidation'],
      ['sell', '0.02', 'adl'],
    ],
  )
  const paid = trading.orders().flatMap((order) => order.trades)
  assert.deepEqual(
    trades.map(({ tradeId, fee, feeAsset }) => [tradeId, Number(fee), feeAsset]),
    paid.map(({ id, fee }) => [id, Number(fee), 'USDT']),
  )
  assert.ok(trades.every(({ fee }) => Number(fee) > 0))
})

test('more trades than a page, and a time of many windows ago, are read completely', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading } = opened
  for (let i = 0; i < 230; i++) trading.trade(symbol, 'buy', '0.001')
  const trades = await venue.account.tradesSince(symbol, Date.now() - 30 * 86_400_000)
  assert.equal(trades.length, 230)
  assert.equal(new Set(trades.map(({ tradeId }) => tradeId)).size, 230)
  // Bybit answers requests for the last two years.
  assert.equal((await venue.account.tradesSince(symbol, 0)).length, 230)
})

test('a fee that was paid in MNT is reported in MNT', async () => {
  await using opened = await openLive(spot!)
  const { venue, trading } = opened
  trading.setBalance('MNT', '100')
  trading.setFee('0.0008', { asset: 'MNT', price: '0.8' })
  const placed = await venue.place(orderOf('tw-1-o', { symbol: 'BTC/USDT' }))
  assert.ok(placed.status === 'placed')
  const [execution] = placed.report.executions
  assert.deepEqual([execution?.fee, execution?.feeAsset], [trading.orders()[0]?.trades[0]?.fee, 'MNT'])
})

test('funding that the account paid is negative, and funding that it received is positive', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading } = opened
  trading.payFunding(symbol, '-0.25')
  trading.payFunding('ETH/USDT:USDT', '7')
  trading.payFunding(symbol, '0.125')
  const payments = await venue.account.fundingSince(symbol, Date.now() - 60_000)
  assert.deepEqual(
    payments.map(({ amount, asset }) => [amount, asset]),
    [
      ['-0.25', 'USDT'],
      ['0.125', 'USDT'],
    ],
  )
  assert.deepEqual(await venue.account.fundingSince(symbol, Date.now() - 60_000), payments)
})

test('in hedge mode, orders open and close the position of their side', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading } = opened
  trading.setMode({ position: 'hedge', margin: 'isolated' })
  trading.trade(symbol, 'sell', '0.03')
  const close = { purpose: 'close', reduceOnly: true } as const
  const long = await venue.place(orderOf('tw-1-o'))
  assert.equal(long.status, 'placed', JSON.stringify(long))
  const positions = await venue.account.positions()
  assert.deepEqual(
    positions.map(({ side, size, marginMode }) => [side, size, marginMode]),
    [
      ['long', '0.01', 'isolated'],
      ['short', '0.03', 'isolated'],
    ],
  )
  const closed = await venue.place(orderOf('tw-2-c', { ...close, side: 'sell' }))
  assert.equal(closed.status, 'placed', JSON.stringify(closed))
  const beyond = await venue.place(orderOf('tw-3-c', { ...close, side: 'sell' }))
  assert.ok(beyond.status === 'refused')
  assert.match(beyond.reason, /position is zero/)
  assert.equal(trading.position(symbol), '-0.03')
  assert.equal((await venue.account.facts()).positionMode, 'hedge')
})

test('the facts of an account say whose it is, what its key may do and what kind it is', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading } = opened
  const facts = await venue.account.facts()
  assert.deepEqual(facts, {
    accountId: '24600000',
    accountType: 'unified',
    mayTrade: true,
    mayWithdraw: false,
    isIpRestricted: false,
    positionMode: 'one-way',
    obstacles: [],
  })
  const { apiKey = '', secret = '' } = trading.credentials
  trading.addKey({ apiKey, secret, mayTrade: false, mayWithdraw: true })
  const changed = await venue.account.facts()
  assert.deepEqual([changed.mayTrade, changed.mayWithdraw], [false, true])
})

test('a classic account is an obstacle that says what to change, and gets no order', async () => {
  await using opened = await openLive(spot!)
  const { venue, trading } = opened
  trading.setMode({ account: 'classic' })
  const { obstacles, accountType } = await venue.account.facts()
  assert.equal(accountType, 'classic')
  assert.match(obstacles.join(), /upgrade the account at Bybit/)
  const placed = await venue.place(orderOf('tw-1-o', { symbol: 'BTC/USDT' }))
  assert.ok(placed.status === 'refused')
  assert.match(placed.reason, /upgrade the account at Bybit/)
  assert.deepEqual(trading.orders(), [])
})

test('the equity is that of the whole account, with unrealised profit', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading, standIn } = opened
  trading.setFee('0')
  await venue.place(orderOf('tw-1-o'))
  standIn.setPrice(symbol, 61_012.3)
  assert.deepEqual(await venue.account.equity(), { currency: 'USD', amount: '100010' })
})

test('an account that cannot say what it is now makes an order busy, and the order is sent later', async () => {
  await using opened = await openLive(futures!)
  const { venue, trading, standIn } = opened
  await venue.rules(symbol)
  standIn.failRest({ status: 502, body: 'Bad Gateway' }, /account\/info|position\/list/)
  assert.equal((await venue.place(orderOf('tw-1-o'))).status, 'busy')
  assert.deepEqual(trading.orders(), [])
  standIn.failRest(undefined)
  assert.equal((await venue.place(orderOf('tw-1-o'))).status, 'placed')
})

test('a request with a wrong time is busy, and the clocks are compared', async () => {
  await using opened = await openLive(spot!)
  const { venue, standIn } = opened
  await venue.rules('BTC/USDT')
  standIn.skewClock(-60_000)
  const order = orderOf('tw-1-o', { symbol: 'BTC/USDT' })
  assert.equal((await venue.place(order)).status, 'busy')
  assert.equal((await venue.place(order)).status, 'placed')
})

test('an id that was used before is found, not sent again', async () => {
  await using opened = await openLive(spot!)
  const { venue, trading, standIn } = opened
  const order = orderOf('tw-1-o', { symbol: 'BTC/USDT' })
  await venue.place(order)
  await using other = await openLive(spot!, { endpoints: { bybit: standIn.endpoints } })
  const again = await other.venue.place(order)
  assert.ok(again.status === 'placed')
  assert.equal(again.report.executions.length, 1)
  assert.equal(trading.orders().length, 1)
})

test('a refused close and a maintenance are told in words', async () => {
  await using opened = await openLive(spot!)
  const { venue, trading } = opened
  trading.setBalance('BTC', '1')
  trading.refuseCloses(1)
  const sell = orderOf('tw-1-c', { symbol: 'BTC/USDT', side: 'sell', purpose: 'close' })
  const refused = await venue.place(sell)
  assert.ok(refused.status === 'refused')
  assert.match(refused.reason, /cannot be lower than/)
  trading.setMaintenance(true)
  assert.equal((await venue.place(sell)).status, 'unknown')
  await assert.rejects(venue.account.balances(), VenueUnreachable)
  trading.setMaintenance(false)
  assert.equal((await venue.account.balances()).find(({ asset }) => asset === 'BTC')?.total, '1')
})

test('a demo account is at the address for demo accounts', async () => {
  const account = (await createExchange({ exchange: 'bybit', service: 'spot' }, {})) as CcxtAccount
  bybit.useDemo?.(account)
  assert.match(JSON.stringify(account.urls.api), /api-demo/)
  assert.doesNotMatch(JSON.stringify(account.urls.api), /api\./)
  await account.close()
})
