/** What is read of accounts at Binance, Kraken, Kraken Futures and Hyperliquid, and of what happens there without us. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buyOf, liveServices, nameOf, openLive } from '../../../../test/live-services.ts'
import { openAccount } from '../account.ts'
import { dialectOf } from './index.ts'

const exchanges = ['binance', 'kraken', 'krakenfutures', 'hyperliquid']
const services = liveServices.filter(({ exchange }) => exchanges.includes(exchange))
const isFutures = ({ service }: (typeof services)[number]) => service === 'futures'

/** A symbol of the same service that the test does not look at. */
const otherSymbols: Record<string, string> = {
  'BTC/USDT': 'ETH/USDT',
  'BTC/USD': 'ETH/USD',
  'BTC/USDC': 'PURR/USDC',
  'BTC/USDT:USDT': 'ETH/USDT:USDT',
  'BTC/USD:USD': 'ETH/USD:USD',
  'BTC/USDC:USDC': 'ETH/USDC:USDC',
}

describe('on each exchange', { concurrency: 6 }, () => {
  for (const service of services) {
    const name = nameOf(service)
    const { symbol, exchange, quote } = service
    const other = otherSymbols[symbol] ?? ''

    test(`${name}: all trades since a time are read, with their kinds, fees and orders`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      trading.setFee('0.0003')
      await venue.place(buyOf(symbol, { size: '0.05' }))
      trading.trade(other, 'buy', '100')
      const happened = [
        trading.orders()[0]!,
        trading.trade(symbol, 'sell', '0.01'),
        ...(isFutures(service)
          ? [
              trading.trade(symbol, 'sell', '0.02', 'liquidation'),
              trading.trade(symbol, 'sell', '0.01', 'adl'),
            ]
          : []),
      ]
      const read = await venue.account.tradesSince(symbol, Date.now() - 60_000)
      assert.deepEqual(
        read.map(({ kind, side, size, symbol: of }) => [kind, side, size, of]),
        happened.map(({ kind, side, size }) => [kind, side, size, symbol]),
      )
      assert.deepEqual(
        read.map(({ price, fee, feeAsset, filledAt }) => [Number(price), Number(fee), feeAsset, filledAt]),
        happened.map(({ trades: [trade] }) => [
          Number(standIn.price(symbol)),
          Number(trade?.fee),
          trade?.feeAsset,
          trade?.at,
        ]),
      )
      assert.equal(new Set(read.map(({ exchangeOrderId }) => exchangeOrderId)).size, happened.length)
      assert.equal(new Set(read.map(({ tradeId }) => tradeId)).size, happened.length)
      assert.deepEqual(await venue.account.tradesSince(symbol, Date.now() - 60_000), read)
      assert.deepEqual(await venue.account.tradesSince(symbol, Date.now() + 60_000), [])
    })

    test(`${name}: an old start does not hide trades`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.trade(symbol, 'buy', '0.01')
      const read = await venue.account.tradesSince(symbol, Date.now() - 20 * 86_400_000)
      assert.deepEqual(
        read.map(({ size }) => size),
        ['0.01'],
      )
    })

    test(`${name}: an open order is read with its ids, side and sizes`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.setFills('never')
      await venue.place(buyOf(symbol))
      const [open, ...more] = await venue.account.openOrders(symbol)
      assert.deepEqual(more, [])
      const { clientOrderId } = trading.orders()[0]!
      assert.deepEqual(
        [open?.clientOrderId, open?.side, open?.size, Number(open?.filledSize)],
        [clientOrderId, 'buy', '0.01', 0],
      )
    })

    test(`${name}: a found order has the time, side and amount by which it can be recognised`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      const account = await openAccount({
        venue: service,
        credentials: trading.credentials,
        endpoints: { [exchange]: standIn.endpoints },
      })
      const dialect = dialectOf(exchange)!
      const before = Date.now()
      for (const [i, part] of ['1', '0.4'].entries()) {
        const order = buyOf(symbol, { clientOrderId: `tw-${i}-o` })
        trading.setFills(part === '1' ? 'whole' : 'never')
        await venue.place(order)
        trading.fillOpen(part)
        const clientOrderId = dialect.clientOrderId(order.clientOrderId)
        const found = await dialect.find(account, { clientOrderId, symbol, amount: '0.01' })
        const { timestamp = 0, side, amount, filled } = found ?? {}
        assert.deepEqual([side, Number(amount), Number(filled)], ['buy', 0.01, 0.01 * Number(part)])
        assert.ok(timestamp >= before - 1_000 && timestamp <= Date.now(), `${timestamp}`)
      }
      await account.close()
    })

    test(`${name}: the account's equity is read, with unrealised profit`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      if (isFutures(service)) {
        trading.trade(symbol, 'buy', '0.1')
        standIn.setPrice(symbol, Number(standIn.price(symbol)) + 1_000)
      }
      const equity = await venue.account.equity()
      if (service.service === 'spot' && exchange === 'hyperliquid') {
        assert.equal(equity, null)
        return
      }
      const unrealised = isFutures(service) ? 100 : 0
      assert.equal(equity?.currency, quote)
      assert.ok(Math.abs(Number(equity?.amount) - Number(trading.balance(quote)) - unrealised) < 0.01)
    })

    if (!isFutures(service)) continue

    test(`${name}: positions are read with side, size, entry price and margin mode`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      assert.deepEqual(await venue.account.positions(), [])
      const entryPrice = String(Number(standIn.price(symbol)))
      trading.trade(symbol, 'sell', '0.02')
      trading.trade(other, 'buy', '3')
      const position = { symbol, side: 'short', size: '0.02', entryPrice, marginMode: 'cross' }
      const read = await venue.account.positions()
      const { leverage, liquidationPrice, ...found } = read.find((one) => one.symbol === symbol)!
      assert.deepEqual(found, position)
      const told = [Number(leverage), Math.round(Number(liquidationPrice))]
      const up = Math.round(Number(entryPrice) * 1.2)
      const expected = { binance: [20, up], bybit: [20, up], okx: [2, 12_609] }[exchange]
      if (expected !== undefined) assert.deepEqual(told, expected)
      assert.deepEqual(read.map(({ side, size }) => `${side} ${size}`).sort(), ['long 3', 'short 0.02'])
      trading.setMode({ margin: 'isolated' })
      const isolated = await venue.account.positions()
      assert.deepEqual(
        isolated.map(({ marginMode }) => marginMode),
        ['isolated', 'isolated'],
      )
    })

    test(`${name}: funding payments are read with their signs, each once, and of one symbol`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      trading.trade(symbol, 'buy', '0.1')
      trading.payFunding(symbol, '-1.25')
      await new Promise((resolve) => setTimeout(resolve, 2))
      trading.payFunding(other, '-7')
      trading.payFunding(symbol, '0.5')
      const since = Date.now() - 60_000
      const read = await venue.account.fundingSince(symbol, since)
      assert.deepEqual(
        read.map(({ amount, asset, symbol: of }) => [amount, asset, of]),
        [
          ['-1.25', quote, symbol],
          ['0.5', quote, symbol],
        ],
      )
      assert.equal(new Set(read.map(({ id }) => id)).size, 2)
      trading.payFunding(symbol, '0.25')
      const more = await venue.account.fundingSince(symbol, since)
      assert.deepEqual(more.slice(0, 2), read)
      assert.deepEqual(
        more.map(({ amount }) => amount),
        ['-1.25', '0.5', '0.25'],
      )
    })
  }
})

