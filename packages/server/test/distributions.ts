/** Compares two samples of times by their ranks alone, which one slow moment of the machine does not change much. */

/**
 * How often a value of `ones` is above one of `others`: 0.5 where nobody can tell them apart, 1 where all are (the area
 * under the ROC curve, which is Mann and Whitney's U over all pairs).
 */
export function shareAbove(ones: readonly number[], others: readonly number[]): number {
  let above = 0
  for (const one of ones) {
    for (const other of others) above += one > other ? 1 : one === other ? 0.5 : 0
  }
  return above / (ones.length * others.length)
}

/**
 * How far from 0.5 `shareAbove` comes by chance alone, as a standard deviation, for samples of two sizes.
 * https://en.wikipedia.org/wiki/Mann-Whitney_U_test#Normal_approximation_and_tie_correction
 */
export function deviationOf(ones: number, others: number): number {
  return Math.sqrt((ones + others + 1) / (12 * ones * others))
}

export function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ value }) => value)
}
