/** Figures of samples, such as daily returns. All need at least one value. */

export function sum(values: readonly number[]): number {
  // Neumaier's sum: the error stays that of one addition, however many values there are.
  let [total, lost] = [0, 0]
  for (const value of values) {
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total
    total = next
  }
  return total + lost
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

/**
 * Standard deviation. @param lost degrees of freedom: 1 for a sample, 0 for a whole population. 0 if all values are the
 * same except for rounding.
 */
export function deviation(values: readonly number[], lost: 0 | 1 = 1): number {
  if (isConstant(values)) return 0
  const centre = mean(values)
  return Math.sqrt(sum(values.map((value) => (value - centre) ** 2)) / (values.length - lost))
}

/** Equal returns differ in their last bits, and a ratio to that noise would be a huge number. */
function isConstant(values: readonly number[]): boolean {
  const [first = 0] = values
  const tolerance = Math.max(1, Math.abs(first)) * 1e-13
  return values.every((value) => Math.abs(value - first) <= tolerance)
}

/** How lopsided values are, as the third standardised moment of a population. `NaN` if they are all the same. */
export function skewness(values: readonly number[]): number {
  return standardisedMoment(values, 3)
}

/** How heavy the tails are, as the fourth standardised moment of a population: 3 for a normal distribution. */
export function kurtosis(values: readonly number[]): number {
  return standardisedMoment(values, 4)
}

function standardisedMoment(values: readonly number[], power: number): number {
  const spread = deviation(values, 0)
  if (spread === 0) return Number.NaN
  const centre = mean(values)
  return mean(values.map((value) => ((value - centre) / spread) ** power))
}

/** The middle value, or the mean of both middle values. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
