/** Every member of `$.Exchange`, spot and futures, with the real ccxt against an exchange on loopback. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { standIns } from '../../../test/exchanges/index.ts'
import { Follower, follow, livePrices, noPolls, subscribed } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import type { MarketVenue } from '../price-source.ts'

type Member = keyof typeof standIns
type Case = {
  member: Member
  venue: MarketVenue
  name: string
  spellings: string[]
  symbol: string
  other: string
}

const cases: Case[] = [
  {
    member: 'BINANCE',
    venue: { exchange: 'binance', service: 'spot' },
    name: 'binance',
    spellings: ['btcusdt', 'BTC/USDT', 'BTCUSDT', 'BINANCE:BTCUSDT'],
    symbol: 'BTC/USDT',
    other: 'ETH/USDT',
  },
  {
    member: 'BINANCE',
    venue: { exchange: 'binance', service: 'futures' },
    name: 'binance',
    spellings: ['btcusdt', 'BTC/USDT', 'BTC/USDT:USDT', 'BTCUSDT.P'],
    symbol: 'BTC/USDT:USDT',
    other: 'ETH/USDT:USDT',
  },
  {
    member: 'GATEIO',
    venue: { exchange: 'gate', service: 'spot' },
    name: 'gateio',
    spellings: ['btcusdt', 'BTC_USDT', 'BTC/USDT', 'GATEIO:BTCUSDT'],
    symbol: 'BTC/USDT',
    other: 'ETH/USDT',
  },
  {
    member: 'GATEIO',
    venue: { exchange: 'gate', service: 'futures' },
    name: 'gateio',
    spellings: ['btcusdt', 'BTC_USDT', 'BTCUSDT.P'],
    symbol: 'BTC/USDT:USDT',
    other: 'ETH/USDT:USDT',
  },
  {
    member: 'BITGET',
    venue: { exchange: 'bitget', service: 'spot' },
    name: 'bitget',
    spellings: ['btcusdt', 'BTCUSDT', 'btc-usdt'],
    symbol: 'BTC/USDT',
    other: 'ETH/USDT',
  },
  {
    member: 'BITGET',
    venue: { exchange: 'bitget', service: 'futures' },
    name: 'bitget',
    spellings: ['btcusdt', 'BTCUSDT.P', 'BTC/USDT:USDT'],
    symbol: 'BTC/USDT:USDT',
    other: 'ETH/USDT:USDT',
  },
  {
    member: 'HYPERLIQUID',
    venue: { exchange: 'hyperliquid', service: 'spot' },
    name: 'hyperliquid',
    spellings: ['purrusdc', 'PURR/USDC'],
    symbol: 'PURR/USDC',
    other: 'HYPE/USDC',
  },
  {
    member: 'HYPERLIQUID',
    venue: { exchange: 'hyperliquid', service: 'futures' },
    name: 'hyperliquid',
    spellings: ['btcusdc', 'BTC/USDC', 'BTC/USDC:USDC'],
    symbol: 'BTC/USDC:USDC',
    other: 'ETH/USDC:USDC',
  },
  {
    member: 'KRAKEN',
    venue: { exchange: 'kraken', service: 'spot' },
    name: 'kraken',
    spellings: ['btcusd', 'BTC/USD', 'XBTUSD', 'XBT/USD', 'XXBTZUSD', 'KRAKEN:XBTUSD'],
    symbol: 'BTC/USD',
    other: 'ETH/USD',
  },
  {
    member: 'KRAKEN',
    venue: { exchange: 'krakenfutures', service: 'futures' },
    name: 'kraken',
    spellings: ['btcusd', 'XBTUSD', 'PF_XBTUSD', 'BTC/USD:USD', 'BTCUSD.P'],
    symbol: 'BTC/USD:USD',
    other: 'ETH/USD:USD',
  },
]

for (const { member, venue, name, spellings, symbol, other } of cases) {
  const where = `${venue.exchange} ${venue.service}`

  test(`${where}: prices come by WebSocket, with one subscription per symbol, also after a lost connection`, async (t) => {
    const standIn = await standIns[member]()
    t.after(() => standIn[Symbol.asyncDispose]())
    const { prices } = livePrices(t, { endpoints: { [member]: standIn.endpoints }, pace: noPolls })
    for (const spelling of spellings) assert.equal(await prices.resolve(venue, spelling), symbol)
    assert.equal(prices.nameOf(venue), name)
    const first = await follow(prices, venue, symbol)
    const second = await follow(prices, venue, other)
    await subscribed(standIn, symbol, other)
    standIn.setPrice(symbol, 101)
    standIn.setPrice(other, 102)
    await Promise.all([first.sees(101), second.sees(102)])
    standIn.dropConnections()
    await until('the drop', async () => standIn.connectionCount() > 1)
    await subscribed(standIn, symbol, other)
    standIn.setPrice(symbol, 103)
    standIn.setPrice(other, 104)
    await Promise.all([first.sees(103), second.sees(104)])
    for (let i = 0; i < 20; i++) {
      first.stop()
      new Follower(prices, venue, symbol).stop()
      await sleep(5)
    }
    await subscribed(standIn, other)
    const again = new Follower(prices, venue, symbol)
    await subscribed(standIn, symbol, other)
    standIn.setPrice(symbol, 105)
    await again.sees(105)
    again.stop()
    second.stop()
    await subscribed(standIn)
  })

  test(`${where}: prices come by REST, and the feed waits after a rate limit`, async (t) => {
    const standIn = await standIns[member]()
    t.after(() => standIn[Symbol.asyncDispose]())
    const { prices } = livePrices(t, { endpoints: { [member]: standIn.endpoints } })
    standIn.refuseUpgrades(503)
    const first = await follow(prices, venue, symbol)
    const second = await follow(prices, venue, other)
    await Promise.all([first.begins(), second.begins()])
    standIn.failRest(standIn.rateLimited)
    standIn.setPrice(symbol, 201)
    const reason = /cannot be reached: it asks for fewer requests/
    await until('trouble', async () => first.troubles.some((trouble) => reason.test(trouble)))
    standIn.failRest(undefined)
    await first.sees(201)
    second.stop()
    standIn.setPrice(symbol, 202)
    await first.sees(202)
  })
}
