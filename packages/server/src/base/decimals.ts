import Big from 'big.js'
import { divide, divisionPlaces, remainder } from './decimal-division.ts'

/** Decimal arithmetic that rejects JavaScript numbers: a float in between would change someone's money. */
export const Decimal = Big()
Decimal.strict = true
/** Only divisions round; everything else is exact. Twice the digits of the amounts in the books. */
Decimal.DP = divisionPlaces
Decimal.RM = Big.roundHalfUp

/** Those of big.js are slow: see `decimal-division.ts`. It still says what a division of or by zero is. */
const slow = Decimal.prototype
Object.defineProperty(Decimal, 'prototype', {
  value: Object.create(slow, {
    div: {
      value(this: Big, by: Big | string): Big {
        const divisor = new Decimal(by)
        return isZero(this) || isZero(divisor) ? slow.div.call(this, divisor) : divide(this, divisor, divisor)
      },
    },
    mod: {
      value(this: Big, by: Big | string): Big {
        const divisor = new Decimal(by)
        return isZero(this) || isZero(divisor)
          ? slow.mod.call(this, divisor)
          : remainder(this, divisor, divisor)
      },
    },
  }),
})

export type Decimal = Big

export const zero = new Decimal('0')
export const one = new Decimal('1')

/** Far beyond any amount of money, and short enough to calculate with. */
const longestText = 200

/**
 * Reads an amount.
 * @param name the name of the amount in the message
 * @throws {RangeError} if the text is not a decimal number
 */
export function decimal(text: string, name = 'amount'): Decimal {
  try {
    if (text.length <= longestText) return bounded(new Decimal(text))
  } catch {
    // Thrown below.
  }
  throw new RangeError(`${name} must be a decimal number, got "${text.slice(0, 40)}".`)
}

/** `1e999999999` is short to write and long to print. */
function bounded(value: Decimal): Decimal {
  if (Math.abs(value.e) > longestText) throw new RangeError('out of range')
  return value
}

/** Like `eq('0')`, `gt('0')` and `lt('0')`, which read the text each time and so take ten times as long. */
export function isZero(value: Decimal): boolean {
  return value.c[0] === 0
}

export function isPositive(value: Decimal): boolean {
  return value.s > 0 && !isZero(value)
}

export function isNegative(value: Decimal): boolean {
  return value.s < 0 && !isZero(value)
}

/** Writes a number without exponent and trailing zeros: `0.00000001`, `1200`. */
export function plain(value: Decimal): string {
  return value.toFixed()
}

/** Rounds a value down to a multiple of a step. Neither is negative; a step of zero changes nothing. */
export function floorToStep(value: Decimal, step: Decimal): Decimal {
  return step.gt('0') ? value.minus(value.mod(step)) : value
}

/** Rounds a value to a multiple of a step. Neither is negative; a step of zero changes nothing. */
export function toStep(value: Decimal, step: Decimal, isUp: boolean): Decimal {
  const floor = floorToStep(value, step)
  return isUp && !floor.eq(value) ? floor.plus(step) : floor
}

/** The step between numbers near a value that have at most so many significant digits, or are whole. */
export function stepOfDigits(value: Decimal, digits: number): Decimal {
  return decimal(`1e${Math.min(0, value.e - digits + 1)}`)
}

/** The step of a market near a price. @param digits how many significant digits it may have, unless it is whole */
export function stepAt(price: Decimal, step: Decimal, digits: number | undefined): Decimal {
  if (digits === undefined) return step
  const coarse = stepOfDigits(price, digits)
  return coarse.gt(step) ? coarse : step
}

export function least(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b
}
