import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSandbox, type RunHost } from '@tickwright/sandbox'
import { createTestDatabase } from '../../../test/databases.ts'
import { startBinance } from '../../../test/exchanges/index.ts'
import { callsTo, livePrices } from '../../../test/live-prices.ts'
import { createCatalogue } from '../../catalogue/catalogue.ts'
import { Market } from '../market.ts'
import { Candles } from './candles.ts'
import { MarketCandles } from './market-candles.ts'

const strategies = 500
const binanceSpot = 2
const spellings = ['btcusdt', 'BTC/USDT', 'BINANCE:BTCUSDT']
const fail = (error: unknown) => assert.fail(`unexpected: ${error}`)
const notAsked = async () => assert.fail('The code asks only for candles.')
const idle: RunHost = {
  ...{ checkOptions: notAsked, action: notAsked, positions: notAsked, stop: notAsked },
  ...{ http: notAsked, rate: notAsked, candles: notAsked, sign: notAsked },
}

test('500 strategies of many accounts that ask for one series make one request', async (t) => {
  await using resources = new AsyncDisposableStack()
  const binance = resources.use(await startBinance())
  const at = Date.now()
  // The clock of the market stands still, so that a slow machine does not make the candles too old.
  const { prices } = livePrices(t, { endpoints: { binance: binance.endpoints }, now: () => at })
  const market = new Market({ source: prices, onError: fail })
  resources.defer(() => market.close())
  const database = await resources.use(await createTestDatabase()).open()
  const catalogue = await createCatalogue(database, { onError: fail })
  resources.defer(() => catalogue.close())
  const resolve = (venue: { exchange: string; service: string }, name: string) => market.resolve(venue, name)
  const candles = new Candles({ source: prices, resolve, patienceMs: 60_000 })
  const shared = new MarketCandles({ candles, market, catalogue })
  const sandbox = await openSandbox({ executors: 2, timeoutMs: 60_000 })
  resources.defer(() => sandbox.close())

  const runOf = (strategyId: number) => {
    const caller = { userId: strategyId % 7, strategyId, exchangeId: binanceSpot }
    const symbol = spellings[strategyId % spellings.length]!
    return sandbox.run({
      strategyId,
      code: `const candles = await $.candles('${symbol}', '1h', 1000)
        $.log(candles.length, JSON.stringify([candles[0], candles.at(-1)]))`,
      input: {
        ...{ strategy: { id: strategyId, type: 'code-strategy', signal: null }, storage: null },
        ...{ request: null, price: null, env: {} },
      },
      host: { ...idle, candles: (request) => shared.forCode(caller, request) },
    })
  }
  const outcomes = await Promise.all(Array.from({ length: strategies }, (_, index) => runOf(index + 1)))
  for (const { status, error } of outcomes) assert.deepEqual([status, error], ['completed', null])
  const logs = new Set(outcomes.map(({ log }) => log))
  assert.equal(logs.size, 1)
  assert.match([...logs][0]!, /^1000 \[.*"done":false/)
  assert.equal(callsTo(binance, '/api/v3/klines'), 1)
})
