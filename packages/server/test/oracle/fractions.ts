/** Exact fractions of whole numbers. The oracle calculates with them; the service does not use them. */
export type Fraction = { over: bigint; under: bigint }

export const zero: Fraction = { over: 0n, under: 1n }

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b)
}

function lowest(over: bigint, under: bigint): Fraction {
  const common = divisor(over < 0n ? -over : over, under)
  return { over: over / common, under: under / common }
}

/** Reads a decimal such as `-12.50`. */
export function fraction(text: string): Fraction {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (parts === null) throw new Error(`Not a plain decimal: ${text}`)
  const [, sign, whole = '', rest = ''] = parts
  return lowest(BigInt(`${sign}${whole}${rest}`), 10n ** BigInt(rest.length))
}

export const add = (a: Fraction, b: Fraction) =>
  lowest(a.over * b.under + b.over * a.under, a.under * b.under)
export const negate = ({ over, under }: Fraction): Fraction => ({ over: -over, under })
export const subtract = (a: Fraction, b: Fraction) => add(a, negate(b))
export const multiply = (a: Fraction, b: Fraction) => lowest(a.over * b.over, a.under * b.under)
export const size = (a: Fraction) => (a.over < 0n ? negate(a) : a)
export const compare = (a: Fraction, b: Fraction) => {
  const difference = a.over * b.under - b.over * a.under
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
export const smaller = (a: Fraction, b: Fraction) => (compare(a, b) < 0 ? a : b)

/** `b` must be above zero. */
export const divide = (a: Fraction, b: Fraction) => lowest(a.over * b.under, a.under * b.over)

/** Rounds down to a multiple of `step`. Neither may be negative. */
export function stepsOf(a: Fraction, step: Fraction): Fraction {
  const count = divide(a, step)
  return multiply({ over: count.over / count.under, under: 1n }, step)
}

/** Rounds to a number of decimals, a half away from zero. */
export function rounded(a: Fraction, decimals: number): Fraction {
  const scale = 10n ** BigInt(decimals)
  const { over, under } = size(a)
  const nearest = lowest((2n * over * scale + under) / (2n * under), scale)
  return a.over < 0n ? negate(nearest) : nearest
}

/** Rounds as the API does: to 8 decimals, or to more for so many significant digits, but to at most 18 decimals. */
export function shown(a: Fraction, significantDigits: number): string {
  const least = 10n ** BigInt(significantDigits - 1)
  const isEnough = (decimals: number) =>
    compare(size(a), { over: least, under: 10n ** BigInt(decimals) }) >= 0
  let decimals = 8
  while (decimals < 18 && !isEnough(decimals)) decimals++
  return text(rounded(a, decimals))
}

/** Writes a decimal without trailing zeros. @throws if its decimals do not end */
export function text(a: Fraction): string {
  const { over, under } = size(a)
  const sign = a.over < 0n ? '-' : ''
  const whole = over / under
  let rest = over % under
  let decimals = ''
  while (rest !== 0n) {
    if (decimals.length > 400) throw new Error('The decimals of this fraction do not end.')
    decimals += String((rest * 10n) / under)
    rest = (rest * 10n) % under
  }
  return `${sign}${whole}${decimals === '' ? '' : `.${decimals}`}`
}
