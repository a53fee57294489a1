/** Protection along candles: a long of 1 that opens at 100, or a short, without slippage unless the test is about it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, minuteCandle, noon, plainSettings } from '../../../test/trading.ts'
import { type Decimal, decimal, plain, zero } from '../../base/decimals.ts'
import { type ReplayCandle, replay } from '../replay.ts'
import type { BotSettings } from '../types.ts'
import { alongMissed } from './missed.ts'
import { noMarks } from './plan.ts'
import { noProtection, type Protection } from './settings.ts'

type Prices = Parameters<typeof minuteCandle>[1]

async function held(
  protection: Partial<Protection>,
  prices: Prices[],
  { action = 'LONG' as 'LONG' | 'SHORT', settings = {} as Partial<BotSettings> } = {},
) {
  const candles = prices.map((each, index) => minuteCandle(index, each))
  const { orders, fills, position } = await replay({
    rules: futuresRules,
    settings: { ...plainSettings, protection: { ...noProtection, ...protection }, ...settings },
    candles,
    signals: [{ action, at: noon }],
  })
  const closes = fills.slice(1).map(({ clientOrderId, size, price, filledAt }) => {
    const { origin } = orders.find((order) => order.clientOrderId === clientOrderId)!
    return `${origin} ${size} at ${price}, minute ${(filledAt - noon) / 60_000}`
  })
  return { closes, position }
}

const calm = { open: '100' }

test('a stop within a candle is executed at its price, and one that the price jumps over at the opening', async () => {
  const { closes } = await held({ stop_loss: '2%' }, [calm, { open: '100', low: '97', close: '99' }])
  assert.deepEqual(closes, ['stop_loss 1 at 98, minute 2'])
  const jumped = await held({ stop_loss: '2%' }, [calm, { open: '95', high: '110', close: '105' }])
  assert.deepEqual(jumped.closes, ['stop_loss 1 at 95, minute 1'])
  const short = await held({ stop_loss: '2%' }, [calm, { open: '100', high: '103' }], { action: 'SHORT' })
  assert.deepEqual(short.closes, ['stop_loss 1 at 102, minute 2'])
})

test('the candle in which a position opens counts, and slippage makes the close worse', async () => {
  const settings = { slippageRate: '0.001' }
  const { closes } = await held({ stop_loss: '98' }, [{ open: '100', low: '97' }], { settings })
  assert.deepEqual(closes, ['stop_loss 1 at 97.902, minute 1'])
})

test('if a stop and a target lie in the same candle, the stop comes first', async () => {
  const both = { stop_loss: '2%', take_profit: [{ at: '2%', part: '1' }] }
  const wide = { open: '100', high: '105', low: '95', close: '104' }
  assert.deepEqual((await held(both, [calm, wide])).closes, ['stop_loss 1 at 98, minute 2'])
  const { closes } = await held(both, [calm, { ...wide, close: '96' }], { action: 'SHORT' })
  assert.deepEqual(closes, ['stop_loss 1 at 102, minute 2'])
})

test('each target closes its part at its price, and at the opening if the price jumps over it', async () => {
  const take_profit = [
    { at: '102', part: '0.5' },
    { at: '104', part: '0.25' },
    { at: '106', part: '0.25' },
  ]
  const { closes, position } = await held({ take_profit }, [
    { open: '100', high: '104.5' },
    { open: '107', close: '107' },
  ])
  assert.deepEqual(closes, [
    'take_profit 0.5 at 102, minute 1',
    'take_profit 0.25 at 104, minute 1',
    'take_profit 0.25 at 107, minute 1',
  ])
  assert.equal(position.side, null)
})

test('a trailing stop follows the best price only after the adverse move of the candle', async () => {
  const trailing = { by: '2%', from: null, step: null }
  // Within the candle, the stop is at 98 when the price falls to 99, and at 107.8 afterwards.
  const up = { open: '100', low: '99', high: '110', close: '109' }
  assert.deepEqual((await held({ trailing }, [up])).closes, [])
  assert.deepEqual((await held({ trailing }, [up, { open: '109', low: '107' }])).closes, [
    'trailing 1 at 107.8, minute 2',
  ])
  // The price has passed the new stop on its way from the best price to the close.
  assert.deepEqual((await held({ trailing }, [{ ...up, close: '105' }])).closes, [
    'trailing 1 at 107.8, minute 1',
  ])
})

test('a stop at break-even closes at the entry price', async () => {
  const protection = { stop_loss: '5%', break_even: { after: '1R', plus: null } }
  const { closes } = await held(protection, [
    { open: '100', high: '106', close: '104' },
    { open: '104', low: '90' },
  ])
  assert.deepEqual(closes, ['break_even 1 at 100, minute 2'])
})

test('time closes a position at the close of the candle in which it runs out, or at the next opening', async () => {
  const within = await held({ exit_after_seconds: 90 }, [calm, { open: '101', close: '103' }])
  assert.deepEqual(within.closes, ['time 1 at 103, minute 2'])
  const late = { ...minuteCandle(5, { open: '104' }) }
  const { fills } = await replay({
    rules: futuresRules,
    settings: { ...plainSettings, protection: { ...noProtection, exit_after_seconds: 90 } },
    candles: [minuteCandle(0, calm), late],
    signals: [{ action: 'LONG', at: noon }],
  })
  assert.deepEqual(fills.at(-1)!.filledAt, late.openedAt)
})

test('a position that a signal has closed leaves no protection to the next one', async () => {
  const { fills } = await replay({
    rules: futuresRules,
    settings: plainSettings,
    candles: [minuteCandle(0, calm), minuteCandle(1, { open: '100', low: '50' })],
    signals: [
      { action: 'LONG', at: noon, options: { protection: { stop_loss: '10%' } } },
      { action: 'EXIT', at: noon },
      { action: 'LONG', at: noon },
    ],
  })
  assert.equal(fills.length, 3)
})

test('an opening that adds to a position gives its targets more to close', async () => {
  const { fills } = await replay({
    rules: futuresRules,
    settings: {
      ...plainSettings,
      protection: { ...noProtection, take_profit: [{ at: '110', part: '0.5' }] },
    },
    candles: [minuteCandle(0, calm), minuteCandle(1, { open: '100', high: '111' })],
    signals: [
      { action: 'LONG', at: noon },
      { action: 'LONG', at: noon + 60_000, options: { dilution: true } },
    ],
  })
  assert.deepEqual(fills.map(({ size, price }) => `${size} at ${price}`).at(-1), '1 at 110')
})

const price = fc.integer({ min: 60, max: 160 }).map(String)
const candles = fc
  .array(fc.array(price, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 20 })
  .map((all) =>
    all.map((four, index): ReplayCandle => {
      const sorted = [...four].sort((a, b) => Number(a) - Number(b))
      return minuteCandle(index, { open: four[0]!, close: four[1]!, low: sorted[0]!, high: sorted[3]! })
    }),
  )

test('no position survives a candle that crosses its stop, and no close is better than the levels it is for', () =>
  fc.assert(
    fc.asyncProperty(candles, fc.constantFrom('LONG' as const, 'SHORT' as const), async (path, action) => {
      const protection = {
        ...noProtection,
        stop_loss: '10%',
        take_profit: [
          { at: '5%', part: '0.5' },
          { at: '15%', part: '0.5' },
        ],
        trailing: { by: '8%', from: '5%', step: '1%' },
      }
      const { orders, fills, position, equity } = await replay({
        rules: futuresRules,
        settings: { ...plainSettings, protection },
        candles: path,
        signals: [{ action, at: noon }],
      })
      assert.equal(equity.length, path.length)
      const [opening, ...closes] = fills
      const entry = Number(opening!.price)
      const sign = action === 'LONG' ? 1 : -1
      const worst = (candle: ReplayCandle) => (action === 'LONG' ? Number(candle.low) : Number(candle.high))
      const isCrossed = path.some((candle) => sign * (worst(candle) - entry) <= -entry * 0.1)
      if (isCrossed) assert.equal(position.side, null)
      const left = closes.reduce((rest, { size }) => rest - Number(size), Number(opening!.size))
      assert.ok(left >= -1e-9, 'no more is closed than was opened')
      for (const [index, { price: at }] of closes.entries()) {
        const { origin } = orders[index + 1]!
        const gain = (sign * (Number(at) - entry)) / entry
        if (origin === 'stop_loss') assert.ok(gain <= -0.1 + 1e-9)
        if (origin === 'take_profit') assert.ok(gain >= 0.05 - 1e-9)
      }
    }),
    { numRuns: 300 },
  ))

const targets: Protection['take_profit'][] = [
  [],
  [{ at: '4%', part: '1' }],
  [
    { at: '5%', part: '0.5' },
    { at: '15%', part: '0.25' },
  ],
]
const protections: fc.Arbitrary<Protection> = fc.record({
  stop_loss: fc.constantFrom('3%', '10%', null),
  take_profit: fc.constantFrom(...targets),
  trailing: fc.constantFrom(null, { by: '8%', from: '5%', step: '1%' }, { by: '4%', from: null, step: null }),
  break_even: fc.constantFrom(null, { after: '6%', plus: '1%' }),
  exit_after_seconds: fc.constantFrom(null, 90, 600),
})

test('what a paper bot missed closes the same, at the same prices, as a replay of the same candles', () =>
  fc.assert(
    fc.asyncProperty(
      candles,
      protections,
      fc.constantFrom('long' as const, 'short' as const),
      async (path, protection, side) => {
        const { orders, fills } = await replay({
          rules: futuresRules,
          settings: { ...plainSettings, amount: '1', amountUnit: 'base', protection },
          candles: path,
          signals: [{ action: side === 'long' ? 'LONG' : 'SHORT', at: noon }],
        })
        const [opening, ...closes] = fills
        const { price: entryPrice, size } = opening!
        const position = { side, size, openedSize: size, entryPrice, openedAt: noon }
        const { close } = alongMissed(position, protection, noMarks, path)
        const sumOf = (each: (close: (typeof closes)[number]) => Decimal) =>
          closes.reduce((sum, fill) => sum.plus(each(fill)), zero)
        const closed = sumOf((fill) => decimal(fill.size))
        assert.equal(close === null ? '0' : (close.size ?? size), plain(closed))
        if (close === null) return
        const value = sumOf((fill) => decimal(fill.size).times(decimal(fill.price)))
        const difference = value.minus(closed.times(decimal(close.price))).abs()
        assert.ok(difference.lt('1e-20'), `${plain(difference)} apart`)
        assert.equal(close.reason, orders.at(-1)!.origin)
      },
    ),
    { numRuns: 200 },
  ))
