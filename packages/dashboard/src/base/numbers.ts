/** How numbers are written: in the user's language, with a true minus sign, and never with more digits than are known. */

import { lazy } from './lazy.ts'

export const minus = '\u2212'

/** A number, or the decimal text of one that a double cannot hold. */
export type Decimal = number | string

export type NumberForm = {
  /** Digits after the decimal point. Default: as many as the number has, at most 12. */
  digits?: number
  /** Whether a number above zero gets a plus sign. */
  isSigned?: boolean
}

/** @returns `–` for `null`: nobody knows the number */
export function formatNumber(value: Decimal | null | undefined, form: NumberForm = {}): string {
  if (value === null || value === undefined) return '–'
  // `format` reads decimal texts exactly, to the last digit.
  return formatFor(form)
    .format(value as number)
    .replace('-', minus)
}

/**
 * An average of prices, which has more digits than its market: the first eight, and all before the decimal point. More
 * only hide those that matter.
 */
export function roundPrice(price: Decimal): number {
  const number = Number(price)
  const whole = Math.trunc(Math.abs(number)).toLocaleString('en-US', { useGrouping: false }).length
  return Number(number.toPrecision(Math.min(100, Math.max(8, whole))))
}

/** A page shows hundreds of numbers in few forms, and making a format takes longer than using it. */
const formats = new Map<string, Intl.NumberFormat>()

function formatFor({ digits, isSigned = false }: NumberForm): Intl.NumberFormat {
  const key = `${digits} ${isSigned}`
  const made =
    formats.get(key) ??
    new Intl.NumberFormat(undefined, {
      minimumFractionDigits: digits ?? 0,
      maximumFractionDigits: digits ?? 12,
      signDisplay: isSigned ? 'exceptZero' : 'negative',
    })
  formats.set(key, made)
  return made
}

/** What stands before the fraction in the user's language. */
export const decimalSign = lazy(
  () => new Intl.NumberFormat().formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
)

/** How many digits a number has after its decimal sign, in the form in which it is shown. */
export function fractionDigits(shown: string): number {
  const at = shown.lastIndexOf(decimalSign())
  return at === -1 ? 0 : shown.length - at - decimalSign().length
}

const byteForm = lazy(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }))

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${byteForm().format(bytes)} B`
  if (bytes < 1024 * 1024) return `${byteForm().format(bytes / 1024)} KB`
  if (bytes < 1024 ** 3) return `${byteForm().format(bytes / 1024 ** 2)} MB`
  return `${byteForm().format(bytes / 1024 ** 3)} GB`
}

/** @returns `1 run`, `2 runs` */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}
