import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { readEntries } from '../../catalogue/entries.ts'
import { buildApp } from '../../http/app.ts'
import { dialectOf } from '../live/dialects/index.ts'
import { whereKept } from './where-kept.ts'
import { whereKeptRoutes } from './where-kept-routes.ts'

const entries = readEntries()

test('the table has each exchange service that bots can trade live', () => {
  const traded = entries.filter(
    ({ exchange, service }) => dialectOf(exchange) !== undefined && service !== 'prediction',
  )
  assert.ok(traded.length > 10)
  const missing = traded.filter((venue) => whereKept(venue).offer === null)
  assert.deepEqual(missing, [])
})

test('an exchange keeps a stop exactly if the service knows its requests for that', () => {
  for (const venue of entries.filter((one) => whereKept(one).stop === 'exchange')) {
    const service = venue.service === 'spot' ? 'spot' : 'futures'
    assert.ok(dialectOf(venue.exchange)?.legs?.[service] !== undefined, venue.exchange)
  }
})

test('an exchange keeps targets exactly if it keeps the stop and the service knows its requests for targets', () => {
  for (const venue of entries) {
    const { stop, targets } = whereKept(venue)
    const service = venue.service === 'spot' ? 'spot' : 'futures'
    const knows = dialectOf(venue.exchange)?.legs?.[service]?.targets !== undefined
    if (targets === 'exchange') assert.ok(stop === 'exchange' && knows, venue.exchange)
  }
})

test('an exchange that nobody has looked at keeps nothing', () => {
  const nothing = { stop: 'service', targets: 'service', offer: null }
  assert.deepEqual(whereKept({ exchange: 'sim', service: 'spot' }), nothing)
  assert.deepEqual(whereKept({ exchange: 'binance', service: 'prediction' }), nothing)
})

test('the route answers for every exchange of the catalogue, and 404 for any other', async () => {
  await using opened = new AsyncDisposableStack()
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    authenticate: () => ({ userId: 1, role: 'user' }),
    market: 'live',
    apiRoutes: [
      whereKeptRoutes({
        find: (id) => {
          const found = entries.find((one) => one.id === id)
          return found && { ...found, enabled: true }
        },
      }),
    ],
    openRoutes: [],
  })
  opened.defer(() => app.close())
  const read = (id: number) => app.inject({ url: `/api/v2/exchange/${id}/protection` })
  const spot = await read(2)
  assert.equal(spot.statusCode, 200)
  const { note, ...answer } = spot.json()
  assert.match(note, /order at the exchange/)
  assert.deepEqual(answer, {
    ...{ exchange_id: 2, name: 'Binance', service: 'spot', stop: 'exchange', targets: 'watched' },
    offers: {
      stop: 'STOP_LOSS order',
      targets: 'OCO order with one target',
      client_id: 'newClientOrderId',
      note: 'A resting stop locks the coins. A target that closes all of the position is in one OCO order with it. The service watches any other.',
    },
  })
  const unknown = await read(12_345_678)
  assert.equal(unknown.statusCode, 404)
})
