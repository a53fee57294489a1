import type { Basis } from '../basis.ts'
import { dayMs } from '../daily.ts'
import { type Figure, undefinedBecause, using } from '../figure.ts'
import type { Metric } from '../metric.ts'
import { deviation, mean, sum } from '../samples.ts'
import { expectancy, profitFactor, winRate } from '../trade-figures.ts'

const source = 'Freqtrade 2024.10, freqtrade/data/metrics.py and optimize_reports.py'

/**
 * The figures of a report as Freqtrade defines them, under its names. They are calculated from closed trades and the start
 * equity; shares are not percentages. Where Freqtrade has 0 or −100 for a ratio without a value, there is a reason.
 */
export const freqtradeMetrics: readonly Metric[] = [
  metric(
    'profit_total',
    'Total profit',
    'P, the sum of the profits ÷ start equity',
    ({ trades, startEquity }) =>
      startEquity > 0 ? sum(trades.map(({ profit }) => profit)) / startEquity : noMoney,
  ),
  metric(
    'cagr',
    'CAGR',
    '(end equity ÷ start equity)^(365 ÷ D) − 1, with D whole days from the first to the last opening',
    cagr,
  ),
  metric(
    'sharpe',
    'Sharpe',
    'P ÷ D ÷ standard deviation (n) of profit ÷ start equity of each trade × √365',
    (basis) => ratio(basis, basis.trades, 'All trades had the same profit.'),
  ),
  metric(
    'sortino',
    'Sortino',
    'as sharpe, with the standard deviation of only those trades that lost',
    (basis) =>
      ratio(
        basis,
        basis.trades.filter(({ profit }) => profit < 0),
        'Fewer than two trades lost, or all lost the same.',
      ),
  ),
  metric('calmar', 'Calmar', '100 × P ÷ D ÷ max_drawdown_account × √365', (basis) =>
    using(drawdown(basis, false), (depth) =>
      using(dailyProfit(basis), (profit) => (100 * profit * Math.sqrt(365)) / depth),
    ),
  ),
  metric(
    'max_drawdown_account',
    'Drawdown',
    'of the largest fall in money of the sum of profits, trade by trade: fall ÷ (start equity + the sum at the peak)',
    (basis) => drawdown(basis, false),
  ),
  metric(
    'max_relative_drawdown',
    'Relative drawdown',
    'the largest fall ÷ (start equity + the sum at the peak)',
    (basis) => drawdown(basis, true),
  ),
  metric('winrate', 'Win rate', 'trades with a profit above zero ÷ closed trades', ({ trades }) =>
    winRate(trades.map(({ profit }) => profit)),
  ),
  metric(
    'profit_factor',
    'Profit factor',
    'sum of the profits of trades that won ÷ sum of the losses of trades that lost',
    ({ trades }) => profitFactor(trades.map(({ profit }) => profit)),
  ),
  metric(
    'expectancy',
    'Expectancy',
    'W × mean win − L × mean loss, with W and L the shares of trades that won and lost',
    ({ trades }) => expectancy(trades.map(({ profit }) => profit)),
  ),
  metric('expectancy_ratio', 'Expectancy ratio', '(1 + mean win ÷ mean loss) × W − 1', expectancyRatio),
]

function metric(name: string, label: string, formula: string, of: Metric['of']): Metric {
  return { name, label, unit: name === 'expectancy' ? 'money' : 'ratio', formula, source, of }
}

const noMoney = undefinedBecause('The start equity is not above zero.')
const noTrade = undefinedBecause('No trade was closed.')

/** Whole days from the first to the last opening, at least one. */
function wholeDays({ traded: { candles, startMs, endMs } }: Basis): number {
  const times = candles.flatMap(({ timeMs }) => (timeMs.length === 0 ? [] : [timeMs[0]!, timeMs.at(-1)!]))
  const [from, to] = times.length === 0 ? [startMs, endMs] : [Math.min(...times), Math.max(...times)]
  return Math.max(1, Math.floor((to - from) / dayMs))
}

function dailyProfit(basis: Basis): Figure {
  if (basis.trades.length === 0) return noTrade
  if (basis.startEquity <= 0) return noMoney
  return sum(basis.trades.map(({ profit }) => profit)) / basis.startEquity / wholeDays(basis)
}

function cagr(basis: Basis): Figure {
  const { startEquity, endEquity } = basis
  if (startEquity <= 0) return noMoney
  if (endEquity < 0) return undefinedBecause('The equity at the end is below zero.')
  return (endEquity / startEquity) ** (365 / wholeDays(basis)) - 1
}

function ratio(basis: Basis, of: Basis['trades'], without: string): Figure {
  return using(dailyProfit(basis), (profit) => {
    const spread =
      of.length === 0
        ? 0
        : deviation(
            of.map((trade) => trade.profit),
            0,
          ) / basis.startEquity
    return spread === 0 ? undefinedBecause(without) : (profit / spread) * Math.sqrt(365)
  })
}

/** Its first peak is the sum after the first trade, so a loss by the first trade is no drawdown. */
function drawdown({ trades, startEquity }: Basis, isRelative: boolean): Figure {
  if (trades.length === 0) return noTrade
  if (startEquity <= 0) return noMoney
  let [balance, peak] = [startEquity, Number.NEGATIVE_INFINITY]
  let most = { amount: 0, share: 0 }
  for (const { profit } of trades) {
    balance += profit
    peak = Math.max(peak, balance)
    if (peak <= 0) return undefinedBecause('The first trade lost the start equity.')
    const fall = { amount: peak - balance, share: (peak - balance) / peak }
    if (isRelative ? fall.share > most.share : fall.amount > most.amount) most = fall
  }
  return most.amount > 0 ? most.share : undefinedBecause('The sum of the profits never fell.')
}

function expectancyRatio({ trades }: Basis): Figure {
  if (trades.length === 0) return noTrade
  const wins = trades.filter(({ profit }) => profit > 0).map(({ profit }) => profit)
  const losses = trades.filter(({ profit }) => profit < 0).map(({ profit }) => profit)
  if (losses.length === 0) return undefinedBecause('No trade lost.')
  const reward = wins.length === 0 ? 0 : mean(wins) / -mean(losses)
  return (1 + reward) * (wins.length / trades.length) - 1
}
