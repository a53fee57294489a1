import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../base/errors.ts'
import { type AlertFormat, alertFormats } from './format.ts'
import { readPayload } from './read.ts'

const at = Date.parse('2026-01-31T12:00:00Z')
const read = (format: AlertFormat, payload: object) =>
  readPayload(format, payload as Record<string, unknown>, { receivedAtMs: at })

/** What an alert makes the bots do, and what is ignored. */
function asked(format: AlertFormat, payload: object) {
  const { signal, ignored } = read(format, payload)
  return [signal.action, signal.options, ignored]
}

/** The fields that are refused, each with the reason. */
function refusal(format: AlertFormat, payload: object): [string, string][] {
  try {
    read(format, payload)
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'request_invalid', String(error))
    return error.details!.map(({ field, message }) => [field!.replace('body.', ''), message])
  }
  return []
}
const fields = (format: AlertFormat, payload: object) => refusal(format, payload).map(([field]) => field)

const chart = { ticker: 'BTCUSDT.P', price: '50000' }
const opens = (size: number, more = {}) => ({ size, sizeUnit: 'quote', ...more })

test('the position of a chart takes precedence over its order', () => {
  const of = (action: string, market_position: string, contracts?: string, market_position_size?: string) =>
    asked('tradingview', { ...chart, action, market_position, contracts, market_position_size }).slice(0, 2)
  // An order to sell that ends a long must never open a short.
  assert.deepEqual(of('sell', 'flat', '0.5', '0'), ['EXIT', {}])
  assert.deepEqual(of('buy', 'flat'), ['EXIT', {}])
  assert.deepEqual(of('buy', 'long', '0.5', '0.5'), ['LONG', opens(25_000)])
  // A reversal buys back the short, too: what is opened is the new position.
  assert.deepEqual(of('buy', 'long', '0.8', '0.5'), ['LONG', opens(25_000)])
  assert.deepEqual(of('sell', 'short', '0.2', '0.5'), ['SHORT', opens(10_000, { dilution: true })])
  assert.deepEqual(of('sell', 'long', '0.1', '0.4'), ['EXIT', { size: 0.1, forceSize: true, closes: 'long' }])
  assert.deepEqual(of('buy', 'short', '0.1', '0.4'), [
    'EXIT',
    { size: 0.1, forceSize: true, closes: 'short' },
  ])
  assert.deepEqual(of('buy', 'long', '0.1', '0.30000000000000004'), [
    'LONG',
    opens(5_000, { dilution: true }),
  ])
  assert.deepEqual(of('buy', 'long', '0.3', '0.30000000000000004'), ['LONG', opens(15_000)])
})

test('an order of a chart without enough about the position is refused by name', () => {
  const of = (more: object) => fields('tradingview', { ...chart, ...more })
  assert.deepEqual(of({ action: 'buy', market_position: 'long', contracts: 1 }), ['contracts'])
  assert.deepEqual(
    of({ action: 'buy', market_position: 'long', contracts: 1, prev_market_position: 'short' }),
    ['contracts'],
  )
  assert.deepEqual(of({ action: 'sell', market_position: 'long' }), ['action'])
  assert.deepEqual(of({ action: 'exit', market_position: 'long' }), ['action'])
  assert.deepEqual(of({}), ['action'])
  assert.deepEqual(of({ ticker: '{{ticker}}', action: 'buy' }), ['ticker'])
  assert.deepEqual(of({ action: '{{strategy.order.action}}', contracts: 'NaN' }), ['action', 'contracts'])
  const previous = { action: 'buy', market_position: 'long', contracts: 1 }
  const options = (prev_market_position: string) =>
    asked('tradingview', { ...chart, ...previous, prev_market_position })[1]
  assert.deepEqual(options('flat'), opens(50_000))
  assert.deepEqual(options('long'), opens(50_000, { dilution: true }))
})

test('an amount in base currency is converted at the price of the payload, exactly', () => {
  const size = (contracts: string, price: string) =>
    read('tradingview', { ticker: 'A', action: 'buy', contracts, price }).signal.options
  assert.deepEqual(size('0.1', '0.2'), opens(0.02))
  assert.deepEqual(size('3', '33333.33'), opens(99_999.99))
  assert.deepEqual(size('1e-7', '64000'), opens(0.0064))
  const without = read('tradingview', { ticker: 'A', action: 'buy', contracts: '0.1' }).signal.options
  assert.deepEqual(without, { size: 0.1, sizeUnit: 'base' })
  assert.deepEqual(fields('tradingview', { ticker: 'A', action: 'buy', contracts: 1e18, price: 2 }), [
    'contracts',
  ])
})

