/** The settings of bots under the names of the hosted service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Fields, Untranslatable } from './alias.ts'
import { bots } from './bots.ts'

const rows = bots.operations['POST /bot/signal/cex']!.body!
const facts = { credentialsOf: () => [], chainOf: () => null }

/** Our fields for a body, by the one row that has its first name. */
function read(given: Fields, body: Fields = given): Fields {
  const [first] = Object.keys(given)
  return rows.find(({ names }) => Object.hasOwn(names, first!))!.read(given, { body, facts })
}

const refuses = (given: Fields, body?: Fields) => assert.throws(() => read(given, body), Untranslatable)

test('a bot that takes no amounts from signals has a strict amount, and the reverse', () => {
  for (const isOn of [true, false]) {
    assert.deepEqual(read({ amount_from_signal: isOn }), { strict_amount: !isOn })
  }
  for (const other of ['true', 1, 0, null, {}, []]) refuses({ amount_from_signal: other })
})

const side = fc.stringMatching(/^[A-Za-z\d]{1,10}$/)
const separator = fc.constantFrom('', '/', '-', '_', ':')

test('both sides of a market are its symbol', () => {
  fc.assert(
    fc.property(side, side, (base, quote) => {
      const { symbol } = read({ pair_base: base, pair_quote: quote }) as { symbol: string }
      assert.deepEqual(symbol.split('/'), [base.toUpperCase(), quote.toUpperCase()])
    }),
  )
})

test('a symbol beside them stays as it is written, and must name the same market', () => {
  fc.assert(
    fc.property(side, side, separator, side, (base, quote, between, other) => {
      const given = { pair_base: base, pair_quote: quote }
      assert.deepEqual(read(given, { ...given, symbol: base + between + quote }), {})
      if ((base + quote).toUpperCase() !== other.toUpperCase()) refuses(given, { ...given, symbol: other })
      for (const none of [null, '']) assert.ok('symbol' in read(given, { ...given, symbol: none }))
    }),
  )
})

test('one side alone names no market, and none removes the limit', () => {
  for (const none of [undefined, null, '']) {
    refuses({ pair_base: 'BTC', pair_quote: none })
    refuses({ pair_base: none, pair_quote: 'USDT' })
    assert.deepEqual(read({ pair_base: none, pair_quote: none }, {}), { symbol: null })
    assert.deepEqual(read({ pair_base: none, pair_quote: none }, { symbol: 'BTCUSDT' }), {})
  }
  for (const odd of ['BTC/USDT', 'B C', 'x'.repeat(21), 7, {}])
    refuses({ pair_base: odd, pair_quote: 'USDT' })
})

test('an amount in base currency is never read as one in quote currency', () => {
  assert.deepEqual(read({ is_quote: true }), { amount_unit: 'quote' })
  assert.deepEqual(read({ is_quote: false }), { amount_unit: 'base' })
  for (const other of ['true', 1, 0, null]) refuses({ is_quote: other })
})

test('a delay stays as it is', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      assert.deepEqual(read({ delay: value }), { delay_seconds: value })
    }),
  )
})
