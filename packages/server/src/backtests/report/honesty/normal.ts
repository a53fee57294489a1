/** The share of a standard normal distribution that is below a value, to fifteen decimals. */
export function normalShare(value: number): number {
  if (value > 8.3) return 1
  if (value < -8.3) return 0
  // Marsaglia, Evaluating the Normal Distribution, Journal of Statistical Software 11 (2004).
  let [sum, term] = [value, value]
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (value * value) / odd
    sum += term
  }
  return 0.5 + (sum * Math.exp(-(value * value) / 2)) / Math.sqrt(2 * Math.PI)
}

/** The value below which a share of a standard normal distribution is; `share` is above 0 and below 1. */
export function normalValue(share: number): number {
  let [low, high] = [-8.3, 8.3]
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2
    if (normalShare(middle) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
