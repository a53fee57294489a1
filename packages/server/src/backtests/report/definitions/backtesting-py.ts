import type { ClosedTrade } from '../../traded.ts'
import type { Basis } from '../basis.ts'
import { dayMs } from '../daily.ts'
import { deepest, type Fall, fallsOf } from '../drawdowns.ts'
import { type Figure, percent, Undefined, undefinedBecause, using } from '../figure.ts'
import type { Metric } from '../metric.ts'
import { deviation, mean, median, sum } from '../samples.ts'
import { kelly, systemQuality, winRate } from '../trade-figures.ts'
import { onceEach } from './once-each.ts'

const source = 'backtesting.py 0.6.6, backtesting/_stats.py'

/**
 * The figures of a report as backtesting.py defines them, under its names in small letters. Its times are those of the
 * openings of candles, and its returns leave the first day out. Where it has `nan` or an infinite value, there is a reason.
 */
export const backtestingPyMetrics: readonly Metric[] = [
  metric(
    'exposure_time_percent',
    'Exposure Time',
    'percent',
    '100 × candles from that of an entry to that of its exit ÷ candles',
    exposure,
  ),
  metric(
    'return_percent',
    'Return',
    'percent',
    '100 × (last equity ÷ first equity at a close − 1)',
    (basis) => percent(totalReturn(basis)),
  ),
  metric(
    'buy_and_hold_return_percent',
    'Buy & Hold Return',
    'percent',
    '100 × (last close ÷ first close − 1); backtesting.py begins after the warm-up of indicators',
    (basis) => percent(holding(basis)),
  ),
  metric(
    'return_ann_percent',
    'Return (Ann.)',
    'percent',
    '100 × ((1 + geometric mean of the daily returns)^A − 1), with A = 365 days a year, 252 without weekends, 52 for weekly, 12 for monthly and 1 for yearly candles',
    (basis) => using(annual(basis), ({ growth }) => 100 * growth),
  ),
  metric(
    'volatility_ann_percent',
    'Volatility (Ann.)',
    'percent',
    '100 × √((s² + (1 + g)²)^A − (1 + g)^(2A)), with s² the variance of the daily returns (n − 1) and g their geometric mean',
    (basis) => using(annual(basis), ({ volatility }) => 100 * volatility),
  ),
  metric(
    'cagr_percent',
    'CAGR',
    'percent',
    '100 × ((last equity ÷ first equity)^(365.25 ÷ days) − 1), with days from the first to the last opening',
    (basis) => percent(cagr(basis)),
  ),
  metric(
    'sharpe_ratio',
    'Sharpe Ratio',
    'ratio',
    '(Return (Ann.) − risk-free rate) ÷ Volatility (Ann.)',
    (basis) =>
      using(annual(basis), ({ growth, volatility }) =>
        volatility === 0
          ? undefinedBecause('The volatility is zero.')
          : (growth - basis.assumptions.riskFreePercent / 100) / volatility,
      ),
  ),
  metric(
    'sortino_ratio',
    'Sortino Ratio',
    'ratio',
    '(Return (Ann.) − risk-free rate) ÷ (√(mean of min(daily return, 0)²) × √A)',
    (basis) =>
      using(annual(basis), ({ growth, returns, periods }) => {
        const downside = Math.sqrt(mean(returns.map((value) => Math.min(value, 0) ** 2)))
        if (downside === 0) return undefinedBecause('No day had a loss.')
        return (growth - basis.assumptions.riskFreePercent / 100) / (downside * Math.sqrt(periods))
      }),
  ),
  metric('calmar_ratio', 'Calmar Ratio', 'ratio', 'Return (Ann.) ÷ Max. Drawdown', (basis) =>
    using(annual(basis), ({ growth }) =>
      using(depthOf(basis), (depth) => (depth === 0 ? noFall : growth / depth)),
    ),
  ),
  metric(
    'alpha_percent',
    'Alpha',
    'percent',
    'Return − risk-free rate − Beta × (Buy & Hold Return − risk-free rate)',
    (basis) => percent(alpha(basis)),
  ),
  metric(
    'beta',
    'Beta',
    'ratio',
    'covariance of the log returns of equity and close ÷ variance of the log returns of the close, candle by candle',
    (basis) => beta(basis),
  ),
  metric(
    'max_drawdown_percent',
    'Max. Drawdown',
    'percent',
    '−100 × the largest (peak − equity) ÷ peak at a close',
    (basis) => using(depthOf(basis), (depth) => -100 * depth),
  ),
  metric(
    'avg_drawdown_percent',
    'Avg. Drawdown',
    'percent',
    'mean of −100 × the largest (peak − equity) ÷ peak of each drawdown',
    (basis) => eachFall(basis, ({ depth }) => -100 * depth, mean),
  ),
  metric(
    'max_drawdown_duration_days',
    'Max. Drawdown Duration',
    'days',
    'the longest time from a peak to the next, or to the end',
    (basis) => eachFall(basis, daysOf, (days) => days.reduce((longest, each) => Math.max(longest, each))),
  ),
  metric(
    'avg_drawdown_duration_days',
    'Avg. Drawdown Duration',
    'days',
    'mean of the times from a peak to the next, or to the end',
    (basis) => eachFall(basis, daysOf, mean),
  ),
  metric('trades', '# Trades', 'count', 'closed trades', ({ trades }) => trades.length),
  metric(
    'win_rate_percent',
    'Win Rate',
    'percent',
    '100 × trades with a profit above zero ÷ closed trades',
    ({ trades }) => percent(winRate(profitsOf(trades))),
  ),
  metric(
    'best_trade_percent',
    'Best Trade',
    'percent',
    '100 × the largest r, with r = profit ÷ (size × entry price)',
    ({ trades }) =>
      ofReturns(trades, (returns) => 100 * returns.reduce((best, value) => Math.max(best, value))),
  ),
  metric('worst_trade_percent', 'Worst Trade', 'percent', '100 × the smallest r', ({ trades }) =>
    ofReturns(trades, (returns) => 100 * returns.reduce((worst, value) => Math.min(worst, value))),
  ),
  metric('avg_trade_percent', 'Avg. Trade', 'percent', '100 × the geometric mean of r', ({ trades }) =>
    ofReturns(trades, (returns) => 100 * geometricMean(returns)),
  ),
  metric(
    'profit_factor',
    'Profit Factor',
    'ratio',
    'sum of all r above zero ÷ sum of all r below zero, without its sign',
    ({ trades }) =>
      ofReturns(trades, (returns) => {
        const lost = sum(returns.filter((value) => value < 0))
        return lost === 0
          ? undefinedBecause('No trade lost.')
          : sum(returns.filter((value) => value > 0)) / -lost
      }),
  ),
  metric('expectancy_percent', 'Expectancy', 'percent', '100 × the mean of r', ({ trades }) =>
    ofReturns(trades, (returns) => 100 * mean(returns)),
  ),
  metric(
    'sqn',
    'SQN',
    'ratio',
    '√(closed trades) × mean profit ÷ standard deviation of the profits (n − 1)',
    ({ trades }) => systemQuality(profitsOf(trades)),
  ),
  metric(
    'kelly_criterion',
    'Kelly Criterion',
    'ratio',
    'W − (1 − W) ÷ (mean win ÷ mean loss), with W the share of trades that won',
    ({ trades }) => kelly(profitsOf(trades)),
  ),
]

