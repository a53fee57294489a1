/** Compares two samples of times by their ranks only: one slow moment of the machine changes ranks little. */

/**
 * How often a value of `ones` is greater than one of `others`: 0.5 if the samples cannot be distinguished, 1 if all are
 * greater (the area under the ROC curve, which is Mann and Whitney's U over all pairs).
 */
export function shareAbove(ones: readonly number[], others: readonly number[]): number {
  let above = 0
  for (const one of ones) {
    for (const other of others) above += one > other ? 1 : one === other ? 0.5 : 0
  }
  return above / (ones.length * others.length)
}

/**
 * The standard deviation of `shareAbove` around 0.5 by chance, for samples of two sizes.
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
