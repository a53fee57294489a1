/** The log lines of an outage of an exchange, however often strategies ask for prices meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { startBinance } from '../../test/exchanges/index.ts'
import { fastPace } from '../../test/live-prices.ts'
import { startProcess } from '../../test/process.ts'
import { makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { LivePrices } from './live/live-prices.ts'
import { Market } from './market.ts'

const binanceSpot = 2
const venue = { exchange: 'binance', service: 'spot' }

test('an exchange that is lost while strategies run gets one line when it is lost and one when it is back', async (t) => {
  await using binance = await startBinance()
  const lines: string[] = []
  const write = (line: string) => void lines.push(JSON.parse(line).msg)
  const logger = pino({ level: 'info' }, { write })
  const endpoints = { binance: binance.endpoints }
  const source = new LivePrices({ endpoints, logger, pace: { ...fastPace, idleMs: 200 } })
  const market = new Market({ source, onError: assert.fail, lingerMs: 400, patienceMs: 100 })
  t.after(() => market.close())
  const ask = () => market.price(venue, 'btcusdt')

  await until('a price', async () => 'quote' in (await ask()))
  assert.deepEqual(lines, [])
  binance.failRest({ status: 503, body: '<html>' })
  binance.refuseUpgrades(503)
  binance.dropConnections()
  await until('the outage', async () => lines.length > 0)
  for (let time = 0; time < 3; time++) {
    for (let run = 0; run < 20; run++) await ask()
    // Long enough without a request for the service to close the exchange.
    await sleep(900)
  }
  assert.deepEqual(lines, ['Binance spot: its price stream was lost'])
  binance.failRest(undefined)
  binance.refuseUpgrades(undefined)
  await until('the end of the outage', async () => {
    await ask()
    return lines.length > 1
  })
  await ask()
  assert.deepEqual(lines, [
    'Binance spot: its price stream was lost',
    'Binance spot: its price stream is back',
  ])
})

test('while an exchange is away, the runs of a strategy add no log lines', async () => {
  await using binance = await startBinance()
  binance.failRest({ status: 503, body: '<html>' })
  const env = { MARKET: 'live', EXCHANGE_ENDPOINTS: JSON.stringify({ binance: binance.endpoints }) }
  await using service = await startProcess({ env })
  const fields = { use_price: true, exchange_id: binanceSpot, price_symbol: 'btcusdt' }
  const reaction = await makeReaction(service, '', fields)
  const before = service.output().length
  const linesAbout = (what: RegExp) =>
    service
      .output()
      .slice(before)
      .split('\n')
      .filter((line) => what.test(line))
  for (let run = 1; run <= 10; run++) {
    await reaction.post({})
    await reaction.ended(run)
  }
  assert.ok((await reaction.runs()).every(({ status }) => status === 'SKIPPED'))
  assert.equal(linesAbout(/Binance|price|run ended/).length, 1, service.output())
  binance.failRest(undefined)
  await until('the price', async () => {
    await reaction.post({})
    const runs = await reaction.runs()
    return runs.some(({ status }) => status === 'SUCCEEDED')
  })
  await until('the line', async () => linesAbout(/again/).length > 0)
  assert.deepEqual(
    linesAbout(/Binance|price|run ended/).map((line) => JSON.parse(line).msg),
    ['Binance spot: its markets cannot be loaded', 'Binance spot: its markets can be loaded again'],
  )
})
