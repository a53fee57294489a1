/** Causes all kinds of failures at random for a few seconds. Afterwards, everything must work. */
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StandIn, standIns } from '../../../test/exchanges/index.ts'
import { Follower, livePrices } from '../../../test/live-prices.ts'
import { until } from '../../../test/until.ts'
import type { MarketVenue } from '../price-source.ts'

const forMs = 2_000

const usdt = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'ETH/BTC']
const perpetuals = ['BTC/USD:USD', 'ETH/USD:USD', 'SOL/USD:USD', 'BTC/USD:BTC']
type Case = { member: keyof typeof standIns; venue: MarketVenue; symbols: string[] }
const cases: Case[] = [
  { member: 'BINANCE', venue: { exchange: 'binance', service: 'spot' }, symbols: usdt },
  { member: 'GATEIO', venue: { exchange: 'gate', service: 'spot' }, symbols: usdt },
  { member: 'BITGET', venue: { exchange: 'bitget', service: 'spot' }, symbols: usdt },
  {
    member: 'HYPERLIQUID',
    venue: { exchange: 'hyperliquid', service: 'spot' },
    symbols: ['BTC/USDC', 'ETH/USDC', 'SOL/USDC', 'PURR/USDC'],
  },
  {
    member: 'KRAKEN',
    venue: { exchange: 'kraken', service: 'spot' },
    symbols: ['BTC/USD', 'ETH/USD', 'BTC/USDT', 'ETH/BTC'],
  },
  { member: 'KRAKEN', venue: { exchange: 'krakenfutures', service: 'futures' }, symbols: perpetuals },
]

for (const { member, venue, symbols } of cases) {
  test(`${venue.exchange}: after any failures, each symbol has one subscription and its price`, async (t) => {
    const standIn = await standIns[member]()
    t.after(() => standIn[Symbol.asyncDispose]())
    const { prices } = livePrices(t, { endpoints: { [member]: standIn.endpoints } })
    await prices.resolve(venue, symbols[0]!)
    const followers = new Map<string, Follower>()
    const toggle = (symbol: string) => {
      followers.get(symbol)?.stop()
      if (!followers.delete(symbol)) followers.set(symbol, new Follower(prices, venue, symbol))
    }
    const end = performance.now() + forMs
    while (performance.now() < end) {
      const symbol = pick(symbols)
      if (Math.random() < 0.5) toggle(symbol)
      else pick(disorders)(standIn, symbol)
      if (Math.random() < 0.5) await sleep(Math.random() * 30)
    }
    standIn.failRest(undefined)
    standIn.refuseUpgrades(undefined)
    standIn.silence(false)
    const kept = symbols.slice(0, 2)
    for (const symbol of symbols) if (followers.has(symbol) !== kept.includes(symbol)) toggle(symbol)
    const wanted = kept.toSorted().join()
    await until('the subscriptions', async () => standIn.subscriptions().join() === wanted)
    await until('prices', async () => {
      const price = 1_000 + Math.round(Math.random() * 1_000)
      for (const symbol of kept) standIn.setPrice(symbol, price)
      await sleep(200)
      return [...followers.values()].every((follower) => follower.price === price)
    })
    for (const symbol of kept) toggle(symbol)
    await until('no subscription', async () => standIn.subscriptions().length === 0)
    await prices.close()
    await until('no connection', async () => standIn.connections() === 0)
  })
}

const disorders: ((standIn: StandIn, symbol: string) => void)[] = [
  (standIn) => standIn.dropConnections(),
  (standIn) => standIn.dropConnections(1012),
  (standIn) =>
    standIn.sendRaw(pick(['', '{', 'null', '[[]]', '{"error":"no"}', '{"channel":"ticker","data":[{}]}'])),
  (standIn) => standIn.refuseUpgrades(pick([undefined, undefined, 429, 503])),
  (standIn) => standIn.failRest(pick([undefined, undefined, { status: 500 }, { status: 200, body: '<p>' }])),
  (standIn) => standIn.silence(Math.random() < 0.3),
  (standIn, symbol) => standIn.setPrice(symbol, 1 + Math.random()),
  (standIn, symbol) => standIn.sendTicker(symbol, { price: pick(['0', '-1', 'NaN', '1e9']) }),
  (standIn, symbol) => standIn.repeat(symbol),
]

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!
}
