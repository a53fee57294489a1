import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProtocolBreach, readExecutorMessage } from './messages.ts'

const end = {
  type: 'end',
  run: 1,
  how: 'returned',
  error: null,
  log: '',
  clock: [1_700_000_000_000],
  durationMs: 1,
  cpuMs: 1,
  kept: true,
}
const http = {
  type: 'call',
  run: 1,
  call: 1,
  name: 'http',
  request: {
    method: 'GET',
    url: 'https://a.example/',
    params: [['a', 'b']],
    headers: { accept: '*/*' },
    body: null,
  },
}
const action = { type: 'call', run: 1, call: 1, name: 'action', action: 'LONG', options: {} }
const candles = {
  type: 'call',
  run: 1,
  call: 3,
  name: 'candles',
  request: {
    symbol: 'btcusdt',
    interval: '1h',
    count: 5,
    exchange: null as string | null,
    service: null as string | null,
  },
}
const chunk = { type: 'chunk', run: 1, done: 3, failures: [], logs: [], goesOn: false }
const error = { name: 'Error', message: 'm', line: 1, column: null }

const accepted = [
  { type: 'ready' },
  { type: 'cold', run: 3 },
  end,
  { ...end, storage: '{}', oversizeBytes: 30_000, error },
  { ...end, log: 'a\nbc\n', marks: [0.5, 2, 0.5, 0, 7, 3] },
  { ...end, clock: [5, 1, 20, 2, 20] },
  action,
  { ...action, options: { id: 'x', size: 1.5, dilution: true, forceSize: false }, storage: 'null' },
  ...[
    {},
    { stop_loss: '2%', take_profit: 5, trailing: null, break_even: null, exit_after_seconds: 60 },
    {
      take_profit: [{ at: '1R', part: 0.5 }, {}],
      trailing: { by: '1%', from: null },
      break_even: { after: 7 },
    },
    { take_profit: { at: 'x'.repeat(64) } },
  ].map((protection) => ({ ...action, options: { protection } })),
  { type: 'call', run: 1, call: 2, name: 'positions' },
  { type: 'call', run: 1, call: 2, name: 'stop', notify: true },
  http,
  { ...http, request: { ...http.request, method: 'POST', body: '{}' } },
  { type: 'call', run: 1, call: 3, name: 'rate', exchange: 'KRAKEN', symbol: 'btcusdt' },
  candles,
  { ...candles, request: { ...candles.request, exchange: 'bybit', service: 'futures', count: 1_000 } },
  { type: 'call', run: 1, call: 3, name: 'sign', payload: '', secret: 's', algorithm: 'ML-DSA' },
  { type: 'alive', started: [[1, 0.5, 'log']] },
  chunk,
  {
    ...chunk,
    storage: '{}',
    failures: [[0, error]],
    logs: [
      [0, 'a'],
      [2, 'b'],
    ],
  },
  { ...chunk, done: 0, goesOn: true },
]

