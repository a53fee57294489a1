import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { type StandIn, standIns } from '../../test/exchanges/index.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeStrategy } from '../../test/strategy.ts'
import { until } from '../../test/until.ts'

/** For each member of `$.Exchange`: its ids in the catalogue, one of its symbols, and the unified names of that symbol. */
const members = {
  BINANCE: { ids: [2, 3], symbol: 'btcusdt', unified: ['BTC/USDT', 'BTC/USDT:USDT'] },
  KRAKEN: { ids: [6, 7], symbol: 'BTC/USD', unified: ['BTC/USD', 'BTC/USD:USD'] },
  GATEIO: { ids: [8, 9], symbol: 'BTC_USDT', unified: ['BTC/USDT', 'BTC/USDT:USDT'] },
  HYPERLIQUID: { ids: [11, 12], symbol: 'BTC/USDC', unified: ['BTC/USDC', 'BTC/USDC:USDC'] },
  BITGET: { ids: [13, 14], symbol: 'BTCUSDT', unified: ['BTC/USDT', 'BTC/USDT:USDT'] },
} as const
type Member = keyof typeof members
const names = Object.keys(members) as Member[]

await using resources = new AsyncDisposableStack()
const exchanges = new Map<Member, StandIn>()
for (const name of names) exchanges.set(name, resources.use(await standIns[name]()))
const database = resources.use(await createTestDatabase())
const service = resources.use(
  await startService({
    database,
    env: {
      MARKET: 'live',
      EXCHANGE_ENDPOINTS: JSON.stringify(
        Object.fromEntries(names.map((name) => [name.toLowerCase(), exchanges.get(name)!.endpoints])),
      ),
    },
  }),
)
const kept = resources.move()
after(() => kept.disposeAsync())

for (const name of names) {
  for (const [index, service_] of (['spot', 'futures'] as const).entries()) {
    test(`a strategy gets the ${service_} price of ${name}, and runs with each new one`, async () => {
      const exchange = exchanges.get(name)!
      const { ids, symbol, unified } = members[name]
      exchange.setPrice(unified[index]!, 1000)
      const strategy = await makeStrategy(service, `$.log(JSON.stringify($.Price))`, {
        cron_interval: 'TICK',
        use_price: true,
        exchange_id: ids[index],
        price_symbol: symbol,
      })
      await until(`the feed of ${name}`, async () => exchange.subscriptions().includes(unified[index]!))
      let price = 1000
      const seen = async () => {
        price += 1
        exchange.setPrice(unified[index]!, price)
        const runs = await strategy.runs()
        return runs.filter((run) => run.status === 'SUCCEEDED').length >= 2
      }
      await until('two runs', seen)
      await strategy.setStatus('INACTIVE')
      const shown = (await strategy.runs())
        .filter((run) => run.status === 'SUCCEEDED')
        .map((run) => JSON.parse(run.log))
      for (const each of shown) {
        assert.ok(each.price >= 1000 && each.price <= price, JSON.stringify(each))
        assert.deepEqual(each, {
          symbol,
          price: each.price,
          exchange: name.toLowerCase(),
          service: service_,
        })
      }
    })
  }
}

test('$.getExchangeRate answers for each member, in any spelling', async () => {
  for (const name of names) {
    exchanges.get(name)!.setPrice(members[name].unified[0], 2000)
  }
  const reaction = await makeReaction(
    service,
    `$.log(JSON.stringify([
      await $.getExchangeRate($.Exchange.BINANCE, 'btcusdt'), await $.getExchangeRate($.Exchange.KRAKEN, 'xbtusd'),
      await $.getExchangeRate($.Exchange.GATEIO, 'btc_usdt'), await $.getExchangeRate($.Exchange.BITGET, 'btcusdt'),
      await $.getExchangeRate($.Exchange.HYPERLIQUID, 'btcusdc'), await $.getExchangeRate($.Exchange.BINANCE, 'nosuch')
    ]))`,
  )
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.error, null)
  assert.deepEqual(JSON.parse(run.log), [2000, 2000, 2000, 2000, 2000, null])
})

test('with an unknown symbol, the run is skipped, and the reason suggests a similar symbol', async () => {
  const reaction = await makeReaction(service, '', {
    use_price: true,
    exchange_id: 2,
    price_symbol: 'btcusdtt',
  })
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'SKIPPED')
  assert.match(run.error.message, /btcusdtt.*BTC\/USDT/s)
})

test('with live prices, responses have no market header, and the health check says live', async () => {
  const { parts } = await expect(200, service.send('GET', '/health/ready'))
  assert.equal(parts.market.kind, 'live')
  const answer = await fetch(`${service.url}/health/live`)
  assert.equal(answer.headers.get('x-tickwright-market'), null)
})
