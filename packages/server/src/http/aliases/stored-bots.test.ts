/** Bots without a venue and their connections under the names of the hosted service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Fields, Untranslatable } from './alias.ts'
import { stored } from './stored-bots.ts'

const facts = { credentialsOf: () => [], chainOf: (id: number) => (id < 100 ? null : String(id - 100)) }

/** Our fields for a body, by the one row that has its first name. */
function read(line: keyof typeof stored.operations, given: Fields, body: Fields = given): Fields {
  const [first] = Object.keys(given)
  const rows = stored.operations[line]!.body!
  return rows.find(({ names }) => Object.hasOwn(names, first!))!.read(given, { body, facts })
}

const refuses = (...[line, given, body]: Parameters<typeof read>) =>
  assert.throws(() => read(line, given, body), Untranslatable)

test('a bot has a market of its own, or that of each signal, and never both', () => {
  for (const line of ['POST /bot/signal/prediction', 'PUT /bot/signal/prediction/:id'] as const) {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.string({ minLength: 1 }), { nil: null }),
        (isFromSignal, slug) => {
          const given = { slug_from_signal: isFromSignal }
          const body = { ...given, slug }
          if (isFromSignal !== (slug === null)) refuses(line, given, body)
          else assert.deepEqual(read(line, given, body), isFromSignal ? { slug: null } : {})
        },
      ),
    )
    assert.deepEqual(read(line, { slug_from_signal: true }), { slug: null })
    refuses(line, { slug_from_signal: false })
    for (const odd of ['true', 1, null]) refuses(line, { slug_from_signal: odd })
  }
})

test('a chain is confirmed, as a number or a text, and never ignored', () => {
  const line = 'POST /bot/signal/dex'
  const chains = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(chains, chains, fc.boolean(), (chain, other, isText) => {
      const given = { chain_id: isText ? String(other) : other }
      const body = { ...given, exchange_id: chain + 100 }
      if (chain === other) assert.deepEqual(read(line, given, body), {})
      else refuses(line, given, body)
    }),
  )
  refuses(line, { chain_id: 1 })
  // The route says what is wrong with such an exchange.
  assert.deepEqual(read(line, { chain_id: 1 }, { chain_id: 1, exchange_id: 2 }), {})
})

test('the other names mean what ours do, with the same values', () => {
  const same: [line: keyof typeof stored.operations, theirs: string, ours: string][] = [
    ['POST /bot/signal/prediction', 'api_id', 'connection_id'],
    ['POST /bot/signal/prediction', 'delay', 'delay_seconds'],
    ['POST /bot/signal/dex', 'factory_id', 'exchange_id'],
    ['POST /bot/signal/dex', 'delay', 'delay_seconds'],
    ['POST /api/prediction', 'exchangeId', 'exchange_id'],
    ['POST /api/prediction/test', 'funderAddress', 'wallet_address'],
    ['POST /api/prediction', 'walletPrivateKey', 'private_key'],
  ]
  fc.assert(
    fc.property(fc.constantFrom(...same), fc.anything(), ([line, theirs, ours], value) => {
      assert.deepEqual(read(line, { [theirs]: value }), { [ours]: value })
    }),
  )
  for (const isOn of [true, false]) {
    const given = { amount_from_signal: isOn }
    assert.deepEqual(read('POST /bot/signal/prediction', given), { strict_amount: !isOn })
  }
})