function metric(
  name: string,
  label: string,
  unit: Metric['unit'],
  formula: string,
  of: Metric['of'],
): Metric {
  return { name, label, unit, formula, source, of }
}

const noFall = undefinedBecause('The equity never fell.')
const noCandle = undefinedBecause('The backtest has no candle.')
const oneSymbol = undefinedBecause('The backtest does not have candles of exactly one symbol.')

const profitsOf = (trades: readonly ClosedTrade[]) => trades.map(({ profit }) => profit)
const daysOf = ({ peakMs, untilMs }: Fall) => (untilMs - peakMs) / dayMs

/** In columns, because there may be a million. */
type Bars = { times: Float64Array; equities: Float64Array }

/** The equity at the close of each candle, with the time of its opening; the first one is above zero. */
const bars = onceEach(({ traded: { equity, candles } }: Basis): Bars | Undefined => {
  if (equity.length === 0) return noCandle
  if (equity.at(0)!.equity <= 0) return undefinedBecause('The equity at the first close is not above zero.')
  const opens =
    candles.length === 1 && candles[0]!.timeMs.length === equity.length ? candles[0]!.timeMs : null
  const all: Bars = { times: new Float64Array(equity.length), equities: new Float64Array(equity.length) }
  let index = 0
  for (const point of equity) {
    all.times[index] = opens?.[index] ?? point.timeMs - 1
    all.equities[index] = point.equity
    index += 1
  }
  return all
})

