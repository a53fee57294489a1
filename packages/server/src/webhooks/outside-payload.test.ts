import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOrderSize } from '@tickwright/sandbox'
import fc from 'fast-check'
import { jsonNumber } from '../../test/json-numbers.ts'
import { AppError } from '../base/errors.ts'
import { ignoredFields, readOutsideSignal } from './outside-payload.ts'

const plain = { symbol: 'BTCUSDT', side: 'BUY' }
const understood = {
  action: 'LONG',
  symbols: ['BTCUSDT'],
  options: {},
  flags: [],
  debug: false,
  callback: null,
}

const opening = { action: 'LONG', options: {} } as const

/** The fields that are refused, each with the reason. */
function refusal(payload: Record<string, unknown>): [field: string, message: string][] {
  try {
    readOutsideSignal(payload)
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'request_invalid')
    return error.details!.map(({ field, message }) => [field!.replace('body.', ''), message])
  }
  return []
}

test('a side may be in any case, in the words of exchanges, strategies and charts', () => {
  const sides: Record<string, string[]> = {
    LONG: ['BUY', 'buy', ' Buy ', 'LONG', 'long'],
    SHORT: ['SELL', 'sell', 'SHORT', 'short'],
    EXIT: ['EXIT', 'exit', 'CLOSE', 'flat'],
  }
  for (const [action, words] of Object.entries(sides)) {
    for (const side of words)
      assert.deepEqual(readOutsideSignal({ ...plain, side }), { ...understood, action })
  }
})

test('REVERSE swaps buy and sell and keeps an exit; TEST changes nothing', () => {
  const turned = (side: string, flag: unknown) => {
    const { action, flags } = readOutsideSignal({ ...plain, side, flag })
    return [action, ...flags]
  }
  assert.deepEqual(turned('BUY', 'REVERSE'), ['SHORT', 'REVERSE'])
  assert.deepEqual(turned('SELL', 'reverse'), ['LONG', 'REVERSE'])
  assert.deepEqual(turned('EXIT', 'REVERSE'), ['EXIT', 'REVERSE'])
  assert.deepEqual(turned('SELL', 'TEST'), ['SHORT', 'TEST'])
  assert.deepEqual(turned('BUY', ' test '), ['LONG', 'TEST'])
})

test('a flag may be a list, in any order and case, and a list with both is both', () => {
  const flags = (flag: unknown) => readOutsideSignal({ ...plain, flag }).flags
  assert.deepEqual(flags([]), [])
  assert.deepEqual(flags(['TEST']), ['TEST'])
  assert.deepEqual(flags(['debug', ' Test ']), ['TEST', 'DEBUG'])
  assert.deepEqual(flags(['DEBUG', 'DEBUG', 'REVERSE']), ['REVERSE', 'DEBUG'])
  const both = readOutsideSignal({ ...plain, flag: ['TEST', 'REVERSE'] })
  assert.deepEqual([both.action, both.flags], ['SHORT', ['TEST', 'REVERSE']])
})

test('debug may be any value, and asks for an explanation unless it says no', () => {
  const debug = (value: unknown) => readOutsideSignal({ ...plain, debug: value }).debug
  for (const value of [true, 'true', 1, 'a note of mine', {}, { strategy: 'x' }, [], [0]]) {
    assert.equal(debug(value), true, JSON.stringify(value))
  }
  for (const value of [false, 'false', ' FALSE ', 0, '', ' ', null]) {
    assert.equal(debug(value), false, JSON.stringify(value))
  }
  assert.equal(readOutsideSignal({ ...plain, flag: 'DEBUG' }).debug, true)
  assert.equal(readOutsideSignal({ ...plain, flag: ['TEST', 'DEBUG'], debug: false }).debug, true)
})

test('a symbol keeps its spelling, except the space around it', () => {
  for (const symbol of [
    'BINANCE:BTCUSDT.P',
    'BTC/USDT:USDT',
    'btc-usdt',
    'kPEPE',
    '币安人生USDT',
    'x'.repeat(64),
  ]) {
    assert.deepEqual(readOutsideSignal({ ...plain, symbol }).symbols, [symbol])
    assert.deepEqual(readOutsideSignal({ ...plain, symbol: ` ${symbol}\t` }).symbols, [symbol])
  }
})

