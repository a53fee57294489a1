import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { watchDials } from '../../../test/exchanges/dials.ts'
import { startBinance, startBitget, startGate, startKraken } from '../../../test/exchanges/index.ts'
import { members, openMember } from '../../../test/exchanges/members.ts'
import { until } from '../../../test/until.ts'
import { startWatchedServer } from '../../../test/watched-server.ts'
import { createExchange, isCcxtError } from './ccxt-exchange.ts'

const btc = { symbol: 'BTC/USDT', last: 60_000.01 }

for (const member of members) {
  const { exchange: id, service, symbols, inactive } = member
  const [first, second] = symbols

  test(`${id} ${service} knows the markets of its service, and whether they are traded`, async () => {
    await using opened = await openMember(member)
    using dials = watchDials()
    const markets = await opened.exchange.loadMarkets()
    const contract = Object.values(markets).map(({ type }) => type !== 'spot')
    assert.deepEqual(new Set(contract), new Set([service === 'futures']))
    for (const symbol of symbols) assert.notEqual(markets[symbol]?.active, false, symbol)
    if (inactive !== undefined) assert.equal(markets[inactive]?.active, false)
    assert.deepEqual(dials.outside(), [])
  })

  test(`${id} ${service} sends prices by REST and by WebSocket, on one connection`, async () => {
    await using opened = await openMember(member)
    using dials = watchDials()
    const { exchange, standIn } = opened
    await exchange.loadMarkets()
    assert.equal((await exchange.fetchTicker(first)).last, Number(standIn.price(first)))
    const tickers = await exchange.fetchTickers([first, second])
    assert.equal(tickers[second]?.last, Number(standIn.price(second)))
    for (const symbol of [first, second]) {
      assert.equal((await exchange.watchTicker(symbol)).last, Number(standIn.price(symbol)))
    }
    assert.deepEqual(standIn.subscriptions(), [first, second].sort())
    const next = exchange.watchTicker(second)
    standIn.setPrice(second, 1234.5)
    assert.equal((await next).last, 1234.5)
    // Each call waits for one update, without subscribing or connecting again.
    assert.deepEqual(standIn.subscriptions(), [first, second].sort())
    assert.ok(standIn.connectionCount() <= 2)
    assert.deepEqual(dials.outside(), [])
  })

  test(`${id} ${service} sends the price of each traded market, in both ways`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    const markets = Object.values(await exchange.loadMarkets())
    for (const { symbol } of markets.filter(({ active }) => active !== false)) {
      const price = Number(standIn.price(symbol))
      assert.equal((await exchange.fetchTickers([symbol]))[symbol]?.last, price, symbol)
      assert.equal((await exchange.fetchTicker(symbol)).last, price, symbol)
      const ticker = await exchange.watchTicker(symbol)
      assert.deepEqual([ticker.symbol, ticker.last], [symbol, price])
    }
  })
}

test('a market of Kraken is not confused with one that has its name elsewhere', async () => {
  await using standIn = await startKraken()
  const exchange = await createExchange(
    { exchange: 'kraken', service: 'spot' },
    { kraken: standIn.endpoints },
  )
  await exchange.loadMarkets()
  // Kraken's LUNA is LUNC, and its LUNA2 is LUNA.
  assert.equal((await exchange.watchTicker('LUNA/USD')).last, 0.4123)
  assert.equal((await exchange.watchTicker('LUNC/USD')).last, 0.00006112)
  assert.equal((await exchange.fetchTicker('LUNA/USD')).last, 0.4123)
  assert.deepEqual(standIn.subscriptions(), ['LUNA/USD', 'LUNC/USD'])
  await exchange.close()
})

test('a ticker has its time, wherever the exchange sends it', async () => {
  const timeless = new Set(['kraken', 'hyperliquid'])
  for (const member of members) {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    const [symbol] = member.symbols
    await exchange.loadMarkets()
    await exchange.watchTicker(symbol)
    const ticker = exchange.watchTicker(symbol)
    standIn.sendTicker(symbol, { timestampMs: 1_700_000_000_123 })
    const expected = timeless.has(member.exchange) ? undefined : 1_700_000_000_123
    assert.equal((await ticker).timestamp, expected, `${member.exchange} ${member.service}`)
  }
})

