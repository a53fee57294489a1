/**
 * How sure a Sharpe ratio is. Sharpe ratios here are those of single returns, such as days: they are not scaled to a year.
 * Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012), and The Deflated Sharpe Ratio,
 * Journal of Portfolio Management 40 (2014).
 */
import { deviation, kurtosis, mean, skewness } from '../samples.ts'
import { normalShare, normalValue } from './normal.ts'

/** A Sharpe ratio, and the returns that it comes from. `kurtosis` is 3 for a normal distribution. */
export type Estimate = { sharpe: number; count: number; skewness: number; kurtosis: number }

/** At least two returns, which are not all the same. */
export function estimateOf(returns: readonly number[]): Estimate {
  return {
    sharpe: mean(returns) / deviation(returns),
    count: returns.length,
    skewness: skewness(returns),
    kurtosis: kurtosis(returns),
  }
}

/** The probability that the true Sharpe ratio is above a benchmark (PSR). */
export function probabilisticSharpe(estimate: Estimate, benchmark: number): number {
  const distance = (estimate.sharpe - benchmark) * Math.sqrt(estimate.count - 1)
  return normalShare(distance / Math.sqrt(varianceOf(estimate)))
}

/** How many returns are needed to be so sure that the true Sharpe ratio is above a benchmark; infinite if it is not. */
export function leastCount(estimate: Estimate, benchmark: number, confidence: number): number {
  if (estimate.sharpe <= benchmark) return Number.POSITIVE_INFINITY
  return 1 + varianceOf(estimate) * (normalValue(confidence) / (estimate.sharpe - benchmark)) ** 2
}

/**
 * The largest Sharpe ratio to expect from so many independent trials without any skill. @param variance of the Sharpe
 * ratios of the trials
 */
export function expectedLargest(trials: number, variance: number): number {
  if (trials <= 1) return 0
  const euler = 0.5772156649015329
  const [one, other] = [normalValue(1 - 1 / trials), normalValue(1 - 1 / (trials * Math.E))]
  return Math.sqrt(variance) * ((1 - euler) * one + euler * other)
}

/**
 * The probability that a strategy has skill, after so many trials from which it was chosen (DSR).
 * @param trials the Sharpe ratios of all trials, with its own
 */
export function deflatedSharpe(estimate: Estimate, trials: readonly number[]): number {
  const variance = trials.length < 2 ? 0 : deviation(trials) ** 2
  return probabilisticSharpe(estimate, expectedLargest(trials.length, variance))
}

/** Of the estimate, times the number of returns less one. Extreme moments of few returns could make it negative. */
function varianceOf({ sharpe, skewness, kurtosis }: Estimate): number {
  return Math.max(1e-12, 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2)
}
