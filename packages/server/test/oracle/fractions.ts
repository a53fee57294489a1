/** Exact fractions of whole numbers: what the oracle calculates with, and the service does not. */
export type Fraction = { over: bigint; under: bigint }

export const zero: Fraction = { over: 0n, under: 1n }

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b)
}

function lowest(over: bigint, under: bigint): Fraction {
  const common = divisor(over < 0n ? -over : over, under)
  return { over: over / common, under: under / common }
}

/** Of a decimal such as `-12.50`. */
export function fraction(text: string): Fraction {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (parts === null) throw new Error(`No plain decimal: ${text}`)
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

/** Down to a multiple of `step`; neither may be negative. */
export function stepsOf(a: Fraction, step: Fraction): Fraction {
  const count = divide(a, step)
  return multiply({ over: count.over / count.under, under: 1n }, step)
}

/** To so many decimals, a half away from zero. */
export function rounded(a: Fraction, decimals: number): Fraction {
  const scale = 10n ** BigInt(decimals)
  const { over, under } = size(a)
  const nearest = lowest((2n * over * scale + under) / (2n * under), scale)
  return a.over < 0n ? negate(nearest) : nearest
}

/** As the API shows it: with at least 8 decimals, with enough for so many significant digits, and with at most 18. */
export function shown(a: Fraction, significantDigits: number): string {
  const least = 10n ** BigInt(significantDigits - 1)
  const isEnough = (decimals: number) =>
    compare(size(a), { over: least, under: 10n ** BigInt(decimals) }) >= 0
  let decimals = 8
  while (decimals < 18 && !isEnough(decimals)) decimals++
  return text(rounded(a, decimals))
}

/** As a decimal without zeros at the end. Its decimals must end. */
export function text(a: Fraction): string {
  const { over, under } = size(a)
  const sign = a.over < 0n ? '-' : ''
  const whole = over / under
  let rest = over % under
  let decimals = ''
  while (rest !== 0n) {
    if (decimals.length > 400) throw new Error('A fraction that does not end')
    decimals += String((rest * 10n) / under)
    rest = (rest * 10n) % under
  }
  return `${sign}${whole}${decimals === '' ? '' : `.${decimals}`}`
}
