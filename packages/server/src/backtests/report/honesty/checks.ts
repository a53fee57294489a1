import type { Traded } from '../../traded.ts'
import type { Basis } from '../basis.ts'
import { costsOf } from '../costs.ts'
import { Undefined } from '../figure.ts'
import { numberText, percentText } from '../numbers.ts'
import { deviation, sum } from '../samples.ts'
import { type Check, checkOf, type Finding, type Question, unknown } from './check.ts'
import { deflatedSharpe, type Estimate, estimateOf, leastCount } from './deflated-sharpe.ts'
import { overfittingOf } from './overfitting.ts'

/** What some checks need, besides the trade pass itself. */
export type Evidence = {
  /** The daily returns of every trial on the same strategy and data, from which this one may have been chosen. */
  trials?: readonly (readonly number[])[]
  /** The same signals, traded with twice the slippage. */
  doubled?: Traded
  /** The same signals with the other extreme of each candle first; `null`: that changes nothing. */
  reordered?: Traded | null
}

const confidence = 0.95
/** A usual size of a sample from which an average begins to say something. */
const leastTrades = 30
/** If so few of the best trades made all of the profit, it came from few trades. */
const fewShare = 0.05
/** More overfitting than this is a doubt: the value that Bailey and others use for a test at 5 %. */
const mostOverfitting = 0.05

const questions: readonly [Question, (basis: Basis, evidence: Evidence) => Finding][] = [
  [
    {
      name: 'deflated_sharpe_percent',
      label: 'Skill or luck',
      unit: 'percent',
      doubt_if:
        'the probability that the Sharpe ratio is above the largest one that this many trials give without skill is below 95 %',
      source:
        'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
    },
    skill,
  ],
  [
    {
      name: 'least_days',
      label: 'Long enough',
      unit: 'days',
      doubt_if:
        'there are fewer daily returns than needed to be 95 % sure that the Sharpe ratio is above zero',
      source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
    },
    length,
  ],
  [
    {
      name: 'overfitting_percent',
      label: 'Overfitted parameters',
      unit: 'percent',
      doubt_if:
        'in more than 5 % of the splits of time in halves, the best trial of one half is not above the median of the other half',
      source:
        'Bailey, Borwein, López de Prado and Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (2016)',
    },
    overfitting,
  ],
  [
    {
      name: 'trades',
      label: 'Enough trades',
      unit: 'count',
      doubt_if: 'fewer than 30 trades were closed',
      source: 'definition',
    },
    tradeCount,
  ],
  [
    {
      name: 'few_trades_percent',
      label: 'Profit from few trades',
      unit: 'percent',
      doubt_if: 'without the best trade, or the best 5 % of the trades, there is no profit',
      source: 'definition',
    },
    concentration,
  ],
  [
    {
      name: 'break_even_cost_percent',
      label: 'Costs at which it breaks even',
      unit: 'percent',
      doubt_if: 'nothing is left at twice the fees, spread and slippage, or there were none',
      source: 'definition',
    },
    breakEven,
  ],
  [
    {
      name: 'doubled_slippage_return_percent',
      label: 'At twice the slippage',
      unit: 'percent',
      doubt_if: 'at twice the slippage, there is no profit, or less than half of it',
      source: 'definition',
    },
    doubledSlippage,
  ],
  [
    {
      name: 'reordered_return_percent',
      label: 'High or low first',
      unit: 'percent',
      doubt_if:
        'if the other extreme of each candle came first, there would be no profit, or less than half of it',
      source: 'definition',
    },
    reorderedReturn,
  ],
]

export const tradeQuestions: readonly Question[] = questions.map(([question]) => question)

/** Every check of a trade pass, in the order of the table in `docs/backtests.md`. */
export function checksOf(basis: Basis, evidence: Evidence = {}): Check[] {
  return questions.map(([question, ask]) => checkOf(question, ask(basis, evidence)))
}

/** The daily returns, if their Sharpe ratio can be estimated, or why not. */
function estimated({ returns }: Basis): Estimate | string {
  if (returns instanceof Undefined) return returns.reason
  if (returns.length < 2) return `The backtest has ${returns.length} daily returns; at least 2 are needed.`
  if (deviation(returns) === 0) return 'All daily returns are the same.'
  return estimateOf(returns)
}

function skill(basis: Basis, { trials = [] }: Evidence): Finding {
  const estimate = estimated(basis)
  if (typeof estimate === 'string') return unknown(estimate)
  const sharpes = trials.map((returns) =>
    returns.length < 2 || deviation(returns) === 0 ? 0 : estimateOf(returns).sharpe,
  )
  const probability = deflatedSharpe(estimate, sharpes)
  const counted = sharpes.length > 1 ? `${sharpes.length} trials` : 'this trial alone'
  return {
    verdict: probability >= confidence ? 'good' : 'doubt',
    value: 100 * probability,
    says: `The Sharpe ratio is above what luck explains with a probability of ${percentText(100 * probability, 1)}, counting ${counted}.`,
  }
}

