/** Compares the definitions of other tools with figures that these tools publish. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { closedTrade, tradedOf } from '../../../../test/traded.ts'
import type { Traded } from '../../traded.ts'
import { basisOf } from '../basis.ts'
import { measure } from '../metric.ts'
import { backtestingPyMetrics } from './backtesting-py.ts'
import { freqtradeMetrics } from './freqtrade.ts'

const dayMs = 86_400_000
const fixture = async (name: string) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'))

/** Ten times closer than the tests of both tools compare. */
function near(actual: number | null | undefined, expected: number, name: string): void {
  assert.ok(typeof actual === 'number', `${name} is ${actual}`)
  assert.ok(
    Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${name}: ${actual} is not ${expected}`,
  )
}

/** Daily candles of an exchange that is closed at weekends, and a position that is always long or short. */
async function googleBacktest(): Promise<Traded> {
  const { firstDay, days, closes, trades } = await fixture('goog-sma-cross.json')
  const open = Date.parse(firstDay)
  const timeMs = days.split(' ').map((day: string) => open + Number(day) * dayMs) as number[]
  const close = closes.split(' ').map(Number) as number[]
  const equity = new Array<number>(close.length).fill(10_000)
  let cash = 10_000
  const closed = (trades as string[]).map((trade) => {
    const [size, from, to, entry, exit] = trade.split(' ').map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ]
    for (let bar = from; bar < close.length; bar++)
      equity[bar] = cash + size * ((bar < to ? close[bar]! : exit) - entry)
    const profit = size * (exit - entry)
    cash += profit
    const [openedMs, closedMs] = [timeMs[from]!, timeMs[to]!]
    return closedTrade({
      side: size > 0 ? 'LONG' : 'SHORT',
      openedMs,
      closedMs,
      entry,
      exit,
      size: Math.abs(size),
      profit,
    })
  })
  return tradedOf({
    startMs: timeMs[0]!,
    endMs: timeMs.at(-1)! + dayMs,
    startEquity: 10_000,
    equity: equity.map((value, bar) => ({ timeMs: timeMs[bar]! + dayMs, equity: value, worst: value })),
    closed,
    candles: [{ symbol: 'GOOG', timeMs, open: close, high: close, low: close, close }],
  })
}

/** `test_compute_stats` in backtesting/test/_test.py of backtesting.py 0.6.6: what its website shows, too. */
const publishedByBacktestingPy: Record<string, number> = {
  exposure_time_percent: 96.74115456238361,
  return_percent: 414.2298999999996,
  return_ann_percent: 21.191099249053224,
  volatility_ann_percent: 36.49716090702389,
  cagr_percent: 21.160245705962623,
  sharpe_ratio: 0.5806232244485349,
  sortino_ratio: 1.0853434352488662,
  calmar_ratio: 0.44166409202994605,
  beta: 0.03803390709192,
  max_drawdown_percent: -47.98012705007589,
  avg_drawdown_percent: -5.925851581948801,
  max_drawdown_duration_days: 584,
  trades: 66,
  win_rate_percent: 46.96969696969697,
  best_trade_percent: 53.59595229490424,
  worst_trade_percent: -18.39887353835481,
  avg_trade_percent: 2.531715975158555,
  profit_factor: 2.167945974262033,
  expectancy_percent: 3.2748078066748834,
  sqn: 1.0766187356697705,
  kelly_criterion: 0.1518705127029717,
}

test('the figures that backtesting.py publishes of its example', async () => {
  const found = new Map(
    measure(backtestingPyMetrics, basisOf(await googleBacktest())).map(({ name, value }) => [name, value]),
  )
  for (const [name, expected] of Object.entries(publishedByBacktestingPy))
    near(found.get(name), expected, name)
  // It rounds this one up to whole days.
  assert.equal(Math.ceil(found.get('avg_drawdown_duration_days')!), 41)
  // It begins to hold after a warm-up of 29 candles, which only these two figures depend on: 522.06 and 394.37.
  const others = [...found.keys()].filter((name) => !(name in publishedByBacktestingPy))
  assert.deepEqual(others, ['buy_and_hold_return_percent', 'alpha_percent', 'avg_drawdown_duration_days'])
})

test('buying and holding, and alpha, from the first candle on', async () => {
  const found = new Map(
    measure(backtestingPyMetrics, basisOf(await googleBacktest())).map(({ name, value }) => [name, value]),
  )
  const held = 100 * (806.19 / 100.34 - 1)
  near(found.get('buy_and_hold_return_percent'), held, 'held')
  const ours = publishedByBacktestingPy
  near(found.get('alpha_percent'), ours.return_percent! - ours.beta! * held, 'alpha')
})

/** `tests/data/test_btanalysis.py` of Freqtrade 2024.10, which compares six digits. */
test('the figures that Freqtrade publishes of the trades of its tests', async () => {
  const { firstOpening, trades } = await fixture('freqtrade-trades.json')
  const at = (minutes: number) => Date.parse(firstOpening) + minutes * 60_000
  const closed = (trades as string[]).map((trade) => {
    const [from, to, profit] = trade.split(' ').map(Number) as [number, number, number]
    return closedTrade({ openedMs: at(from), closedMs: at(to), profit })
  })
  // Its sort does not keep the order of trades that end at the same moment.
  closed.sort((a, b) => a.closedMs - b.closedMs || b.profit - a.profit)
  const last = Math.max(...closed.map(({ closedMs }) => closedMs))
  const traded = tradedOf({ startMs: at(0), endMs: last, startEquity: 0.01, closed })
  const found = new Map(measure(freqtradeMetrics, basisOf(traded)).map(({ name, value }) => [name, value]))
  const published = {
    sharpe: 44.5078669,
    sortino: 35.17722,
    calmar: 559.040508,
    expectancy: 5.820687070932315e-6,
    expectancy_ratio: 0.07151374226574791,
  }
  for (const [name, expected] of Object.entries(published)) {
    assert.ok(
      Math.abs(found.get(name)! / expected - 1) < 1e-6,
      `${name}: ${found.get(name)} is not ${expected}`,
    )
  }
})

const freqtrade = (given: Partial<Traded>) =>
  new Map(measure(freqtradeMetrics, basisOf(tradedOf(given))).map(({ name, value }) => [name, value]))

test('growth rates, expectancies and drawdowns in the tests of Freqtrade', () => {
  for (const [start, end, days, expected] of [
    [64_900, 176_000, 3 * 365, 0.3945],
    [64_900, 176_000, 365, 1.7119],
    [1_000, 1_000, 365, 0],
    [1_000, 1_500, 365, 0.5],
    [1_000, 1_500, 100, 3.3927],
    [0.01, 0.01762792, 120, 4.6087],
  ] as const) {
    const endMs = days * dayMs
    const equity = [{ timeMs: endMs, equity: end, worst: end }]
    const found = freqtrade({ startMs: 0, endMs, startEquity: start, equity, candles: [] })
    assert.equal(found.get('cagr')?.toFixed(4), expected.toFixed(4))
  }
  const trades = [100, 200, 50, -150, 300, -100, 80, -30].map((profit) => closedTrade({ profit }))
  near(freqtrade({ closed: trades }).get('expectancy'), 56.25, 'expectancy')
  near(freqtrade({ closed: trades }).get('expectancy_ratio'), 0.6026785714285714, 'expectancy_ratio')
  const falls = [0, -500, 500, 10_000, -1_000].map((profit) => closedTrade({ profit }))
  near(freqtrade({ closed: falls }).get('max_drawdown_account'), 1 / 11, 'max_drawdown_account')
  near(freqtrade({ closed: falls }).get('max_relative_drawdown'), 0.5, 'max_relative_drawdown')
})
