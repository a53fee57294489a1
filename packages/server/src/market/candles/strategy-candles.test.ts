import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addUsers } from '../../../test/accounts.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { startBinance } from '../../../test/exchanges/index.ts'
import { callsTo } from '../../../test/live-prices.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { makeStrategy } from '../../../test/strategy.ts'
import { until } from '../../../test/until.ts'

/** A service with live prices of an exchange on this machine, and two accounts. */
await using resources = new AsyncDisposableStack()
const binance = resources.use(await startBinance())
const database = resources.use(await createTestDatabase())
const [otherKey] = await addUsers(database, ['other@example.com'])
const env = { MARKET: 'live', EXCHANGE_ENDPOINTS: JSON.stringify({ binance: binance.endpoints }) }
const service = resources.use(await startService({ database, env }))
const other = service.as(otherKey!)
const kept = resources.move()
after(() => kept.disposeAsync())

const klines = '/api/v3/klines'
const hour = 3_600_000
const testPath = '/api/v2/strategy/code/test'
const logOf = async (account: typeof other, code: string) => {
  const { status, log, error } = await expect(200, account.api('POST', testPath, { code }))
  assert.equal(status, 'SUCCEEDED', JSON.stringify(error))
  return log.trim()
}

// The first request opens the exchange, which may take longer than a caller waits.
const path = '/api/v2/market/symbols?exchange=binance'
await until('the exchange', async () => (await service.api('GET', path)).status === 200)

test('strategies of several accounts that run at once share one request', async () => {
  const code = `const candles = await $.candles('ETHUSDT', '1h', 100)
    $.log(candles.length, candles.at(-1).done, $.Candles.lasts(candles)[98].toFixed(4))`
  const fields = { exchange_id: 2, cron_interval: '1m' }
  const before = callsTo(binance, klines)
  const strategies = await Promise.all(
    [service, other].flatMap((account) => [1, 2].map(() => makeStrategy(account, code, fields))),
  )
  const tests = await Promise.all(
    strategies.map(({ id }, index) =>
      expect(
        200,
        [service, other][Math.floor(index / 2)]!.api('POST', `/api/v2/strategy/code/${id}/test`, {}),
      ),
    ),
  )
  assert.ok(
    tests.every(({ status }) => status === 'SUCCEEDED'),
    JSON.stringify(tests[0]),
  )
  assert.equal(new Set(tests.map(({ log }) => log)).size, 1)
  assert.match(tests[0].log, /^100 false /)
  assert.equal(callsTo(binance, klines) - before, 1)
})

test('in a test run, no candle is from the future, and none is done before its end', async () => {
  const code = `const found = []
    for (const exchange of ['binance', 'sim'])
      for (const interval of ['1m', '1h', '1d']) found.push([interval, await $.candles('BTC/USDT', interval, 50, { exchange })])
    $.log(JSON.stringify([Date.now(), found.map(([interval, candles]) => [interval, candles.slice(-3)])]))`
  const [at, found] = JSON.parse(await logOf(other, code))
  const durations: Record<string, number> = { '1m': 60_000, '1h': hour, '1d': 24 * hour }
  assert.equal(found.length, 6)
  for (const [interval, candles] of found) {
    for (const { time, done } of candles) {
      assert.ok(time <= at)
      if (done) assert.ok(time + durations[interval]! <= at)
    }
  }
})

test('the reason for missing candles reaches the code', async () => {
  const reasons = `for (const [symbol, interval, options] of [
      ['btcusdt', '1h'], ['nothing', '1h', { exchange: 'binance' }], ['btcusdt', '7m', { exchange: $.Exchange.BINANCE }],
      ['btcusdt', '1h', { exchange: 'nowhere' }], ['btcusdt', '1h', { exchange: 'binance', service: 'margin' }],
    ]) await $.candles(symbol, interval, 5, options).then(() => $.log('?'), (error) => $.log(error.name, error.message))`
  const lines = (await logOf(other, reasons)).split('\n')
  const wanted = [
    /^Error Name an exchange: \$\.candles\(symbol/,
    /^Error Binance spot has no market "nothing"/,
    /^Error binance spot has no candles of "7m"\. Its intervals are 1m, 3m/,
    /^Error There is no exchange "nowhere"/,
    /^Error Binance has no "margin", only spot and futures/,
  ]
  assert.equal(lines.length, wanted.length)
  for (const [index, pattern] of wanted.entries()) assert.match(lines[index], pattern)
})

test('a symbol that spot does not have comes from futures', async () => {
  const code = `const [candle] = await $.candles('1000PEPEUSDT', '1h', 1, { exchange: 'binance' })
    $.log(candle.open < 0.01)`
  assert.equal(await logOf(service, code), 'true')
  assert.equal(callsTo(binance, '/fapi/v1/klines'), 1)
})

test('an exchange that does not answer in time costs a run 1,750 ms, and it learns why', async () => {
  binance.failRest('hang', /klines/)
  const code = `const began = Date.now()
    const reason = await $.candles('SOLUSDT', '1h', 5, { exchange: 'binance' }).catch((error) => error.message)
    $.log(Date.now() - began >= 1700, reason)`
  const log = await logOf(service, code)
  binance.failRest(undefined)
  assert.match(log, /^true binance spot has not sent 1h candles of SOLUSDT within 1750 ms/)
})
