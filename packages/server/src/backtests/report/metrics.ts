import type { CandleColumns } from '../traded.ts'
import type { Basis } from './basis.ts'
import { dayMs, withReturns } from './daily.ts'
import { deepest, longestMs } from './drawdowns.ts'
import { type Figure, percent, undefinedBecause, using } from './figure.ts'
import type { Metric } from './metric.ts'
import { deviation, mean, sum } from './samples.ts'
import { expectancy, kelly, profitFactor, systemQuality, winRate } from './trade-figures.ts'

/**
 * The figures of a report. Returns are daily (UTC) and include the first day. Percentages are of equity, unless the formula
 * says otherwise. `docs/backtests.md` has the same table, which a test compares with this one.
 */
export const metrics: readonly Metric[] = [
  {
    name: 'return_percent',
    label: 'Return',
    unit: 'percent',
    formula: '100 × (end equity ÷ start equity − 1)',
    source: 'definition',
    of: (basis) => percent(totalReturn(basis)),
  },
  {
    name: 'cagr_percent',
    label: 'Return a year (CAGR)',
    unit: 'percent',
    formula:
      '100 × ((end equity ÷ start equity)^(365 ÷ days) − 1), with days from the first opening to the last close',
    source: 'definition: compound annual growth rate',
    of: (basis) => percent(growthRate(basis)),
  },
  {
    name: 'volatility_percent',
    label: 'Volatility a year',
    unit: 'percent',
    formula: '100 × standard deviation of the daily returns (n − 1) × √days a year',
    source: 'Hull, Options, Futures, and Other Derivatives, chapter on volatility',
    of: ({ returns, assumptions }) =>
      withReturns(returns, 2, (daily) => 100 * deviation(daily) * Math.sqrt(assumptions.daysPerYear)),
  },
  {
    name: 'sharpe',
    label: 'Sharpe ratio',
    unit: 'ratio',
    formula:
      'mean of (daily return − risk-free rate ÷ days a year) ÷ standard deviation of the daily returns (n − 1) × √days a year',
    source: 'Sharpe, The Sharpe Ratio, Journal of Portfolio Management 21 (1994)',
    of: sharpe,
  },
  {
    name: 'sortino',
    label: 'Sortino ratio',
    unit: 'ratio',
    formula:
      'mean of x ÷ √(mean of min(x, 0)²) × √days a year, with x = daily return − risk-free rate ÷ days a year, over all days',
    source:
      'Sortino and Price, Performance Measurement in a Downside Risk Framework, Journal of Investing 3 (1994)',
    of: sortino,
  },
  {
    name: 'calmar',
    label: 'Calmar ratio',
    unit: 'ratio',
    formula: 'cagr_percent ÷ max_drawdown_percent, over the whole backtest',
    source: 'Young, Calmar Ratio: A Smoother Tool, Futures 20 (1991)',
    of: (basis) =>
      using(growthRate(basis), (rate) =>
        using(depthOf(basis), (depth) =>
          depth === 0 ? undefinedBecause('The equity never fell.') : rate / depth,
        ),
      ),
  },
  {
    name: 'max_drawdown_percent',
    label: 'Largest drawdown',
    unit: 'percent',
    formula:
      '100 × the largest (peak − equity) ÷ peak, with the equity at closes and the peak of all closes before and the start',
    source: 'Magdon-Ismail and Atiya, Maximum Drawdown, Risk 17 (2004)',
    of: (basis) => percent(depthOf(basis)),
  },
  {
    name: 'max_drawdown_within_percent',
    label: 'Largest drawdown within candles',
    unit: 'percent',
    formula:
      '100 × the largest (peak − worst) ÷ peak, with the lowest equity within each candle and the peak of the closes before it',
    source: 'as above, at the worst of each candle',
    of: ({ worstDepth }) => percent(worstDepth),
  },
  {
    name: 'max_drawdown_days',
    label: 'Duration of the largest drawdown',
    unit: 'days',
    formula: 'from the peak of the largest drawdown to the first close that reaches it again, or to the end',
    source: 'definition',
    of: ({ falls }) =>
      using(falls, (all) => {
        const fall = deepest(all)
        return fall === null ? 0 : (fall.untilMs - fall.peakMs) / dayMs
      }),
  },
  {
    name: 'longest_drawdown_days',
    label: 'Longest drawdown',
    unit: 'days',
    formula: 'the longest time from a peak to the first close that reaches it again, or to the end',
    source: 'definition',
    of: ({ falls }) => using(falls, (all) => longestMs(all) / dayMs),
  },
  {
    name: 'exposure_percent',
    label: 'Time in the market',
    unit: 'percent',
    formula: '100 × time with at least one open position ÷ time from the first opening to the last close',
    source: 'definition',
    of: ({ exposedMs, lengthDays }) => (lengthDays > 0 ? (100 * exposedMs) / (lengthDays * dayMs) : noTime),
  },
  {
    name: 'trades',
    label: 'Closed trades',
    unit: 'count',
    formula: 'the number of positions that were closed',
    source: 'definition',
    of: ({ trades }) => trades.length,
  },
  {
    name: 'win_rate_percent',
    label: 'Trades that won',
    unit: 'percent',
    formula: '100 × trades with a profit above zero ÷ closed trades; profits are after fees',
    source: 'definition',
    of: ({ trades }) => percent(winRate(profitsOf(trades))),
  },
  {
    name: 'profit_factor',
    label: 'Profit factor',
    unit: 'ratio',
    formula: 'sum of the profits of trades that won ÷ sum of the losses of trades that lost',
    source: 'definition: gross profit ÷ gross loss',
    of: ({ trades }) => profitFactor(profitsOf(trades)),
  },
  {
    name: 'expectancy',
    label: 'Average profit of a trade',
    unit: 'money',
    formula: 'sum of the profits of all closed trades ÷ closed trades',
    source: 'Tharp, Trade Your Way to Financial Freedom (1998)',
    of: ({ trades }) => expectancy(profitsOf(trades)),
  },
  {
    name: 'sqn',
    label: 'System quality (SQN)',
    unit: 'ratio',
    formula: '√(closed trades) × mean profit ÷ standard deviation of the profits (n − 1)',
    source: 'Tharp, Definitive Guide to Position Sizing (2008), with profits instead of multiples of a risk',
    of: ({ trades }) => systemQuality(profitsOf(trades)),
  },
  {
    name: 'kelly',
    label: 'Kelly criterion',
    unit: 'ratio',
    formula: 'W − (1 − W) ÷ R, with W the share of trades that won and R the mean win ÷ the mean loss',
    source: 'Kelly, A New Interpretation of Information Rate, Bell System Technical Journal 35 (1956)',
    of: ({ trades }) => kelly(profitsOf(trades)),
  },
  {
    name: 'turnover',
    label: 'Turnover',
    unit: 'ratio',
    formula: 'sum of size × price of all fills ÷ mean equity at closes, over the whole backtest',
    source: 'definition; purchases and sales both count',
    of: turnover,
  },
  {
    name: 'holding_return_percent',
    label: 'Buy and hold',
    unit: 'percent',
    formula: '100 × (last close ÷ first open − 1), without costs; the mean over the symbols',
    source: 'definition',
    of: ({ traded }) => percent(holdingReturn(traded.candles)),
  },
]