test('an alert that is older than its max_lag is refused, with both times', () => {
  const buy = { ticker: 'BTCUSDT', action: 'buy', max_lag: '60' }
  const of = (timestamp: unknown) => refusal('tradingview', { ...buy, timestamp })
  for (const fresh of [
    '2026-01-31T12:00:00Z',
    '2026-01-31T11:59:00.0Z',
    '2026-01-31 13:00:30+01:00',
    at / 1000,
    `${at}`,
  ])
    assert.deepEqual(of(fresh), [], String(fresh))
  assert.deepEqual(of('2026-01-31T11:58:59Z'), [
    [
      'timestamp',
      'is 2026-01-31T11:58:59.000Z, and the post arrived at 2026-01-31T12:00:00.000Z: 61 s later, and max_lag allows 60 s',
    ],
  ])
  assert.match(of('2026-01-31T12:05:00Z')[0]![1], /300 s earlier, so one of the two clocks is wrong/)
  assert.match(of('2026-01-31T12:00:00')[0]![1], /with its zone/)
  assert.deepEqual(of(undefined), [['max_lag', 'needs timestamp, to know how old the alert is']])
  for (const max_lag of [0, 1.5, '', '1h', 86_401, {}])
    assert.deepEqual(fields('tradingview', { ...buy, max_lag, timestamp: at }), ['max_lag'], String(max_lag))
  const { isDated } = read('3commas', { tv_instrument: 'A', action: 'enter_long', timestamp: at })
  assert.equal(isDated, true)
})

test('3Commas: both types of signals, with stops and targets', () => {
  const base = {
    secret: 's',
    bot_uuid: 'u',
    tv_exchange: 'BINANCE',
    tv_instrument: 'BTCUSDT',
    trigger_price: '50000',
  }
  const of = (more: object) => asked('3commas', { ...base, ...more })
  const order = (amount: unknown, currency_type: string) => ({ amount, currency_type })
  const unused = ['bot_uuid', 'tv_exchange']
  assert.deepEqual(of({ action: 'enter_long', order: order('150', 'quote') }), [
    'LONG',
    opens(150),
    [...unused, 'trigger_price'],
  ])
  assert.deepEqual(of({ action: 'enter_short', order: order(0.01, 'base') }), ['SHORT', opens(500), unused])
  assert.deepEqual(of({ action: 'exit_long', order: order(100, 'position_percent') }).slice(0, 2), [
    'EXIT',
    { closes: 'long' },
  ])
  assert.deepEqual(of({ action: 'exit_short', order: order(100, 'quote') }).slice(0, 2), [
    'EXIT',
    { size: 0.002, forceSize: true, closes: 'short' },
  ])
  const strategy = (action: string, market_position: string, market_position_size: string) =>
    of({ action, order: order('0.01', 'base'), strategy_info: { market_position, market_position_size } })
  assert.deepEqual(strategy('sell', 'flat', '0').slice(0, 2), ['EXIT', {}])
  assert.deepEqual(strategy('sell', 'short', '0.004').slice(0, 2), ['SHORT', opens(200)])
  const steps = [
    { order_type: 'limit', price_percent: 1, volume_percent: 25 },
    { order_type: 'market', price_percent: '2', volume_percent: 75 },
  ]
  const stop_loss = { enabled: true, order_type: 'market', trigger_price_percent: 1.5 }
  const [, { protection }] = of({
    action: 'enter_long',
    stop_loss,
    take_profit: { enabled: true, steps },
  }) as [string, { protection: object }]
  assert.deepEqual(protection, {
    stop_loss: '1.5%',
    take_profit: [
      { at: '1%', part: '0.25' },
      { at: '2%', part: '0.75' },
    ],
  })
  const parts = (...percents: (number | string)[]) => {
    const wanted = percents.map((volume_percent, index) => ({ price_percent: index + 1, volume_percent }))
    const [, options] = of({ action: 'enter_long', take_profit: { steps: wanted } })
    return (options as { protection: { take_profit: { part: string }[] } }).protection.take_profit.map(
      ({ part }) => part,
    )
  }
  assert.deepEqual(parts(14.3, '85.7'), ['0.143', '0.857'])
  const refused = (more: object) => fields('3commas', { ...base, action: 'enter_long', ...more })
  assert.deepEqual(refused({ action: 'disable' }), ['action'])
  assert.deepEqual(refused({ order: order(10, 'margin_percent') }), ['order.currency_type'])
  assert.deepEqual(refused({ action: 'exit_long', order: order(50, 'position_percent') }), ['order.amount'])
  assert.deepEqual(refused({ stop_loss: { ...stop_loss, trailing: { enabled: true, percent: 1 } } }), [
    'stop_loss.trailing',
  ])
  assert.deepEqual(refused({ stop_loss: { enabled: true, trigger_percent: 1 } }), [
    'stop_loss.trigger_price_percent',
    'stop_loss.trigger_percent',
  ])
  assert.deepEqual(refused({ take_profit: { steps: [{ ...steps[0], trailing: { percent: 1 } }] } }), [
    'take_profit.steps[0].trailing',
  ])
  assert.deepEqual(refused({ action: 'exit_long', order: { order_type: 'limit', price: 1 } }), [
    'order.order_type',
  ])
})

