/** The middle of several measurements, and their range. */
export type Spread = { median: number; least: number; most: number }

/**
 * The value that the share `p` (0 to 1) of all values does not exceed, by nearest rank: always one of the values.
 * @throws {RangeError} if there are no values
 */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new RangeError('There are no values for a percentile.')
  const sorted = Float64Array.from(values).sort()
  const rank = Math.ceil(p * sorted.length)
  return sorted[Math.max(0, rank - 1)]!
}

/** With an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There are no values for a median.')
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * The mean of the middle half of the values: finer than the median where they are whole numbers, and as deaf to outliers.
 */
export function middleMean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There are no values for a mean.')
  const sorted = Float64Array.from(values).sort()
  const quarter = Math.floor(sorted.length / 4)
  const middle = sorted.subarray(quarter, sorted.length - quarter)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}
