import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExchangeWanted, isUserWanted, readAdministrationSearch } from './search.ts'

test('an address means a view, and what means nothing is left out', () => {
  const full = {
    tab: 'audit',
    q: 'ada',
    role: 'admin',
    status: 'DISABLED',
    user: 7,
    events: 'keys',
    kind: 'DEX',
    state: 'off',
  }
  assert.deepEqual(readAdministrationSearch(full), full)
  assert.deepEqual(readAdministrationSearch({ user: '7' }), { user: 7 })
  const odd = {
    tab: 'no',
    q: '',
    role: 'root',
    status: 1,
    user: -1,
    events: 'toString',
    kind: 'x',
    state: [],
  }
  assert.deepEqual(readAdministrationSearch(odd), {})
  assert.equal(readAdministrationSearch({ q: 'x'.repeat(999) }).q!.length, 200)
})

test('users are found by address, name and number, and filtered by role and status', () => {
  const ada = { id: 12, email: 'ada@example.com', name: 'Ada L.', role: 'admin', status: 'ACTIVE' }
  for (const q of ['ADA@', 'l.', '12']) assert.ok(isUserWanted(ada, { q }), q)
  assert.ok(!isUserWanted(ada, { q: 'bob' }))
  assert.ok(!isUserWanted(ada, { role: 'user' }))
  assert.ok(!isUserWanted(ada, { status: 'DISABLED' }))
})

test('exchanges are found by name and service, and filtered by kind and state', () => {
  const gate = { id: 9, name: 'Gate', type: 'CEX', service: 'futures', enabled: false }
  for (const q of ['gate', 'FUT', '9']) assert.ok(isExchangeWanted(gate, { q }), q)
  assert.ok(isExchangeWanted(gate, { kind: 'CEX', state: 'off' }))
  assert.ok(!isExchangeWanted(gate, { state: 'on' }))
  assert.ok(!isExchangeWanted(gate, { kind: 'DEX' }))
})
