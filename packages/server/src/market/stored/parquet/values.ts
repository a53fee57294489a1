/** How values of Parquet are written as text: exactly, or so that nobody takes them for a number. */

import { exactly } from '../exact.ts'

/** `scale`: how many digits of a decimal are behind its point; `null` for anything but a decimal. */
export type ColumnForm = { type: string; scale: number | null }

/** No figure that anybody reads is longer. */
const mostCharacters = 100

/**
 * A value as a cell of CSV; an empty one if there is none. A `FLOAT` becomes the shortest decimal that has this value, as a
 * double does.
 */
export function textOf(value: unknown, { type, scale }: ColumnForm): string {
  if (value === null || value === undefined) return ''
  if (scale !== null) return decimalOf(unscaled(value), scale)
  if (typeof value === 'number') return plainOf(type === 'FLOAT' ? shortestFloat(value) : value)
  if (typeof value === 'string') return value.slice(0, mostCharacters).replaceAll(/[,\r\n]/g, '?')
  return typeof value === 'bigint' ? String(value) : `a ${type}`
}

/** The whole number of a decimal: big-endian, two's complement. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint)
  const bits = value.length * 8
  return bits === 0 ? 0n : BigInt.asIntN(bits, BigInt(`0x${Buffer.from(value).toString('hex')}`))
}

function decimalOf(whole: bigint, scale: number): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return whole < 0n ? `-${text}` : text
}

/** Without an exponent. What is no number stays what it is. */
function plainOf(value: number): string {
  const text = String(value)
  return exactly(text) ?? text
}

/** Nine digits tell any two of them apart. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return shorter
  }
  return Number(value.toPrecision(9))
}
