/** What accounts at Bybit and OKX say beyond orders, and how they take orders in each of their modes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LiveService, liveServices, openLive } from '../../../../test/live-services.ts'
import { createExchange } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { VenueUnreachable } from '../../../market/price-source.ts'
import type { OrderRequest } from '../../types.ts'
import { checkCredentials } from '../credentials.ts'
import { bybit } from './bybit.ts'

const symbol = 'BTC/USDT:USDT'
const services = Object.fromEntries(liveServices.map((one) => [`${one.exchange} ${one.service}`, one]))
const [bybitSpot, bybitFutures, okxSpot, okxFutures] = [
  'bybit spot',
  'bybit futures',
  'okx spot',
  'okx futures',
].map((name) => services[name] as LiveService) as [LiveService, LiveService, LiveService, LiveService]
const close = { side: 'sell', purpose: 'close', reduceOnly: true } as const

const orderOf = (id: string, changes: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: id,
  symbol,
  side: 'buy',
  purpose: 'open',
  reduceOnly: false,
  size: '0.01',
  ...changes,
})
const spotOrder = (id: string, changes: Partial<OrderRequest> = {}) =>
  orderOf(id, { symbol: 'BTC/USDT', ...changes })

describe('on each of them', { concurrency: 4 }, () => {
  for (const service of [bybitFutures, okxFutures]) {
    const name = service.exchange

    test(`${name}: trades by hand, liquidations and ADL are listed with their kind and fee`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      const since = Date.now() - 1_000
      await venue.place(orderOf('tw-1-o', { size: '0.05' }))
      trading.trade(symbol, 'sell', '0.01')
      trading.trade(symbol, 'sell', '0.02', 'liquidation')
      trading.trade(symbol, 'sell', '0.02', 'adl')
      trading.payFunding(symbol, '-0.5')
      const trades = await venue.account.tradesSince(symbol, since)
      assert.deepEqual(trades.map(({ side, size, kind }) => `${side} ${size} ${kind}`).sort(), [
        'buy 0.05 order',
        'sell 0.01 order',
        'sell 0.02 adl',
        'sell 0.02 liquidation',
      ])
      const paid = trading.orders().flatMap((order) => order.trades)
      assert.deepEqual(
        trades.map(({ tradeId, fee, feeAsset }) => [tradeId, Number(fee), feeAsset]).sort(),
        paid.map(({ id, fee }) => [id, Number(fee), 'USDT']).sort(),
      )
      assert.ok(trades.every(({ fee }) => Number(fee) > 0))
    })

    test(`${name}: more trades than a page, and a time long ago, are read completely`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      for (let i = 0; i < 230; i++) trading.trade(symbol, 'buy', '0.001')
      for (const since of [Date.now() - 3_600_000, Date.now() - 30 * 86_400_000, 0]) {
        const trades = await venue.account.tradesSince(symbol, since)
        assert.equal(new Set(trades.map(({ tradeId }) => tradeId)).size, 230)
        assert.equal(trades.length, 230)
      }
    })

    test(`${name}: funding that the account paid is negative, and funding that it received is positive`, async () => {
      for (const margin of ['cross', 'isolated'] as const) {
        await using opened = await openLive(service)
        const { venue, trading } = opened
        trading.setMode({ margin })
        trading.payFunding(symbol, '-0.25')
        trading.payFunding('ETH/USDT:USDT', '7')
        trading.payFunding(symbol, '0.125')
        const [recent, old] = [60_000, 20 * 86_400_000].map((ms) => Date.now() - ms)
        const payments = await venue.account.fundingSince(symbol, recent!)
        assert.deepEqual(payments.map(({ amount, asset }) => `${amount} ${asset}`).sort(), [
          '-0.25 USDT',
          '0.125 USDT',
        ])
        // The same payment has the same id each time, also in a list of older ones.
        const again = await venue.account.fundingSince(symbol, old!)
        assert.deepEqual(again.map(({ id }) => id).sort(), payments.map(({ id }) => id).sort())
      }
    })

    test(`${name}: in hedge mode, orders open and close the position of their side`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setMode({ position: 'hedge', margin: 'isolated' })
      trading.trade(symbol, 'sell', '0.03')
      const long = await venue.place(orderOf('tw-1-o'))
      assert.equal(long.status, 'placed', JSON.stringify(long))
      const positions = await venue.account.positions()
      assert.deepEqual(
        positions.map((one) => `${one.symbol} ${one.side} ${one.size} ${one.marginMode}`).sort(),
        [`${symbol} long 0.01 isolated`, `${symbol} short 0.03 isolated`],
      )
      const closed = await venue.place(orderOf('tw-2-c', close))
      assert.equal(closed.status, 'placed', JSON.stringify(closed))
      const beyond = await venue.place(orderOf('tw-3-c', close))
      assert.ok(beyond.status === 'refused')
      assert.match(beyond.reason, /position/)
      const short = await venue.place(orderOf('tw-4-c', { ...close, side: 'buy' }))
      assert.equal(short.status, 'placed', JSON.stringify(short))
      assert.equal(trading.position(symbol), '-0.02')
      assert.equal((await venue.account.facts()).positionMode, 'hedge')
    })

    test(`${name}: an order that misses a change of the position mode is busy, and the next one reads the mode`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      assert.equal((await venue.place(orderOf('tw-1-o'))).status, 'placed')
      trading.setMode({ position: 'hedge' })
      const order = orderOf('tw-2-o', { side: 'sell' })
      assert.equal((await venue.place(order)).status, 'busy')
      assert.equal((await venue.place(order)).status, 'placed')
      assert.equal((await venue.account.positions()).length, 2)
      // What was read just now is not the reason of a further refusal.
      trading.setMode({ position: 'one-way' })
      assert.equal((await venue.place(orderOf('tw-3-o'))).status, 'refused')
    })

    test(`${name}: in one-way mode, a short has the same reading, and its close never turns it`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      await venue.place(orderOf('tw-1-o', { side: 'sell' }))
      const [short] = await venue.account.positions()
      assert.deepEqual([short?.side, short?.size, short?.marginMode], ['short', '0.01', 'cross'])
      const closed = await venue.place(orderOf('tw-2-c', { ...close, side: 'buy', size: '0.05' }))
      assert.equal(closed.status, 'placed', JSON.stringify(closed))
      assert.equal(trading.position(symbol), '0')
      assert.deepEqual(await venue.account.positions(), [])
    })

    test(`${name}: all open orders are listed, with their size in base currency`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setFills('never')
      const orders = Array.from({ length: 60 }, (_, i) => orderOf(`tw-${i}-o`))
      await Promise.all(orders.map((one) => venue.place(one)))
      const open = await venue.account.openOrders(symbol)
      assert.equal(new Set(open.map(({ clientOrderId }) => clientOrderId)).size, 60)
      const [order] = open
      assert.deepEqual([order?.side, order?.size, order?.filledSize], ['buy', '0.01', '0'])
    })

    test(`${name}: the equity is that of the whole account, with unrealised profit`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      trading.setFee('0')
      await venue.place(orderOf('tw-1-o'))
      standIn.setPrice(symbol, 61_012.3)
      assert.deepEqual(await venue.account.equity(), { currency: 'USD', amount: '100010' })
    })

    test(`${name}: the facts say whose account it is, and what its key may do`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      const { accountId, obstacles, ...facts } = await venue.account.facts()
      const account = name === 'bybit' ? '24600000' : '44705892343619584'
      assert.deepEqual([accountId, obstacles], [account, []])
      assert.deepEqual(facts, {
        accountType: name === 'bybit' ? 'unified' : 'futures mode',
        mayTrade: true,
        mayWithdraw: false,
        isIpRestricted: false,
        positionMode: 'one-way',
      })
      const { credentials } = trading
      const { apiKey = '', secret = '', password } = credentials
      trading.addKey({
        apiKey,
        secret,
        mayTrade: false,
        mayWithdraw: true,
        ...(password ? { password } : {}),
      })
      const endpoints = { [name]: standIn.endpoints }
      await using other = await openLive(service, { endpoints, credentials })
      const changed = await other.venue.account.facts()
      assert.deepEqual([changed.mayTrade, changed.mayWithdraw], [false, true])
    })

    test(`${name}: an account that cannot say what it is now makes an order busy, and the order is sent later`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      await venue.rules(symbol)
      for (const status of [502, 429]) {
        standIn.failRest({ status, body: '' }, /account\/(info|config)|position/)
        assert.equal((await venue.place(orderOf('tw-1-o'))).status, 'busy')
        assert.deepEqual(trading.orders(), [])
      }
      standIn.failRest(undefined)
      assert.equal((await venue.place(orderOf('tw-1-o'))).status, 'placed')
    })
  }

  for (const service of [bybitSpot, okxSpot]) {
    const name = service.exchange

    test(`${name}: a request with a wrong time is busy, and the clocks are compared`, async () => {
      await using opened = await openLive(service)
      const { venue, standIn } = opened
      await venue.rules('BTC/USDT')
      standIn.skewClock(-60_000)
      assert.equal((await venue.place(spotOrder('tw-1-o'))).status, 'busy')
      assert.equal((await venue.place(spotOrder('tw-1-o'))).status, 'placed')
    })

    test(`${name}: an id that was used before is found, not sent again`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      await venue.place(spotOrder('tw-1-o'))
      await using other = await openLive(service, { endpoints: { [name]: standIn.endpoints } })
      const again = await other.venue.place(spotOrder('tw-1-o'))
      assert.ok(again.status === 'placed')
      assert.equal(again.report.executions.length, 1)
      assert.equal(trading.orders().length, 1)
    })

    test(`${name}: a refused close and a maintenance are told in words`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setBalance('BTC', '1')
      trading.refuseCloses(1)
      const sell = spotOrder('tw-1-c', { side: 'sell', purpose: 'close' })
      const refused = await venue.place(sell)
      assert.ok(refused.status === 'refused')
      assert.match(refused.reason, /sell order price cannot be lower|min sell price/i)
      trading.setMaintenance(true)
      assert.equal((await venue.place(sell)).status, 'unknown')
      await assert.rejects(venue.account.balances(), VenueUnreachable)
      trading.setMaintenance(false)
      const balances = await venue.account.balances()
      assert.deepEqual(
        balances.find(({ asset }) => asset === 'BTC'),
        { asset: 'BTC', total: '1', free: '1' },
      )
    })
  }
})

test('bybit: a fee that was paid in MNT is reported in MNT', async () => {
  await using opened = await openLive(bybitSpot)
  const { venue, trading } = opened
  trading.setBalance('MNT', '100')
  trading.setFee('0.0008', { asset: 'MNT', price: '0.8' })
  const placed = await venue.place(spotOrder('tw-1-o'))
  assert.ok(placed.status === 'placed')
  const [execution] = placed.report.executions
  assert.deepEqual([execution?.fee, execution?.feeAsset], [trading.orders()[0]?.trades[0]?.fee, 'MNT'])
})

test('bybit: a classic account is an obstacle that says what to change, and gets no order', async () => {
  await using opened = await openLive(bybitSpot)
  const { venue, trading, standIn } = opened
  trading.setMode({ account: 'classic' })
  const { obstacles, accountType } = await venue.account.facts()
  assert.equal(accountType, 'classic')
  assert.match(obstacles.join(), /upgrade the account at Bybit/)
  const placed = await venue.place(spotOrder('tw-1-o'))
  assert.ok(placed.status === 'refused')
  assert.match(placed.reason, /upgrade the account at Bybit/)
  assert.deepEqual(trading.orders(), [])
  const checked = await checkCredentials({
    venue: { exchange: 'bybit', service: 'spot' },
    credentials: trading.credentials,
    endpoints: { bybit: standIn.endpoints },
  })
  // The key is right, so the owner learns what to change in the account.
  assert.ok(checked.ok)
  assert.match(checked.facts.obstacles.join(), /upgrade the account at Bybit/)
})

test('bybit: a demo account is at the address for demo accounts', async () => {
  const account = (await createExchange({ exchange: 'bybit', service: 'spot' }, {})) as CcxtAccount
  bybit.useDemo?.(account)
  assert.match(JSON.stringify(account.urls.api), /api-demo/)
  assert.doesNotMatch(JSON.stringify(account.urls.api), /api\./)
  await account.close()
})

test('okx: an account in spot mode trades spot, and its futures are an obstacle that says what to change', async () => {
  await using futures = await openLive(okxFutures)
  futures.trading.setMode({ account: '1' })
  assert.match((await futures.venue.account.facts()).obstacles.join(), /Choose futures mode/)
  const refused = await futures.venue.place(orderOf('tw-1-o'))
  assert.ok(refused.status === 'refused')
  assert.match(refused.reason, /Choose futures mode/)
  await using spot = await openLive(okxSpot)
  spot.trading.setMode({ account: '1' })
  assert.deepEqual((await spot.venue.account.facts()).obstacles, [])
  assert.equal((await spot.venue.place(spotOrder('tw-1-o'))).status, 'placed')
})

test('okx: in the modes in which all currencies are margin, spot orders buy and sell the size in base currency', async () => {
  for (const account of ['3', '4']) {
    await using opened = await openLive(okxSpot)
    const { venue, trading } = opened
    trading.setMode({ account })
    trading.setFee('0')
    const bought = await venue.place(spotOrder('tw-1-o'))
    assert.equal(bought.status, 'placed', JSON.stringify(bought))
    assert.equal(trading.balance('BTC'), '0.01')
    const sold = await venue.place(spotOrder('tw-2-c', { side: 'sell', purpose: 'close' }))
    assert.equal(sold.status, 'placed', JSON.stringify(sold))
    assert.equal(trading.balance('BTC'), '0')
  }
})

test('okx: an account that borrows automatically is an obstacle on spot, because a sale could sell more than it holds', async () => {
  for (const [account, isObstacle] of [
    ['1 borrowing', true],
    ['2 borrowing', false],
    ['3 borrowing', true],
    ['4', false],
  ] as const) {
    await using opened = await openLive(okxSpot)
    opened.trading.setMode({ account })
    const { obstacles } = await opened.venue.account.facts()
    assert.equal(obstacles.join().includes('Turn automatic borrowing off'), isObstacle, account)
  }
})

test('okx: an order has the margin mode of the open position', async () => {
  await using opened = await openLive(okxFutures)
  const { venue, trading } = opened
  trading.setMode({ margin: 'isolated' })
  trading.trade(symbol, 'buy', '0.01')
  const closed = await venue.place(orderOf('tw-1-c', close))
  assert.equal(closed.status, 'placed', JSON.stringify(closed))
  assert.equal(trading.position(symbol), '0')
})

test('okx: a demo account is told apart by a header, and keys of the other kind are refused', async () => {
  await using opened = await openLive(okxSpot, { isDemo: true })
  const { venue, trading } = opened
  assert.equal((await venue.place(spotOrder('tw-1-o'))).status, 'refused')
  trading.setMode({ account: 'demo 2' })
  assert.equal((await venue.place(spotOrder('tw-1-o'))).status, 'placed')
})
