/** Reads the fields of an answer that anything may have written. */

/** The exchange's answer is not a market. */
export class UnreadableMarket extends Error {
  override name = 'UnreadableMarket'
}

export type Raw = Record<string, unknown>

/** No market has this many outcomes. */
const mostOutcomes = 500

/** An object, or an empty one. */
export function raw(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {}
}

/** A text of at most `most` characters, which also a number may be; `null` if it is empty or something else. */
export function text(value: unknown, most: number): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, most).toWellFormed() : null
}

/** A finite number, which also a text may have; otherwise `null`. */
export function number(value: unknown): number | null {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  const read = isNumeric ? Number(value) : Number.NaN
  return Number.isFinite(read) ? read : null
}

/** A number from 0 to 1; otherwise `null`. */
export function share(value: unknown): number | null {
  const read = number(value)
  return read !== null && read >= 0 && read <= 1 ? read : null
}

/** A list, which may be JSON within a text. Anything else is an empty one. */
export function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.slice(0, mostOutcomes)
  if (typeof value !== 'string') return []
  try {
    return list(JSON.parse(value) as unknown[])
  } catch {
    return []
  }
}

/** ISO 8601, from a text that is a date or from Unix milliseconds; `null` for anything else. */
export function moment(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