test('TradersPost: the sentiment decides, and the quantity is what is opened', () => {
  const of = (more: object) =>
    asked('traderspost', { ticker: 'BTCUSDT', price: '50000', ...more }).slice(0, 2)
  assert.deepEqual(of({ action: 'buy', sentiment: 'long', quantity: '0.01' }), ['LONG', opens(500)])
  assert.deepEqual(of({ action: 'sell', sentiment: 'flat', quantity: '0.01' }), ['EXIT', {}])
  assert.deepEqual(of({ action: 'buy', sentiment: 'bearish' }), ['EXIT', { closes: 'short' }])
  assert.deepEqual(of({ action: 'exit', quantity: 2 }), ['EXIT', { size: 2, forceSize: true }])
  assert.deepEqual(
    of({ action: 'add', sentiment: 'bearish', quantity: 100, quantityType: 'dollar_amount' }),
    ['SHORT', opens(100, { dilution: true })],
  )
  const [, options] = of({
    ...{ action: 'buy', orderType: 'limit', limitPrice: 49_000 },
    ...{ takeProfit: { percent: 10 }, stopLoss: { type: 'trailing_stop', trailPercent: 5 } },
  }) as [string, object]
  assert.deepEqual(options, {
    entry: { type: 'limit', price: '49000' },
    protection: { take_profit: [{ at: '10%', part: '1' }], trailing: { by: '5%', from: null, step: null } },
  })
  const refused = (more: object) => fields('traderspost', { ticker: 'BTCUSDT', action: 'buy', ...more })
  assert.deepEqual(refused({ action: 'cancel' }), ['action'])
  assert.deepEqual(refused({ action: 'add' }), ['action'])
  assert.deepEqual(refused({ optionType: 'call', cancel: true, delay: 5 }), ['optionType', 'cancel', 'delay'])
  assert.deepEqual(refused({ quantity: 5, quantityType: 'risk_percent' }), ['quantityType'])
  assert.deepEqual(refused({ orderType: 'stop_limit' }), ['orderType'])
  assert.deepEqual(refused({ orderType: 'limit', limitPrice: 1, timeInForce: 'fok' }), ['timeInForce'])
  assert.deepEqual(refused({ stopLoss: { amount: 5 } }), ['stopLoss.amount', 'stopLoss.percent'])
  assert.deepEqual(refused({ stopLoss: { type: 'stop_limit', stopPrice: 5, limitPrice: 4 } }), [
    'stopLoss.type',
    'stopLoss.limitPrice',
  ])
})

test('OpenAlgo: the position after the order decides, and zero closes', () => {
  const base = { apikey: 'k', strategy: 'RSI', exchange: 'BINANCE', symbol: 'BTCUSDT', product: 'MIS' }
  const of = (more: object) =>
    asked('openalgo', { ...base, pricetype: 'MARKET', price: '0', ...more }).slice(0, 2)
  const id = 'RSI'
  const entry = { type: 'market' }
  assert.deepEqual(of({ action: 'BUY', quantity: '2', position_size: '2' }), [
    'LONG',
    { id, size: 2, sizeUnit: 'base', entry },
  ])
  assert.deepEqual(of({ action: 'SELL', quantity: '4', position_size: '-2' }), [
    'SHORT',
    { id, size: 2, sizeUnit: 'base', entry },
  ])
  assert.deepEqual(of({ action: 'SELL', quantity: '4', position_size: 0 }), ['EXIT', { id }])
  assert.deepEqual(of({ action: 'sell', quantity: 1, position_size: 3 }), [
    'EXIT',
    { id, size: 1, forceSize: true, closes: 'long' },
  ])
  assert.deepEqual(of({ action: 'BUY', quantity: 1, pricetype: 'LIMIT', price: 5 }), [
    'LONG',
    { id, size: 5, sizeUnit: 'quote', entry: { type: 'limit', price: '5' } },
  ])
  const refused = (more: object) => fields('openalgo', { ...base, action: 'BUY', quantity: 1, ...more })
  assert.deepEqual(refused({ pricetype: 'SL-M', trigger_price: 5 }), ['trigger_price', 'pricetype'])
  assert.deepEqual(refused({ pricetype: 'LIMIT' }), ['price'])
  assert.deepEqual(refused({ action: 'HOLD', position_size: 'x' }), ['action', 'position_size'])
})

