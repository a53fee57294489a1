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

/**
 * The numbers from `first` to at most `last`, each `step` after the one before, without superfluous zeros.
 * @returns `'order'` if they would never arrive, `'many'` if there are more than `most`
 * @throws {SyntaxError} for a text that is no plain decimal
 */
export function stepsOf(
  { first, last, step }: { first: string; last: string; step: string },
  most: number,
): string[] | 'order' | 'many' {
  const parts = [first, last, step].map(scaled)
  const digits = Math.max(...parts.map((part) => part.digits))
  const [from, to, by] = parts.map((part) => unitsAt(part, digits)) as [bigint, bigint, bigint]
  if (by <= 0n || to < from) return 'order'
  const count = (to - from) / by + 1n
  if (count > BigInt(most)) return 'many'
  return Array.from({ length: Number(count) }, (_, index) =>
    textOf({ units: from + BigInt(index) * by, digits }),
  )
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
