import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { watchDials } from '../../../test/exchanges/dials.ts'
import { startWatchedServer } from '../../../test/watched-server.ts'
import { readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { createExchange } from './ccxt-exchange.ts'
import { endpointFor, redirect, unknownEndpoints } from './endpoints.ts'

const here = { rest: 'http://127.0.0.1:1' }
const there = { rest: 'http://127.0.0.2:1' }

test('an endpoint is found by id, by name in the catalogue and by member of $.Exchange, in any case', () => {
  const cases: [exchange: string, key: string][] = [
    ['binance', 'binance'],
    ['binance', 'BINANCE'],
    ['gate', 'gate'],
    ['gate', 'gateio'],
    ['gate', 'GateIO'],
    ['kraken', ' Kraken '],
    ['krakenfutures', 'krakenfutures'],
    ['krakenfutures', 'Kraken Futures'],
    ['coinbase', 'Coinbase Advanced'],
    ['polymarket', 'polymarket'],
  ]
  for (const [exchange, key] of cases) assert.equal(endpointFor(exchange, { [key]: here }), here, key)
})

test('an exchange uses the endpoint of the one it belongs to, unless it has its own', () => {
  assert.equal(endpointFor('krakenfutures', { kraken: here }), here)
  assert.equal(endpointFor('krakenfutures', { KRAKEN: here, krakenfutures: there }), there)
  assert.equal(endpointFor('kraken', { krakenfutures: there }), undefined)
  assert.equal(endpointFor('binanceusdm', { BINANCE: here }), here)
  assert.equal(endpointFor('binancecoinm', { binance: here }), here)
  assert.equal(endpointFor('binanceus', { binance: here }), undefined)
  assert.equal(endpointFor('constructor', {}), undefined)
})

test('endpoints of unknown exchanges are reported', () => {
  const endpoints = { binance: here, KRAKEN: here, gateio: here, binanse: here, toString: here }
  assert.deepEqual(unknownEndpoints(endpoints), ['binanse', 'toString'])
})

test('an address that the endpoint does not give stays as it is', async () => {
  const exchange = await createExchange({ exchange: 'kraken', service: 'spot' }, {})
  const { client, fetchImplementation } = exchange
  redirect(exchange, { rest: 'http://127.0.0.1:1' })
  assert.equal(exchange.client, client)
  assert.notEqual(exchange.fetchImplementation, fetchImplementation)
  const other = await createExchange({ exchange: 'kraken', service: 'spot' }, {})
  const before = other.fetchImplementation
  redirect(other, { ws: 'ws://127.0.0.1:1' })
  assert.equal(other.fetchImplementation, before)
})

test('every request of every exchange goes to its endpoint, and nowhere else', async () => {
  await using server = await startWatchedServer((_, response) => response.writeHead(404).end('{}'))
  const upgrades = new WebSocketServer({ noServer: true })
  const dialled: string[] = []
  server.server.on('upgrade', (request, socket, head) => {
    dialled.push(request.url ?? '')
    upgrades.handleUpgrade(request, socket, head, (webSocket) => webSocket.on('error', () => {}))
  })
  const endpoint = { rest: server.origin, ws: `ws://${server.host}` }
  using dials = watchDials()
  for (const { exchange: id, services } of readCcxtFacts()) {
    for (const service of services) {
      const exchange = await createExchange({ exchange: id, service }, { [id]: endpoint })
      // So that retries do not wait.
      exchange.enableRateLimit = false
      await exchange.loadMarkets().catch(() => {})
      // Some have their markets in ccxt's code, or send no requests without credentials.
      await exchange.fetch(`https://api.example/path?of=${id}`).catch(() => {})
      assert.ok(server.requests.includes(`GET /path?of=${id}`), id)
      for (const url of new Set(webSocketAddresses(exchange.urls.api))) {
        const { pathname, search } = new URL(url)
        const client = exchange.client(url)
        client.createConnection()
        await client.connected
        assert.equal(dialled.pop(), pathname + search, `${id}: ${url}`)
        assert.equal(client.url, url)
      }
      await exchange.close()
    }
  }
  assert.deepEqual(dials.outside(), [])
})

/** All WebSocket addresses in a ccxt table of addresses. Some of them are built from parts. */
function webSocketAddresses(urls: unknown): string[] {
  if (typeof urls === 'string') return /^wss?:/.test(urls) ? [urls.replaceAll(/\{\w+\}/g, 'x')] : []
  if (typeof urls !== 'object' || urls === null) return []
  return Object.values(urls).flatMap(webSocketAddresses)
}