const noTime = undefinedBecause('The backtest has no length.')
const noMoney = undefinedBecause('The start equity is not above zero.')
const noCandle = undefinedBecause('The backtest has no candle.')

const profitsOf = (trades: Basis['trades']) => trades.map(({ profit }) => profit)

const depthOf = ({ falls }: Basis) => using(falls, (all) => deepest(all)?.depth ?? 0)

function totalReturn({ startEquity, endEquity, days }: Basis): Figure {
  if (days.length === 0) return noCandle
  return startEquity > 0 ? endEquity / startEquity - 1 : noMoney
}

/** As a share a year. */
function growthRate({ startEquity, endEquity, lengthDays }: Basis): Figure {
  if (lengthDays <= 0) return noTime
  if (startEquity <= 0) return noMoney
  if (endEquity < 0) return undefinedBecause('The equity at the end is below zero.')
  return (endEquity / startEquity) ** (365 / lengthDays) - 1
}

function excess(daily: readonly number[], { daysPerYear, riskFreePercent }: Basis['assumptions']): number[] {
  return daily.map((value) => value - riskFreePercent / 100 / daysPerYear)
}

function sharpe({ returns, assumptions }: Basis): Figure {
  return withReturns(returns, 2, (daily) => {
    const spread = deviation(daily)
    if (spread === 0) return undefinedBecause('All daily returns are the same.')
    return (mean(excess(daily, assumptions)) / spread) * Math.sqrt(assumptions.daysPerYear)
  })
}

function sortino({ returns, assumptions }: Basis): Figure {
  return withReturns(returns, 1, (daily) => {
    const over = excess(daily, assumptions)
    const downside = Math.sqrt(mean(over.map((value) => Math.min(value, 0) ** 2)))
    if (downside === 0) return undefinedBecause('No day had a loss.')
    return (mean(over) / downside) * Math.sqrt(assumptions.daysPerYear)
  })
}

function turnover({ traded: { fills, equity } }: Basis): Figure {
  if (equity.length === 0) return noCandle
  const average = mean(equity.map((point) => point.equity))
  if (average <= 0) return undefinedBecause('The mean equity is not above zero.')
  return sum(fills.map(({ size, price }) => size * price)) / average
}

function holdingReturn(candles: readonly CandleColumns[]): Figure {
  const held = candles.filter(({ close }) => close.length > 0)
  if (held.length === 0) return noCandle
  return mean(held.map(({ open, close }) => close.at(-1)! / open[0]! - 1))
}