test('a refused list of markets does not cost the others; a busy endpoint fails them all', async () => {
  await using standIn = await startBinance()
  const open = () =>
    createExchange({ exchange: 'binance', service: 'futures' }, { binance: standIn.endpoints })
  standIn.failRest({ status: 404, body: '' }, /^\/dapi\//)
  const exchange = await open()
  assert.ok('BTC/USDT:USDT' in (await exchange.loadMarkets()))
  standIn.failRest(standIn.rateLimited, /^\/dapi\//)
  const busy = await open()
  await assert.rejects(busy.loadMarkets(), (error) => isCcxtError(error, 'DDoSProtection'))
  standIn.failRest({ status: 404, body: '' }, /^\/fapi\//)
  const without = await open()
  await assert.rejects(without.loadMarkets(), (error) => isCcxtError(error, 'ExchangeNotAvailable'))
  await Promise.all([exchange.close(), busy.close(), without.close()])
})

test('at Gate and Bitget, only the list of futures settled in USDT is required', async () => {
  const cases = [
    { id: 'gate', start: startGate, usdt: /futures\/usdt/ },
    { id: 'bitget', start: startBitget, usdt: /productType=USDT-FUTURES/ },
  ]
  for (const { id, start, usdt } of cases) {
    await using standIn = await start()
    await using mirror = await startWatchedServer(async ({ url = '' }, response) => {
      if (!usdt.test(url)) response.writeHead(404).end()
      else response.end(await (await fetch(`${standIn.endpoints.rest}${url}`)).text())
    })
    const venue = { exchange: id, service: 'futures' }
    const exchange = await createExchange(venue, { [id]: { rest: mirror.origin } })
    const settle = Object.values(await exchange.loadMarkets()).map((market) => market.settle)
    assert.deepEqual([...new Set(settle)], ['USDT'])
    await exchange.close()
  }
})

test('an empty or unreadable list of markets does not make markets disappear', async () => {
  await using standIn = await startBinance()
  const open = (service: string) =>
    createExchange({ exchange: 'binance', service }, { binance: standIn.endpoints })
  const exchange = await open('futures')
  const known = Object.keys(await exchange.loadMarkets())
  for (const path of [/^\/fapi\//, /^\/dapi\//]) {
    for (const body of ['', '<html>Just a moment</html>', '{"symbols":[']) {
      standIn.failRest({ status: 200, body }, path)
      await assert.rejects(exchange.loadMarkets(true), /did not answer with JSON/)
      assert.deepEqual(Object.keys(exchange.markets ?? {}), known)
    }
  }
  standIn.failRest({ status: 200, body: '{}' })
  const spot = await open('spot')
  await assert.rejects(spot.loadMarkets(), /no markets/)
  await assert.rejects(exchange.loadMarkets(true), /no markets/)
  standIn.failRest(undefined)
  assert.deepEqual(Object.keys(await exchange.loadMarkets(true)), known)
  await Promise.all([exchange.close(), spot.close()])
})

test('a request times out even if its response never ends', async () => {
  const answers: ServerResponse[] = []
  await using server = await startWatchedServer((_, response) => {
    answers.push(response)
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"symbols":[')
  })
  const exchange = await createExchange(
    { exchange: 'binance', service: 'spot' },
    { binance: { rest: server.origin } },
  )
  exchange.timeout = 100
  await assert.rejects(exchange.loadMarkets(), (error) => isCcxtError(error, 'RequestTimeout'))
  await exchange.close()
  await until('the end of all connections', async () => server.openSockets.size === 0)
})

test('a response may be compressed, and a redirect is not followed', async () => {
  await using standIn = await startBinance()
  await using server = await startWatchedServer(async (request, response) => {
    if (request.url?.includes('ticker')) {
      response.writeHead(302, { location: `${standIn.endpoints.rest}${request.url}` }).end()
      return
    }
    const answer = await fetch(`${standIn.endpoints.rest}${request.url}`)
    response.setHeader('content-encoding', 'gzip').end(gzipSync(await answer.text()))
  })
  const exchange = await createExchange(
    { exchange: 'binance', service: 'spot' },
    { binance: { rest: server.origin } },
  )
  assert.ok('BTC/USDT' in (await exchange.loadMarkets()))
  await assert.rejects(exchange.fetchTicker('BTC/USDT'), (error) => isCcxtError(error, 'NetworkError'))
  assert.equal(standIn.restCalls().get('/api/v3/ticker/24hr'), undefined)
  await exchange.close()
})

test('a message for a connection that has just ended fails the connection, not the process', async () => {
  await using standIn = await startBinance()
  const exchange = await createExchange(
    { exchange: 'binance', service: 'spot' },
    { binance: standIn.endpoints },
  )
  await exchange.loadMarkets()
  await exchange.watchTicker('BTC/USDT')
  const [client] = Object.values(exchange.clients)
  assert.ok(client)
  // When the turn of the second subscription comes, the connection is closing.
  const first = exchange.watchTicker('BTC/USDT')
  const second = exchange.watchTicker('ETH/USDT')
  void client.close()
  await Promise.all([assert.rejects(first), assert.rejects(second)])
  assert.equal((await exchange.watchTicker('BTC/USDT')).last, btc.last)
  await exchange.close()
})

test('closing ends all requests and connections', async () => {
  await using standIn = await startBinance()
  const exchange = await createExchange(
    { exchange: 'binance', service: 'spot' },
    { binance: standIn.endpoints },
  )
  await exchange.loadMarkets()
  await exchange.watchTicker('BTC/USDT')
  standIn.failRest('hang')
  const asked = assert.rejects(exchange.fetchTicker('BTC/USDT'))
  const watched = assert.rejects(exchange.watchTicker('BTC/USDT'), (error) =>
    isCcxtError(error, 'ExchangeClosedByUser'),
  )
  await until('the request', async () => standIn.restCalls().has('/api/v3/ticker/24hr'))
  await exchange.close()
  await Promise.all([asked, watched])
  await until('the end of all connections', async () => standIn.connections() === 0)
})

test('a connection that is closed while it waits to connect again does not connect', async () => {
  await using standIn = await startBinance()
  using dials = watchDials()
  const exchange = await createExchange(
    { exchange: 'binance', service: 'spot' },
    { binance: standIn.endpoints },
  )
  exchange.options.ws = { ...(exchange.options.ws as object), backoff: { base: 50, max: 50 } }
  await exchange.loadMarkets()
  standIn.refuseUpgrades(503)
  await assert.rejects(exchange.watchTicker('BTC/USDT'))
  const waiting = assert.rejects(exchange.watchTicker('BTC/USDT'))
  const before = dials.attempts.length
  await exchange.close()
  await exchange.close()
  await waiting
  await sleep(200)
  assert.equal(dials.attempts.length, before)
})

test('requests have a rate limit, except on addresses that have none', async () => {
  const own = { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' }
  for (const [endpoint, isLimited] of [
    [own, true] as const,
    [{ ...own, unlimited: true as const }, false] as const,
  ]) {
    const exchange = await createExchange({ exchange: 'binance', service: 'futures' }, { binance: endpoint })
    assert.equal(exchange.enableRateLimit, isLimited)
    await exchange.close()
  }
})

test('an exchange that ccxt does not support is refused, whatever its name', async () => {
  for (const exchange of ['nosuch', '', '../ccxt', 'base/Exchange', 'Binance']) {
    await assert.rejects(createExchange({ exchange, service: 'spot' }, {}), /ccxt has no exchange/)
  }
  const prediction = await createExchange({ exchange: 'polymarket', service: 'prediction' }, {})
  assert.equal(prediction.id, 'polymarket')
})