function* closesOf({ times, equities }: Bars): Generator<{ timeMs: number; equity: number }> {
  for (const [index, timeMs] of times.entries()) yield { timeMs, equity: equities[index]! }
}

const falls = onceEach((basis: Basis): Fall[] | Undefined => {
  const all = bars(basis)
  if (all instanceof Undefined) return all
  return fallsOf({ timeMs: all.times[0]!, equity: all.equities[0]! }, closesOf(all))
})

function depthOf(basis: Basis): Figure {
  return using(falls(basis), (all) => deepest(all)?.depth ?? 0)
}

function eachFall(basis: Basis, of: (fall: Fall) => number, sumUp: (values: number[]) => number): Figure {
  return using(falls(basis), (all) => (all.length === 0 ? noFall : sumUp(all.map(of))))
}

function totalReturn(basis: Basis): Figure {
  return using(bars(basis), ({ equities }) => equities.at(-1)! / equities[0]! - 1)
}

function cagr(basis: Basis): Figure {
  const all = bars(basis)
  if (all instanceof Undefined) return all
  const { times, equities } = all
  if (times.length < 2) return undefinedBecause('The backtest has fewer than 2 candles.')
  const [first, last] = [equities[0]!, equities.at(-1)!]
  if (last < 0) return undefinedBecause('The equity at the end is below zero.')
  return (last / first) ** ((365.25 * dayMs) / (times.at(-1)! - times[0]!)) - 1
}

type Annual = { returns: number[]; periods: number; growth: number; volatility: number }

const annual = onceEach((basis: Basis): Annual | Undefined => {
  const all = bars(basis)
  if (all instanceof Undefined) return all
  if (all.times.length < 2) return undefinedBecause('The backtest has fewer than 2 candles.')
  const { periods, periodOf } = calendarOf(all)
  const lastOf = new Map<number | string, number>()
  for (const { timeMs, equity } of closesOf(all)) lastOf.set(periodOf(timeMs), equity)
  const equities = [...lastOf.values()]
  const returns = equities.slice(1).map((equity, index) => equity / equities[index]! - 1)
  if (returns.length < 2) {
    return undefinedBecause(`The backtest has ${returns.length} returns; at least 2 are needed.`)
  }
  if (!returns.every(Number.isFinite)) return undefinedBecause('The equity falls to zero.')
  const base = 1 + geometricMean(returns)
  const variance = deviation(returns) ** 2
  const growth = base ** periods - 1
  const volatility = Math.sqrt((variance + base ** 2) ** periods - base ** (2 * periods))
  if (!Number.isFinite(volatility))
    return undefinedBecause('The volatility a year is too large for a number.')
  return { returns, periods, growth, volatility }
})