test('Freqtrade: the bots follow fills, and parts of positions', () => {
  const base = {
    pair: 'BTC/USDT:USDT',
    direction: 'Long',
    trade_id: 7,
    amount: '0.01',
    open_rate: '50000',
    close_rate: '51000',
  }
  const of = (more: object) => asked('freqtrade', { ...base, ...more }).slice(0, 2)
  assert.deepEqual(of({ event: 'entry_fill' }), ['LONG', { id: '7', ...opens(500) }])
  assert.deepEqual(of({ event: 'entry_fill', sub_trade: 'True' }), [
    'LONG',
    { id: '7', ...opens(500, { dilution: true }) },
  ])
  assert.deepEqual(of({ event: 'exit_fill', direction: 'Short' }), ['EXIT', { id: '7', closes: 'short' }])
  const part = { event: 'exit_fill', sub_trade: true }
  assert.deepEqual(of({ ...part, is_final_exit: false }), [
    'EXIT',
    { id: '7', size: 0.01, forceSize: true, closes: 'long' },
  ])
  assert.deepEqual(of({ ...part, is_final_exit: true }), ['EXIT', { id: '7', closes: 'long' }])
  for (const event of ['entry', 'exit', 'entry_cancel', 'exit_cancel', 'status', undefined])
    assert.deepEqual(fields('freqtrade', { ...base, event }), ['event'], String(event))
  assert.deepEqual(fields('freqtrade', { ...base, ...part, amount: null }), ['amount'])
})

test('REVERSE turns the side of a close around, too', () => {
  const { action, options } = read('3commas', {
    tv_instrument: 'A',
    action: 'exit_long',
    flag: 'REVERSE',
  }).signal
  assert.deepEqual([action, options], ['EXIT', { closes: 'short' }])
})

test('whatever a payload has, it is a signal that can be stored, or it is refused by name', () => {
  const names = [
    ...[
      'ticker',
      'symbol',
      'action',
      'market_position',
      'prev_market_position',
      'contracts',
      'price',
      'max_lag',
    ],
    ...[
      'market_position_size',
      'tv_instrument',
      'order',
      'strategy_info',
      'stop_loss',
      'take_profit',
      'timestamp',
    ],
    ...[
      'sentiment',
      'quantity',
      'takeProfit',
      'stopLoss',
      'orderType',
      'position_size',
      'pricetype',
      'pair',
      'event',
    ],
    ...[
      'direction',
      'amount',
      'open_rate',
      'type',
      'steps',
      '__proto__',
      'toString',
      'flag',
      'currency_type',
    ],
  ]
  const leaf = fc.oneof(
    fc.constantFrom(
      'BTCUSDT',
      'buy',
      'sell',
      'exit',
      'long',
      'short',
      'flat',
      'enter_long',
      'exit_long',
      'limit',
    ),
    fc.constantFrom(
      'entry_fill',
      'exit_fill',
      'base',
      'quote',
      'market',
      '0',
      '-1',
      '1e-18',
      '1e18',
      '{{close}}',
      '',
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const object = (value: fc.Arbitrary<unknown>) =>
    fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: false })
  const payload = object(fc.oneof(leaf, object(leaf)))
  fc.assert(
    fc.property(fc.constantFrom(...alertFormats), payload, (format, value) => {
      // As it comes: only own fields.
      const parsed = JSON.parse(JSON.stringify(value))
      try {
        const { signal } = read(format, parsed)
        assert.ok(signal.symbols.every((symbol) => symbol !== '') && signal.symbols.length <= 1)
        const { size } = signal.options
        assert.ok(size === undefined || (Number.isFinite(size) && size > 0))
      } catch (error) {
        assert.ok(error instanceof AppError && error.status === 400, String((error as Error).stack))
        assert.ok(error.details!.every(({ field }) => field!.startsWith('body.')))
      }
    }),
    { numRuns: 2_000 },
  )
})
