import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closedTrade, daysOfEquity, startMs, tradedFill, tradedOf } from '../../../test/traded.ts'
import type { EquityPoint, Traded } from '../traded.ts'
import { type Assumptions, basisOf, usualAssumptions } from './basis.ts'
import { definitions } from './definitions/sets.ts'
import { measure } from './metric.ts'
import { metrics } from './metrics.ts'

const dayMs = 86_400_000

/** The figures by name, and the reasons of those that there are not. */
function figures(traded: Traded, assumptions: Assumptions = usualAssumptions) {
  const all = measure(metrics, basisOf(traded, assumptions))
  const value = Object.fromEntries(all.map(({ name, value }) => [name, value]))
  const reason = Object.fromEntries(
    all.flatMap(({ name, reason }) => (reason === null ? [] : [[name, reason]])),
  )
  return { value, reason }
}

function near(actual: number | null | undefined, expected: number): void {
  assert.ok(
    typeof actual === 'number' && Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual} is not ${expected}`,
  )
}

/** Daily returns of 10, −10, 10, 0 and 20 percent. */
const fiveDays = daysOfEquity([1_100, 990, 1_089, 1_089, 1_306.8], { 2: 880 })

test('figures of five days, worked out by hand', () => {
  const { value } = figures(tradedOf({ equity: fiveDays }))
  near(value.return_percent, 30.68)
  near(value.cagr_percent, 100 * (1.3068 ** 73 - 1))
  // Around the mean of 0.06: 0.04² + 0.16² + 0.04² + 0.06² + 0.14² = 0.052, and a fourth of that.
  near(value.volatility_percent, 100 * Math.sqrt(0.013 * 365))
  near(value.sharpe, (0.06 / Math.sqrt(0.013)) * Math.sqrt(365))
  near(value.sortino, (0.06 / Math.sqrt(0.01 / 5)) * Math.sqrt(365))
  near(value.calmar, (1.3068 ** 73 - 1) / 0.1)
  near(value.max_drawdown_percent, 10)
  near(value.max_drawdown_within_percent, 20)
  near(value.max_drawdown_days, 4)
  near(value.longest_drawdown_days, 4)
})

test('a year of other days, and a risk-free rate, as stated', () => {
  const { value } = figures(tradedOf({ equity: fiveDays }), { daysPerYear: 250, riskFreePercent: 2.5 })
  near(value.volatility_percent, 100 * Math.sqrt(0.013 * 250))
  // The rate is 0.0001 a day: its excess returns are 0.0999, −0.1001, 0.0999, −0.0001 and 0.1999.
  near(value.sharpe, (0.0599 / Math.sqrt(0.013)) * Math.sqrt(250))
  near(value.sortino, (0.0599 / Math.sqrt((0.1001 ** 2 + 0.0001 ** 2) / 5)) * Math.sqrt(250))
  near(value.cagr_percent, 100 * (1.3068 ** 73 - 1))
})

test('figures of four trades, worked out by hand', () => {
  const profits = [100, -50, 200, 0]
  const { value } = figures(
    tradedOf({ equity: fiveDays, closed: profits.map((profit) => closedTrade({ profit })) }),
  )
  near(value.trades, 4)
  near(value.win_rate_percent, 50)
  near(value.profit_factor, 6)
  near(value.expectancy, 62.5)
  // Around the mean of 62.5: 37.5² + 112.5² + 137.5² + 62.5² = 36875, and a third of that.
  near(value.sqn, (2 * 62.5) / Math.sqrt(36_875 / 3))
  near(value.kelly, 0.5 - 0.5 / 3)
})

test('the time in the market counts overlapping positions once, and one that stays open until the end', () => {
  const at = (days: number) => startMs + days * dayMs
  const fills = [
    tradedFill({ timeMs: at(0.5), positionAfter: 1 }),
    tradedFill({ timeMs: at(1), symbol: 'ETH/USDT', positionAfter: -2 }),
    tradedFill({ timeMs: at(1.5), side: 'sell', positionAfter: 0 }),
    tradedFill({ timeMs: at(2), symbol: 'ETH/USDT', positionAfter: 0 }),
    tradedFill({ timeMs: at(4), size: 4, price: 250, positionAfter: 4 }),
  ]
  const { value } = figures(tradedOf({ equity: daysOfEquity([1_000, 1_000, 1_000, 1_000, 1_500]), fills }))
  near(value.exposure_percent, 50)
  near(value.turnover, (4 * 100 + 4 * 250) / 1_100)
})

test('buying and holding is the mean over the symbols, from the first opening', () => {
  const candles = (symbol: string, open: number[], close: number[]) => {
    return {
      symbol,
      timeMs: open.map((_, index) => startMs + index * dayMs),
      open,
      high: close,
      low: open,
      close,
    }
  }
  const two = [candles('BTC/USDT', [100, 120], [120, 150]), candles('ETH/USDT', [10, 8], [8, 9])]
  near(figures(tradedOf({ equity: daysOfEquity([1, 1]), candles: two })).value.holding_return_percent, 20)
})

test('a candle that closes at midnight belongs to the day that ends, and a day without a candle has no return', () => {
  const hour = dayMs / 24
  const equity = [
    [1, 1_010],
    [24, 1_100],
    [25, 1_500],
    [47, 990],
    [96, 1_089],
  ].map(([hours, equity]) => ({ timeMs: startMs + hours! * hour, equity: equity!, worst: equity! }))
  // 10, −10 and 10 percent, as if the third day were not there.
  near(figures(tradedOf({ equity })).value.volatility_percent, 100 * Math.sqrt((0.04 / 3) * 365))
})

test('what is not defined is null with a reason', () => {
  assert.deepEqual(figures(tradedOf({ equity: daysOfEquity([1_000, 1_000]) })).reason, {
    sharpe: 'All daily returns are the same.',
    sortino: 'No day had a loss.',
    calmar: 'The equity never fell.',
    win_rate_percent: 'No trade was closed.',
    profit_factor: 'No trade was closed.',
    expectancy: 'No trade was closed.',
    sqn: 'The backtest has 0 closed trades; at least 2 are needed.',
    kelly: 'No trade was closed.',
  })
  const one = tradedOf({ equity: daysOfEquity([1_010]), closed: [closedTrade({ profit: 10 })] })
  const { reason } = figures(one)
  assert.equal(reason.volatility_percent, 'The backtest has 1 daily returns; at least 2 are needed.')
  assert.equal(reason.profit_factor, 'No trade lost.')
  assert.equal(reason.kelly, 'No trade lost.')
  const losses = figures(
    tradedOf({ equity: fiveDays, closed: [closedTrade({ profit: -1 }), closedTrade({ profit: -1 })] }),
  )
  assert.equal(losses.value.profit_factor, 0)
  assert.deepEqual(losses.reason, { sqn: 'All trades had the same profit.', kelly: 'No trade won.' })
})

test('equal returns have no Sharpe ratio, even if their last bits differ', () => {
  const { reason } = figures(tradedOf({ equity: daysOfEquity([1_010, 1_020.1, 1_030.301, 1_040.60401]) }))
  assert.equal(reason.sharpe, 'All daily returns are the same.')
})

test('an account that is lost has a return of −100 percent, and no returns afterwards', () => {
  const { value, reason } = figures(tradedOf({ equity: daysOfEquity([500, 0, 0], { 1: -100 }) }))
  near(value.return_percent, -100)
  near(value.cagr_percent, -100)
  near(value.max_drawdown_percent, 100)
  near(value.max_drawdown_within_percent, 110)
  assert.equal(reason.sharpe, 'The equity before 2026-01-03 is not above zero.')
  const { reason: below } = figures(tradedOf({ equity: daysOfEquity([500, -50]) }))
  assert.equal(below.cagr_percent, 'The equity at the end is below zero.')
})

/** Money to the cent. */
const amount = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((cents) => cents / 100)

/** Any equity, in steps of six hours, also lost and constant ones. */
const curve = fc
  .array(fc.oneof(fc.constant(1_000), fc.constant(0), amount(-50, 5_000)), { maxLength: 40 })
  .chain((equities) =>
    fc
      .array(amount(0, 100), {
        minLength: equities.length,
        maxLength: equities.length,
      })
      .map((below) =>
        equities.map((equity, index): EquityPoint => {
          return { timeMs: startMs + (index + 1) * (dayMs / 4), equity, worst: equity - below[index]! }
        }),
      ),
  )
const profits = fc.array(fc.oneof(fc.constant(0), amount(-1e6, 1e6)), {
  maxLength: 20,
})

test('every figure of every definition is a finite number, or null with a reason', () => {
  fc.assert(
    fc.property(curve, profits, fc.constantFrom(0, 1_000), (equity, all, startEquity) => {
      const basis = basisOf(
        tradedOf({ startEquity, equity, closed: all.map((profit) => closedTrade({ profit })) }),
      )
      for (const set of [metrics, ...Object.values(definitions)]) {
        for (const { name, value, reason } of measure(set, basis)) {
          assert.ok(value === null ? reason.length > 10 : Number.isFinite(value) && reason === null, name)
          assert.ok(!/NaN|undefined|cannot/.test(reason ?? ''), `${name}: ${reason}`)
        }
      }
    }),
  )
})

test('a drawdown is the deepest fall from the highest earlier close, and within candles at least as deep', () => {
  fc.assert(
    fc.property(curve, (equity) => {
      const { value } = figures(tradedOf({ equity }))
      const closes = [1_000, ...equity.map((point) => point.equity)]
      const peaks = closes.map((_, at) => Math.max(...closes.slice(0, at + 1)))
      const depths = closes.map((low, at) => (peaks[at]! - low) / peaks[at]!)
      near(value.max_drawdown_percent, 100 * Math.max(0, ...depths))
      assert.ok(value.max_drawdown_within_percent! >= value.max_drawdown_percent! - 1e-9)
      assert.ok(value.longest_drawdown_days! >= value.max_drawdown_days!)
    }),
  )
})

test('ten times the money changes no ratio and no percentage', () => {
  const positive = curve.map((points) =>
    points.map((point) => ({ ...point, equity: Math.abs(point.equity) + 1 })),
  )
  fc.assert(
    fc.property(positive, profits, (equity, all) => {
      const scaled = (factor: number) =>
        figures(
          tradedOf({
            startEquity: 1_000 * factor,
            equity: equity.map((point) => ({
              ...point,
              equity: point.equity * factor,
              worst: point.worst * factor,
            })),
            closed: all.map((profit) => closedTrade({ profit: profit * factor })),
          }),
        ).value
      const [one, eight] = [scaled(1), scaled(8)]
      for (const { name, unit } of metrics) {
        if (one[name] === null || unit === 'money') continue
        near(eight[name], one[name]!)
      }
    }),
  )
})

test('the order of trades changes none of their figures', () => {
  const order = profits.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  )
  fc.assert(
    fc.property(order, ([all, shuffled]) => {
      const ofTrades = (given: number[]) =>
        figures(tradedOf({ closed: given.map((profit) => closedTrade({ profit })) })).value
      const [a, b] = [ofTrades(all), ofTrades(shuffled)]
      for (const name of ['win_rate_percent', 'profit_factor', 'expectancy', 'sqn', 'kelly']) {
        if (a[name] === null) assert.equal(b[name], null)
        else near(b[name], a[name]!)
      }
    }),
  )
})
