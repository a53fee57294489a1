import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, describeInput, firstInput, problemsOf, type TestInput } from './test-input.ts'

const now = new Date('2030-01-01T00:00:00Z')
const input = (change: Partial<TestInput>): TestInput => ({ ...firstInput, ...change })

test('a payload is passed on as it was typed, digit by digit', () => {
  const payload = '{"price": 0.10000000000000000000001}'
  assert.deepEqual(bodyOf(input({ payload }), 'code', true, now), { code: 'code', http: 'read', payload })
  assert.equal('payload' in bodyOf(input({ payload }), 'code', false, now), false)
})

test('the payload of a delivery comes with its headers and its sender', () => {
  const sent = { headers: { 'x-a': 'b' }, ip: '203.0.113.1' }
  const body = bodyOf(input({ source: { kind: 'delivery', id: 7 }, sent }), 'code', true, now)
  assert.deepEqual([body.headers, body.ip], [{ 'x-a': 'b' }, '203.0.113.1'])
})

test('only what the user chose replaces what the strategy has', () => {
  const body = bodyOf(
    input({
      price: ' 64000.5 ',
      storage: 'typed',
      typedStorage: '{"a":1}',
      lastAction: 'LONG',
      lastPrice: '3',
    }),
    'code',
    false,
    now,
  )
  assert.deepEqual(body, {
    code: 'code',
    http: 'read',
    price: 64000.5,
    storage: { a: 1 },
    last_trigger: { action: 'LONG', price: 3, at: now.toISOString() },
  })
  const none = bodyOf(input({ storage: 'empty', lastAction: 'none' }), 'code', false, now)
  assert.deepEqual(none.last_trigger, { action: null, price: null, at: null })
  assert.equal(none.storage, null)
})

test('each field says what is wrong with it', () => {
  assert.deepEqual(problemsOf(firstInput, true), {})
  const wrong = input({
    payload: '{',
    price: '-1',
    storage: 'typed',
    typedStorage: '',
    lastAction: 'LONG',
    lastPrice: 'x',
  })
  assert.deepEqual(Object.keys(problemsOf(wrong, true)), ['payload', 'price', 'typedStorage', 'lastPrice'])
  assert.deepEqual(Object.keys(problemsOf(wrong, false)), ['price', 'typedStorage', 'lastPrice'])
  assert.deepEqual(problemsOf(input({ price: '1e400' }), false).price, problemsOf(wrong, true).price)
})

test('a test run says what it was given', () => {
  assert.equal(
    describeInput(firstInput, true, { usesPrice: true }),
    'the typed payload, the current price, the stored value, only GET requests',
  )
  const source = { kind: 'delivery', id: 7 } as const
  assert.equal(
    describeInput(input({ source, price: '5', storage: 'empty', lastAction: 'EXIT', http: 'none' }), true, {
      usesPrice: true,
    }),
    'the payload of delivery 7, the price 5, an empty storage, EXIT as the last action, no requests sent',
  )
})
