/** Reads single settings of bots. Each reader throws an {@link InvalidValue} for what no bot can have. */
import { decimal as decimalOf, plain } from '../base/decimals.ts'
import { sidesOf } from '../trading/amounts.ts'

/** Both limits are allowed values. */
export type Limits = { least: string; most: string }

const mostDecimalPlaces = 18
const mostSymbols = 100
const longestSymbol = 64
// A bot that may lose all of its equity has no limit.
const percent: Limits = { least: '0.01', most: '99.99' }

/** The message completes a sentence that begins with the field, such as "body.amount …". */
export class InvalidValue extends Error {}

export function readDecimal(given: string | number, { least, most }: Limits): string {
  // The shortest text of the number. Up to 15 digits, that is what the sender wrote.
  const written = String(given).trim()
  const isPlain = typeof given === 'number' || /^-?\d+(?:\.\d+)?$/.test(written)
  if (!isPlain) throw new InvalidValue('must be a decimal number, such as 12.5')
  const value = parseDecimal(written)
  if (value.lt('0')) throw new InvalidValue(`must not be negative, got ${written}`)
  if (value.lt(least) || value.gt(most))
    throw new InvalidValue(`must be from ${least} to ${most}, got ${written}`)
  // Also for `-0`.
  const text = value.eq('0') ? '0' : plain(value)
  const places = text.split('.')[1]?.length ?? 0
  if (places > mostDecimalPlaces) {
    throw new InvalidValue(`must have at most ${mostDecimalPlaces} digits after the point, got ${places}`)
  }
  return text
}

/** @returns the number before the sign */
export function readPercent(given: string): string {
  const [, number] = /^(\d+(?:\.\d+)?)\s*%$/.exec(given.trim()) ?? []
  if (number === undefined)
    throw new InvalidValue(`must be a percentage such as 20%, got ${JSON.stringify(given)}`)
  return readDecimal(number, percent)
}

function parseDecimal(text: string) {
  try {
    return decimalOf(text)
  } catch {
    throw new InvalidValue(`is a number that is too large or too small: ${text.slice(0, 40)}`)
  }
}

export function readCurrency(given: string): string {
  const currency = given.trim().toUpperCase()
  if (/^[A-Z\d]{2,12}$/.test(currency)) return currency
  throw new InvalidValue(`must be 2 to 12 letters and digits, such as USDT, got ${JSON.stringify(given)}`)
}

export function readMarket(given: string): string {
  const market = given.trim().toUpperCase()
  if (sidesOf(market) !== null) return market
  throw new InvalidValue(`must be a market such as BTC/USDT, got ${JSON.stringify(given)}`)
}

export function readSymbols(text: string | null): string[] {
  const symbols = (text ?? '').split(',').map((symbol) => symbol.trim())
  const named = [...new Set(symbols)].filter((symbol) => symbol !== '')
  if (named.length > mostSymbols)
    throw new InvalidValue(`must name at most ${mostSymbols} symbols, got ${named.length}`)
  if (named.some((symbol) => symbol.length > longestSymbol)) {
    throw new InvalidValue(`must not name a symbol of more than ${longestSymbol} characters`)
  }
  return named
}