const iban = 'AA88 N84G WOAK NMOI'
const uid = '354937868'
const accountUid = 'f92fc7de-2fce-4265-b806-4f3c1efb37ee'
const wallet = `0x${'11'.repeat(20)}`
const accounts: Record<string, { accountId: string; accountType: string | null }> = {
  'binance spot': { accountId: uid, accountType: 'spot' },
  'binance futures': { accountId: uid, accountType: 'spot' },
  'kraken spot': { accountId: iban, accountType: null },
  'krakenfutures futures': { accountId: accountUid, accountType: null },
  'hyperliquid spot': { accountId: wallet, accountType: 'default' },
  'hyperliquid futures': { accountId: wallet, accountType: 'default' },
}

for (const service of services) {
  const name = nameOf(service)
  const { isWallet } = service

  test(`${name}: the exchange says which account it is, what its key may do and how it is set up`, async () => {
    await using opened = await openLive(service)
    const { venue, trading } = opened
    const usual = {
      ...accounts[name],
      mayTrade: true,
      mayWithdraw: false,
      isIpRestricted: isWallet ? null : false,
      positionMode: isFutures(service) ? 'one-way' : null,
      obstacles: [],
    }
    assert.deepEqual(await venue.account.facts(), usual)
    if (isWallet) return
    const { apiKey = '', secret = '' } = trading.credentials
    trading.addKey({ apiKey, secret, mayTrade: false, mayWithdraw: true, ips: ['203.0.113.7/32'] })
    const { obstacles, ...facts } = await venue.account.facts()
    const { obstacles: _, ...expected } = usual
    assert.deepEqual(facts, { ...expected, mayTrade: false, mayWithdraw: true, isIpRestricted: true })
    for (const obstacle of obstacles) assert.match(obstacle, /^The key .*\.$/)
  })
}