const refused = [
  null,
  [],
  'ready',
  {},
  { type: 'toString' },
  { type: '__proto__' },
  { type: 'cold', run: 0 },
  { type: 'cold', run: '1' },
  { ...end, run: 1.5 },
  { ...end, how: 'constructor' },
  { ...end, durationMs: -1 },
  { ...end, durationMs: null },
  { ...end, cpuMs: -1 },
  { ...end, kept: 1 },
  { ...end, log: 'x'.repeat(9_000) },
  { ...end, storage: {} },
  { ...end, marks: {} },
  { ...end, marks: [1] },
  { ...end, marks: [-1, 0] },
  { ...end, marks: [null, 0] },
  { ...end, marks: [1, -1] },
  { ...end, marks: [1, 0.5] },
  { ...end, marks: ['1', 0] },
  { ...end, log: 'a', marks: [1, 2] },
  { ...end, marks: Array(802).fill(0) },
  { ...end, clock: undefined },
  { ...end, clock: [] },
  { ...end, clock: [1, 1] },
  { ...end, clock: [-1] },
  { ...end, clock: [0.5] },
  { ...end, clock: ['1'] },
  { ...end, clock: Array(403).fill(1) },
  { ...end, error: 'Error' },
  { ...end, error: { ...error, name: 'x'.repeat(101) } },
  { ...end, error: { ...error, line: 0 } },
  { ...action, action: 'BUY' },
  { ...action, options: { size: -1 } },
  { ...action, options: { size: 5e-324 } },
  { ...action, options: { size: 1.01e18 } },
  { ...action, options: { price: 1 } },
  { ...action, options: [] },
  { ...action, action: 'EXIT', options: { protection: {} } },
  { ...action, action: 'EXIT', options: { entry: {} } },
  { ...action, options: { entry: { type: {} } } },
  { ...action, options: { entry: { leverage: 1 } } },
  ...[
    null,
    [],
    '2%',
    { stop: '2%' },
    JSON.parse('{"__proto__":"2%"}'),
    { constructor: '2%' },
    { stop_loss: {} },
    { stop_loss: ['2%'] },
    { stop_loss: true },
    { stop_loss: 'x'.repeat(65) },
    { take_profit: Array(9).fill({ at: '2%' }) },
    { take_profit: ['2%'] },
    { take_profit: [null] },
    { take_profit: [{ at: {} }] },
    { take_profit: { at: 1, price: 1 } },
    { trailing: '1%' },
    { trailing: [] },
    { trailing: { by: [] } },
    { trailing: { by: 1, toString: 1 } },
    { break_even: { after: 1, plus: {} } },
    { exit_after_seconds: { valueOf: 1 } },
  ].map((protection) => ({ ...action, options: { protection } })),
  { ...action, name: 'exec' },
  { type: 'call', run: 1, call: 2, name: 'stop', notify: 'yes' },
  { ...http, request: null },
  { ...http, request: { ...http.request, method: 'TRACE' } },
  { ...http, request: { ...http.request, url: 'x'.repeat(9_000) } },
  { ...http, request: { ...http.request, params: [['a']] } },
  { ...http, request: { ...http.request, params: [['a', 1]] } },
  { ...http, request: { ...http.request, params: Array(5_000).fill(['a', 'b']) } },
  { ...http, request: { ...http.request, headers: { a: 1 } } },
  { ...http, request: { ...http.request, headers: { a: 'x'.repeat(17_000) } } },
  { ...http, request: { ...http.request, body: {} } },
  { ...http, request: { ...http.request, body: 'ü'.repeat(140_000) } },
  { type: 'call', run: 1, call: 3, name: 'rate', exchange: 'toString', symbol: 'btcusdt' },
  { type: 'call', run: 1, call: 3, name: 'rate', exchange: 'KRAKEN', symbol: 'x'.repeat(101) },
  { ...candles, request: null },
  ...[0, -1, 1.5, 1_001, 1e308, '5', null].map((count) => ({
    ...{ ...candles, request: { ...candles.request, count } },
  })),
  ...['symbol', 'interval', 'exchange', 'service'].flatMap((field) =>
    ['x'.repeat(101), {}, 7, undefined].map((value) => ({
      ...{ ...candles, request: { ...candles.request, [field]: value } },
    })),
  ),
  { type: 'call', run: 1, call: 3, name: 'sign', payload: '', secret: 's', algorithm: 'RSA' },
  { type: 'call', run: 1, call: 3, name: 'sign', payload: '', secret: 'x'.repeat(17_000), algorithm: 'HMAC' },
  { ...chunk, run: 0 },
  ...[-1, 0.5, 4_001, '3', null].map((done) => ({ ...chunk, done })),
  { ...chunk, storage: {} },
  { ...chunk, goesOn: 1 },
  ...[{}, [0], [[0]], [[0, 1]], [[3, 'x']], [[-1, 'x']], [[0.5, 'x']]].map((logs) => ({ ...chunk, logs })),
  {
    ...chunk,
    logs: [
      [1, 'a'],
      [1, 'b'],
    ],
  },
  { ...chunk, logs: [[0, 'x'.repeat(9_000)]] },
  { ...chunk, failures: [[0, { ...error, line: 0 }]] },
  { type: 'alive', started: [[1, -1, '']] },
  { type: 'alive', started: [{}] },
]

test('valid messages are read as they were sent', () => {
  for (const message of accepted) assert.deepEqual(readExecutorMessage(JSON.stringify(message)), message)
})

test('any other message of an executor is a breach of the protocol', () => {
  for (const message of refused) {
    assert.throws(() => readExecutorMessage(JSON.stringify(message)), ProtocolBreach, JSON.stringify(message))
  }
  assert.throws(() => readExecutorMessage('{'), ProtocolBreach)
})

test('unknown members are dropped', () => {
  assert.deepEqual(readExecutorMessage(JSON.stringify({ type: 'ready', extra: 1 })), { type: 'ready' })
  assert.deepEqual(readExecutorMessage(JSON.stringify({ ...end, extra: 1 })), end)
})