function length(basis: Basis): Finding {
  const estimate = estimated(basis)
  if (typeof estimate === 'string') return unknown(estimate)
  const least = Math.ceil(leastCount(estimate, 0, confidence))
  const has = `The backtest has ${estimate.count} daily returns.`
  if (!Number.isFinite(least)) {
    return {
      verdict: 'doubt',
      value: null,
      says: `${has} The Sharpe ratio is not above zero, so no number is enough.`,
    }
  }
  return {
    verdict: estimate.count >= least ? 'good' : 'doubt',
    value: least,
    says: `${has} With this Sharpe ratio, ${numberText(least, 0)} are needed to be 95 % sure that it is above zero.`,
  }
}

function overfitting(_: Basis, { trials = [] }: Evidence): Finding {
  if (trials.length < 2) return unknown('The strategy was tried with one set of parameters only.')
  const found = overfittingOf(trials)
  if (found === null) return unknown('The trials have too few days to compare parts of them.')
  const { probability, lossProbability, splits } = found
  return {
    verdict: probability <= mostOverfitting ? 'good' : 'doubt',
    value: 100 * probability,
    says: `In ${percentText(100 * probability, 1)} of ${numberText(splits, 0)} splits of the time, the best of ${trials.length} trials in one half was no better than the median in the other half. In ${percentText(100 * lossProbability, 1)}, it lost money there.`,
  }
}

function tradeCount({ trades }: Basis): Finding {
  const few = `With fewer than ${leastTrades}, averages say little.`
  const isEnough = trades.length >= leastTrades
  return {
    verdict: isEnough ? 'good' : 'doubt',
    value: trades.length,
    says: `The backtest closed ${numberText(trades.length, 0)} trades.${isEnough ? '' : ` ${few}`}`,
  }
}

function concentration({ trades }: Basis): Finding {
  const profits = trades.map(({ profit }) => profit).sort((a, b) => b - a)
  let left = sum(profits)
  if (left <= 0) return unknown('The closed trades made no profit.')
  let best = 0
  while (left > 0) left -= profits[best++]!
  const share = best / profits.length
  return {
    verdict: best === 1 || share <= fewShare ? 'doubt' : 'good',
    value: 100 * share,
    says: `Without its best ${best === 1 ? 'trade' : `${best} trades`} of ${numberText(profits.length, 0)}, the profit is gone.`,
  }
}

/** With the same trades, at the same prices before costs. */
function breakEven({ traded, startEquity, endEquity }: Basis): Finding {
  const volume = sum(traded.fills.map(({ size, price }) => size * price))
  if (volume === 0) return unknown('Nothing was traded.')
  const { fees, spread, slippage } = costsOf(traded)
  const costs = fees + spread + slippage
  const before = endEquity - startEquity + costs
  const [least, paid] = [(100 * before) / volume, (100 * costs) / volume]
  if (before <= 0)
    return { verdict: 'doubt', value: least, says: 'Without costs, it makes no profit either.' }
  return {
    verdict: least >= 2 * paid && costs > 0 ? 'good' : 'doubt',
    value: least,
    says: `Fees, spread and slippage took ${percentText(paid, 3)} of what was traded. At ${percentText(least, 3)}, nothing is left.`,
  }
}

function doubledSlippage({ traded, startEquity, endEquity }: Basis, { doubled }: Evidence): Finding {
  if (traded.fills.length === 0) return unknown('Nothing was traded.')
  if (doubled === undefined) return unknown('The signals were not traded again with twice the slippage.')
  if (startEquity <= 0) return unknown('The start equity is not above zero.')
  const [one, two] = returnsOf({ startEquity, endEquity }, doubled)
  return {
    verdict: two > 0 && two >= one / 2 ? 'good' : 'doubt',
    value: two,
    says: `The return is ${percentText(two)} instead of ${percentText(one)}.`,
  }
}

function reorderedReturn({ startEquity, endEquity }: Basis, { reordered }: Evidence): Finding {
  if (reordered === undefined) return unknown('The signals were not traded again with the other order.')
  if (startEquity <= 0) return unknown('The start equity is not above zero.')
  const [one, two] = returnsOf({ startEquity, endEquity }, reordered)
  if (one === two) return { verdict: 'good', value: two, says: 'The order of high and low changes nothing.' }
  return {
    verdict: two > 0 && two >= one / 2 ? 'good' : 'doubt',
    value: two,
    says: `Candles do not say which came first. The return is ${percentText(one)} if each reached the worse one for the position first, and ${percentText(two)} if it reached the better one.`,
  }
}

/** In percent, of the backtest and of another one on the same signals; `null`: one that ends in the same way. */
function returnsOf(
  { startEquity, endEquity }: Pick<Basis, 'startEquity' | 'endEquity'>,
  other: Traded | null,
): [own: number, other: number] {
  const end = other === null ? endEquity : (other.equity.at(-1)?.equity ?? other.startEquity)
  return [100 * (endEquity / startEquity - 1), 100 * (end / startEquity - 1)]
}
