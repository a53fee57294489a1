/**
 * How answers and messages write calculated amounts. A product of price, size and rate has many digits that help
 * nobody, such as a fee of 0.10004999286293325. The books keep all of them and calculate with all of them. Only the
 * text for a reader is rounded, so the last shown digits of several figures need not add up.
 */
import { Decimal, plain } from './decimals.ts'

/** Enough for a cent, and for a satoshi. */
const usualDecimals = 8
/** The smallest unit of any traded asset is 1e-18. Anything below comes from a division. */
const mostDecimals = 18

/**
 * Money, such as a profit or a fee: at most 8 decimals. An amount below 0.00001 gets more, so that at least 4
 * significant digits remain.
 */
export function readableMoney(amount: Decimal): string {
  return rounded(amount, 4)
}

/** A price: at most 8 decimals. A price below 1 gets more, so that at least 8 significant digits remain. */
export function readablePrice(price: Decimal): string {
  return rounded(price, 8)
}

function rounded(value: Decimal, significantDigits: number): string {
  // `e` is the power of ten of the first digit: -3 for 0.0012.
  const decimals = significantDigits - 1 - value.e
  const shown = Math.min(mostDecimals, Math.max(usualDecimals, decimals))
  return plain(value.round(shown, Decimal.roundHalfUp))
}
