/** Exact sums and products of decimal texts, as the API has amounts of money. */

type Scaled = { units: bigint; digits: number }

/**
 * @returns the sum, without superfluous zeros
 * @throws {SyntaxError} for a text that is no plain decimal
 */
export function sumOf(values: Iterable<string>): string {
  let sum: Scaled = { units: 0n, digits: 0 }
  for (const value of values) {
    const next = scaled(value)
    const digits = Math.max(sum.digits, next.digits)
    sum = { units: unitsAt(sum, digits) + unitsAt(next, digits), digits }
  }
  return textOf(sum)
}

/**
 * @returns the product, without superfluous zeros
 * @throws {SyntaxError} for a text that is no plain decimal
 */
export function productOf(one: string, other: string): string {
  const [a, b] = [scaled(one), scaled(other)]
  return textOf({ units: a.units * b.units, digits: a.digits + b.digits })
}

function scaled(text: string): Scaled {
  const point = text.indexOf('.')
  const digits = point === -1 ? 0 : text.length - point - 1
  return { units: BigInt(text.replace('.', '')), digits }
}

function unitsAt({ units, digits }: Scaled, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - digits)
}

function textOf({ units, digits }: Scaled): string {
  const sign = units < 0n ? '-' : ''
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  if (digits === 0) return sign + text
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return sign + text.slice(0, -digits) + (fraction === '' ? '' : `.${fraction}`)
}
