/** Credentials under the names of the hosted service, for each exchange of the catalogue. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { fieldOf } from '../../connections/credentials.ts'
import { credentialFields } from '../../trading/live/credentials.ts'
import { type Fields, Untranslatable } from './alias.ts'
import { exchanges } from './exchanges.ts'

const all = [
  ...new Set(
    readCcxtFacts()
      .filter(({ type }) => type === 'CEX')
      .map(({ exchange }) => exchange),
  ),
]
const requiredBy = (exchange: string) => credentialFields(exchange).map(fieldOf)

/** Reads a body as the first row that is about each of its names does, in the order of the rows. */
function read(exchange: string, given: Fields): Fields {
  const facts = { credentialsOf: () => requiredBy(exchange), chainOf: () => null }
  const rows = exchanges.operations['POST /api/exchange']!.body!
  const ours = rows.flatMap(({ names, read: readRow }) => {
    const [name] = Object.keys(names)
    if (!Object.hasOwn(given, name!)) return []
    return Object.entries(readRow({ [name!]: given[name!] }, { body: { exchange_id: 2 }, facts }))
  })
  assert.equal(new Set(ours.map(([name]) => name)).size, ours.length, 'no two names mean one field')
  return Object.fromEntries(ours)
}

const secret = fc.string({ minLength: 1 })

test('key, secret and one more credential are those that the exchange requires', () => {
  assert.ok(all.length > 90)
  fc.assert(
    fc.property(fc.constantFrom(...all), secret, secret, secret, (exchange, publicKey, privateKey, extra) => {
      const required = requiredBy(exchange)
      const pair = read(exchange, { publicKey, privateKey })
      assert.deepEqual(new Set(Object.values(pair)), new Set([publicKey, privateKey]))
      const others = required.filter((field) => !Object.hasOwn(pair, field))
      const isPlain = required.length - others.length === Math.min(2, required.length)
      assert.ok(isPlain, `${exchange} requires ${required}`)
      if (others.length === 1) {
        assert.deepEqual(read(exchange, { extra }), { [others[0]!]: extra })
      } else {
        assert.throws(() => read(exchange, { extra }), Untranslatable)
      }
      for (const none of ['', null]) assert.deepEqual(read(exchange, { extra: none }), {})
    }),
    { numRuns: 500 },
  )
})

test('the credentials of an exchange have these names', () => {
  const given = { publicKey: 'p', privateKey: 's' }
  assert.deepEqual(read('binance', given), { api_key: 'p', api_secret: 's' })
  assert.deepEqual(read('bitget', { ...given, extra: 'x' }), { api_key: 'p', api_secret: 's', password: 'x' })
  assert.deepEqual(read('hyperliquid', given), { wallet_address: 'p', private_key: 's' })
  assert.deepEqual(read('coinmate', { ...given, extra: 'x' }), { api_key: 'p', api_secret: 's', uid: 'x' })
  assert.throws(() => read('ndax', { extra: 'x' }), /several credentials: send login and password and uid/)
  assert.throws(() => read('binance', { extra: 'x' }), /requires no more/)
})
