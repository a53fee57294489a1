import Big from 'big.js'

/** Decimal arithmetic that takes no JavaScript numbers: a float in between would be an error of somebody's money. */
export const Decimal = Big()
Decimal.strict = true
/** Of divisions alone; everything else is exact. Twice what {@link Decimal} amounts are kept with in the books. */
Decimal.DP = 48
Decimal.RM = Big.roundHalfUp

export type Decimal = Big

export const zero = new Decimal('0')
export const one = new Decimal('1')

/** Far beyond any amount of money, and short enough to calculate with. */
const longestText = 200

/**
 * Reads an amount.
 * @param name how a message calls it
 * @throws {RangeError} when it is no decimal number
 */
export function decimal(text: string, name = 'amount'): Decimal {
  try {
    if (text.length <= longestText) return bounded(new Decimal(text))
  } catch {
    // Told below.
  }
  throw new RangeError(`${name} must be a decimal number, got "${text.slice(0, 40)}".`)
}

/** `1e999999999` is short to write and long to print. */
function bounded(value: Decimal): Decimal {
  if (Math.abs(value.e) > longestText) throw new RangeError('out of range')
  return value
}

/** Without exponent and without zeros at the end: `0.00000001`, `1200`. */
export function plain(value: Decimal): string {
  return value.toFixed()
}

/** The largest multiple of a step that is not above a value; both are above zero or zero. */
export function floorToStep(value: Decimal, step: Decimal): Decimal {
  return step.gt('0') ? value.minus(value.mod(step)) : value
}

export function least(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b
}