test('numbers and booleans may be strings, as templates write them', () => {
  const options = (fields: Record<string, unknown>) => readOutsideSignal({ ...plain, ...fields }).options
  for (const [size, number] of [
    [250, 250],
    ['250', 250],
    [' 0.5 ', 0.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e-05', 0.00001],
    ['1E3', 1000],
    [1e-18, 1e-18],
    ['1e18', 1e18],
    ['007', 7],
    [`1.${'0'.repeat(62)}`, 1],
  ]) {
    assert.deepEqual(options({ size }), { size: number }, String(size))
  }
  assert.deepEqual(options({ dilution: 'true', forceSize: ' FALSE ' }), { dilution: true, forceSize: false })
  assert.deepEqual(options({ dilution: false, forceSize: true }), { dilution: false, forceSize: true })
  assert.equal(readOutsideSignal({ ...plain, debug: 'true' }).debug, true)
  assert.deepEqual(options({ id: 'Breakout ↑' }), { id: 'Breakout ↑' })
  assert.deepEqual(options({ id: 42 }), { id: '42' })
  assert.deepEqual(options({ id: '\ud800\0' }), { id: '\ufffd\ufffd' })
})

test('null counts as absent, and unknown fields change nothing', () => {
  const absent = {
    id: null,
    size: null,
    dilution: null,
    forceSize: null,
    flag: null,
    debug: null,
    slug: null,
  }
  const unknown = { key: 's3cret', price: 'x', exchange: 1, Flag: 'TEST', toString: 1 }
  assert.deepEqual(readOutsideSignal({ ...plain, ...absent, ...unknown }), understood)
  const odd = JSON.parse('{"symbol":"BTCUSDT","side":"BUY","__proto__":{"flag":"TEST","size":5}}')
  assert.deepEqual(readOutsideSignal(odd), understood)
})

test('the fields that nothing acts on are named, except those that are null, and the password', () => {
  const known = {
    ...plain,
    size: 1,
    dilution: true,
    forceSize: true,
    id: 'a',
    flag: 'TEST',
    debug: true,
    key: 's',
  }
  assert.deepEqual(ignoredFields(known, opening), [])
  const more = { ...plain, type: 'market', stop_loss: 1, leverage: null, Flag: 'TEST' }
  assert.deepEqual(ignoredFields(more, opening), ['Flag'])
  // An EXIT opens nothing that a stop could protect.
  assert.deepEqual(ignoredFields({ ...plain, stop_loss: 1 }, { action: 'EXIT', options: {} }), ['stop_loss'])
  const prediction = { slug: 'rain-tomorrow', outcome: 'Yes', side: 'BUY' }
  assert.deepEqual(ignoredFields(prediction, opening), [])
  assert.deepEqual(ignoredFields({ ...plain, ...prediction }, opening), ['slug', 'outcome'])
  assert.deepEqual(ignoredFields(JSON.parse('{"__proto__":1,"toString":2}'), opening), [
    '__proto__',
    'toString',
  ])
})

test('a signal says how the position that it opens is protected, with the fields of alerts for other services', () => {
  const options = (fields: Record<string, unknown>) => readOutsideSignal({ ...plain, ...fields }).options
  assert.deepEqual(options({ stop_loss: '90.5', take_profit: 120, trailing: null }), {
    protection: { stop_loss: '90.5', take_profit: [{ at: '120', part: '1' }] },
  })
  assert.deepEqual(options({ trailing: { by: '1%' } }), {
    protection: { trailing: { by: '1%', from: null, step: null } },
  })
  assert.deepEqual(options({ side: 'EXIT', stop_loss: 90 }), {})
  assert.deepEqual(
    refusal({ ...plain, stop_loss: '', trailing: {} }).map(([field]) => field),
    ['stop_loss', 'trailing.by'],
  )
})

test('a signal says how it enters; a price counts only as a limit, and is named as ignored otherwise', () => {
  const limit = { ...plain, type: 'limit', price: '98.5', timeout_seconds: '60', on_timeout: 'CHASE' }
  const read = readOutsideSignal(limit)
  assert.deepEqual(read.options, {
    entry: { type: 'limit', price: '98.5', timeout_seconds: 60, on_timeout: 'chase' },
  })
  assert.deepEqual(ignoredFields(limit, read), [])
  for (const [payload, options] of [
    [{ ...plain, price: 98 }, {}],
    [{ ...plain, type: 'MARKET', price: 98 }, { entry: { type: 'market' } }],
  ] as const) {
    const signal = readOutsideSignal(payload)
    assert.deepEqual(signal.options, options)
    assert.deepEqual(ignoredFields(payload, signal), ['price'])
  }
  const exit = readOutsideSignal({ ...limit, side: 'EXIT' })
  assert.deepEqual(exit.options, {})
  assert.equal(ignoredFields(limit, exit).length, 4)
  assert.deepEqual(
    refusal({ ...plain, type: 'market', on_timeout: 'chase' }).map(([field]) => field),
    ['on_timeout'],
  )
})

test('at most 20 ignored fields are named, each with at most 64 characters', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field_${n}`, n]))
  assert.deepEqual(ignoredFields({ ...plain, ...many }, opening), Object.keys(many).slice(0, 20))
  assert.deepEqual(ignoredFields({ ['x'.repeat(100_000)]: 1 }, opening), ['x'.repeat(64)])
  assert.deepEqual(ignoredFields({ [`${'x'.repeat(63)}\u{1f600}`]: 1 }, opening), [`${'x'.repeat(63)}\ufffd`])
})

test('a signal for a prediction market has no symbol', () => {
  const payload = { slug: 'rain-tomorrow', outcome: 'Yes', side: 'BUY', size: '25' }
  assert.deepEqual(readOutsideSignal(payload), {
    ...understood,
    symbols: [],
    options: { slug: 'rain-tomorrow', outcome: 'Yes', size: 25 },
  })
  assert.deepEqual(readOutsideSignal({ ...plain, ...payload }).options, { size: 25 })
  assert.deepEqual(refusal({ slug: 'rain-tomorrow', side: 'BUY' }), [['outcome', 'is required']])
  assert.deepEqual(refusal({ outcome: 'Yes', side: 'BUY' }), [['slug', 'is required']])
  assert.deepEqual(
    refusal({ slug: 1, outcome: '', side: 'BUY' }).map(([field]) => field),
    ['slug', 'outcome'],
  )
})

test('each invalid field is named, with what it must be', () => {
  const wrong: Record<string, unknown[]> = {
    symbol: [
      5,
      '',
      ' ',
      {},
      ['BTCUSDT'],
      'x'.repeat(65),
      'BTCUSDT,ETHUSDT',
      '{{ticker}}',
      'BTC\0',
      'BTC\nUSDT',
      '\ud800',
    ],
    side: ['', 'B', 'BUY SELL', 1, true, ['BUY'], {}, '{{strategy.order.action}}', 'toString', '__proto__'],
    size: [
      0,
      -1,
      '-1',
      '0',
      '',
      ' ',
      '1,5',
      '1 000',
      '5%',
      '0x10',
      '1_000',
      'Infinity',
      '1e999',
      Number.POSITIVE_INFINITY,
      NaN,
      true,
      [5],
      {},
      '{{strategy.order.contracts}}',
      '++1',
      ...[5e-324, 9.99e-19, 1.01e18, 1e30, -0, '-0', '00', '5e-324', '1e-400', '1e400', '+1', '0b1'],
      ...['1'.repeat(400), `0.${'0'.repeat(400)}1`, `1.${'0'.repeat(400)}`],
    ],
    dilution: [1, 'yes', '', [], {}],
    forceSize: [0, 'no', 'TRUE!', {}],
    flag: ['', 'LIVE', 'TESTING', true, ['TEST', 'LIVE'], [['TEST']], [null], 'TEST,DEBUG', {}],
    id: [true, {}, [], 'x'.repeat(256)],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const refused = refusal({ ...plain, [field]: value })
      assert.deepEqual(
        refused.map(([name]) => name),
        [field],
        JSON.stringify(value),
      )
      assert.match(refused[0]![1], /^(must|has)/)
      if (field === 'size') assert.match(refused[0]![1], /^must be a number from 1e-18 to 1e18, got ./)
    }
  }
  assert.deepEqual(refusal({ ...plain, size: 5e-324 }), [
    ['size', 'must be a number from 1e-18 to 1e18, got 5e-324'],
  ])
  assert.deepEqual(refusal({ ...plain, flag: ['TEST', 'PAPER'] }), [
    ['flag', 'must be TEST, REVERSE or DEBUG, a list of these, or absent'],
  ])
  assert.deepEqual(refusal({}), [
    ['symbol', 'is required'],
    ['side', 'is required'],
  ])
  assert.deepEqual(
    refusal({ symbol: null, side: 'HOLD', size: -1, flag: 'x' }).map(([field]) => field),
    ['symbol', 'side', 'flag', 'size'],
  )
})

test('any JSON object is a signal or is refused', () => {
  const name = fc.constantFrom(
    'symbol',
    'side',
    'size',
    'dilution',
    'forceSize',
    'id',
    'flag',
    'debug',
    'slug',
    'outcome',
  )
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('BUY', 'BTCUSDT', 'TEST', 'true', '1e5', 7))
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(name, fc.string()), value), (payload) => {
      if (refusal(payload).length > 0) return
      const { action, symbols, options, flags, debug } = readOutsideSignal(payload)
      assert.ok(['LONG', 'SHORT', 'EXIT'].includes(action))
      assert.ok(symbols.length === 1 || (options.slug !== undefined && options.outcome !== undefined))
      assert.ok(flags.every((flag) => ['TEST', 'REVERSE', 'DEBUG'].includes(flag)))
      assert.equal(typeof debug, 'boolean')
      assert.ok(options.size === undefined || isOrderSize(options.size))
    }),
    { numRuns: 5000 },
  )
})

test('any number in JSON is a size that an order can have, or is refused by name', () => {
  fc.assert(
    fc.property(jsonNumber, (size) => {
      const payload = JSON.parse(`{"symbol":"BTCUSDT","side":"BUY","size":${size}}`)
      const refused = refusal(payload)
      if (refused.length > 0) assert.deepEqual([refused.length, refused[0]![0]], [1, 'size'])
      else if (payload.size !== null) assert.ok(isOrderSize(readOutsideSignal(payload).options.size))
    }),
    { numRuns: 2_000 },
  )
})