/** How many returns a year has, and which one a time belongs to: those of days, unless candles are as long as a week. */
function calendarOf({ times }: Bars): { periods: number; periodOf: (timeMs: number) => number | string } {
  const period = median(times.subarray(1).map((timeMs, index) => timeMs - times[index]!))
  const periodDays = Math.floor(period / dayMs)
  if (periodDays === 7) return { periods: 52, periodOf: (timeMs) => Math.floor((timeMs / dayMs + 3) / 7) }
  if (periodDays === 31) return { periods: 12, periodOf: (timeMs) => isoOf(timeMs).slice(0, 7) }
  if (periodDays === 365) return { periods: 1, periodOf: (timeMs) => isoOf(timeMs).slice(0, 4) }
  const weekend = times.reduce((count, timeMs) => count + Number(isWeekend(timeMs)), 0)
  const hasWeekends = weekend / times.length > (2 / 7) * 0.6
  return { periods: hasWeekends ? 365 : 252, periodOf: (timeMs) => Math.floor(timeMs / dayMs) }
}

const isWeekend = (timeMs: number) => [0, 6].includes(new Date(timeMs).getUTCDay())
const isoOf = (timeMs: number) => new Date(timeMs).toISOString()

/** 0 if a return is −100 % or less. */
function geometricMean(returns: readonly number[]): number {
  if (returns.some((value) => value <= -1)) return 0
  return Math.exp(mean(returns.map(Math.log1p))) - 1
}

function holding({ traded: { candles } }: Basis): Figure {
  if (candles.length !== 1) return oneSymbol
  const { close } = candles[0]!
  return close.length === 0 ? noCandle : close.at(-1)! / close[0]! - 1
}

const beta = onceEach(({ traded: { equity, candles } }: Basis): Figure => {
  const close = candles.length === 1 ? candles[0]!.close : []
  if (close.length !== equity.length) return oneSymbol
  if (close.length < 3) return undefinedBecause('The backtest has fewer than 3 candles.')
  const equities = equity.map((point) => point.equity)
  if (equities.some((value) => value <= 0)) return undefinedBecause('The equity falls to zero.')
  const ours = logReturns(equities)
  const market = logReturns(close)
  if (deviation(market) === 0) return undefinedBecause('The price never moved.')
  const [middle, marketMiddle] = [mean(ours), mean(market)]
  const products = market.map((value, index) => (value - marketMiddle) * (ours[index]! - middle))
  return sum(products) / sum(market.map((value) => (value - marketMiddle) ** 2))
})

function logReturns(values: ArrayLike<number>): number[] {
  const returns: number[] = []
  for (let index = 1; index < values.length; index++) {
    returns.push(Math.log(values[index]! / values[index - 1]!))
  }
  return returns
}

function alpha(basis: Basis): Figure {
  const riskFree = basis.assumptions.riskFreePercent / 100
  return using(totalReturn(basis), (total) =>
    using(beta(basis), (slope) =>
      using(holding(basis), (held) => total - riskFree - slope * (held - riskFree)),
    ),
  )
}

/** Each candle counts in which a trade was open, also those of its entry and its exit. */
function exposure(basis: Basis): Figure {
  const all = bars(basis)
  if (all instanceof Undefined) return all
  const { times } = all
  const spans = basis.trades
    .map(({ openedMs, closedMs }) => [barOf(times, openedMs), barOf(times, closedMs)] as const)
    .sort(([a], [b]) => a - b)
  let [covered, counted] = [0, -1]
  for (const [from, to] of spans) {
    covered += Math.max(0, to - Math.max(from - 1, counted))
    counted = Math.max(counted, to)
  }
  return (100 * covered) / times.length
}

/** The place of the last candle that opened at or before a time. */
function barOf(times: Float64Array, timeMs: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= timeMs) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

function ofReturns(trades: readonly ClosedTrade[], calculate: (returns: number[]) => Figure): Figure {
  if (trades.length === 0) return undefinedBecause('No trade was closed.')
  return calculate(trades.map(({ profit, size, entry }) => profit / (size * entry)))
}
